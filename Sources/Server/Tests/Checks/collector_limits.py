"""What `locomotion-server collect` allows its users and tells its operator, for `collector-requests.py`."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
import time
import uuid

import hostile_units
from collector_archive import Archive, Phone, bearer, new_user, write_keys

FIRST = "2023-11-14"
NOW = 1_780_000_000 * hostile_units.SECOND


def small_unit(user, number):
    return hostile_units.unit(
        user, uuid.uuid4().bytes, [NOW + number * hostile_units.SECOND + step * 10**8
                                   for step in range(5)])


OPERATOR = "operator"


class Metrics:
    """What a collector tells its operator, by the token of the user of `--metrics`."""

    options = ["--metrics", OPERATOR]

    def __init__(self, archive, token=None):
        self.archive, self.token = archive, token or archive.tokens[OPERATOR]

    def request(self, method="GET", body=None):
        status, content, fields = self.archive.request(method, "/metrics", self.token, body)
        return status, content.decode(), fields

    def values(self):
        lines = [line for line in self.request()[1].splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}

    def wait_for(self, **expected):
        """Waits until the figures of the changes' readers are so."""
        names = {"busy": "locomotion_readers_busy", "waiting": "locomotion_requests_waiting"}
        wanted = {names[name] + '{lane="changes"}': value for name, value in expected.items()}
        self.archive.wait_until(
            lambda: wanted.items() <= self.values().items(), 20, lambda: (wanted, self.values()))
        return self.values()


