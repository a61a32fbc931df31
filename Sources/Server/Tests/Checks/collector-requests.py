#!/usr/bin/env python3
"""Sends recordings to `locomotion-server collect` and compares what the archive tells with the phones.

Usage: Sources/Server/Tests/Checks/collector-requests.py PROGRAM [CASE...]      (default: every case)

The environment says where the database is, as Sources/Server/Tests/Setup/server.sh has it; with
LOCOMOTION_S3_ENDPOINT, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY the objects are in a
bucket as well. Sources/Server/Tests/Checks/collector.sh starts both.
"""

import copy
import glob
import hashlib
import http.server
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid

sys.dont_write_bytecode = True

import collector_limits
from collector_archive import (
    Archive, Gate, Phone, START, TYPE, bearer, new_user, run, units, write_keys)

FIRST, SECOND = "2023-11-14", "2023-11-15"


def compare(archive, phone, token):
    """The archive's answers, by command and by HTTP, with the phone's."""
    for date in (FIRST, SECOND):
        story = phone.story(date)
        archive.wait_for_story(phone.user, date, story)
        assert archive.request("GET", f"/v1/days/{date}.json", token)[:2] == (200, story)


def case_days(program, folder):
    ada, eve = new_user("ada"), new_user("eve")
    archive = Archive(program, folder, [ada, eve])
    own, other = archive.tokens[ada], archive.tokens[eve]
    phone = Phone(program, folder, ada)
    phone.record(0, 600)
    phone.sync(archive.url, own)
    compare(archive, phone, own)
    # Later data change the second day.
    phone.record(600, 900)
    phone.sync(archive.url, own)
    compare(archive, phone, own)
    status, body, _ = archive.request("GET", "/v1/days", own)
    days = json.loads(body)
    assert [day["date"] for day in days] == [FIRST, SECOND], days
    assert days[1]["revision"] > 1 and days[0]["primary"], days
    # A token of nobody is told also when there is nothing to send.
    phone.sync(archive.url, "a-token-of-nobody", status=1)
    phone.sync(archive.url, own)
    # Nobody else's.
    assert archive.request("GET", "/v1/days", other)[:2] == (200, b"[]\n")
    for path in (f"/v1/days/{FIRST}", f"/v1/days/{FIRST}.json"):
        assert archive.request("GET", path, other)[0] == 404
        assert archive.request("GET", path)[0] == 401
        assert archive.request("GET", path, "a-token-of-nobody")[0] == 401
    page = archive.request("GET", f"/v1/days/{FIRST}?token={own}")
    assert page[0] == 200 and b"<html" in page[1] and "text/html" in page[2]["content-type"]
    # What is there is known, to its owner.
    objects = units(archive.objects)
    assert objects
    for digest, unit in objects.items():
        assert hashlib.sha256(unit).hexdigest() == digest
        expected = ('{"digest":"%s"}' % digest).encode()
        assert archive.put(unit, own)[:2] == (409, expected)
        assert archive.put(unit, other)[0] == 403
        assert archive.request("HEAD", "/v1/units/" + digest, own)[0] == 200
        assert archive.request("HEAD", "/v1/units/" + digest, other)[0] == 404
        assert archive.request("DELETE", "/v1/units/" + digest, other)[0] == 404
    assert units(archive.objects) == objects
    archive.stop()


