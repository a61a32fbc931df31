#!/usr/bin/env python3
"""Sends real requests to `locomotion serve` and looks at what the journal holds afterwards.

Usage: Tests/serve-requests.py PROGRAM [CASE...]      (default: every case)

LOCOMOTION_SERVE_KILLS says how often the server is killed (default 15), LOCOMOTION_SERVE_SECONDS
for how long it is besieged (default 8).
"""

import http.client
import importlib.util
import json
import os
import random
import re
import resource
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time

TOKEN = "a-token-of-some-length"
OK = b'{"result":"ok"}'


class Server:
    """A running server on a free port."""

    def __init__(
            self, program, folder, *options, tokens=None, largest_file=None, descriptors=None):
        self.program, self.store = program, os.path.join(folder, "journal")
        self.certificate = os.path.join(folder, "certificate.pem")
        command = [program, "serve", "--store", self.store, "--port", "0", *options]
        command += ["--token-file", tokens] if tokens else ["--user", "ada", "--token", TOKEN]
        self.errors = tempfile.TemporaryFile()
        limit = None
        if largest_file:
            limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file,) * 2)
        if descriptors:
            limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors,) * 2)
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.errors, preexec_fn=limit)
        line = self.process.stdout.readline().decode()
        found = re.fullmatch(r"listening on (https?)://([\d.]+):(\d+)/\n", line)
        assert found, (line, self.talk())
        self.scheme, self.port = found.group(1), int(found.group(3))

    def talk(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def client(self):
        if self.scheme == "http":
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        trusted = ssl.create_default_context(cafile=self.certificate)
        return http.client.HTTPSConnection("localhost", self.port, timeout=20, context=trusted)

    def request(self, method, path, body=None, token=TOKEN, headers=None, connection=None):
        """The status, the body and the header fields of an answer."""
        used = connection or self.client()
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


def case_sessions(run):
    """Whoever invents sessions gets no more measurements than others; the samples are kept."""
    server = run()
    for number in range(60):
        body = message(number, entries(
            "totalacceleration", number, 1, lambda n: (0, 0, 9.75)), "s%d" % number)
        for _ in range(2):
            assert server.post("/sensorlogger", body)[1] == OK
    server.stop()
    assert "60 of both known already" in server.talk(), server.talk()
    assert len(server.lines()[0]) == 60
    rows = server.tool("journal", "list", "--user", "ada").splitlines()
    assert 21 <= len(rows) <= 25, rows
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


def case_tokenfile(run):
    """A file of tokens as other systems write it, and what is no such file."""
    tokens = os.path.join(run.folder, "tokens")

    def write(content):
        with open(tokens, "wb") as file:
            file.write(content)
        os.chmod(tokens, 0o600)

    ada, bob = TOKEN.encode(), b"bobs-own-long-token"
    good = [
        b"ada %s\nbob %s\n", b"ada %s\r\nbob %s\r\n", b"ada %s\rbob %s\r", b"ada %s\nbob %s",
        b"\xef\xbb\xbfada %s\r\n\r\n# comment\r\nbob %s \t \r\n", b" ada\t\t%s\n\n\n  bob %s  \n",
    ]
    for index, content in enumerate(good):
        write(content % (ada, bob))
        server = run(tokens=tokens)
        assert server.post("/overland", overland(10 * index, 1), token=TOKEN)[1] == OK, content
        assert server.post(
            "/overland", overland(10 * index, 2), token="bobs-own-long-token")[1] == OK, content
        server.stop()
        assert server.talk().count("\n") == 1, server.talk()
    for user, count in [("ada", 1), ("bob", 2)]:
        assert len(server.lines(user)[1]) == count * len(good), user
    bad = [
        (b"ada %s\nbob\n", 2), (b"ada %s more\n", 1), (b"Ada Lovelace %s\n", 1),
        (b"ada %s\r\n\r\nbob x y\r\n", 3), (b"a\x00b %s\n", 1), (b"a\x1bb %s\n", 1),
        (b"a\x7fb %s\n", 1), (b"a\xc2\x85b %s\n", 1), (b"\xff\xfe %s\n", 1), (b"ada %s\xff\n", 1),
        (b"ada %s\n# x\nada other-token-of-ada\n", 3), (b"ada %s\nbob %s\n", 2),
        (b"ada\xc2\xa0%s\n", 1), (b"ada %s\x0c\n", 1), (b"x" * 129 + b" %s\n", 1),
    ]
    for content, line in bad:
        write(content.replace(b"%s", ada))
        refused = subprocess.run(
            [server.program, "serve", "--store", server.store, "--port", "0", "--token-file",
             tokens], capture_output=True, timeout=20)
        assert refused.returncode == 2, (content, refused)
        assert b"line %d:" % line in refused.stderr, (content, refused.stderr)
        assert ada not in refused.stderr and b"other-token" not in refused.stderr, refused.stderr
    for content in [b"", b"\r\n# nobody\r\n", b"\xef\xbb\xbf"]:
        write(content)
        server.tool("serve", "--port", "0", "--token-file", tokens, status=2)
    # A folder is no file, and a file that everybody can read is worth a word.
    server.tool("serve", "--port", "0", "--token-file", run.folder, status=2)
    write(b"ada %s\n" % ada)
    os.chmod(tokens, 0o644)
    server = run(tokens=tokens)
    server.stop()
    assert "every user of this machine can read it" in server.talk(), server.talk()


def case_heads(run):
    """Heads that can be read in two ways are refused, and nothing behind them is read."""
    server = run()
    body = json.dumps(overland(0)).encode()
    line = b"POST /overland HTTP/1.1\r\n"
    token = b"Authorization: Bearer %s\r\n" % TOKEN.encode()
    length = b"Content-Length: %d\r\n" % len(body)
    head = line + b"Host: a\r\n" + token

    def statuses(request):
        with server.connect() as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            try:
                while data := connection.recv(65536):
                    answer += data
            except ConnectionResetError:
                pass
        return re.findall(rb"HTTP/1\.1 (\d+)", answer)

    for request in [
        head + length + b"Content-Length: 5\r\n\r\n" + body,
        head + length + length + b"\r\n" + body,
        head + b"Content-Length: %d, %d\r\n\r\n" % (len(body), len(body)) + body,
        head + b"Content-Length: +%d\r\n\r\n" % len(body) + body,
        head + b"Content-Length : %d\r\n\r\n" % len(body) + body,
        head + b"X-Other : 1\r\n" + length + b"\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n" + length + b"\r\n" + body,
        head + length + b"Transfer-Encoding: identity\r\n\r\n" + body,
        head + b"Transfer-Encoding: chunked\r\n" * 2 + b"\r\n0\r\n\r\n",
        b"POST /overland\0x HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
        b"POST /overland%00x HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
        b"POST\0X /overland HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
        line + b"Host: a\r\n" + token[:-2] + b"\0x\r\n" + length + b"\r\n" + body,
        line + b"Host: a\r\n" + length + token[:-2] + b"\0x\r\n\r\n" + body,
        line + b"Host: a\r\n" + length + token[:-2] + b"\0\r\n\r\n" + body,
        line + b"Host: a\r\n" + token + token + length + b"\r\n" + body,
        line + b"Host: a\r\nHost: b\r\n" + token + length + b"\r\n" + body,
        (head + length + b"\r\n").replace(b"\r\n", b"\n") + body,
        (head + length).replace(b"a\r\n", b"a\n") + b"\r\n" + body,
        head + length + b"X: a\n\r\n" + body,
        head + b"X: a\rb\r\n" + length + b"\r\n" + body,
        head + b"X: a\x01b\r\n" + length + b"\r\n" + body,
        head + b"X: a\r\n b\r\n" + length + b"\r\n" + body,
        head + length[:-2] + b"\r\n 0\r\n\r\n" + body,
        head + b": a\r\n" + length + b"\r\n" + body,
        head + b"X(Y): a\r\n" + length + b"\r\n" + body,
        head + b"no colon\r\n" + length + b"\r\n" + body,
        b"P(ST /overland HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
        b"POST  /overland HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
        b"POST /overland  HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
        b"POST\t/overland HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
    ] + [
        b"POST /overland?%s HTTP/1.1\r\nHost: a\r\n" % query + length + b"\r\n" + body
        for query in [
            b"token=x&token=" + TOKEN.encode(), b"token=%s%%00x" % TOKEN.encode(),
            b"platform=ios&platform=android&token=" + TOKEN.encode()]
    ]:
        # A second request behind it would be answered if the connection went on.
        found = set(statuses(request + head + length + b"\r\n" + body))
        assert found <= {b"400"}, (request[:120], found)
    # What is only unusual is taken, also in pieces.
    long = head + b"".join(b"X-%d: %s\r\n" % (n, b"y" * 900) for n in range(13)) + length
    with server.connect() as connection:
        for start in range(0, len(long), 997):
            connection.sendall(long[start:start + 997])
            time.sleep(0.005)
        connection.sendall(b"\r\n" + body)
        assert connection.recv(15) == b"HTTP/1.1 200 OK"
    for request in [
        head + length + b"\r\n" + body, b"\r\n" + head + length + b"\r\n" + body,
        head + length + b"X:\r\n\r\n" + body, head + length + b"X:  a  \r\n\r\n" + body,
        head + length + b"X: \xc3\xa4\t\x22\r\nCookie: a=b; c=d\r\n\r\n" + body,
        head + length.lower() + b"Connection: keep-alive\r\n\r\n" + body,
        b"POST /overland?a=%20b&c&d= HTTP/1.1\r\nHost: a\r\n" + token + length + b"\r\n" + body,
        b"POST /overland HTTP/1.0\r\n" + token + length + b"\r\n" + body,
    ]:
        assert statuses(request) == [b"200"], (request[:120], statuses(request))
    expecting = head + length + b"Expect: 100-continue\r\n\r\n" + body
    assert statuses(expecting) in ([b"100", b"200"], [b"200"])
    server.stop()
    assert len(server.lines()[1]) == 3


def case_halfclose(run):
    """A client that says no more after its whole request gets its answer."""
    server = run()
    body = json.dumps(overland(0, 200)).encode()
    request = b"POST /overland HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n" % TOKEN.encode()
    request += b"Content-Length: %d\r\n\r\n" % len(body) + body
    for count in [1, 2, 3]:
        for pause in [0, 0.05]:
            with server.connect() as connection:
                connection.sendall(request * count)
                time.sleep(pause)
                connection.shutdown(socket.SHUT_WR)
                answer = b""
                while data := connection.recv(65536):
                    answer += data
            assert answer.count(OK) == count, (count, pause, answer)
    # And one that says so before the end is not waited for.
    for part in [request[:30], request[:-1]]:
        with server.connect() as connection:
            connection.sendall(part)
            connection.shutdown(socket.SHUT_WR)
            connection.settimeout(5)
            assert connection.recv(4096) == b""
    server.stop()


def case_hangup(run):
    """Clients that hang up in the middle of a request line take no places from others."""
    server = run("--connections", "64")
    assert server.post("/overland", overland(0))[1] == OK
    end = time.monotonic() + 4
    counts = [0] * 4

    def attack(number):
        while time.monotonic() < end:
            try:
                connection = server.connect()
                connection.sendall(b"POST /over")
                if counts[number] % 3 == 0:
                    # An end by reset.
                    connection.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                connection.close()
            except OSError:
                pass
            counts[number] += 1
            # All four together: 1,000 a second.
            time.sleep(max(0, counts[number] / 250 - (time.monotonic() - end + 4)))

    threads = [threading.Thread(target=attack, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    slowest, sent = 0, 1
    while time.monotonic() < end:
        begin = time.monotonic()
        assert server.post("/overland", overland(3 * sent))[1] == OK
        slowest = max(slowest, time.monotonic() - begin)
        sent += 1
        time.sleep(0.02)
    for thread in threads:
        thread.join()
    print("%d hung up in 4 s; the slowest of %d answers took %.3f s" % (sum(counts), sent, slowest))
    assert sum(counts) > 400 and slowest < 1, (counts, slowest)
    server.stop()
    assert len(server.lines()[1]) == 3 * sent


def case_places(run):
    """Whoever holds places without sending a request makes room for others."""
    server = run("--connections", "16")
    half = b"POST /overland HTTP/1.1\r\nHost: a\r\n"
    held = [server.connect() for _ in range(40)]
    for index, connection in enumerate(held):
        if index % 2:
            connection.sendall(half)
    for number in range(10):
        begin = time.monotonic()
        assert server.post("/overland", overland(3 * number))[1] == OK
        assert time.monotonic() - begin < 2
    # One address that takes all places loses them, not another address with one.
    with socket.socket() as other:
        other.bind(("127.0.0.2", 0))
        other.connect(("127.0.0.1", server.port))
        other.sendall(half)
        time.sleep(0.4)
        held += [server.connect() for _ in range(30)]
        for number in range(10, 15):
            assert server.post("/overland", overland(3 * number))[1] == OK
        body = json.dumps(overland(45)).encode()
        other.sendall(b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" % (
            TOKEN.encode(), len(body)) + body)
        other.settimeout(5)
        answer = b""
        while OK not in answer:
            data = other.recv(4096)
            assert data, answer
            answer += data
    for connection in held:
        connection.close()
    # Requests that were answered are followed by others on the same connections.
    idle = [server.client() for _ in range(16)]
    for number, connection in enumerate(idle):
        assert server.post("/overland", overland(100 + 3 * number), connection=connection)[1] == OK
    time.sleep(0.4)
    for number in range(16, 20):
        assert server.post("/overland", overland(100 + 3 * number))[1] == OK
    for connection in idle:
        connection.close()
    server.stop()
    assert len(server.lines()[1]) == 16 * 3 + 20 * 3


def case_descriptors(run):
    """When the process has no descriptor left, somebody makes room too."""
    server = run(descriptors=40)
    held = [server.connect() for _ in range(60)]
    for number in range(5):
        begin = time.monotonic()
        assert server.post("/overland", overland(3 * number))[1] == OK
        assert time.monotonic() - begin < 5
    for connection in held:
        connection.close()
    server.stop()
    assert len(server.lines()[1]) == 15


def case_share(run):
    """What one user sends at once and in a minute is bounded, and others don't notice."""
    tokens = os.path.join(run.folder, "tokens")
    with open(tokens, "w") as file:
        file.write("ada %s\nbob bobs-own-long-token\n" % TOKEN)
    server = run("--largest-body", "100000", tokens=tokens)
    head = b"POST /overland HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n" % TOKEN.encode()
    # Announced is not sent.
    waiting = [server.connect() for _ in range(3)]
    for connection in waiting:
        connection.sendall(head + b"Content-Length: 100000\r\n\r\n")
    time.sleep(0.3)
    assert server.post("/overland", overland(0, 3))[1] == OK
    # Half of it is.
    for connection in waiting[:2]:
        connection.sendall(b" " * 49_000)
    time.sleep(0.3)
    body = b" " * 40_000 + json.dumps(overland(3)).encode()
    status, content, fields = server.post("/overland", body)
    assert status == 503 and fields["retry-after"], (status, content)
    bob = {"token": "bobs-own-long-token"}
    assert server.post("/overland", body, **bob)[1] == OK
    for connection in waiting:
        connection.close()
    time.sleep(0.3)
    assert server.post("/overland", body)[1] == OK
    # Eight of the largest in a minute: some of it was announced already.
    statuses = []
    while 429 not in statuses and len(statuses) < 20:
        status, _, fields = server.post("/overland", b" " * 49_000 + body[-2_000:].lstrip())
        statuses.append(status)
    assert statuses[-1] == 429 and len(statuses) < 12 and fields["retry-after"], statuses
    assert server.post("/overland", body, **bob)[1] == OK
    server.stop()


def case_bodies(run):
    """The bodies of all users together are bounded as they arrive."""
    users = ["user%d" % number for number in range(5)]
    tokens = os.path.join(run.folder, "tokens")
    with open(tokens, "w") as file:
        for user in users:
            file.write("%s token-of-%s-long-enough\n" % (user, user))
    server = run(tokens=tokens)
    head = b"POST /overland HTTP/1.1\r\nHost: a\r\n"
    head += b"Authorization: Bearer token-of-%s-long-enough\r\n"
    part = 8_000_000
    connections = []
    for user in users[:4]:
        connections.append(server.connect())
        connections[-1].sendall(
            head % user.encode() + b"Content-Length: %d\r\n\r\n" % (part + 50) + b" " * part)
    # 32 MiB less 32 MB are left.
    time.sleep(1)
    status, _, fields = server.post(
        "/overland", b" " * 2_000_000, token="token-of-user4-long-enough")
    assert status == 503 and fields["retry-after"], status
    assert server.post("/overland", overland(0), token="token-of-user4-long-enough")[1] == OK
    for connection in connections:
        connection.close()
    time.sleep(0.5)
    body = b" " * 2_000_000 + json.dumps(overland(3)).encode()
    assert server.post("/overland", body, token="token-of-user4-long-enough")[1] == OK
    with open("/proc/%d/status" % server.process.pid) as file:
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))
    print("32 MB of bodies at a time: at most %d kB" % peak)
    assert peak < 128 * 1024
    server.stop()
    assert len(server.lines("user4")[1]) == 6


