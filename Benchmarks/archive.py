#!/usr/bin/env python3
"""How fast `locomotion-server collect` acknowledges, in how much memory, and who can delay whom.

    python3 Benchmarks/archive.py PROGRAM [--devices N] [--rate HZ] [--minutes N] [--json FILE]
    python3 Benchmarks/archive.py PROGRAM --only hostile       # only who can delay whom
    python3 Benchmarks/archive.py PROGRAM --soak MINUTES       # only the memory over so long

Each of N devices (default 200) of as many users sends an hour of 100 Hz data: accelerations and a
fix per second, made by one journal, recorded and cut into units by `record` and `sync` themselves.
The others' units are those with another name of the same length and another device number, so that
each is validated, stored, and derived on its own; only their samples are alike.

- `units/s`, `MB/s`: all devices at once, each with one connection and one unit at a time, until the
  last acknowledgement. What is acknowledged is on the disk and in PostgreSQL.
- `p50`, `p99`: from the first byte of a request to the last one of its answer, so with the wait
  behind the units of all others; and the same when units come at a third of that rate.
- `memory`: the most that the process of `collect` ever held (VmHWM).
- `seconds of processor per unit`: of `collect`, with the days computed, for N devices and for N/10.
- `beside slow`, `beside hostile`: paced devices, alone and beside such clients in turns. Slow ones
  are one user's with half requests and bodies that are no units; the hostile ones are a user each
  with units that decode to hundreds of times their size, floods of small ones, slow bodies, times at
  the ends of what there is and a quarter of a century apart, and withdrawals.
- `--soak`: RSS of `collect` every ten seconds, while some users send, read and withdraw without end,
  and the slow and the hostile ones beside them.

Clients, PostgreSQL and `collect` share the machine.
"""

import argparse
import asyncio
import hashlib
import http.server
import json
import multiprocessing
import os
import platform
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from queue import Empty

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Sources", "Server", "Tests",
                                "Checks"))

from archive_clients import ATTACKS, exchange, request, run_hostile, run_slow, wander
from archive_phones import Phone, Simulation
from archive_servers import Cluster, Collector, new_token

TEMPLATE = "device-000000"
SLOW = "slow-00000000"
HOSTILE = ["hostile-%05d" % number for number in range(len(ATTACKS))]