def case_refusals(program, folder):
    ada = new_user("ada")
    archive = Archive(program, folder, [ada])
    token = archive.tokens[ada]
    phone = Phone(program, folder, ada)
    phone.record(0, 60)
    spare = Archive(program, tempfile.mkdtemp(dir=folder), [ada])
    phone.sync(spare.url, spare.tokens[ada])
    digest, unit = next(iter(units(spare.objects).items()))
    spare.tool("erase", "--user", ada)
    spare.tool("readmit", "--user", ada)
    spare.stop()
    path = "/v1/units/" + digest
    damaged = unit[:-9] + bytes([unit[-9] ^ 1]) + unit[-8:]
    assert archive.put(damaged, token, digest)[0] == 422
    assert archive.put(damaged, token)[0] == 400
    assert archive.put(b"", token)[0] == 400
    assert archive.request("PUT", path, token, unit)[0] == 415
    assert archive.request("PUT", path, None, unit, Content_Type=TYPE)[0] == 401
    answer = archive.request("GET", path, token)
    assert (answer[0], answer[2]["allow"]) == (405, "PUT, HEAD, DELETE")
    assert archive.request("POST", "/v1/days", token, b"x")[0] == 405
    for tail in ("", "/", digest.upper(), digest[:-1], digest + "0", digest + "/x", "../days",
                 "%2e%2e/days", digest[:-2] + "%00"):
        answer = archive.request("PUT", "/v1/units/" + tail, token, unit, Content_Type=TYPE)
        assert answer[0] in (400, 404), (tail, answer)
    for tail in (FIRST + ".json/", "2023-11-1", "..", "%2e%2e%2f", "2023-11-14.json.json",
                 "2023-13-45.json", "' OR 1=1 --", "0000-00-00"):
        answer = archive.request("GET", "/v1/days/" + tail.replace(" ", "%20"), token)
        assert answer[0] in (400, 404), (tail, answer)
    answer = archive.request("GET", f"/v1/days/{FIRST}.json?device=%27%20OR%201=1", token)
    assert answer[0] == 404, answer
    assert units(archive.objects) == {}
    assert archive.put(unit, token)[0] == 201
    assert archive.put(unit, token)[0] == 409
    assert archive.request("DELETE", path, token)[0] == 200
    assert archive.request("DELETE", path, token)[0] == 404
    assert units(archive.objects) == {}
    archive.stop()


class Portal(http.server.ThreadingHTTPServer):
    """Answers every request as the login page of a hotel does, with one status."""

    def __init__(self, status):
        self.status = status
        super().__init__(("127.0.0.1", 0), PortalAnswer)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server_port}/"


class PortalAnswer(http.server.BaseHTTPRequestHandler):
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        page = b"<html>log in</html>"
        self.send_response(self.server.status)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)

    do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


def case_refused_units(program, folder):
    """Every refusal of a unit or a device names it."""
    ada = new_user("ada")
    archive = Archive(program, folder, [ada])
    token = archive.tokens[ada]
    digest, device = "0" * 64, "0" * 32
    path = "/v1/units/" + digest
    answers = [
        (422, archive.put(b"x", token, digest)), (415, archive.put(b"x", token, digest, "a/b")),
        (401, archive.put(b"x", token + "x", digest)), (405, archive.request("POST", path, token)),
        (411, archive.request("PUT", path, token, iter([b"x"]), Content_Type=TYPE)),
        (413, archive.put(b"x" * (8 << 20) + b"x", token, digest)),
        (415, archive.request(
            "PUT", path, token, b"x", Content_Type=TYPE, Content_Encoding="gzip")),
        (404, archive.request("DELETE", path, token)),
        (400, archive.request("DELETE", path, token, b"x")),
    ]
    for status, (found, body, _) in answers:
        body = json.loads(body)
        assert found == status and body["digest"] == digest and body["error"], (status, found, body)
    for method, status in (("DELETE", 404), ("PUT", 405)):
        answer = archive.request(method, "/v1/devices/" + device, token)
        body = json.loads(answer[1])
        assert answer[0] == status and body["device"] == device and body["error"], answer
    archive.stop()


