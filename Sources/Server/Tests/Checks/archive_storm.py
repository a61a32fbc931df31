#!/usr/bin/env python3
"""Phones that record and send to an archive while everything fails, and a comparison at the end.

Usage: Sources/Server/Tests/Checks/archive_storm.py PROGRAM [--kills N] [--users N] [--devices N] [--seed N]
       [--attacks [ATTACK]...] [--keep]

Each of the users has some devices that record, edit and send through a proxy that commits every
fault of a network, while phones' commands, the collector and PostgreSQL's processes are killed at
random moments, and beside some users who send what shall stop, fill or break the archive. When
enough were killed the network is repaired, the hostile users are erased, all is sent that waits,
and the archive must hold what the phones hold: every sample, fix, event, correction and place, bit
for bit, each once; and it must tell the same days, byte for byte.
"""

import argparse
import collections
import concurrent.futures
import contextlib
import hashlib
import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

from archive_clients import ATTACKS, run_hostile
from archive_phones import (
    CleanedPhone, Phone, counts, differences, exported_journal, samples, stored_content)
from archive_proxy import Proxy
from archive_servers import Cluster, Collector, new_token, wait_until

# The shares of what is killed.
SHARES = {"sync": 0.5, "record": 0.12, "collect": 0.3, "postgres": 0.08}
# Recordings of a device: more would make the comparison long, and test nothing else.
MOST_RECORDINGS = 14
# What Foundation says on Linux when an answer ends within its head, before it ends the process.
CRASH = b"NativeProtocol.swift"
# Names that somebody will have: they are part of object keys, SQL and headers.
NAMES = ["ada", "o'neil\";--", "käthe", "..", "a/b", "100%25", "日本", "$(id)", "user=x", "A"]

HOSTILE = {"hostile-" + name: name for name in ATTACKS}
# The longest time, s, for which a unit of a device of an honest user has waited for its days: the
# measurements, which are written with them, count fewer samples than the units up to it.
LONGEST_WAIT = """
    SELECT coalesce(extract(epoch FROM now() - min(received)), 0) FROM (
      SELECT user_name, device, received,
        sum(samples) OVER (PARTITION BY user_name, device ORDER BY sequence) AS samples
      FROM archive.units WHERE user_name NOT LIKE 'hostile-%' AND samples > 0) AS unit
    WHERE samples > (
      SELECT coalesce(sum(derived.samples), 0) FROM archive.measurements AS derived
      WHERE derived.user_name = unit.user_name AND derived.device = unit.device)
    """