def case_times(run):
    """What nobody can have recorded is dropped, counted, and costs nothing later."""
    server = run()
    impossible = overland(0, 4)
    for point, when in zip(impossible["locations"], [
            "1989-12-31T23:59:59Z", "1970-01-01T00:00:00Z", "2096-01-01T00:00:00Z", None]):
        soon = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 20 * 3600))
        point["properties"]["timestamp"] = when or soon
    assert server.post("/overland", impossible)[1] == OK
    far = [
        {"name": "totalacceleration", "time": when, "values": {"x": 0, "y": 0, "z": 9.75}}
        for when in [0, 3_976_214_400_000_000_000, str(3_976_214_400_000_000_000),
                     int((time.time() + 20 * 3600) * 1e9)]]
    assert server.post("/sensorlogger", message(0, far))[1] == OK

    def seconds(first, count=25):
        """The median time of a message of one fix, earlier than some that are known."""
        taken = []
        for number in range(first, first + count):
            begin = time.monotonic()
            assert server.post("/overland", overland(10 * number, 1))[1] == OK
            taken.append(time.monotonic() - begin)
        return sorted(taken)[count // 2]

    def sample(number):
        return server.post("/sensorlogger", message(number, entries(
            "totalacceleration", number, 1, lambda n: (0, 0, 9.5))))

    before = seconds(0)
    for part in range(6):
        first = 10 + 20_000 * part
        assert server.post("/sensorlogger", message(part, entries(
            "totalacceleration", first, 20_000, lambda n: (n % 9, 0, 9.75))))[1] == OK
    taken = []
    for number in range(25):
        begin = time.monotonic()
        assert sample(number)[1] == OK
        taken.append(time.monotonic() - begin)
    after = sorted(taken)[12]
    print("a message: %.1f ms, with 120,000 samples behind it %.1f ms" % (
        before * 1e3, after * 1e3))
    assert after < 8 * before + 0.005, (before, after)
    server.stop()
    assert "6 of an impossible time dropped" in server.talk(), server.talk()
    samples, fixes = server.lines()
    assert len(samples) == 1 + 120_000 + 25 and len(fixes) == 1 + 25
    server.check()


def case_dropped(run):
    """A body of points that make no sense costs little more than one that is passed over."""
    server = run()
    size = 4 << 20

    def seconds(value):
        body = b'{"locations":[' + value + (b"," + value) * (size // (len(value) + 1)) + b"]}"
        begin = time.monotonic()
        status, content, _ = server.post("/overland", body[:size] if value == b" " else body)
        assert status == 200, content
        return time.monotonic() - begin

    other = b'{"other":[0' + b",0" * (size // 2) + b'],"locations":[]}'
    begin = time.monotonic()
    assert server.post("/overland", other)[1] == OK
    passed = time.monotonic() - begin
    taken = {value: seconds(value) for value in [b"0", b"{}", b'{"geometry":{"type":"Point"}}']}
    print("passed over: %.2f s, dropped: %s" % (
        passed, ", ".join("%.2f s" % value for value in taken.values())))
    assert max(taken.values()) < 5 * passed, (passed, taken)
    server.stop()


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
    # Somebody who has waited with the next request has all the time for it.
    server = run("--seconds", "4")
    connection = server.client()
    assert server.post("/overland", overland(0), connection=connection)[1] == OK
    time.sleep(2.5)
    body = json.dumps(overland(3)).encode()
    connection.putrequest("POST", "/overland")
    connection.putheader("Authorization", "Bearer " + TOKEN)
    connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body[:100])
    time.sleep(2.5)
    connection.send(body[100:])
    assert connection.getresponse().read() == OK
    connection.close()
    server.stop()
    assert len(server.lines()[1]) == 6


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


def credentials(folder, name="certificate"):
    """A certificate of this machine, signed by itself, and its key."""
    certificate, key = (os.path.join(folder, name + end) for end in [".pem", ".key"])
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-noenc", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True, timeout=60)
    os.chmod(key, 0o600)
    return certificate, key


def case_tls(run):
    """HTTPS; and whatever isn't a certificate with its key is refused."""
    certificate, key = credentials(run.folder)
    _, other = credentials(run.folder, "other")
    secure = ["--certificate", certificate, "--private-key", key]
    server = run(*secure, "--seconds", "2", "--connections", "16")
    assert server.scheme == "https"
    assert server.post("/overland", overland(0, 200))[1] == OK
    connection = server.client()
    for first in [200, 400]:
        assert server.post("/overland", overland(first, 200), connection=connection)[1] == OK
    assert server.post("/overland", overland(0), token="wrong")[0] == 401
    assert server.post("/overland", b" " * 3_000_000 + b"{")[0] == 400
    # Plain HTTP, handshakes that stop or never begin, and noise.
    head = b"POST /overland HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n" % TOKEN.encode()
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    held = []
    for start in [head + b"Content-Length: 2\r\n\r\n{}", hello, hello[:3], b"", os.urandom(400)]:
        for _ in range(8):
            held.append(server.connect())
            try:
                held[-1].sendall(start)
            except OSError:
                pass
    begin = time.monotonic()
    assert server.post("/overland", overland(600, 100))[1] == OK
    assert time.monotonic() - begin < 2
    # They end when their time is over.
    time.sleep(0.5)
    alone = [server.connect(), server.connect()]
    alone[1].sendall(hello)
    begin = time.monotonic()
    for connection in alone:
        connection.settimeout(8)
        try:
            while connection.recv(4096):
                pass
        except ConnectionResetError:
            pass
    assert time.monotonic() - begin < 6
    # A request inside of TLS that doesn't go on, too.
    trusted = ssl.create_default_context(cafile=certificate)
    with trusted.wrap_socket(server.connect(), server_hostname="localhost") as inside:
        inside.sendall(head)
        inside.settimeout(8)
        try:
            assert inside.recv(4096) == b""
        except (ConnectionResetError, ssl.SSLError):
            pass
    with trusted.wrap_socket(server.connect(), server_hostname="localhost") as inside:
        inside.sendall(head + b"Content-Length: 50\r\n\r\n{")
    for connection in held:
        connection.close()
    assert server.post("/overland", overland(700, 1))[1] == OK
    server.stop()
    assert len(server.lines()[1]) == 701
    assert "can read it" not in server.talk(), server.talk()

    def refused(status, *options):
        server.tool("serve", "--port", "0", "--user", "ada", "--token", TOKEN, *options,
                    status=status)

    missing, empty = (os.path.join(run.folder, name) for name in ["missing", "empty"])
    open(empty, "w").close()
    broken = os.path.join(run.folder, "broken")
    with open(certificate) as whole, open(broken, "w") as file:
        text = whole.read()
        file.write(text[:100] + "!" + text[101:])
    for certificates, keys, status in [
        (certificate, other, 3), (key, certificate, 3), (certificate, certificate, 3),
        (empty, key, 3), (certificate, empty, 3), (broken, key, 3), ("/dev/zero", key, 3),
        (certificate, "/dev/null", 3), (missing, key, 74), (certificate, missing, 74),
        (run.folder, key, 74),
    ]:
        refused(status, "--certificate", certificates, "--private-key", keys)
    # A key that everybody can read is worth a word; another address is allowed with TLS.
    os.chmod(key, 0o644)
    server = run(*secure, "--address", "0.0.0.0")
    assert server.post("/overland", overland(701, 1))[1] == OK
    server.stop()
    assert "certificate.key: every user of this machine can read it" in server.talk()
    assert "in the clear" not in server.talk()
    server = run("--address", "0.0.0.0", "--insecure")
    assert server.post("/overland", overland(702, 1))[1] == OK
    server.stop()
    assert "in the clear" in server.talk()
    assert len(server.lines()[1]) == 703


def case_siege(run):
    """64 honest clients are answered in time beside 200 hostile ones, in bounded memory."""
    spec = importlib.util.spec_from_file_location(
        "siege", os.path.join(os.path.dirname(os.path.abspath(__file__)), "serve-siege.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    seconds = float(os.environ.get("LOCOMOTION_SERVE_SECONDS", "8"))
    users = ["user%02d" % number for number in range(64)]
    tokens = os.path.join(run.folder, "tokens")
    with open(tokens, "w") as file:
        for user in [*users, "mallory"]:
            file.write("%s token-of-%s-long-enough\n" % (user, user))
    server = run(tokens=tokens)
    connections, results = module.siege(
        server.port, seconds, ["token-of-%s-long-enough" % user for user in users],
        "token-of-mallory-long-enough", 200, overland)
    with open("/proc/%d/status" % server.process.pid) as file:
        peak = int(re.search(r"VmHWM:\s+(\d+) kB", file.read()).group(1))
    server.stop()
    taken = sorted(result[0] for user in results for result in user)
    others = [result for user in results for result in user if result[2] != OK.decode()]
    print(
        "%d hostile connections in %.0f s; %d batches of 64 clients, %d not kept; the median took "
        "%.3f s, the slowest %.3f s; at most %d kB" % (
            connections, seconds, len(taken), len(others), taken[len(taken) // 2], taken[-1],
            peak))
    assert not others, others[:5]
    assert taken[-1] < 2 and peak < 128 * 1024, (taken[-5:], peak)
    for user, answers in list(zip(users, results))[::8]:
        times = [fix["t"] - 1_700_000_000 for fix in server.lines(user)[1]]
        assert times == list(range(10 * len(answers))), (user, len(times), len(answers))
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
        [*own, "--token-file", "x"], [*own, "--address", "nowhere"],
        [*own, "--address", "0.0.0.0"], [*own, "--address", "::"],
        [*own, "--address", "127.0.0.1.example"], [*own, "--certificate", "x"],
        [*own, "--private-key", "x"], [*own, "--connections", "901"],
        ["--user", "a\nb", "--token", TOKEN],
    ]:
        bad = subprocess.run(base + options, capture_output=True, timeout=20)
        assert bad.returncode == 2, (options, bad)
    bad = subprocess.run(
        base + [*own, "--address", "nowhere", "--insecure"], capture_output=True, timeout=20)
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