def case_withdrawals(program, folder):
    """What is erased on a phone leaves the archive, whatever answers in between."""
    ada = new_user("ada")
    archive = Archive(program, folder, [ada])
    token = archive.tokens[ada]
    phone = Phone(program, folder, ada)
    phone.record(0, 600)
    phone.story(FIRST)
    portals = [Portal(status) for status in (200, 404, 410, 413, 201, 403)]

    def talk(url, status):
        done = subprocess.run(
            [program, "sync", "--store", phone.store, "--user", ada, "--to", url, "--token-file",
             os.path.join(folder, "token"), "--once"], capture_output=True, timeout=170)
        assert done.returncode == status, done
        return done.stderr.decode()

    phone.sync(archive.url, token)
    before = units(archive.objects)
    assert before
    # Nothing is parked, and nothing forgotten.
    phone.record(600, 660)
    for portal in portals:
        said = talk(portal.url, 1)
        assert "not the archive's answer" in said and "refused" not in said, said
    phone.sync(archive.url, token)
    phone.journal("erase", "--from", str(START), "--to", str(START + 30))
    phone.sync(archive.url, token)
    assert not set(before) & set(units(archive.objects))
    # What is to be deleted is gone with the next synchronisation.
    before = units(archive.objects)
    phone.journal("erase", "--from", str(START + 30), "--to", str(START + 60))
    phone.sync(archive.url, token)
    assert units(archive.objects) and not set(before) & set(units(archive.objects))
    # The archive computes its days of what is left, as a journal does that never had the rest.
    left, lines = copy.copy(phone), os.path.join(folder, "left.ndjson")
    left.store = os.path.join(folder, "left")
    with open(lines, "wb") as file:
        file.write(run(
            program, "journal", "export", "--store", phone.store, "--user", ada, "--format", "ndjson"))
    run(program, "journal", "import", "--store", left.store, "--user", ada, lines)
    compare(archive, left, token)

    # All of a device, when its journal knows nothing any more.
    done = subprocess.run(
        [program, "journal", "erase", "--store", phone.store, "--user", ada], capture_output=True)
    said = done.stderr.decode()
    assert done.returncode == 0 and "--withdraw-device" in said, done
    [device] = re.findall(r"This one was ([0-9a-f]{32});", said)
    days = json.loads(archive.request("GET", "/v1/days", token)[1])
    assert {day["device"] for day in days} == {device}, (device, days)
    withdraw = ["sync", "--withdraw-device", device, "--token-file", os.path.join(folder, "token")]
    for portal in portals:
        done = subprocess.run([program, *withdraw, "--to", portal.url], capture_output=True)
        assert done.returncode == 1 and b"not the archive's answer" in done.stderr, done
        portal.shutdown()
        portal.server_close()
    assert units(archive.objects)
    run(program, *withdraw, "--to", archive.url)
    assert units(archive.objects) == {}
    run(program, *withdraw, "--to", archive.url, status=1)
    run(program, *withdraw[:2], "x", *withdraw[3:], "--to", archive.url, status=2)
    run(program, *withdraw, "--to", archive.url, "--once", status=2)
    archive.wait_until(lambda: not json.loads(archive.request("GET", "/v1/days", token)[1]))
    archive.stop()


def case_names(program, folder):
    """Names that would lead out of a folder, a statement or a page."""
    key = os.urandom(32)
    jwks = os.path.join(folder, "keys.json")
    write_keys(jwks, {"a": key})
    options = ["--jwks", jwks, "--issuer", "issuer", "--audience", "archive"]
    archive = Archive(program, folder, options=options)
    names = ["../../../tmp/escape", "..", "/etc/passwd", "a'; DROP TABLE archive.days; --",
             "<script>alert(1)</script>", "user=x/day=2023-11-14", "%2e%2e", "☃" * 42, "Ada", "ada"]
    tail = uuid.uuid4().hex[:8]
    for seed, name in enumerate(names):
        user = (name + tail) if len(name.encode()) < 100 else name
        inside = tempfile.mkdtemp(dir=folder)
        phone = Phone(program, inside, user, seed)
        phone.record(0, 40)
        now = time.time()
        token = bearer({"iss": "issuer", "aud": "archive", "sub": user, "exp": now + 600,
                        "nbf": now}, key)
        phone.sync(archive.url, token)
        archive.wait_for_story(user, FIRST, phone.story(FIRST))
        page = archive.request("GET", f"/v1/days/{FIRST}", token)
        assert page[0] == 200 and b"<script>alert(1)" not in page[1], page[0]
        archive.tool("erase", "--user", user)
    assert units(archive.objects) == {}
    assert set(os.listdir(folder)) >= {"cache", "keys.json", "objects"}
    assert not glob.glob("/tmp/escape*")
    assert run(program + "-server", "archive", "users", "--database",
               os.environ["LOCOMOTION_DATABASE_OWNER"])
    archive.stop()


