#!/usr/bin/env python3
"""Sends real requests to `locomotion serve` and looks at what the journal holds afterwards.

Usage: Tests/serve-requests.py PROGRAM [CASE...]      (default: every case)

LOCOMOTION_SERVE_KILLS says how often the server is killed (default 15).
"""

import http.client
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

TOKEN = "a-token-of-some-length"
OK = b'{"result":"ok"}'


class Server:
    """A running server on a free port."""

    def __init__(self, program, folder, *options, tokens=None, largest_file=None):
        self.program, self.store = program, os.path.join(folder, "journal")
        command = [program, "serve", "--store", self.store, "--port", "0", *options]
        command += ["--token-file", tokens] if tokens else ["--user", "ada", "--token", TOKEN]
        self.errors = tempfile.TemporaryFile()
        limit = None
        if largest_file:
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file,) * 2)
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.errors, preexec_fn=limit)
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)/\n", line)
        assert found, (line, self.talk())
        self.port = int(found.group(1))

    def talk(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def request(self, method, path, body=None, token=TOKEN, headers=None, connection=None):
        """The status, the body and the header fields of an answer."""
        used = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        fields = dict(headers or {})
        if token:
            fields["Authorization"] = "Bearer " + token
        used.request(method, path, body, fields)
        answer = used.getresponse()
        content = answer.read()
        if not connection:
            used.close()
        return answer.status, content, {k.lower(): v for k, v in answer.getheaders()}

    def post(self, path, value, **options):
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        return self.request("POST", path, body, **options)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(20) == 0, self.talk()
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait(20)
        self.process.stdout.close()

    def tool(self, *arguments, status=0):
        run = subprocess.run(
            [self.program, *arguments, "--store", self.store], capture_output=True, timeout=60)
        assert run.returncode == status, (arguments, run)
        return run.stdout.decode()

    def lines(self, user="ada"):
        """What the journal holds of a user: samples, fixes."""
        text = self.tool("journal", "export", "--format", "ndjson", "--user", user)
        samples, fixes = [], []
        for line in map(json.loads, text.splitlines()):
            if "t" in line:
                samples += zip(line["t"], line["ax"], line["ay"], line["az"])
            fixes += line.get("fixes", [])
        return samples, fixes

    def check(self):
        self.tool("journal", "check")


def overland(first, count=3):
    """A batch of fixes, a second apart, as the app sends it."""
    return {"locations": [{
        "type": "Feature",
        "geometry": {"type": "Point", "coordinates": [11.5 + 1e-5 * n, 48.1]},
        "properties": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%S+0000", time.gmtime(1_700_000_000 + n)),
            "horizontal_accuracy": 5, "speed": -1, "course": -1, "altitude": 500,
            "vertical_accuracy": 3, "motion": ["walking"], "device_id": "phone"},
    } for n in range(first, first + count)], "current": None}


def entries(name, first, count, vector):
    """Samples at 100 Hz under a name of Sensor Logger."""
    return [{
        "name": name, "time": 1_700_000_000_000_000_000 + 10_000_000 * n,
        "values": dict(zip("xyz", vector(n)))} for n in range(first, first + count)]


def message(number, payload, session="s1"):
    return {"messageId": number, "sessionId": session, "deviceId": "phone", "payload": payload}