class Capture(http.server.ThreadingHTTPServer):
    """Takes units as an archive does, and keeps them in the order in which they come."""

    def __init__(self):
        self.units = []
        super().__init__(("127.0.0.1", 0), CaptureHandler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class CaptureHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.answer(404, b"")

    def do_PUT(self):
        unit = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.units.append(unit)
        self.answer(201, b'{"digest":"%s"}' % hashlib.sha256(unit).hexdigest().encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def recorded_units(options, folder):
    """An hour as the units of one device, in order, and the device's number."""
    phone = Phone(options.program, folder, TEMPLATE, 0, new_token(), "benchmark")
    phone.simulation = Simulation("benchmark", rate=options.rate)
    phone.simulation.has_gyroscope = phone.simulation.has_barometer = False
    phone.simulation.step, phone.simulation.decimals = 9.80665 / 2048, 4
    lines = []
    for number in range(max(1, options.minutes // 6)):
        # Stays and walks.
        lines += phone.simulation.lines(360, number % 2 == 1)
    process = phone.start("record", text=("\n".join(lines) + "\n").encode())
    assert process.wait() == 0, process.stderr.read()
    capture = Capture()
    status, said = phone.sync("http://127.0.0.1:%d" % capture.server_port)
    assert status == 0, said
    capture.shutdown()
    return capture.units, phone.device()


def renamed(units, device, user, number):
    """The units as those of another user's device."""
    result, before = [], ()
    for unit in units:
        # At the end is a checksum of all before it.
        content, checksum = unit[:-4], int.from_bytes(unit[-4:], "little")
        assert zlib.crc32(content) == checksum
        assert content.count(TEMPLATE.encode()) == content.count(bytes.fromhex(device)) == 1
        content = content.replace(TEMPLATE.encode(), user.encode()).replace(
            bytes.fromhex(device), bytes.fromhex(number))
        # Each names the digest of the one before it.
        if result:
            assert content.count(before[0]) == 1
            content = content.replace(*before)
        result.append(content + zlib.crc32(content).to_bytes(4, "little"))
        before = (hashlib.sha256(unit).digest(), hashlib.sha256(result[-1]).digest())
    return result


async def send_all(port, units, token, results):
    """Sends a device's units one after the other; what has to wait is sent again."""
    connection = None
    for unit in units:
        message, digest = request(unit, token)
        begin, tries = time.monotonic(), 0
        while True:
            try:
                connection = connection or await asyncio.open_connection("127.0.0.1", port)
                status, body = await exchange(connection, message)
                if status in (201, 409):
                    assert json.loads(body)["digest"] == digest
                    break
                assert status in (408, 425, 429) or status >= 500, (status, body)
            except (OSError, EOFError):
                connection = None
            tries += 1
            await asyncio.sleep(0.2)
        results.append((time.monotonic() - begin, len(unit), tries))
    if connection:
        connection[1].close()


def run_devices(port, fleet, queue):
    async def all_of_them():
        results = []
        await asyncio.gather(*[send_all(port, units, token, results) for units, token in fleet])
        return results

    begin = time.monotonic()
    results = asyncio.run(all_of_them())
    queue.put((time.monotonic() - begin, results))


def run_paced(port, fleet, interval, queue):
    """Each unit at its own time, whether or not those before were answered."""
    async def all_of_them():
        results, tasks = [], []
        begin = time.monotonic()
        pairs = [([unit], token) for units, token in fleet for unit in units]
        for number, (units, token) in enumerate(pairs):
            await asyncio.sleep(max(0, begin + number * interval - time.monotonic()))
            tasks.append(asyncio.ensure_future(send_all(port, units, token, results)))
        await asyncio.gather(*tasks)
        return results

    queue.put((0, asyncio.run(all_of_them())))


def in_process(function, *arguments):
    """Runs a client in a process of its own; returns what it measured."""
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=function, args=(*arguments, queue))
    process.start()
    while True:
        try:
            result = queue.get(timeout=1)
            process.join()
            return result
        except Empty:
            assert process.is_alive() or not queue.empty(), "the clients have failed"


def quantile(results, share):
    values = sorted(seconds for seconds, _, _ in results)
    return 1_000 * values[min(len(values) - 1, int(share * len(values)))]


def machine():
    model = platform.processor()
    with open("/proc/cpuinfo") as file:
        model = next((x.split(":")[1].strip() for x in file if x.startswith("model name")), model)
    return "%s, %d cores, %s" % (model, os.cpu_count(), platform.platform(terse=True))


class Fleet:
    """Devices of users who send the same hour, each under a name of its own."""

    def __init__(self, options, folder, count):
        self.units, self.device = recorded_units(options, folder)
        names = ["device-%06d" % number for number in range(1, 1 + count)]
        self.tokens = {name: new_token() for name in [*names, SLOW, *HOSTILE]}
        self.names = iter(names)

    def take(self, count, most=None):
        """So many devices that have not sent yet: their units and tokens."""
        return [(self.device_of(user, most), self.tokens[user])
                for user, _ in zip(self.names, range(count))]

    def device_of(self, user, most=None):
        number = "%032x" % random.getrandbits(128)
        return renamed(self.units[:most], self.device, user, number)


def hostile_users(fleet):
    return [(name, fleet.tokens[name]) for name in HOSTILE]


def throughput(collector, fleet, few, many, rows):
    """Seconds of processor and of time per unit; the units per second of many devices."""
    per_unit, rate = {}, 1.0
    for count in (few, many):
        with collector:
            before = collector.processor_seconds()
            seconds, results = in_process(run_devices, collector.port, fleet.take(count))
            per_unit[count] = (
                seconds / len(results), (collector.wait_until_idle() - before) / len(results))
            rate = len(results) / seconds
            rows += [
                ("%d devices: units/s" % count, "%.1f" % rate),
                ("MB/s", "%.1f" % (sum(size for _, size, _ in results) / seconds / 1e6)),
                ("p50, p99 of an acknowledgement, ms",
                 "%.0f, %.0f" % (quantile(results, 0.5), quantile(results, 0.99))),
                ("sent again after 429 or 5xx", "%d" % sum(tries for _, _, tries in results)),
                ("memory of collect, MB", "%.0f" % (collector.status("VmHWM") / 1024)),
                ("seconds of processor per unit", "%.4f" % per_unit[count][1])]
    if few < many:
        rows += [("the same, ratio of %d to %d" % (many, few),
                  "%.2f" % (per_unit[many][1] / per_unit[few][1])),
                 ("time per unit, ratio", "%.2f" % (per_unit[many][0] / per_unit[few][0]))]
    return rate


def disturbed(collector, fleet, rounds, rate, run, what, arguments, rows):
    """Paced devices alone and beside clients in turns."""
    found, attacks = {False: [], True: []}, 0
    for turn in range(2 * rounds):
        is_attacked = turn % 2 == 1
        stop, count = multiprocessing.Event(), multiprocessing.Value("q", 0)
        attackers = multiprocessing.Process(
            target=run, args=(collector.port, *arguments, stop, count))
        if is_attacked:
            attackers.start()
            time.sleep(1)
        found[is_attacked] += in_process(
            run_paced, collector.port, fleet.take(40 // rounds), 3 / rate)[1]
        stop.set()
        if is_attacked:
            attackers.join()
            attacks += count.value
        collector.wait_until_idle()
    for is_attacked, results in found.items():
        rows.append((
            "%s: p50, mean, p99 of %d, ms" % (
                "beside " + what if is_attacked else "paced, alone", len(results)),
            "%.1f, %.1f, %.1f" % (
                quantile(results, 0.5), 1_000 * statistics.mean(r[0] for r in results),
                quantile(results, 0.99))))
    ratios = [quantile(found[True], share) / quantile(found[False], share) for share in (0.5, 0.99)]
    rows += [("attempts of the %s" % what, "%d" % attacks),
             ("p50 and p99 beside them, ratio", "%.2f, %.2f" % tuple(ratios)),
             ("memory of collect after that, MB", "%.0f" % (collector.status("VmHWM") / 1024))]


def measure(options, folder, cluster):
    few, many = max(1, options.devices // 10), options.devices
    if options.only == "hostile":
        many = few
    fleet = Fleet(options, folder, few + many + 400)
    rows = [("machine", machine()), ("units of a device", "%d" % len(fleet.units)),
            ("bytes of a unit", "%.0f" % statistics.mean(map(len, fleet.units)))]
    collector = Collector(options.program, cluster, folder, fleet.tokens)
    rate = throughput(collector, fleet, few, many, rows)
    with collector:
        if options.only != "hostile":
            disturbed(collector, fleet, options.rounds, rate, run_slow, "slow",
                      (fleet.tokens[SLOW], options.hostile), rows)
        disturbed(collector, fleet, options.rounds, rate, run_hostile, "hostile",
                  (hostile_users(fleet), options.attacks), rows)
    return rows


def run_users(port, fleet, users, seconds, queue):
    counts = {}

    async def all_of_them():
        until = time.monotonic() + seconds
        await asyncio.gather(*[
            wander(port, fleet.device_of(user), fleet.tokens[user],
                   lambda user=user: fleet.device_of(user), until, counts, number)
            for number, user in enumerate(users)])

    asyncio.run(all_of_them())
    queue.put(counts)


def soak(options, folder, cluster):
    """The memory of a collector with nothing beside it."""
    fleet = Fleet(options, folder, options.devices)
    fleet_names = list(fleet.tokens)[:options.devices]
    rows = [("machine", machine()), ("users", "%d" % options.devices)]
    with Collector(options.program, cluster, folder, fleet.tokens) as collector:
        queue, begin = multiprocessing.Queue(), time.monotonic()
        users = multiprocessing.Process(
            target=run_users,
            args=(collector.port, fleet, fleet_names, 60 * options.soak, queue))
        users.start()
        stop, count = multiprocessing.Event(), multiprocessing.Value("q", 0)
        others = [
            multiprocessing.Process(
                target=run_slow, args=(collector.port, fleet.tokens[SLOW], 16, stop, count)),
            multiprocessing.Process(
                target=run_hostile,
                args=(collector.port, hostile_users(fleet), options.attacks, stop, count))]
        for other in others:
            other.start()
        while users.is_alive():
            rows.append(("RSS of collect after %4.0f s, MB" % (time.monotonic() - begin),
                         "%.1f" % (collector.status("VmRSS") / 1024)))
            print("| %-48s | %s |" % rows[-1], flush=True)
            users.join(10)
        stop.set()
        for other in others:
            other.join()
        rows.append(("attempts of slow and hostile clients", "%d" % count.value))
        rows += sorted((name, "%d" % count) for name, count in queue.get().items())
        collector.wait_until_idle()
        rows.append(("RSS of collect when idle, MB", "%.1f" % (collector.status("VmRSS") / 1024)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the locomotion command, with locomotion-server beside it")
    parser.add_argument("--devices", type=int, default=200)
    parser.add_argument("--rate", type=int, default=100, help="samples per second")
    parser.add_argument("--minutes", type=int, default=60, help="of data per device")
    parser.add_argument("--hostile", type=int, default=48, help="connections of the slow clients")
    parser.add_argument("--rounds", type=int, default=4, help="turns alone and beside others")
    parser.add_argument("--only", choices=["hostile"], help="leaves out all but this")
    parser.add_argument("--attacks", nargs="+", choices=[*ATTACKS], default=[*ATTACKS])
    parser.add_argument("--soak", type=float, metavar="MINUTES", help="only the memory, so long")
    parser.add_argument("--json", metavar="FILE", help="also writes the table there")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="archive-load-")
    try:
        with Cluster(folder) as cluster:
            subprocess.run(
                [options.program, "archive", "migrate", "--database",
                 cluster.connection("owner")], check=True, timeout=120)
            rows = (soak if options.soak else measure)(options, folder, cluster)
    finally:
        shutil.rmtree(folder)
    for what, value in rows:
        print("| %-48s | %s |" % (what, value))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