def case_tokens(program, folder):
    ada, old, new = new_user("ada"), os.urandom(32), os.urandom(32)
    jwks = os.path.join(folder, "keys.json")
    write_keys(jwks, {"old": old})
    archive = Archive(program, folder, options=[
        "--jwks", jwks, "--issuer", "https://issuer.example", "--audience", "archive"])
    now = time.time()
    good = {"iss": "https://issuer.example", "aud": "archive", "sub": ada, "exp": now + 600,
            "nbf": now - 5}

    def status(key=old, kid="old", **changes):
        header = {"alg": "HS256", "kid": kid}
        return archive.request("GET", "/v1/days", bearer({**good, **changes}, key, header))[0]

    assert status() == 200
    # What else is wrong with a token is tested in Swift.
    assert status(exp=now - 120) == 401
    assert status(key=new) == 401
    assert status(new, "new") == 401
    # The issuer changes its key.
    write_keys(jwks, {"old": old, "new": new})
    time.sleep(1.2)
    assert status(new, "new") == 200 and status() == 200
    write_keys(jwks, {"new": new})
    time.sleep(1.2)
    assert status(new, "new") == 200 and status() == 401
    text = archive.talk()
    assert "expired" in text and "unknown key" in text and str(good["iss"]) not in text, text
    archive.stop()


def case_database(program, folder):
    """While the database is away nothing is acknowledged, and nothing is lost."""
    ada = new_user("ada")
    gate = Gate(os.environ["LOCOMOTION_DATABASE"])
    archive = Archive(program, folder, [ada], database=gate.conninfo)
    phone = Phone(program, folder, ada)
    phone.record(0, 60)
    gate.shut()
    phone.sync(archive.url, archive.tokens[ada], status=1)
    status, _, fields = archive.request("GET", "/v1/days", archive.tokens[ada])
    assert status == 503 and int(fields["retry-after"]) > 0, (status, fields)
    gate.is_open = True
    time.sleep(1.5)
    phone.sync(archive.url, archive.tokens[ada])
    archive.wait_for_story(ada, FIRST, phone.story(FIRST))
    # Killed at once after a confirmation; then without its cache.
    phone.record(60, 120)
    phone.sync(archive.url, archive.tokens[ada])
    archive.kill()
    subprocess.run(["rm", "-r", archive.cache], check=True)
    archive.start()
    archive.wait_for_story(ada, FIRST, phone.story(FIRST))
    archive.stop()


def case_spool(program, folder):
    """Messages that 'collect' of version 0.1 has kept are told, and are no silent loss."""
    ada = new_user("ada")
    archive = Archive(program, folder, [ada])
    token = archive.tokens[ada]
    assert archive.request("POST", "/overland", token, b"{}")[0] == 404
    assert not os.path.exists(os.path.join(archive.cache, "spool.locomotion"))
    archive.stop()
    phone = Phone(program, folder, ada)
    phone.store = os.path.join(archive.cache, "spool.locomotion")
    phone.record(0, 60)
    done = subprocess.run(archive.command(), capture_output=True, timeout=20)
    said = done.stderr.decode()
    assert done.returncode == 1 and archive.cache in said and "0.1.0" in said, done
    # Everything in it is sent by another collector.
    kept = phone.store + ".kept"
    os.rename(phone.store, kept)
    archive.start()
    phone.store = kept
    phone.sync(archive.url, token)
    archive.stop()
    os.rename(kept, os.path.join(archive.cache, "spool.locomotion"))
    archive.start()
    assert "spool.locomotion: all of it is in the archive" in archive.talk(), archive.talk()
    archive.stop()