class Held:
    """The row of a user, locked so that nothing of the user can be stored until `release`."""

    def __init__(self, user):
        self.process = subprocess.Popen(
            [os.environ["LOCOMOTION_POSTGRES_BIN"] + "/psql", "-XAtq",
             os.environ["LOCOMOTION_DATABASE_ADMIN"]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(
            f"BEGIN; SELECT name FROM archive.users WHERE name = '{user}' FOR UPDATE;\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline().strip() == user

    def release(self):
        self.process.communicate("ROLLBACK;\n", timeout=20)


def in_thread(results, call):
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    return thread


def case_readers(program, folder):
    """A user whose units are not stored holds up nobody else's, and no day."""
    eve, ada = new_user("eve"), new_user("ada")
    archive = Archive(program, folder, [eve, ada, OPERATOR], options=Metrics.options)
    metrics = Metrics(archive)
    own, other = archive.tokens[eve], archive.tokens[ada]
    assert archive.put(small_unit(eve, 0), own)[0] == 201
    held, answers = Held(eve), []
    threads = [
        in_thread(answers, lambda number=number: archive.put(small_unit(eve, number), own))
        for number in range(1, 7)]
    # One is at a reader; more than eight do not wait.
    metrics.wait_for(busy=1, waiting=5)
    threads += [in_thread(answers, lambda: archive.put(small_unit(eve, 9), own))
                for _ in range(6)]
    metrics.wait_for(busy=1, waiting=8)
    while len(answers) < 3:
        time.sleep(0.05)
    assert all(status == 503 and fields["retry-after"] == "2" for status, _, fields in answers)
    # The others' units, the others' days and even the user's own.
    assert archive.put(small_unit(ada, 0), other)[0] == 201
    assert archive.request("GET", "/v1/days", other)[0] == 200
    assert archive.request("GET", "/v1/days", own)[0] == 200
    assert archive.request("HEAD", "/v1/units/" + "0" * 64, own)[0] == 404
    values = metrics.wait_for(busy=1, waiting=8)
    assert values['locomotion_requests_oldest_seconds{lane="changes"}'] > 0
    assert values['locomotion_requests_oldest_seconds{lane="questions"}'] == 0
    held.release()
    for thread in threads:
        thread.join()
    assert sorted(status for status, _, _ in answers) == [201] * 9 + [503] * 3, answers
    archive.stop()


def case_turns(program, folder):
    """With one reader left, who has sent much is served in turn with who has sent little."""
    eve, ada, *others = [new_user(name) for name in ("eve", "ada", "bob", "dan", "eva", "fay")]
    archive = Archive(program, folder, [eve, ada, OPERATOR, *others], options=Metrics.options)
    metrics, answers, order = Metrics(archive), [], []
    threads, held = [], []
    for number, user in enumerate(others):
        token = archive.tokens[user]
        assert archive.put(small_unit(user, 0), token)[0] == 201
        held.append(Held(user))
        threads.append(in_thread(
            answers, lambda user=user, token=token: archive.put(small_unit(user, 1), token)))
        metrics.wait_for(busy=number + 1, waiting=0)
    for number in range(8):
        unit = hostile_units.dense_unit(eve, uuid.uuid4().bytes, NOW, 2)
        threads.append(in_thread(
            order, lambda unit=unit: (archive.put(unit, archive.tokens[eve])[0], "eve")))
        metrics.wait_for(busy=4, waiting=number + 1)
    threads.append(in_thread(
        order, lambda: (archive.put(small_unit(ada, 0), archive.tokens[ada])[0], "ada")))
    metrics.wait_for(busy=4, waiting=9)
    held.pop().release()
    while len(order) < 9:
        time.sleep(0.05)
    assert all(status == 201 for status, _ in order), order
    assert [user for _, user in order].index("ada") <= 2, order
    for one in held:
        one.release()
    for thread in threads:
        thread.join()
    archive.stop()


def case_processor(program, folder):
    """Who has used their processor time waits, and nobody else."""
    eve, ada = new_user("eve"), new_user("ada")
    archive = Archive(program, folder, [eve, ada], options=["--processor-seconds", "0.05"])
    statuses = []
    for number in range(400):
        status, _, fields = archive.put(small_unit(eve, number), archive.tokens[eve])
        statuses.append(status)
        if status != 201:
            break
    assert statuses[-1] == 429 and len(statuses) > 1 and int(fields["retry-after"]) > 0, statuses
    assert archive.request("GET", "/v1/days", archive.tokens[eve])[0] == 429
    assert archive.request("GET", "/v1/days", archive.tokens[ada])[0] == 200
    archive.stop()


def case_metrics(program, folder):
    ada = new_user("ada")
    archive = Archive(program, folder, [ada, OPERATOR], options=Metrics.options)
    metrics, token = Metrics(archive), archive.tokens[ada]
    unit = small_unit(ada, 0)
    assert archive.put(unit, token)[0] == 201
    assert archive.put(unit, token)[0] == 409
    assert archive.put(b"no unit", token)[0] == 400
    assert archive.put(small_unit("somebody", 0), token)[0] == 403
    assert archive.request("GET", "/v1/days", token)[0] == 200
    assert archive.request("GET", f"/v1/days/{FIRST}", "a-token-of-nobody")[0] == 401
    assert archive.request("BREW", "/v1/<none>", token)[0] in (400, 404)
    archive.wait_until(lambda: metrics.values()["locomotion_derivation_seconds_count"])
    status, text, fields = metrics.request()
    assert status == 200 and fields["content-type"].startswith("text/plain; version=0.0.4"), fields
    # Each line is a comment or a figure; the names are as Prometheus wants them.
    form = re.compile(r'[a-z_]+(\{[a-z]+="[\w-]*"(,[a-z]+="[\w-]*")*\})? -?[\d.]+(e[+-]?\d+)?')
    for line in text.splitlines():
        assert line.startswith(("# HELP ", "# TYPE ")) or form.fullmatch(line), line
    assert ada not in text and "somebody" not in text and FIRST not in text and "none" not in text
    values = metrics.values()
    for name, value in {
        'locomotion_requests_total{route="unit",method="PUT",status="201"}': 1,
        'locomotion_requests_total{route="unit",method="PUT",status="409"}': 1,
        'locomotion_requests_total{route="days",method="GET",status="200"}': 1,
        'locomotion_requests_total{route="report",method="GET",status="401"}': 1,
        'locomotion_units_total{result="stored"}': 1,
        'locomotion_units_total{result="known"}': 1,
        "locomotion_units_bytes_total": len(unit),
        'locomotion_units_refused_total{reason="form"}': 1,
        'locomotion_units_refused_total{reason="user"}': 1,
        'locomotion_readers_busy{lane="questions"}': 0,
        'locomotion_failures_total{part="database"}': 0,
        'locomotion_failures_total{part="objects"}': 0,
    }.items():
        assert values[name] == value, (name, values)
    assert values["locomotion_derivation_seconds_sum"] > 0
    assert values["process_resident_memory_bytes"] > 1e6
    assert abs(values["process_start_time_seconds"] - time.time()) < 3_600
    # Nobody else's.
    assert archive.request("GET", "/metrics", token)[0] == 403
    assert archive.request("GET", "/metrics")[0] == 401
    assert archive.request("GET", "/metrics", "a-token-of-nobody")[0] == 401
    assert metrics.request("POST", body="x")[0] == 405
    assert metrics.request("HEAD")[:2] == (200, "")
    # An object store that fails is told.
    shutil.rmtree(archive.objects)
    with open(archive.objects, "w"):
        pass
    answer = archive.put(small_unit(ada, 1), token)
    assert answer[0] in (500, 503), answer
    assert metrics.values()['locomotion_failures_total{part="objects"}'] >= 1
    archive.stop()
    other = Archive(program, tempfile.mkdtemp(dir=folder), [ada])
    assert other.request("GET", "/metrics", other.tokens[ada])[0] == 404
    other.stop()


def case_fields(program, folder):
    """What a browser may do with an answer."""
    ada = new_user("ada")
    archive = Archive(program, folder, [ada])
    token = archive.tokens[ada]
    phone = Phone(program, folder, ada)
    phone.record(0, 900)
    phone.sync(archive.url, token)
    archive.wait_for_story(ada, FIRST, phone.story(FIRST))
    path = f"/v1/days/{FIRST}?token={token}"
    status, page, fields = archive.request("GET", path)
    assert status == 200
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page.decode()).group(1)
    assert fields["content-security-policy"] == policy + "; frame-ancestors 'none'", fields
    assert "unsafe" not in policy, policy
    json = archive.request("GET", f"/v1/days/{FIRST}.json", token)
    days = archive.request("GET", "/v1/days", token)
    missing = archive.request("GET", "/v1/days/2001-01-01", token)
    refused = archive.request("GET", path + "x")
    for answer in (json, days, missing, refused):
        assert answer[2]["content-type"] == "application/json", answer
        assert answer[2]["content-security-policy"] == \
            "default-src 'none'; frame-ancestors 'none'", answer
    for found in (fields, json[2], days[2], missing[2], refused[2]):
        assert found.items() >= {
            "x-frame-options": "DENY", "cache-control": "no-store",
            "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}.items(), found
    browse(archive, path, folder)
    archive.stop()


def browse(archive, path, folder):
    """The page in a browser: its policies stop nothing of its own, and no other page shows it."""
    browser = shutil.which("chromium")
    if not browser:
        print("fields: no browser", flush=True)
        return

    def shown(address):
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-background-networking", "--enable-logging=stderr",
             f"--user-data-dir={folder}/profile", "--virtual-time-budget=5000", "--dump-dom",
             address], capture_output=True, timeout=120)
        lines = done.stderr.decode(errors="replace").splitlines()
        return done.stdout.decode(), [line for line in lines if "CONSOLE" in line]

    address = archive.url[:-1] + path
    text, complaints = shown(address)
    # The script has run: it makes the buttons of the map.
    assert "<button" in text and not complaints, complaints
    frame = os.path.join(folder, "frame.html")
    with open(frame, "w") as file:
        file.write(f'<!DOCTYPE html><iframe src="{address}"></iframe>')
    _, complaints = shown("file://" + frame)
    assert any("frame-ancestors" in line or "X-Frame-Options" in line for line in complaints), \
        complaints


def case_revocation(program, folder):
    """While keys are in a file that cannot be read, one of them may have been taken back."""
    ada, key = new_user("ada"), os.urandom(32)
    jwks = os.path.join(folder, "keys.json")
    write_keys(jwks, {"a": key})
    archive = Archive(program, folder, options=[
        "--jwks", jwks, "--issuer", "issuer", "--audience", "archive", *Metrics.options])
    now = time.time()
    token, reader = [
        bearer({"iss": "issuer", "aud": "archive", "sub": user, "exp": now + 600, "nbf": now}, key,
               {"alg": "HS256", "kid": "a"}) for user in (ada, OPERATOR)]
    metrics = Metrics(archive, reader)
    ask = lambda: archive.request("GET", "/v1/days", token)
    assert ask()[0] == 200
    failures = 0
    for damage in (
        lambda: write_keys(jwks, {"b": b"short"}), lambda: os.remove(jwks),
        lambda: os.truncate(jwks, 20),
    ):
        before = archive.talk().count("no token is accepted")
        damage()
        archive.wait_until(lambda: ask()[0] != 200, 20)
        assert archive.talk().count("no token is accepted") == before + 1, archive.talk()
        answer = ask()
        assert answer[0] == 503 and int(answer[2]["retry-after"]) > 0, answer
        write_keys(jwks, {"a": key})
        archive.wait_until(lambda: ask()[0] == 200, 20)
        failures, last = metrics.values()['locomotion_failures_total{part="token-keys"}'], failures
        assert failures > last, failures
    text = archive.talk()
    assert "keys were read again" in text and ada not in text and token not in text, text
    archive.stop()
