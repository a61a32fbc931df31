#!/usr/bin/env python3
"""Tests of what the checks of the archive stand on: the proxy's faults and the comparison.

Usage: Sources/Server/Tests/Checks/archive_tools_tests.py PROGRAM      (called by archive-storm.sh before the storm)
"""

import concurrent.futures
import hashlib
import http.client
import http.server
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import threading
import unittest

sys.dont_write_bytecode = True

from archive_phones import Phone, counts, differences
from archive_proxy import FAULTS, Proxy

PROGRAM = ""


class Archive(http.server.ThreadingHTTPServer):
    """Answers as an archive must: a digest that does not match is refused, a replay is known."""

    daemon_threads = True

    def __init__(self):
        self.stored, self.requests, self.lock = {}, 0, threading.Lock()
        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, *_):
        pass


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_PUT(self):
        length = int(self.headers["Content-Length"])
        body = self.rfile.read(length)
        if len(body) < length:
            return
        digest = hashlib.sha256(body).hexdigest()
        with self.server.lock:
            self.server.requests += 1
            known = digest in self.server.stored
            matches = self.path.endswith(digest)
            if matches:
                self.server.stored[digest] = body
        answer = json.dumps({"digest": digest}).encode()
        self.send_response((409 if known else 201) if matches else 422)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def send(port, body):
    """Sends until the digest comes back; returns how many attempts that took."""
    digest = hashlib.sha256(body).hexdigest()
    for attempt in range(1, 400):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            connection.request("PUT", "/v1/units/" + digest, body, {"Authorization": "Bearer x"})
            answer = connection.getresponse()
            found = answer.read()
            if answer.status in (201, 409) and json.loads(found)["digest"] == digest:
                return attempt
        except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
            pass
        finally:
            connection.close()
    raise AssertionError("never confirmed")


class ProxyTests(unittest.TestCase):
    def storm(self, seed):
        archive, chance = Archive(), random.Random(1)
        units = [chance.randbytes(chance.randrange(1, 200_000)) for _ in range(300)]
        with Proxy(archive.server_port, seed) as proxy:
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                attempts = list(pool.map(lambda unit: send(proxy.port, unit), units))
            late = proxy.deliver_late_copies()
            self.assertEqual(proxy.deliver_late_copies(), 0)
            proxy.clean = True
            self.assertEqual(send(proxy.port, units[0]), 1)
        archive.shutdown()
        archive.server_close()
        return archive, proxy, units, attempts, late

    def test_every_fault_occurs_and_every_unit_arrives_as_it_was(self):
        archive, proxy, units, attempts, _ = self.storm(1)
        self.assertEqual({fault for fault in FAULTS if proxy.counts[fault]}, set(FAULTS))
        self.assertEqual(sorted(archive.stored.values()), sorted(units))
        self.assertGreater(sum(attempts), 1.3 * len(units))
        # What was doubled or came late arrived more often than it was confirmed.
        self.assertGreater(archive.requests, len(units))
        self.assertGreater(len(proxy.statuses), 25)

    def test_the_same_seed_gives_the_same_faults_in_any_order(self):
        one, other, third = [self.storm(seed) for seed in (5, 5, 6)]
        self.assertEqual(one[3], other[3])
        self.assertNotEqual(one[3], third[3])


class ComparisonTests(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="archive tests ")
        self.addCleanup(shutil.rmtree, self.folder)
        self.phone = Phone(PROGRAM, self.folder, "o'neil\";", 0, "token", 1)
        for _ in range(5):
            process = self.phone.start_recording()
            self.assertEqual((process.communicate()[1], process.returncode), (b"", 0))
        end = self.phone.simulation.time // 1_000_000_000
        self.phone.run("journal", "correct", "--start", str(end - 60), "--end", str(end),
                       "--activity", "cycling")
        self.phone.run("places", "add", "--lat", "48", "--lon", "11", "--name", "home")
        self.copy = os.path.join(self.folder, "copy")
        shutil.copy(self.phone.store, self.copy)

    def changed(self, statement):
        connection = sqlite3.connect(self.copy)
        connection.execute(statement)
        connection.commit()
        connection.close()
        found = differences(self.phone.store, self.copy, self.phone.user)
        return [text.partition(":")[0] for text in found]

    def test_a_journal_has_something_of_all_kinds_and_equals_its_copy(self):
        samples, _, fixes, events = counts(self.phone.store, self.phone.user)
        self.assertTrue(samples > 1_000 and fixes > 20 and events > 4)
        self.assertEqual(self.changed("DELETE FROM items"), [])

    def test_a_key_and_its_checksum_may_differ(self):
        self.assertEqual(self.changed(
            "UPDATE blocks SET data = CAST(substr(data, 1, 4) || zeroblob(8)"
            " || substr(data, 13, length(data) - 16) || zeroblob(4) AS BLOB)"), [])

    def test_every_planted_difference_is_seen(self):
        for statement, kinds in [
            ("UPDATE blocks SET data = CAST(substr(data, 1, length(data) - 6) || x'5aa5'"
             " || substr(data, -4) AS BLOB) WHERE id = (SELECT max(id) FROM blocks)", ["blocks"]),
            ("DELETE FROM blocks WHERE id = (SELECT min(id) FROM blocks)", ["blocks"]),
            ("UPDATE fixes SET latitude = -0.0 WHERE id = (SELECT max(id) FROM fixes)", ["fixes"]),
            ("UPDATE fixes SET time = time + 1 WHERE id = (SELECT min(id) FROM fixes)", ["fixes"]),
            ("UPDATE events SET value = NULL WHERE value IS NOT NULL", ["events"]),
            ("UPDATE remarks SET value = 'walking'", ["edits"]),
            ("UPDATE places SET radius = radius + 1e-9 WHERE name = 'home'", ["places"]),
            ("DELETE FROM places WHERE name = 'home'", ["places"]),
        ]:
            shutil.copy(self.phone.store, self.copy)
            with self.subTest(statement):
                self.assertEqual(self.changed(statement), kinds)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