def case_export(program, folder, objects=None):
    ada = new_user("ada")
    archive = Archive(program, folder, [ada], objects)
    token = archive.tokens[ada]
    phone = Phone(program, folder, ada)
    phone.record(0, 600)
    phone.story(FIRST)
    phone.journal("correct", "--activity", "cycling", "--start", str(START + 320), "--end",
                  str(START + 580))
    phone.journal("correct", "--purpose", "Zahnärztin", "--start", str(START), "--end",
                  str(START + 200))
    phone.sync(archive.url, token)
    compare(archive, phone, token)
    out = os.path.join(folder, "export")
    archive.tool("export", "--user", ada, "--out", out)
    found = units(out)
    assert found and all(hashlib.sha256(unit).hexdigest() == name for name, unit in found.items())
    stores = glob.glob(out + "/journals/*.locomotion")
    assert len(stores) == 1, os.listdir(out + "/journals")
    for form in ("csv", "ndjson", "labels"):
        again = run(program, "journal", "export", "--store", stores[0], "--user", ada, "--format",
                    form)
        assert again == phone.journal("export", "--format", form), form
    for date in (FIRST, SECOND):
        story = phone.story(date)
        assert run(program, "journal", "day", "--store", stores[0], "--user", ada, "--storyline",
                   "--date", date) == story
        [path] = glob.glob(f"{out}/days/{date}.*.json")
        with open(path, "rb") as file:
            assert file.read() == story
    [tracks] = glob.glob(out + "/tracks/*.geojson")
    with open(tracks) as file:
        assert json.load(file)["features"]
    archive.tool("export", "--user", ada, "--out", out, status=2)
    page = os.path.join(folder, "page.html")
    archive.tool("report", "--user", ada, "--date", FIRST, "--out", page)
    assert "cycling" in open(page).read()

    # And nothing of the user is left.
    marks = [ada.encode(), "Zahnärztin".encode(), *[name.encode() for name in found]]
    assert any(mark in content for mark in marks for content in contents(archive, found)), "blind"
    receipt = json.loads(archive.tool("erase", "--user", ada))
    assert receipt["digests"] == sorted(found) and receipt["rows"]["units"] == len(found), receipt
    assert receipt["objects"] == len(found) and receipt["user"] == ada, receipt
    for content in contents(archive, found):
        for mark in marks:
            assert mark not in content, mark
        for unit in found.values():
            assert unit[40:120] not in content
    assert archive.request("GET", "/v1/days", token)[:2] == (200, b"[]\n")
    archive.stop()


def check(archive, status=0, repair=False, user=None):
    """What `archive check` finds: the digests of each kind, and what it says of them."""
    database = os.environ["LOCOMOTION_DATABASE_OWNER"] if user is None else archive.database
    options = (["--repair"] if repair else []) + (["--user", user] if user else [])
    command = [
        archive.program + "-server", "archive", "check", "--database", database,
        *archive.places(with_cache=False)]
    rows = json.loads(run(*command, *options, "--json", status=status))
    lines = run(*command, *(["--user", user] if user else []),
                status=status if not repair else 0).decode().splitlines()
    assert lines[0] == "object,finding,action,done" and (repair or len(lines) == len(rows) + 1)
    assert all(row["done"] == repair for row in rows), rows
    return {row["object"][-69:-5]: (row["finding"], row["action"]) for row in rows}


def break_object(archive, digest, content):
    """Gives an object another content, or with None removes it."""
    if archive.objects.startswith("s3:"):
        from collector_bucket import replace
        return replace(archive.objects, digest, content)
    [path] = glob.glob(f"{archive.objects}/*/*/{digest}.loco")
    os.unlink(path)
    if content is not None:
        with open(path, "wb") as file:
            file.write(content)


def case_lost(program, folder, objects=None):
    """A row is no confirmation: an object that is gone or damaged is taken again."""
    ada = new_user("ada")
    archive = Archive(program, folder, [ada], objects)
    token = archive.tokens[ada]
    phone = Phone(program, folder, ada)
    for part in range(5):
        phone.record(60 * part, 60 * part + 60)
        phone.sync(archive.url, token)
    archive.wait_for_story(ada, FIRST, phone.story(FIRST))
    out = os.path.join(folder, "all")
    archive.tool("export", "--user", ada, "--out", out)
    found = units(out)
    gone, damaged, cut, other = sorted(found)[:4]
    break_object(archive, gone, None)
    break_object(archive, damaged, found[damaged][:-1] + b"x")
    break_object(archive, cut, found[cut][:100])
    assert archive.request("HEAD", "/v1/units/" + gone, token)[0] == 404
    assert archive.request("HEAD", "/v1/units/" + cut, token)[0] == 404
    assert archive.request("HEAD", "/v1/units/" + other, token)[0] == 200
    assert check(archive, status=1, user=ada) == {
        gone: ("gone", "delete"), damaged: ("damaged", "delete"), cut: ("damaged", "delete")}
    archive.tool("export", "--user", ada, "--out", os.path.join(folder, "some"), status=1)
    assert set(units(os.path.join(folder, "some"))) == set(found) - {gone, damaged, cut}
    # Without the cache the log tells the one from the other.
    archive.kill()
    subprocess.run(["rm", "-r", archive.cache], check=True)
    archive.start()
    archive.wait_until(lambda: "1 units have no object" in archive.talk()
                       and "2 units have a damaged object" in archive.talk())
    for digest in (gone, damaged, cut):
        expected = ('{"digest":"%s"}' % digest).encode()
        assert archive.put(found[digest], token)[:2] == (201, expected)
        assert archive.put(found[digest], token)[:2] == (409, expected)
        assert archive.request("HEAD", "/v1/units/" + digest, token)[0] == 200
    assert archive.talk().count("is stored again") == 3, archive.talk()
    archive.wait_for_story(ada, FIRST, phone.story(FIRST))
    assert check(archive, user=ada) == {}

    # Repaired without the phone.
    break_object(archive, damaged, b"")
    break_object(archive, cut, None)
    assert set(check(archive, user=ada, repair=True)) == {damaged, cut}
    archive.tool("export", "--user", ada, "--out", os.path.join(folder, "last"))
    assert set(units(os.path.join(folder, "last"))) == set(found) - {damaged, cut}
    archive.stop()