class Storm:
    def __init__(self, options, folder, proxy, collector, cluster, users):
        self.options, self.proxy = options, proxy
        self.collector, self.cluster = collector, cluster
        self.chance = random.Random(options.seed)
        self.phones = []
        for user, token in users.items():
            home = os.path.join(folder, "phones", hashlib.sha256(user.encode()).hexdigest()[:8])
            os.makedirs(home)
            for number in range(options.devices):
                seed = options.seed * 1_000_003 + len(self.phones)
                # Some drop what the archive has: what they are compared with keeps it.
                kind = CleanedPhone if len(self.phones) % 10 == 3 else Phone
                self.phones.append(kind(options.program, home, user, number, token, seed))
        self.killed = collections.Counter()
        self.done = collections.Counter()
        self.recordings = collections.Counter()
        self.durations = {"sync": 0.1, "record": 0.1}
        self.lock = threading.Lock()
        self.free = list(self.phones)
        self.failures = []
        self.waits = []

    def count(self, what):
        with self.lock:
            self.done[what] += 1

    # Which process is killed next is decided by how many of its kind are due.
    def claims(self, kind):
        with self.lock:
            if self.killed[kind] >= round(SHARES[kind] * self.options.kills):
                return False
            self.killed[kind] += 1
            return True

    def returns(self, kind):
        with self.lock:
            self.killed[kind] -= 1

    def is_over(self):
        with self.lock:
            enough = sum(self.killed.values()) >= self.options.kills
            recorded = all(self.recordings[phone] >= 3 for phone in self.phones)
            return enough and recorded or bool(self.failures)

    # The phones' side

    def repeat(self, work):
        """Does some work until the storm is over, which a failure ends."""
        try:
            while not self.is_over():
                work()
        except BaseException as error:
            with self.lock:
                self.failures.append(repr(error))
            raise

    def work(self):
        """Takes one of the phones that are free."""
        with self.lock:
            phone = self.free.pop(self.chance.randrange(len(self.free)))
        try:
            self.turn(phone)
        finally:
            with self.lock:
                self.free.append(phone)

    def turn(self, phone):
        chance = phone.chance
        if self.recordings[phone] < MOST_RECORDINGS and chance.random() < 0.7:
            self.recordings[phone] += 1
            may_die = not isinstance(phone, CleanedPhone)
            self.finish("record", phone.start_recording(), chance, {0}, may_die)
        if self.recordings[phone] and chance.random() < 0.25:
            self.count("edits" if phone.edit() else "edits refused")
        options = ["--retry-parked"] if chance.random() < 0.2 else []
        if self.recordings[phone]:
            self.finish("sync", phone.start_sync(self.proxy.url, *options), chance, {0, 1})

    def finish(self, kind, process, chance, statuses, may_die=True):
        """Waits for a command, or kills it at a random moment of its time."""
        begin = time.monotonic()
        if may_die and chance.random() < 0.7 and self.claims(kind):
            try:
                errors = process.communicate(
                    timeout=chance.uniform(0, 1.1 * self.durations[kind]))[1]
                self.returns(kind)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                if process.returncode == -signal.SIGKILL:
                    return
                self.returns(kind)
                errors = b""
        else:
            errors = process.communicate(timeout=600)[1]
        self.durations[kind] += 0.1 * (time.monotonic() - begin - self.durations[kind])
        if process.returncode < 0 and CRASH in errors:
            # As good as a kill; the next one goes on.
            return self.count("crashes of Foundation in sync")
        self.count("%s ended with %d" % (kind, process.returncode))
        assert process.returncode in statuses, (kind, process.args, process.returncode, errors)

    # The archive's side

    def kill_a_server(self, chance):
        time.sleep(chance.uniform(0, 1.5))
        if chance.random() < 0.2 and self.claims("postgres"):
            if not self.kill_backend(chance):
                self.returns("postgres")
        elif self.claims("collect"):
            if not self.collector.kill():
                self.count("collect had ended by itself")
            self.start_collector()
        elif self.collector.process.poll() is not None:
            self.count("collect had ended by itself")
            self.start_collector()

    def start_collector(self):
        """Starts it until it runs: PostgreSQL may be recovering."""
        for _ in range(100):
            if self.collector.start():
                return
            self.count("collect did not start")
            time.sleep(0.3)
        raise AssertionError("collect does not start: " + self.collector.talk()[-2000:])

    def kill_backend(self, chance):
        """Kills a process of PostgreSQL that serves the collector: then all are begun anew."""
        try:
            rows = self.cluster.query(
                "SELECT pid FROM pg_stat_activity WHERE usename = 'locomotion_collector'")
            if not rows:
                return False
            number = int(chance.choice(rows)[0])
            if chance.random() < 0.5:
                return self.cluster.query("SELECT pg_terminate_backend(%d)" % number) == [["t"]]
            os.kill(number, signal.SIGKILL)
            return True
        except OSError:
            return False

    def watch_waits(self):
        """Notes how long honest users' days are waited for, while PostgreSQL answers."""
        try:
            self.waits.append(float(self.cluster.query(LONGEST_WAIT)[0][0]))
        except (OSError, subprocess.TimeoutExpired):
            self.count("questions that PostgreSQL did not answer")
        time.sleep(1)

    def run(self):
        chance = random.Random("servers %d" % self.options.seed)
        jobs = [*[self.work] * self.options.threads, lambda: self.kill_a_server(chance),
                self.watch_waits]
        threads = [threading.Thread(target=self.repeat, args=(job,)) for job in jobs]
        for thread in threads:
            thread.start()
        shown = 0
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.5)
            with self.lock:
                sum_killed = sum(self.killed.values())
            if sum_killed >= shown + 50:
                shown = sum_killed
                print("killed %d of %d" % (shown, self.options.kills), file=sys.stderr, flush=True)
        assert not self.failures, self.failures

    # The end

    def settle(self):
        """Repairs the network, erases the hostile, and sends all that waits or is parked."""
        self.collector.kill()
        self.start_collector()
        for user in HOSTILE:
            self.collector.archive(
                "erase", "--unknown", "--user", user, "--objects", self.collector.objects,
                "--cache", self.collector.cache)
        self.done["copies that arrived last"] = self.proxy.deliver_late_copies()
        self.proxy.clean = True

        def send(phone):
            said = ""
            for _ in range(30):
                status, said = phone.sync(self.proxy.url, "--retry-parked")
                if status == 0:
                    return None
                time.sleep(1)
            return "%s %d: %s" % (phone.user, phone.number, said)

        with concurrent.futures.ThreadPoolExecutor(self.options.threads) as pool:
            unsent = [text for text in pool.map(send, self.phones) if text]
        assert not unsent, unsent
        # Once more: nothing is left, so nothing may be sent.
        before = self.proxy.counts["passed at the end"]
        for phone in self.phones:
            assert phone.sync(self.proxy.url)[0] == 0
        self.collector.wait_until_idle()
        self.done["requests after all was confirmed"] = (
            self.proxy.counts["passed at the end"] - before)

    def compare(self, folder):
        """What differs, as texts."""
        found = []
        objects, others = self.collector.stored_objects()
        rows = self.cluster.query("SELECT count(*), count(DISTINCT digest) FROM archive.units")[0]
        self.done |= {"objects": len(objects), "rows of units": int(rows[0]),
                      "files beside objects": len(others)}
        if not len(objects) == int(rows[0]) == int(rows[1]):
            found.append("%d objects, %s rows, %s digests" % (len(objects), *rows))
        found += ["not what its name says: " + path for path in self.collector.object_defects()]
        if self.proxy.leaked:
            found.append("%d tokens went to another address" % self.proxy.leaked)

        def compare_user(user):
            out = os.path.join(folder, "export-" + hashlib.sha256(user.encode()).hexdigest()[:8])
            self.collector.archive(
                "export", "--user", user, "--out", out, "--objects", self.collector.objects)
            phones = [phone for phone in self.phones if phone.user == user]
            return [text for phone in phones for text in self.compare_phone(phone, out)]

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for texts in pool.map(compare_user, dict.fromkeys(p.user for p in self.phones)):
                found += texts
        return found

    def compare_phone(self, phone, out):
        """What differs between a phone's journal and what the archive has of it."""
        name, device = "%s %d: " % (phone.user, phone.number), phone.device()
        rebuilt = exported_journal(out, device)
        if isinstance(phone, CleanedPhone):
            whole = phone.twin.store
            found = differences(whole, rebuilt, phone.user, {"fixes", "events", "edits"})
            dropped = [len(stored_content(store, phone.user)["blocks"])
                       for store in (whole, phone.store)]
            # None while nothing is final.
            with self.lock:
                self.done["blocks that phones dropped"] += dropped[0] - dropped[1]
        else:
            whole = phone.store
            found = differences(whole, rebuilt, phone.user)
        if subprocess.run(
                [phone.program, "journal", "check", "--store", rebuilt],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            found.append("the exported journal is damaged")
        one, other = samples(phone, whole), samples(phone, rebuilt)
        if one != other or not one:
            found.append("samples: %s and %s" % tuple(
                {key: len(column) for key, column in columns.items()} for columns in (one, other)))
        expected = counts(whole, phone.user)
        rows = self.cluster.query(
            "SELECT sequence, samples, rotation_rates, fixes, events FROM archive.units"
            " WHERE device = '%s' ORDER BY sequence" % device)
        sums = [sum(int(row[n]) for row in rows) for n in range(1, 5)]
        if [int(row[0]) for row in rows] != list(range(len(rows))):
            found.append("sequences: %s" % [row[0] for row in rows])
        if sums != list(expected):
            found.append("sums of units: %s, not %s" % (sums, expected))
        dates = phone.days()
        stored = lambda: [self.day(phone, device, date) for date in dates]
        own = [phone.day(date) for date in dates]
        if not wait_until(lambda: stored() == own, 5, 1):
            found += ["the day %s is …%s, not …%s" % (date, *parts(there, here))
                      for date, there, here in zip(dates, stored(), own) if there != here]
        with self.lock:
            self.done |= {key: self.done[key] + number for key, number in {
                "units compared": len(rows), "samples compared": expected[0],
                "rotation rates compared": expected[1], "fixes compared": expected[2],
                "events compared": expected[3], "days compared": len(dates)}.items()}
        return [name + text for text in found]

    def day(self, phone, device, date):
        try:
            return self.collector.archive(
                "days", "--user", phone.user, "--device", device, "--date", date, "--json")
        except AssertionError as error:
            return str(error)


def parts(one, other):
    """Where two texts begin to differ, with some characters around it."""
    place = len(os.path.commonprefix([one, other]))
    return [text[max(0, place - 100):place + 100] for text in (one, other)]


def print_table(title, rows):
    print("\n%s\n%s" % (title, "-" * len(title)))
    for what, count in rows:
        print("%-40s %9d" % (what, count))


@contextlib.contextmanager
def hostile_clients(port, users):
    """Clients of hostile users, one for each attack, until the end of the `with`."""
    stop, attempts = multiprocessing.Event(), multiprocessing.Value("q", 0)
    process = multiprocessing.Process(
        target=run_hostile,
        args=(port, list(users.items()), [HOSTILE[name] for name in users], stop, attempts))
    process.start()
    try:
        yield attempts
    finally:
        stop.set()
        process.join()


def run(options, folder):
    users = {}
    for number in range(options.users):
        name = NAMES[number] if number < len(NAMES) else "user-%d" % number
        users[name] = new_token()
    hostile = {name: new_token() for name, attack in HOSTILE.items() if attack in options.attacks}
    with Cluster(folder) as cluster:
        subprocess.run(
            [options.program + "-server", "archive", "migrate", "--database", cluster.connection("owner")],
            check=True, timeout=120)
        with Collector(
                options.program, cluster, folder, users | hostile, "--seconds", "5") as collector:
            with Proxy(collector.port, options.seed) as proxy:
                storm = Storm(options, folder, proxy, collector, cluster, users)
                with hostile_clients(collector.port, hostile) as attempts:
                    storm.run()
                storm.done["attempts of hostile users"] = attempts.value
                print("the storm is over", file=sys.stderr, flush=True)
                storm.settle()
                found = storm.compare(folder)
                print_table("Faults of the network", proxy.table())
                print_table("Killed", sorted(storm.killed.items()))
                storm.done["starts of collect"] = collector.starts
                storm.done["longest wait for a day, s"] = round(max(storm.waits, default=0))
                print_table("Seen", sorted(storm.done.items()))
    for text in found:
        print("archive-storm: " + text, file=sys.stderr)
    print("\n%d differences" % len(found))
    return 1 if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="the locomotion command, with locomotion-server beside it")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--devices", type=int, default=2)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--attacks", nargs="*", choices=[*ATTACKS], default=[*ATTACKS])
    parser.add_argument("--keep", action="store_true", help="leaves all files where they are")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="archive storm ")
    status = 1
    try:
        status = run(options, folder)
    finally:
        if options.keep or status:
            print("left in " + folder, file=sys.stderr)
        else:
            shutil.rmtree(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