def case_overland(run):
    server = run()
    status, body, fields = server.post("/overland", overland(0, 200))
    assert (status, body) == (200, OK) and fields["content-type"] == "application/json"
    # What the phone sends again because the answer was lost; then with one more point.
    assert server.post("/overland", overland(0, 200))[1] == OK
    assert server.post("/", overland(100, 101))[1] == OK
    assert server.post("/overland", {"locations": []})[1] == OK
    broken = overland(500, 2)
    broken["locations"][0]["properties"]["timestamp"] = "yesterday"
    assert server.post("/overland", broken)[1] == OK
    # A point of nowhere must not come again for ever either.
    broken["locations"] = [{"type": "Feature", "geometry": None, "properties": {}}]
    assert server.post("/overland", broken)[1] == OK
    server.stop()
    # Known ones: 200, 100 and those of the batch of which nothing is left.
    assert "300 of both known already" in server.talk(), server.talk()
    # And once more after a new start.
    server = run()
    assert server.post("/overland", overland(150, 51))[1] == OK
    server.stop()
    samples, fixes = server.lines()
    assert not samples
    assert [fix["t"] for fix in fixes] == [1_700_000_000 + n for n in [*range(201), 501]], fixes
    assert fixes[0] == {
        "t": 1_700_000_000, "lat": 48.1, "lon": 11.5, "alt": 500, "hacc": 5, "vacc": 3}, fixes[0]
    server.check()


def case_sensorlogger(run):
    server = run()
    test = message(0, [{"name": "test", "time": 0, "values": []}], "test")
    assert server.post("/sensorlogger", test)[:2] == (200, OK)
    still = lambda n: (0, 0.5, 9.5)
    payload = (
        entries("accelerometer", 0, 100, lambda n: (0.5, 0, 0.25))
        + entries("gravity", 0, 100, still)
        + entries("gyroscope", 0, 100, lambda n: (0.1, 0.2, 0.3))
        + [{"name": "location", "time": "1700000000500000000", "values": {
            "latitude": 48.1, "longitude": 11.5, "speed": 1.5, "bearing": -1,
            "horizontalAccuracy": 4, "altitude": 500}}, {"name": "battery", "values": {}}])
    random.Random(1).shuffle(payload)
    for _ in range(3):
        assert server.post("/sensorlogger", message(1, payload))[1] == OK
    # Without gravity nothing can be made of it, and that is said.
    alone = message(2, entries("accelerometer", 100, 50, lambda n: (0.5, 0.1, 0.2)))
    status, body, _ = server.post("/sensorlogger", alone)
    assert status == 422 and b"without gravity" in body, body
    # iOS in g, with its sign.
    raw = message(3, entries("accelerometeruncalibrated", 100, 50, lambda n: (0, 0, -1)), "s2")
    assert server.post("/sensorlogger", raw)[1] == OK
    total = message(4, entries("totalacceleration", 150, 10, lambda n: (0, 0, -9.75)), "s2")
    assert server.post("/sensorlogger?platform=ios", total)[1] == OK
    held = message(5, entries("accelerometer", 160, 10, lambda n: (0, 0, 9.75)), "s2")
    assert server.post("/", held)[1] == OK
    server.stop()
    server = run()
    for body in [message(1, payload), raw, held]:
        assert server.post("/sensorlogger", body)[1] == OK
    assert server.post("/sensorlogger?platform=ios", total)[1] == OK
    server.stop()
    assert "171 of both known already" in server.talk(), server.talk()
    samples, fixes = server.lines()
    assert samples[0] == (1_700_000_000, 0.5, 0.5, 9.75), samples[0]
    assert abs(samples[100][3] - 9.80665) < 1e-6 and samples[150][3] == 9.75, samples[100]
    assert [s[0] for s in samples] == [1_700_000_000 + n / 100 for n in range(170)], len(samples)
    assert len(fixes) == 1 and fixes[0]["speed"] == 1.5 and "course" not in fixes[0], fixes
    rows = server.tool("journal", "list", "--user", "ada").splitlines()
    assert len(rows) == 3 and "stopped" in rows[1] and "recording" in rows[2], rows
    server.check()