def case_erasure(program, folder, objects=None):
    """An erasure while the phone sends, what it leaves, and what comes back."""
    ada, eve = new_user("ada"), new_user("eve")
    # More is sent than a user may.
    archive = Archive(program, folder, [ada, eve], objects, [
        "--processor-seconds", "60", "--largest-body", "100000000"])
    token = archive.tokens[ada]
    phone, other = Phone(program, folder, ada), Phone(program, folder, eve, 2)
    for part in range(5):
        phone.record(60 * part, 60 * part + 60)
        phone.sync(archive.url, token)
    other.record(0, 60)
    other.sync(archive.url, archive.tokens[eve])
    out = os.path.join(folder, "all")
    archive.tool("export", "--user", ada, "--out", out)
    found = units(out)
    statuses = set()

    def send(stopping):
        while not stopping.is_set():
            for unit in found.values():
                statuses.add(archive.put(unit, token)[0])

    for attempt in range(3):
        stopping = threading.Event()
        senders = [threading.Thread(target=send, args=(stopping,)) for _ in range(3)]
        for sender in senders:
            sender.start()
        archive.wait_until(lambda: all(
            archive.request("HEAD", "/v1/units/" + digest, token)[0] == 200
            for digest in found), 120)
        receipt = os.path.join(folder, f"receipt-{attempt}")
        printed = archive.tool("erase", "--user", ada, "--receipt", receipt)
        time.sleep(1)
        stopping.set()
        for sender in senders:
            sender.join()
        with open(receipt, "rb") as file:
            assert file.read() == printed
        told = json.loads(printed)
        assert set(told["digests"]) == set(found), told
        assert told["rows"]["units"] == len(told["digests"]), told
        # The collector itself deletes what it was storing.
        assert 0 < told["objects"] <= len(told["digests"]), told
        assert told["left"] == {"journalFiles": 0, "objects": 0, "rows": {}}, told
        # Nothing comes back, also not with a start.
        if attempt == 1:
            archive.kill()
            archive.start()
        expect_erased(archive, ada, found)
        if attempt < 2:
            archive.tool("readmit", "--user", ada)
            archive.tool("readmit", "--user", ada, status=1)
    assert statuses <= {201, 409, 410, 503} and {201, 410} <= statuses, statuses
    # The phone says so, and keeps everything until it may send again.
    phone.record(300, 360)
    before = phone.journal("export", "--format", "csv")
    phone.sync(archive.url, token, status=1)
    assert phone.journal("export", "--format", "csv") == before
    archive.tool("readmit", "--user", ada)
    assert archive.put(next(iter(found.values())), token)[0] == 201
    # A slip of the pen erases nobody, and a later user of that name may send.
    for user, options, status in ((eve + "x", [], 1), (eve + "x", ["--unknown"], 0), (ada, [], 0)):
        archive.tool("readmit", "--user", user, status=1)
        archive.tool("erase", "--user", user, *options, status=status)
    for user in (eve + "x", ada):
        archive.tool("erase", "--user", user)
        archive.tool("readmit", "--user", user)
    # Nobody else's data have gone.
    archive.wait_for_story(eve, FIRST, other.story(FIRST))
    archive.stop()


