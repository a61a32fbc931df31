#!/usr/bin/env python3
"""Sends real requests to `locomotion-server serve` and looks at what the journal holds afterwards.

Usage: Sources/Server/Tests/Checks/serve-requests.py PROGRAM [CASE...]      (default: every case)

LOCOMOTION_SERVE_KILLS says how often the server is killed (default 15), LOCOMOTION_SERVE_SECONDS
for how long many clients send at once (default 8).
"""

import base64
import collections
import http.client
import json
import os
import random
import re
import shutil
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.dont_write_bytecode = True

import serve_limits
from serve_server import HEAD, OK, TOKEN, Server, entries, message, overland, write_tokens


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


def case_days(run):
    """The page about a day, and what is corrected in it."""
    server = run("--time-zone", "UTC")
    for first in range(0, 1200, 200):
        assert server.post("/overland", overland(first, 200))[1] == OK
    day = "/days/2023-11-14"
    # Nobody has a page yet: an empty token is none.
    early = {"X-Page-Token": "", "Authorization": "Bearer " + TOKEN}
    assert server.post(day, b"{}", token=None, headers=early)[0] == 403
    page = lambda **more: server.request("GET", day + "?token=" + TOKEN, token=None, **more)
    status, body, fields = page()
    assert status == 200 and fields["content-type"].startswith("text/html"), (status, body)
    policy = fields["content-security-policy"]
    assert "connect-src 'self'" in policy and "frame-ancestors 'none'" in policy, policy
    held = lambda body: json.loads(
        re.search(rb'id="document">(.*?)</script>', body, re.S).group(1))
    report = held(body)
    assert report["user"] == "ada" and len(report["pageToken"]) > 20, report.keys()
    items = report["blocks"][0]["day"]["items"]
    trip = next(item for item in items if item["kind"] == "trip")
    edit = {"kind": "activity", "start": int(trip["ends"][0]), "end": int(trip["ends"][-1]),
            "value": "cycling"}
    text = {"corrections": 1, "recording": report["recording"], "user": "ada", "places": [],
            "edits": [edit]}
    post = lambda value, **headers: server.post(
        day + "?token=" + TOKEN, value, token=None,
        headers={name.replace("_", "-"): text for name, text in headers.items()})
    mine = {"X_Page_Token": report["pageToken"]}
    # A page of another origin can't know the token; nobody without the user's token gets in.
    assert post(text)[0] == 403 and post(text, X_Page_Token="guess")[0] == 403
    assert server.post(day, text, token=None, headers={"X-Page-Token": report["pageToken"]})[0] == 401
    assert server.request("GET", day, token=None)[0] == 401
    assert server.request("GET", "/days/yesterday")[0] == 404
    # What is another's, or nothing that a page makes, is refused in words.
    for wrong in [b"{}", b"[", dict(text, user="bob"), dict(text, edits=[dict(edit, start=0, end=9)])]:
        status, body, _ = post(wrong, **mine)
        assert status == 422 and b"corrections" in body, (wrong, status, body)
    assert post(b" " * 70_000, **mine)[0] == 413
    assert server.request("PUT", day)[0] == 405
    assert post(text, **mine)[:2] == (200, OK)
    assert post(text, **mine)[:2] == (200, OK)
    again = held(page()[1])["blocks"][0]["day"]["items"]
    assert [leg["name"] for item in again for leg in item.get("legs", [])] == ["cycling"], again
    # Phones are still taken, and the day grows by what they send.
    assert server.post("/overland", overland(1200, 200))[1] == OK
    assert page()[0] == 200
    server.stop()
    assert server.tool("journal", "edits", "--user", "ada").count("cycling") == 1
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
    """New sessions are limited; the samples are kept."""
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
    server = run(tokens=write_tokens(run, {"ada": TOKEN, "bob": "bobs-own-long-token"}))
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
        (b"%s ada\n%s bob\n", 2), (b"%s \xff\n", 1), (b"ada\xc2\xa0%s\n", 1), (b"ada %s\x0c\n", 1), (b"x" * 129 + b" %s\n", 1),
    ]
    for content, line in bad:
        write(content.replace(b"%s", ada))
        refused = subprocess.run(
            [server.program + "-server", "serve", "--store", server.store, "--port", "0", "--token-file",
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


def case_fuzz(run):
    """Requests as a fuzzer has found them, and many changes of each, are kept or refused."""
    corpus = Path(__file__).parents[1] / "ServingTests/Corpus/request.txt"
    chance = random.Random(1)

    def changed(content):
        content = bytearray(content)
        for _ in range(chance.randrange(1, 5)):
            place, way = chance.randrange(max(len(content), 1)), chance.randrange(4)
            if way == 0:
                content[place:place + 1] = [chance.randrange(256)]
            elif way == 1:
                del content[place:place + 1]
            elif way == 2:
                content[place:place] = content[place:place + chance.randrange(20)]
            else:
                content[place:place + 1] = [n ^ 1 << chance.randrange(8) for n in content[place:place + 1]]
        return bytes(content)

    def request(content, token):
        """The first line has the method and the path, the next ones fields and, after a question
        mark, parameters of the query; the body follows the first empty line."""
        head, _, body = content.partition(b"\n\n")
        first, *lines = head.split(b"\n")
        method, _, path = first.partition(b" ")
        query = [line[1:].replace(b":", b"=", 1) for line in lines if line.startswith(b"?")]
        # The HTTP library refuses most others itself.
        names = [b"content-encoding", b"transfer-encoding", b"x-page-token"]
        names += [] if token else [b"authorization"]
        fields = [line for line in lines if line.split(b":")[0].lower() in names]
        if token:
            fields.append(b"Authorization: Bearer ada's")
        target = path + (b"?" + b"&".join(query) if query else b"")
        return b"\r\n".join([
            method + b" " + target + b" HTTP/1.1", b"Host: a", *fields,
            b"Content-Length: %d" % len(body), b"", body])

    # The tokens that the corpus has.
    tokens = write_tokens(run, {"ada": "ada's", "bob": "bob's"})
    server = run("--requests-per-minute", "1000000", "--processor-seconds", "60", tokens=tokens)
    statuses = collections.Counter()
    for content in map(base64.b64decode, corpus.read_text().split()):
        for version in [content, *(changed(content) for _ in range(40))]:
            for token in [False, True]:
                answer = server.exchange(request(version, token), is_end=True)
                statuses[int(answer.split()[1]) if answer else None] += 1
    known = {None, 200, 400, 401, 404, 405, 411, 413, 414, 415, 422, 429, 431}
    assert set(statuses) <= known and statuses[200] > 20, statuses
    # The server takes what is right as before.
    assert server.post("/overland", overland(0), token="ada's")[1] == OK
    server.stop()
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


def removals():
    """How a journal goes from its path, by name."""
    parts = ["", "-wal", "-shm", "-writer"]

    def each(act):
        return lambda store: [act(store + p) for p in parts if os.path.exists(store + p)]

    def moved(then=None):
        def act(store):
            os.rename(store, store + ".old")
            if then:
                then(store)
        return act

    return {
        "removed": os.remove, "all removed": each(os.remove), "moved": moved(),
        "all moved": each(lambda path: os.rename(path, path + ".old")),
        "log removed": lambda store: os.remove(store + "-wal"),
        "empty file": moved(lambda store: open(store, "w").close()),
        "link": moved(lambda store: os.symlink("/etc/hostname", store)),
        "pipe": moved(os.mkfifo), "folder": moved(os.mkdir),
        "folder moved": lambda store: os.rename(
            os.path.dirname(store), os.path.dirname(store) + ".old"),
    }


def case_moved(run):
    """What is acknowledged is at the journal's path, or the client is told to keep it."""
    outer = run.folder
    for name, act in removals().items():
        folder = os.path.join(outer, name.replace(" ", "-"))
        os.mkdir(folder)
        server = run("--store", os.path.join(folder, "journal"))
        server.store = os.path.join(folder, "journal")
        for first in range(3):
            assert server.post("/overland", overland(10 * first))[1] == OK
        act(server.store)
        for first in range(3, 6):
            status, _, fields = server.post("/overland", overland(10 * first))
            assert status == 503 and fields["retry-after"], (name, status)
        server.stop()
        assert "removed, moved or replaced" in server.talk(), (name, server.talk())


def case_ahead(run):
    """A message of the server's future is kept by its sender: the server's clock may be slow."""
    server = run()
    now = int(time.time()) - 1_700_000_000

    def post(first, count=3):
        batch = overland(first, count)
        for point in batch["locations"]:
            point["geometry"]["coordinates"] = [11.5, 48.1]
        return server.post("/overland", batch)

    # Wholly ahead, by days or a year; and one that began before the limit of a day.
    for ahead in [2 * 86_400, 365 * 86_400, 86_400 - 20]:
        status, body, fields = post(now + ahead, 60)
        assert status == 503 and fields["retry-after"], (ahead, status)
        assert b"the clock of the server says 20" in body and b"the message is of 20" in body, body
    # By more than any clock of a server is slow: its sender's fault, which would never end.
    assert post(now + 20 * 31_557_600)[1] == OK
    assert post(now)[1] == OK
    server.stop()
    assert server.talk().count("not saved: the clock of the server says") == 3, server.talk()
    stored = [fix["t"] - 1_700_000_000 - now for fix in server.lines()[1]]
    assert stored == [0, 1, 2], stored


def case_day(run):
    """The day is there while it is recorded, and the recorder notices nothing."""
    server = run()
    out = os.path.join(run.folder, "out")
    own = ["--user", "ada"]
    zone = ["--time-zone", "UTC"]
    for part in range(1, 5):
        # A quarter of an hour of standing, then walking.
        for first in range((part - 1) * 1_000, part * 1_000, 100):
            batch = overland(first, 100)
            for number, point in enumerate(batch["locations"]):
                point["geometry"]["coordinates"] = [
                    11.5, 48.1 + 1.3e-5 * max(0, first + number - 900)]
            assert server.post("/overland", batch)[1] == OK
        end = 1_700_000_000 + 1_000 * part
        day = server.tool("journal", "day", *own, *zone)
        assert day.startswith("2023-11-14\n22:13–") and "nothing" not in day, day
        story = json.loads(server.tool("journal", "day", "--storyline", *own, *zone))
        last = story[-1]["segments"][-1]["endTime"]
        ends = time.strftime("%Y%m%dT%H%M", time.gmtime(end - 60))
        assert last >= ends, (last, ends)
        totals = server.tool("journal", "totals", *own, *zone)
        assert ",stay," in totals and ",walking," in totals, totals
        server.tool("journal", "report", "--out", out, *own, *zone)
        assert "Stay" in open(out).read()
        if part > 1:
            server.tool("journal", "export", "--format", "gpx", "--out", out, *own, *zone)
            assert open(out).read().count("<trkpt") > 500 * (part - 1)
        assert server.tool("places", "list", *own).count("48.1") == 1
    server.stop()


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
    hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
    held = []
    for start in [HEAD + b"Content-Length: 2\r\n\r\n{}", hello, hello[:3], b"", os.urandom(400)]:
        for _ in range(8):
            held.append(server.connect())
            try:
                held[-1].sendall(start)
            except OSError:
                pass
    begin = time.monotonic()
    assert server.post("/overland", overland(600, 100))[1] == OK
    assert time.monotonic() - begin < 8
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
        inside.sendall(HEAD)
        inside.settimeout(8)
        try:
            assert inside.recv(4096) == b""
        except (ConnectionResetError, ssl.SSLError):
            pass
    with trusted.wrap_socket(server.connect(), server_hostname="localhost") as inside:
        inside.sendall(HEAD + b"Content-Length: 50\r\n\r\n{")
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


def case_page(run):
    folder = os.path.join(run.folder, "page")
    os.makedirs(os.path.join(folder, "below"))
    files = {
        "index.html": b"<!DOCTYPE html><title>a page</title>", "locomotion.wasm": b"\0asm\1\0\0\0",
        "page.mjs": b"export const a = 1\n", "secret.txt": b"no", "below/other.html": b"no",
    }
    for name, content in files.items():
        with open(os.path.join(folder, name), "wb") as file:
            file.write(content)
    os.symlink("/etc/passwd", os.path.join(folder, "link.txt"))
    server = run("--page", folder)
    types = {
        "/": "text/html; charset=utf-8", "/index.html": "text/html; charset=utf-8",
        "/locomotion.wasm": "application/wasm", "/page.mjs": "text/javascript; charset=utf-8",
    }
    for path, kind in types.items():
        status, body, fields = server.request("GET", path, token=None)
        assert (status, fields["content-type"]) == (200, kind), (path, status, fields)
        assert body == files[path[1:] or "index.html"], path
        assert fields["x-content-type-options"] == "nosniff", fields
        again = server.request("GET", path, token=None, headers={"If-None-Match": fields["etag"]})
        assert again[:2] == (304, b""), again
        head = server.request("HEAD", path, token=None)
        assert head[:2] == (200, b"") and head[2]["content-length"] == str(len(body)), head
    for path in ["/secret.txt", "/link.txt", "/below/other.html", "/../page/index.html", "/none",
                 "/%2e%2e/journal", "/overland"]:
        assert server.request("GET", path, token=None)[0] == 404, path
    # One connection for many files, and one that sends a body all the same.
    connection = server.client()
    for path in types:
        assert server.request("GET", path, token=None, connection=connection)[0] == 200
    connection.close()
    assert server.request("GET", "/", b"x" * 1000, token=None)[0] == 200
    # What apps send is taken as without a page, and needs a token.
    assert server.post("/", overland(0))[1] == OK
    assert server.post("/", overland(0), token=None)[0] == 401
    assert server.request("PUT", "/", b"x")[0] == 405
    server.stop()
    for empty in ["none", "page/below", "journal"]:
        bad = subprocess.run(
            [server.program + "-server", "serve", "--store", os.path.join(run.folder, "other"), "--user", "ada",
             "--token", TOKEN, "--page", os.path.join(run.folder, empty)],
            capture_output=True, timeout=20)
        assert bad.returncode == 3 and b"index.html" in bad.stderr, bad


def case_usage(run):
    server = run()
    own = ["--user", "ada", "--token", TOKEN]
    # Its journal, and then its port, are taken.
    server.tool("serve", "--port", "0", *own, status=74)
    other = os.path.join(run.folder, "other")
    base = [server.program + "-server", "serve", "--store", other]
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
    every = {**globals(), **vars(serve_limits)}
    cases = {name[5:]: case for name, case in every.items() if name.startswith("case_")}
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