def case_tokens(run):
    tokens = os.path.join(run.folder, "tokens")
    with open(tokens, "w") as file:
        file.write("# who and what\nada %s\nbob bobs-own-long-token\n\n" % TOKEN)
    server = run(tokens=tokens)
    assert server.post("/overland", overland(0), token=None)[0] == 401
    for wrong in ["", "x", TOKEN[:-1], TOKEN + "x", "B" + TOKEN[1:]]:
        status, _, fields = server.post("/overland", overland(0), token=wrong)
        assert status == 401 and fields["www-authenticate"] == "Bearer", wrong
    assert server.post("/overland?token=bobs-own-long-token", overland(9), token=None)[1] == OK
    assert server.post("/overland?access_token=" + TOKEN, overland(0), token=None)[1] == OK
    # A header says more than a query.
    assert server.post("/overland?token=" + TOKEN, overland(0), token="wrong")[0] == 401
    basic = {"Authorization": "Basic " + TOKEN}
    assert server.post("/overland", overland(0), token=None, headers=basic)[0] == 401
    statuses = {server.post("/overland", overland(0), token="guess")[0] for _ in range(80)}
    assert statuses == {401, 429}, statuses
    # Whoever has a token isn't kept out by those who guess.
    assert server.post("/overland", overland(3))[1] == OK
    server.stop()
    assert TOKEN not in server.talk() and "48.1" not in server.talk(), server.talk()
    for user, times in [("ada", range(6)), ("bob", range(9, 12))]:
        assert [fix["t"] - 1_700_000_000 for fix in server.lines(user)[1]] == list(times)


def case_errors(run):
    server = run("--largest-body", "20000")
    good = json.dumps(overland(0)).encode()

    def raw(text):
        with server.connect() as connection:
            connection.sendall(text)
            answer = b""
            try:
                while data := connection.recv(65536):
                    answer += data
                    if b"\r\n\r\n" in answer:
                        break
            except ConnectionResetError:
                pass
            return int(answer.split()[1]) if answer else None

    assert server.post("/elsewhere", good)[0] == 404
    assert server.post("/overland/../overland", good)[0] == 404
    for method in ["GET", "PUT", "DELETE", "OPTIONS"]:
        status, _, fields = server.request(method, "/overland")
        assert status == 405 and fields["allow"] == "POST", (method, status)
    assert server.request("HEAD", "/")[0] == 405
    head = "POST /overland HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n" % TOKEN
    head = head.encode()
    assert raw(head + b"\r\n") == 411
    assert raw(head + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n") == 411
    assert raw(head + b"Content-Length: many\r\n\r\n") == 400
    assert raw(head + b"Content-Length: -5\r\n\r\n") == 400
    assert raw(b"POST /overland HTTP/1.1\r\nContent-Length: 0\r\n\r\n") == 400  # no Host
    assert raw(b"garbage\r\n\r\n") in (400, None)
    assert raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 50 + b"\r\n\r\n") in (400, None)
    assert raw(head + b"X: " + b"x" * 100_000 + b"\r\n\r\n") in (413, 431)
    assert raw(b"POST /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n") in (414, 413, 431)
    status, body, _ = server.post("/overland", b"[" * 20_001)
    assert status == 413 and b"20000" in body, body
    assert raw(head + b"Content-Length: 99999999999\r\n\r\n") == 413
    assert server.post("/overland", good, headers={"Content-Encoding": "gzip"})[0] == 415
    assert server.post("/sensorlogger?platform=amiga", good)[0] == 400
    for bad in [
        b"", b"{", b"[]", b"null", b'"x"', b"{}", b'{"locations":1}', b'{"payload":{}}',
        b'{"locations":[{]}', good[:-1], good + b"x", b"\xff\xfe\x00", b'{"locations":["\xff"]}',
        b'{"locations":' + b"[" * 19_000, b'{"locations":[' + b'{"a":' * 3_000,
    ]:
        status, body, _ = server.post("/", bad)
        assert status == 400, (bad[:30], status, body)
        assert json.loads(body)["error"]
    # A client that goes away in the middle leaves nothing behind.
    with server.connect() as connection:
        connection.sendall(head + b"Content-Length: 500\r\n\r\n" + good[:300])
    # Several requests on one connection, also after a refused one.
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for status, body in [(200, good), (400, b"{"), (200, good), (200, good)]:
        assert server.post("/overland", body, connection=connection)[0] == status
    assert server.post("/overland", good, token="wrong", connection=connection)[0] == 401
    assert server.post("/overland", good, connection=connection)[0] == 200
    # Two requests in one piece.
    with server.connect() as connection:
        request = head + b"Content-Length: %d\r\n\r\n" % len(good) + good
        connection.sendall(request + request)
        answer = b""
        while answer.count(OK) < 2:
            data = connection.recv(65536)
            assert data, answer
            answer += data
    server.stop()
    assert len(server.lines()[1]) == 3
    server.check()