def expect_erased(archive, ada, found):
    """Whatever is sent is refused with the reason, and nothing of it is anywhere."""
    digest, unit = next(iter(found.items()))
    token, path = archive.tokens[ada], "/v1/units/" + digest
    status, body, _ = archive.put(unit, token)
    answer = json.loads(body)
    assert (status, answer["digest"], answer.get("reason")) == (410, digest, "erased"), (
        status, body)
    status, body, _ = archive.request("DELETE", path, token)
    assert (status, json.loads(body)["reason"]) == (410, "erased"), body
    time.sleep(3)
    marks = [ada.encode(), *[name.encode() for name in found]]
    for content in contents(archive, found):
        for mark in marks:
            assert mark not in content, mark


def contents(archive, found):
    """All bytes of the archive: files and the names of files, the database, the bucket."""
    names = []
    folders = [archive.cache] + ([] if archive.objects.startswith("s3:") else [archive.objects])
    for folder in folders:
        for parent, _, files in os.walk(folder):
            names.append(os.path.relpath(parent, folder).encode())
            for name in files:
                names.append(name.encode())
                with open(os.path.join(parent, name), "rb") as file:
                    yield file.read()
    yield b"\n".join(names)
    programs = os.environ["LOCOMOTION_POSTGRES_BIN"]
    yield run(programs + "/pg_dump", os.environ["LOCOMOTION_DATABASE_ADMIN"], "--data-only")
    if archive.objects.startswith("s3:"):
        from collector_bucket import everything
        yield from everything(archive.objects)


def case_backup(program, folder):
    """A copy that was made while units came is an archive again in an empty database."""
    ada, eve, zoe = new_user("ada"), new_user("eve"), new_user("zoe")
    archive = Archive(program, folder, [ada, eve, zoe])
    phone, other = Phone(program, folder, ada), Phone(program, folder, eve, 2)
    phone.record(0, 600)
    phone.sync(archive.url, archive.tokens[ada])
    compare(archive, phone, archive.tokens[ada])
    archive.tool("erase", "--user", zoe, "--unknown")
    admin, owner = (os.environ["LOCOMOTION_DATABASE_" + role] for role in ("ADMIN", "OWNER"))
    backups, hook = os.path.join(folder, "backups"), os.path.join(folder, "hook")
    scripts = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Setup")
    places = dict(
        os.environ, LOCOMOTION_DATABASE_ADMIN=admin, LOCOMOTION_DATABASE_OWNER=owner,
        LOCOMOTION_OBJECTS=archive.objects, LOCOMOTION_CACHE=archive.cache, LOCOMOTION_BACKUPS="2",
        PATH=os.path.dirname(program) + ":" + os.environ["PATH"])
    # A unit of the other one comes between the copies of the database and of the objects.
    other.record(0, 60)
    other.sync(archive.url, archive.tokens[eve])
    os.mkdir(hook)
    with open(os.open(hook + "/rsync", os.O_WRONLY | os.O_CREAT, 0o700), "w") as file:
        file.write(f"""#!/bin/sh
{program} sync --store {other.store} --user {eve} --to {archive.url} --token-file {folder}/token \\
  --once 2> /dev/null || exit
export PATH="${{PATH#*:}}"
exec rsync "$@"
""")
    hooked = dict(places, PATH=hook + ":" + places["PATH"])
    for part in range(1, 4):
        other.record(60 * part, 60 * part + 60)
        copy = run("bash", scripts + "/backup.sh", backups, env=hooked).decode().strip()
        time.sleep(1)
    archive.kill()
    assert len(os.listdir(backups)) == 2 and os.path.dirname(copy) == backups, copy
    copied = units(copy)
    assert copied == units(archive.objects)
    told = {date: phone.story(date) for date in (FIRST, SECOND)}

    database = re.sub(r"dbname=\S+", "dbname=postgres", admin)
    run("psql", "-q", database, "-c", "DROP DATABASE locomotion WITH (FORCE)")
    run("psql", "-q", database, "-c", "CREATE DATABASE locomotion TEMPLATE template0 ENCODING 'UTF8'")
    run("rm", "-r", archive.objects)
    said = run("bash", scripts + "/restore.sh", copy, env=places).decode()
    # The rows of other cases are of objects elsewhere.
    assert re.findall(f"user=({ada}|{eve})/.*,(.*),(.*),(.*)", said) == [
        (eve, "unindexed", "index", "1")], said
    assert units(archive.objects) == copied and check(archive, user=ada) == {}
    # From the copy at once, and from the units anew.
    for date, story in told.items():
        archive.wait_for_story(ada, date, story, seconds=0)
    archive.start()
    compare(archive, phone, archive.tokens[ada])
    for digest in copied:
        assert 200 in [archive.request("HEAD", "/v1/units/" + digest, token)[0]
                       for token in archive.tokens.values()], digest
    # Who was erased stays so, and nothing is restored over an archive.
    archive.tool("readmit", "--user", zoe)
    run("bash", scripts + "/restore.sh", copy, env=places, status=1)
    archive.stop()


