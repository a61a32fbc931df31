#!/usr/bin/env python3
"""Five simulated phones and an archive, for `archive.sh`.

Usage: Datasets/archive-fleet.py PROGRAMS FOLDER [--check]
"""

import argparse
import concurrent.futures
import csv
import decimal
import gzip
import http.client
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Sources", "Server", "Tests",
                                "Checks"))

from archive_phones import Phone, differences, exported_journal
from archive_servers import Cluster, Collector, new_token, wait_until

USERS = ["ada", "ben", "cleo", "dora", "emil"]
# Enough for activities and steps, and a day is simulated in seconds.
RATE = 25


def say(text):
    print("archive: " + text, file=sys.stderr, flush=True)


class Fleet:
    def __init__(self, programs, folder, collector, tokens):
        self.folder, self.collector = folder, collector
        self.programs, self.tokens = programs, tokens
        self.phones = {}

    def program(self, name):
        return os.path.join(self.programs, name)

    def upload(self, number):
        """Simulates a day of a phone, records it, corrects something, and sends all."""
        user = USERS[number]
        home = os.path.join(self.folder, "phones", user)
        os.makedirs(home)
        subprocess.run(
            [self.program("demo-recording"), "--out", home, "--seed", str(number + 1),
             "--day", str(number), "--rate", str(RATE)], check=True)
        lines = os.path.join(home, "demo.ndjson")
        subprocess.run(
            [self.program("locomotion"), "convert", os.path.join(home, "demo.csv.gz"), lines],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        phone = Phone(self.program("locomotion"), home, user, 0, self.tokens[user], number)
        with open(lines, "rb") as file:
            subprocess.run(
                phone.command("record"), stdin=file, stdout=subprocess.DEVNULL, check=True)
        os.remove(lines)
        date = time.strftime("%Y-%m-%d", time.gmtime(1_778_544_000 + 86_400 * number))
        phone.run("places", "add", "--lat", "48.137", "--lon", "11.575", "--name", "home")
        # At 08:00 she was at breakfast: what a person knows better than the estimate.
        phone.run("journal", "correct", "--start", date.replace("-", "") + "T120000Z",
                  "--end", date.replace("-", "") + "T121000Z", "--activity", "cycling")
        status, said = phone.sync(self.collector.url)
        assert status == 0, said
        self.phones[user] = phone
        say("%s has sent %s" % (user, date))
        return date

    def upload_all(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            self.dates = dict(zip(USERS, pool.map(self.upload, range(len(USERS)))))

    def get(self, path, token=None, method="GET", body=None):
        """The status and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.collector.port, timeout=60)
        fields = {"Authorization": "Bearer " + token} if token else {}
        if body:
            fields["Content-Type"] = "application/vnd.locomotion.unit"
        try:
            connection.request(method, path, body, fields)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def wait_for_days(self):
        """Waits until the archive tells what the phones tell; false when it does not come to it."""
        return all(
            wait_until(lambda: self.day_of_archive(user) == self.day_of_phone(user), 120, 1)
            for user in USERS)

    def day_of_archive(self, user):
        return self.get("/v1/days/%s.json" % self.dates[user], self.tokens[user])[1]

    def day_of_phone(self, user):
        return self.phones[user].day(self.dates[user]).encode()


class Check:
    """What must hold; each that does not is said and counted."""

    def __init__(self, fleet, cluster):
        self.fleet, self.cluster = fleet, cluster
        self.failed = 0

    def expect(self, holds, what):
        print("%-6s %s" % ("ok" if holds else "FAILED", what), flush=True)
        self.failed += not holds

    def all(self):
        fleet = self.fleet
        exports = os.path.join(fleet.folder, "exports")
        for user, phone in fleet.phones.items():
            fleet.collector.archive(
                "export", "--user", user, "--out", os.path.join(exports, user),
                "--objects", fleet.collector.objects)
            rebuilt = exported_journal(os.path.join(exports, user), phone.device())
            found = differences(phone.store, rebuilt, user)
            for text in found:
                say(text)
            self.expect(not found, "%s: samples, fixes, corrections and places of the archive are "
                        "those of the phone" % user)
            stored = fleet.collector.archive(
                "days", "--user", user, "--date", fleet.dates[user], "--json")
            own = phone.day(fleet.dates[user])
            if stored != own:
                place = len(os.path.commonprefix([stored, own]))
                say("…%s, not …%s" % tuple(
                    text[max(0, place - 80):place + 80] for text in (stored, own)))
            self.expect(stored == own, "%s: so is the day" % user)
        self.check_round_trip(exports)
        self.check_others()
        self.check_database()

    def check_round_trip(self, exports):
        """`archive export`, then `convert`: the recording that was simulated."""
        user, folder = USERS[0], self.fleet.folder
        phone = self.fleet.phones[user]
        rebuilt = exported_journal(os.path.join(exports, user), phone.device())
        lines = os.path.join(folder, "back.ndjson")
        with open(lines, "wb") as file:
            subprocess.run(
                [phone.program, "journal", "export", "--format", "ndjson", "--store", rebuilt,
                 "--user", user], stdout=file, check=True)
        back = os.path.join(folder, "back")
        subprocess.run([phone.program, "convert", lines, back], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        home = os.path.join(folder, "phones", user)
        for ending, what in [(".csv", "samples"), (".gps.csv", "fixes")]:
            with (gzip.open(os.path.join(home, "demo" + ending + ".gz"), "rt") as one,
                  gzip.open(os.path.join(back, "back" + ending + ".gz"), "rt") as other):
                count, difference = compare_tables(one, other)
            self.expect(count > 0 and not difference, "%s: %d simulated %s came back by convert%s"
                        % (user, count, what, ", but " + difference if difference else ""))

    def check_others(self):
        """Requests as another user, with a wrong token, and as nobody."""
        fleet = self.fleet
        owner, other = USERS[0], USERS[1]
        path = "/v1/days/" + fleet.dates[owner]
        for ending in ("", ".json"):
            status, page = fleet.get(path + ending, fleet.tokens[owner])
            self.expect(status == 200 and len(page) > 100, "%s reads %s%s" % (owner, path, ending))
            self.expect(fleet.get(path + ending, fleet.tokens[other])[0] == 404,
                        "%s finds no %s%s" % (other, path, ending))
            for token, who in [(None, "nobody"), ("0" * 32, "a wrong token")]:
                self.expect(fleet.get(path + ending, token)[0] == 401,
                            "%s does not read %s%s" % (who, path, ending))
        self.expect(fleet.dates[owner].encode() not in fleet.get(
            "/v1/days", fleet.tokens[other])[1], "%s's days are not among %s's" % (owner, other))
        units = "SELECT digest, object_key FROM archive.units ORDER BY object_key"
        rows = self.cluster.query(units)
        digest, key = next(
            row for row in rows if row[1].startswith("user=%s/" % owner))
        unit = open(os.path.join(fleet.collector.objects, key), "rb").read()
        path = "/v1/units/" + digest
        self.expect(
            fleet.get(path, fleet.tokens[owner], "HEAD")[0] == 200, "%s finds a unit" % owner)
        self.expect(fleet.get(path, fleet.tokens[other], "HEAD")[0] == 404, "%s does not" % other)
        self.expect(fleet.get(path, fleet.tokens[other], "PUT", unit)[0] == 403,
                    "%s cannot send it" % other)
        self.expect(fleet.get(path, None, "PUT", unit)[0] == 401, "nobody can send it")
        status, body = fleet.get(path, fleet.tokens[owner], "PUT", unit)
        self.expect(status == 409 and json.loads(body)["digest"] == path[-64:],
                    "%s sends it again, and it is known" % owner)
        self.expect(self.cluster.query(units) == rows, "nothing is stored twice")

    def check_database(self):
        """Every table and view without a user, as another one, and as the analyst."""
        owner, other = USERS[0], USERS[1]
        names = [row[0] for row in self.cluster.query(
            "SELECT c.oid::regclass FROM pg_class c WHERE relkind IN ('r', 'v', 'm', 'p')"
            " AND pg_get_userbyid(relowner) = 'locomotion_owner' ORDER BY 1")]
        self.expect(len(names) >= 6, "there are tables: " + ", ".join(names))
        for name in names:
            if name.endswith("schema_migrations"):
                continue
            found = self.rows("collector", None, name)
            if name.endswith("erasure_key"):
                # A key, of no user: with it the collector hides the names of whom it has erased.
                self.expect(len(found) == 1 and self.rows("analyst", None, name) == [],
                            "the collector alone reads %s" % name)
            else:
                self.expect(found == [], "without a user %s is empty or refused" % name)
            text = " ".join(self.rows("collector", other, name))
            self.expect(owner not in text.split(),
                        "%s sees nothing of %s in %s" % (other, owner, name))
            text = "\n".join(self.rows("analyst", owner, name))
            self.expect(not any(user in text for user in USERS),
                        "the analyst sees no name in %s" % name)

    def rows(self, role, user, name):
        """The rows that a role sees, as texts; none where it is refused."""
        setting = "SELECT set_config('locomotion.user', '%s', false); " % user if user else ""
        try:
            rows = self.cluster.query(setting + "SELECT t::text FROM %s t" % name, role)
        except OSError as error:
            assert "permission denied" in str(error), error
            return []
        return [row[0].replace(",", " ").strip("()") for row in rows[1 if user else 0:]]


def compare_tables(one, other):
    """The rows of the first of two tables, and where the second differs in any number."""
    left, right = csv.DictReader(one), csv.DictReader(other)
    count = 0
    for row in left:
        found = next(right, None)
        count += 1
        if found is None:
            return count, "row %d is missing" % count
        for name, text in row.items():
            there = found.get(name) or ""
            same = text == there or text and there and (
                # Times have more digits than a Double; numbers are the same if their bits are. A
                # course of 360 degrees is one of 0.
                decimal.Decimal(text) == decimal.Decimal(there) if name == "t"
                else float(text) % 360 == float(there) % 360 if name == "course"
                else float(text) == float(there))
            if not same:
                return count, "row %d has %s %r, not %r" % (count, name, there, text)
    return count, "there are more rows" if next(right, None) else ""


def show(fleet, cluster):
    user = USERS[0]
    program = shlex.quote(fleet.program("locomotion"))
    print("\nThe archive is up. A page for each day, behind its user's token:\n")
    for name in USERS:
        print("  %-5s %s/v1/days/%s?token=%s" % (
            name, fleet.collector.url, fleet.dates[name], fleet.tokens[name]))
    print("\nThe days as the archive stores them, and as PostgreSQL has them:\n")
    print("  %s archive days --user %s --database %s" % (
        program, user, shlex.quote(cluster.connection("collector"))))
    print("  psql %s -c \"SELECT set_config('locomotion.user', '%s', false)\" \\\n"
          "    -c 'SELECT date, recorded_seconds, distance FROM archive.days'" % (
              shlex.quote(cluster.connection("collector")), user))
    print("\nThe phones' journals are in %s." % os.path.join(fleet.folder, "phones"))
    print("Interrupt this (Ctrl-C) to stop and remove everything.", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", help="the folder of locomotion and demo-recording")
    parser.add_argument("folder", help="where to work; what is made there is removed")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    stop = threading.Event()

    def interrupt(*_):
        if stop.is_set():
            return
        stop.set()
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    folder = tempfile.mkdtemp(prefix="fleet-", dir=options.folder)
    try:
        with Cluster(folder) as cluster:
            program = os.path.join(options.programs, "locomotion")
            subprocess.run([program, "archive", "migrate", "--database",
                            cluster.connection("owner")], check=True, stdout=subprocess.DEVNULL)
            tokens = {user: new_token() for user in USERS}
            with Collector(program, cluster, folder, tokens) as collector:
                say("PostgreSQL and a collector run; five phones simulate a day each")
                fleet = Fleet(options.programs, folder, collector, tokens)
                fleet.upload_all()
                complete = fleet.wait_for_days()
                if options.check:
                    check = Check(fleet, cluster)
                    check.expect(complete, "the archive tells the days that the phones tell")
                    check.all()
                    print("%d failed" % check.failed)
                    return 1 if check.failed else 0
                show(fleet, cluster)
                stop.wait()
    except KeyboardInterrupt:
        return 1 if options.check else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
