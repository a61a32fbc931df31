"""The limits of `locomotion-server serve`, for `serve-requests.py`: what happens beyond each of them."""

import json
import os
import re
import socket
import threading
import time

import serve_load
from serve_server import HEAD, OK, TOKEN, entries, message, overland, write_tokens


def case_errors(run):
    server = run("--largest-body", "20000")
    good = json.dumps(overland(0)).encode()

    def raw(text):
        answer = server.exchange(text)
        return int(answer.split()[1]) if answer else None

    assert server.post("/elsewhere", good)[0] == 404
    assert server.post("/overland/../overland", good)[0] == 404
    for method in ["GET", "PUT", "DELETE", "OPTIONS"]:
        status, _, fields = server.request(method, "/overland")
        assert status == 405 and fields["allow"] == "POST", (method, status)
    assert server.request("HEAD", "/")[0] == 405
    assert raw(HEAD + b"\r\n") == 411
    assert raw(HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n") == 411
    assert raw(HEAD + b"Content-Length: many\r\n\r\n") == 400
    assert raw(b"garbage\r\n\r\n") in (400, None)
    assert raw(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 50 + b"\r\n\r\n") in (400, None)
    assert raw(HEAD + b"X: " + b"x" * 100_000 + b"\r\n\r\n") in (413, 431)
    assert raw(b"POST /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n") in (414, 413, 431)
    status, body, _ = server.post("/overland", b"[" * 20_001)
    assert status == 413 and b"20000" in body, body
    assert raw(HEAD + b"Content-Length: 99999999999\r\n\r\n") == 413
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
        connection.sendall(HEAD + b"Content-Length: 500\r\n\r\n" + good[:300])
    # Several requests on one connection, also after a refused one.
    connection = server.client()
    for status, body in [(200, good), (400, b"{"), (200, good), (200, good)]:
        assert server.post("/overland", body, connection=connection)[0] == status
    assert server.post("/overland", good, token="wrong", connection=connection)[0] == 401
    assert server.post("/overland", good, connection=connection)[0] == 200
    server.stop()
    assert len(server.lines()[1]) == 3
    server.check()


def case_heads(run):
    """Heads that can be read in two ways are refused, and nothing behind them is read."""
    server = run()
    body = json.dumps(overland(0)).encode()
    line = b"POST /overland HTTP/1.1\r\n"
    token = b"Authorization: Bearer %s\r\n" % TOKEN.encode()
    length = b"Content-Length: %d\r\n" % len(body)
    head = line + b"Host: a\r\n" + token

    def statuses(request):
        return re.findall(rb"HTTP/1\.1 (\d+)", server.exchange(request, is_end=True))

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
        found = statuses(request + head + length + b"\r\n" + body)
        assert found in ([], [b"400"]), (request[:120], found)
    # The library itself answers these with one head too many.
    for request in [
        *[head + b"Content-Length: " + wrong + b"\r\n\r\n" + body
          for wrong in (b"-1", b"0x10", b"5, 5", b"5 5", b"9" * 30)],
        line + token + length + b"\r\n" + body,
    ]:
        assert statuses(request) == [b"400"], (request[:120], statuses(request))
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
    # The last one is read beside the loop.
    for points in [3, 200, 2_000]:
        body = json.dumps(overland(0, points)).encode()
        request = HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body
        for count in [1, 2, 3]:
            for pause in [0, 0.05]:
                answer = server.exchange(request * count, is_end=True, pause=pause)
                assert answer.count(OK) == count, (points, count, pause, answer)
    # And one that says so before the end is not waited for.
    for part in [request[:30], request[:-1]]:
        begin = time.monotonic()
        assert server.exchange(part, is_end=True) == b"" and time.monotonic() - begin < 5
    # One that goes away while its body is read, and one whose body is read when the server stops.
    with server.connect() as connection:
        connection.sendall(request)
    size = 2_000_000
    with server.connect() as connection:
        connection.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % size)
        connection.sendall(b'{"locations":[0' + b",0" * (size // 2 - 9) + b"]} ")
        time.sleep(0.05)
        server.stop()
        assert OK in connection.recv(4096)
    assert len(server.lines()[1]) == 2_000


def case_descriptors(run):
    """When the process has no descriptor left, clients wait until connections end."""
    server = run("--seconds", "1", descriptors=40)
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
    """What one user sends at once and in a minute is bounded, whatever others send."""
    tokens = write_tokens(run, {"ada": TOKEN, "bob": "bobs-own-long-token"})
    server = run("--largest-body", "100000", tokens=tokens)
    # Announced is not sent.
    waiting = [server.connect() for _ in range(3)]
    for connection in waiting:
        connection.sendall(HEAD + b"Content-Length: 100000\r\n\r\n")
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
    tokens = {user: "token-of-%s-long-enough" % user for user in users}
    server = run(tokens=write_tokens(run, tokens))
    part = 8_000_000
    connections = []
    for user in users[:4]:
        connections.append(server.connect())
        head = HEAD.replace(TOKEN.encode(), tokens[user].encode())
        connections[-1].sendall(
            head + b"Content-Length: %d\r\n\r\n" % (part + 50) + b" " * part)
    # 32 MiB less 32 MB are left.
    time.sleep(1)
    last = {"token": tokens["user4"]}
    status, _, fields = server.post("/overland", b" " * 2_000_000, **last)
    assert status == 503 and fields["retry-after"], status
    assert server.post("/overland", overland(0), **last)[1] == OK
    for connection in connections:
        connection.close()
    time.sleep(0.5)
    body = b" " * 2_000_000 + json.dumps(overland(3)).encode()
    assert server.post("/overland", body, **last)[1] == OK
    peak = server.status("VmHWM")
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

    def seconds(send):
        """The median time of 25 messages."""
        taken = []
        for number in range(25):
            begin = time.monotonic()
            assert send(number)[1] == OK
            taken.append(time.monotonic() - begin)
        return sorted(taken)[12]

    def sample(number):
        return server.post("/sensorlogger", message(number, entries(
            "totalacceleration", number, 1, lambda n: (0, 0, 9.5))))

    # Of one fix, earlier than some that are known.
    before = seconds(lambda number: server.post("/overland", overland(10 * number, 1)))
    for part in range(6):
        first = 10 + 20_000 * part
        assert server.post("/sensorlogger", message(part, entries(
            "totalacceleration", first, 20_000, lambda n: (n % 9, 0, 9.75))))[1] == OK
    after = seconds(sample)
    print("a message: %.1f ms, with 120,000 samples behind it %.1f ms" % (
        before * 1e3, after * 1e3))
    assert after < 8 * before + 0.005, (before, after)
    server.stop()
    assert "6 of an impossible time dropped" in server.talk(), server.talk()
    samples, fixes = server.lines()
    assert len(samples) == 1 + 120_000 + 25 and len(fixes) == 1 + 25
    server.check()


def case_dropped(run):
    """Points that are dropped cost little more than what is passed over."""
    # In a debug build they cost more than the usual limit allows.
    server = run("--processor-seconds", "60")
    size = 4 << 20

    def seconds(value):
        body = b'{"locations":[' + value + (b"," + value) * (size // (len(value) + 1)) + b"]}"
        begin = time.monotonic()
        status, content, _ = server.post("/overland", body)
        assert status == 200, content
        return time.monotonic() - begin

    def others():
        while len(waited) < 1_000 and not done:
            begin = time.monotonic()
            assert server.post("/overland", overland(len(waited), 1))[1] == OK
            waited.append(time.monotonic() - begin)
            time.sleep(0.01)

    other = b'{"other":[0' + b",0" * (size // 2) + b'],"locations":[]}'
    begin = time.monotonic()
    assert server.post("/overland", other)[1] == OK
    passed = time.monotonic() - begin
    taken = {value: seconds(value) for value in [b"0", b"{}", b'{"geometry":{"type":"Point"}}']}
    print("passed over: %.2f s, dropped: %s" % (
        passed, ", ".join("%.2f s" % value for value in taken.values())))
    assert max(taken.values()) < 5 * passed, (passed, taken)
    # Who sends little is not kept waiting by it.
    waited, done = [], []
    thread = threading.Thread(target=others)
    thread.start()
    whole = sum(seconds(b"0") for _ in range(4))
    done.append(True)
    thread.join()
    print("four of them: %.2f s, the slowest of %d others: %.3f s" % (
        whole, len(waited), max(waited)))
    assert max(waited) < whole / 8 + 0.1, (whole, max(waited))
    server.stop()


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
    slow = [(HEAD, b"X: " + b"y" * 200), (HEAD + b"Content-Length: 9000\r\n\r\n", b"[" * 200)]
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


def case_load(run):
    """64 honest clients are answered in time beside 200 hostile ones, in bounded memory."""
    seconds = float(os.environ.get("LOCOMOTION_SERVE_SECONDS", "8"))
    users = ["user%02d" % number for number in range(64)]
    tokens = {user: "token-of-%s-long-enough" % user for user in [*users, "mallory"]}
    server = run(tokens=write_tokens(run, tokens))
    connections, results = serve_load.run(
        server.port, seconds, [tokens[user] for user in users], tokens["mallory"], 200, overland)
    peak = server.status("VmHWM")
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