def case_help(program, folder):
    """Each verb of `archive` has help of its own with an example, and takes no other's options."""
    server = program + "-server"
    verbs = re.findall(r"(?m)^  (\w+)", run(server, "help", "archive").decode())
    assert len(verbs) == 9, verbs
    for verb in verbs:
        text = run(server, "help", "archive", verb).decode()
        assert f"\nexample: {server.rpartition('/')[2]} archive {verb} --database " in text, text
        assert text.encode() == run(server, "archive", verb, "--help")
        assert ("--receipt" in text) == (verb == "erase") and "--database CONNINFO" in text, text
    for words in (["archive", "dayz"], ["archive", "days", "--receipt", "x"], ["archive"]):
        run(server, *words, status=2)


def case_end(program, folder):
    """The process ends without the finalizers of libraries, which would free what threads use."""
    source, library = os.path.join(folder, "finalizer.c"), os.path.join(folder, "finalizer.so")
    with open(source, "w") as file:
        file.write('''#include <unistd.h>
__attribute__((destructor)) static void finalize(void) { (void)!write(2, "finalized", 9); }
''')
    run("gcc", "-shared", "-fPIC", "-o", library, source)
    preloaded = dict(os.environ, LD_PRELOAD=library)
    assert subprocess.run(["true"], env=preloaded, capture_output=True).stderr == b"finalized"
    done = subprocess.run([program + "-server", "help"], env=preloaded, capture_output=True)
    assert done.returncode == 0 and done.stdout and done.stderr == b"", done


def case_bucket(program, folder):
    """The same with the objects in a bucket, whose service checks the signatures."""
    if "LOCOMOTION_S3_ENDPOINT" not in os.environ:
        print("bucket: skipped, no S3 service", file=sys.stderr)
        return
    from collector_bucket import fill
    objects = "s3://archive/a b/" + uuid.uuid4().hex[:8]
    # Other objects, on more than one page of the list.
    fill(objects, 600)
    case_export(program, folder, objects)
    for case in (case_lost, case_erasure):
        case(program, tempfile.mkdtemp(dir=folder), objects + "/" + case.__name__)
    inside = tempfile.mkdtemp(dir=folder)
    ada = new_user("zoë")
    archive = Archive(program, inside, [ada], objects)
    phone = Phone(program, inside, ada)
    phone.record(0, 60)
    phone.sync(archive.url, archive.tokens[ada])
    # A replay of a unit whose row was lost: the service answers 412 to the second one.
    out = os.path.join(inside, "export")
    archive.tool("export", "--user", ada, "--out", out)
    run(os.environ["LOCOMOTION_POSTGRES_BIN"] + "/psql", "-q",
        os.environ["LOCOMOTION_DATABASE_ADMIN"],
        input=f"DELETE FROM archive.users WHERE name = '{ada}';".encode())
    for unit in units(out).values():
        assert archive.put(unit, archive.tokens[ada])[0] == 201
        assert archive.put(unit, archive.tokens[ada])[0] == 409
    archive.stop()
    os.environ["AWS_SECRET_ACCESS_KEY"] += "x"
    archive.start()
    phone.record(60, 120)
    phone.sync(archive.url, archive.tokens[ada], status=1)
    assert "SignatureDoesNotMatch" in archive.talk(), archive.talk()
    archive.stop()
    os.environ["AWS_SECRET_ACCESS_KEY"] = os.environ["AWS_SECRET_ACCESS_KEY"][:-1]


CASES = {name[5:]: value for name, value in {**globals(), **vars(collector_limits)}.items()
         if name.startswith("case_")}

if __name__ == "__main__":
    program, *names = sys.argv[1:]
    for name in names or CASES:
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            CASES[name](os.path.abspath(program), folder)
        print(f"{name}: as expected ({time.monotonic() - begin:.0f} s)", flush=True)