def case_rate(run):
    server = run("--requests-per-minute", "5")
    answers = [server.post("/overland", overland(10 * n)) for n in range(9)]
    statuses = [answer[0] for answer in answers]
    assert statuses == [200] * 5 + [429] * 4, statuses
    assert int(answers[-1][2]["retry-after"]) in range(1, 61)
    server.stop()
    assert len(server.lines()[1]) == 15


def case_slow(run):
    server = run("--seconds", "1")
    head = b"POST /overland HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n" % TOKEN.encode()
    slow = [(head, b"X: " + b"y" * 200), (head + b"Content-Length: 9000\r\n\r\n", b"[" * 200)]
    connections = [server.connect() for _ in slow]
    for connection, (start, _) in zip(connections, slow):
        connection.sendall(start)
    silent = server.connect()
    start = time.monotonic()
    ended = {}
    for step in range(40):
        for connection, (_, rest) in zip(connections, slow):
            if connection in ended:
                continue
            try:
                connection.sendall(rest[step:step + 1])
                connection.settimeout(0.05)
                data = connection.recv(4096)
                ended[connection] = data
            except socket.timeout:
                pass
            except OSError:
                ended[connection] = b""
        # Others don't notice.
        begin = time.monotonic()
        assert server.post("/overland", overland(0))[1] == OK
        assert time.monotonic() - begin < 2
        if len(ended) == len(slow):
            break
        time.sleep(0.05)
    assert len(ended) == len(slow) and time.monotonic() - start < 8, ended
    for answer in ended.values():
        assert answer.startswith(b"HTTP/1.1 408 "), answer
    silent.settimeout(8)
    assert silent.recv(4096)[:13] in (b"HTTP/1.1 408 ", b"")
    server.stop()
    assert len(server.lines()[1]) == 3


def case_crowd(run):
    server = run("--connections", "8", "--seconds", "2", "--requests-per-minute", "100000")
    # Those who only sit there don't keep others out for longer than a request may take.
    idle = [server.connect() for _ in range(8)]
    acknowledged, failures = [], []

    def send(number):
        for step in range(20):
            first = 1_000 * number + 10 * step
            try:
                assert server.post("/overland", overland(first, 10))[1] == OK
                acknowledged.extend(range(first, first + 10))
            except Exception as error:  # noqa: BLE001 - told below
                failures.append(repr(error))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for connection in idle:
        connection.close()
    server.stop()
    assert not failures, failures[:3]
    stored = sorted(round(fix["t"] - 1_700_000_000) for fix in server.lines()[1])
    assert stored == sorted(acknowledged) and len(stored) == 24 * 200, len(stored)
    server.check()


def case_kill(run):
    kills = int(os.environ.get("LOCOMOTION_SERVE_KILLS", "15"))
    chance = random.Random(7)
    sent, again = 0, 0
    server = run()
    for _ in range(kills):
        timer = threading.Timer(chance.random() * 0.15, server.process.kill)
        timer.start()
        try:
            while True:
                # What wasn't acknowledged comes again, as the app does it.
                body = overland(2 * sent, 2) if sent % 2 else message(
                    sent, entries("totalacceleration", 50 * sent, 50, lambda n: (n, 0, 9.75)))
                answer = server.post("/", body)
                assert answer[1] == OK, answer
                sent += 1
        except (OSError, http.client.HTTPException):
            again += 1
        timer.join()
        server.kill()
        server = run()
    body = overland(2 * sent, 2)
    assert server.post("/", body)[1] == OK
    server.stop()
    samples, fixes = server.lines()
    wanted = [n for s in range(sent) if s % 2 for n in (2 * s, 2 * s + 1)]
    wanted += [2 * sent, 2 * sent + 1]
    assert [fix["t"] - 1_700_000_000 for fix in fixes] == wanted
    numbers = [sample[1] for sample in samples]
    wanted = [n for s in range(0, sent, 2) for n in range(50 * s, 50 * s + 50)]
    # The last one may have been saved without its sender knowing.
    assert numbers in (wanted, wanted + list(range(50 * sent, 50 * sent + 50)))
    server.check()
    print("%d kills: %d messages acknowledged, 0 lost, 0 twice" % (kills, sent))


def case_stop(run):
    server = run()
    acknowledged = []

    def send():
        try:
            for first in range(0, 100_000, 10):
                assert server.post("/overland", overland(first, 10))[1] == OK
                acknowledged.append(first)
        except (OSError, http.client.HTTPException):
            pass

    thread = threading.Thread(target=send)
    thread.start()
    while len(acknowledged) < 5:
        time.sleep(0.01)
    server.stop()
    thread.join()
    stored = [fix["t"] - 1_700_000_000 for fix in server.lines()[1]]
    wanted = [n for first in acknowledged for n in range(first, first + 10)]
    assert stored[:len(wanted)] == wanted and len(stored) in (len(wanted), len(wanted) + 10)
    assert "messages kept" in server.talk()
    server.check()


def case_full(run):
    server = run(largest_file=200_000)
    acknowledged, status = [], 200
    for first in range(0, 100_000, 50):
        status, body, fields = server.post("/overland", overland(first, 50))
        if status != 200:
            break
        acknowledged.append(first)
    assert status == 503 and fields["retry-after"] and b"error" in body, status
    assert server.post("/elsewhere", b"{}")[0] == 404
    server.kill()
    server = run()
    assert server.post("/overland", overland(len(acknowledged) * 50, 50))[1] == OK
    server.stop()
    stored = [fix["t"] - 1_700_000_000 for fix in server.lines()[1]]
    assert stored == list(range(len(acknowledged) * 50 + 50)), len(stored)
    server.check()


def case_usage(run):
    server = run()
    own = ["--user", "ada", "--token", TOKEN]
    # Its journal, and then its port, are taken.
    server.tool("serve", "--port", "0", *own, status=74)
    other = os.path.join(run.folder, "other")
    base = [server.program, "serve", "--store", other]
    taken = subprocess.run(
        base + ["--port", str(server.port), *own], capture_output=True, timeout=20)
    assert taken.returncode == 74 and b"port %d" % server.port in taken.stderr, taken
    for options in [
        [], ["--user", "ada"], ["--user", "ada", "--token", "with blank"],
        ["--token-file", other + "-none"], [*own, "--port", "65536"], [*own, "--port", "x"],
        [*own, "--token-file", "x"],
    ]:
        bad = subprocess.run(base + options, capture_output=True, timeout=20)
        assert bad.returncode == 2, (options, bad)
    bad = subprocess.run(base + [*own, "--address", "nowhere"], capture_output=True, timeout=20)
    assert bad.returncode == 74, bad
    # The journal can be read while the server has it open.
    assert server.post("/overland", overland(0))[1] == OK
    assert len(server.lines()[1]) == 3
    server.stop()


def main():
    program = sys.argv[1]
    cases = {name[5:]: case for name, case in globals().items() if name.startswith("case_")}
    for name in sys.argv[2:] or cases:
        folder = tempfile.mkdtemp(prefix="locomotion-serve-")

        started = []

        def run(*options, **others):
            started.append(Server(program, folder, *options, **others))
            return started[-1]

        run.folder = folder
        try:
            cases[name](run)
        finally:
            for server in started:
                server.kill()
            shutil.rmtree(folder, ignore_errors=True)
        print("%s: as expected" % name)


if __name__ == "__main__":
    main()
