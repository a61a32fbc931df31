"""The units that phones send to a collector, analyzed as they are stored."""

from __future__ import annotations

import csv
import gzip
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote

import people
import pyarrow.parquet as pq
import pytest
import whole

from locomotion.fleet import analyze
from locomotion.fleet.archive import key

pytestmark = pytest.mark.fleet

DAYS = {"ann": 2, "zoë": 1}


@contextmanager
def collector(objects: Path, user: str) -> Iterator[str]:
    """Store each unit that is sent as a collector does, and give the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self) -> None:
            digest = self.path.rpartition("/")[2]
            folder = objects / f"user={quote(user)}" / "day=0000-00-00"
            folder.mkdir(parents=True, exist_ok=True)
            length = int(self.headers["Content-Length"])
            (folder / f"{digest}.loco").write_bytes(self.rfile.read(length))
            answer = json.dumps({"digest": digest}, separators=(",", ":")).encode()
            self.send_response(201)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def lines(recording: Path, rows: int | None = None) -> str:
    """Return the first rows of a tidy recording as ``locomotion record`` takes them."""
    with gzip.open(recording, "rt", encoding="utf-8") as file:
        columns = list(csv.DictReader(file))[:rows]
    fixes = recording.with_name(recording.name.replace(".csv.gz", ".gps.csv.gz"))
    with gzip.open(fixes, "rt", encoding="utf-8") as file:
        places = list(csv.DictReader(file))
    result = []
    # A line holds ten seconds or less of a phone's 100 Hz.
    for first in range(0, len(columns), 1_000):
        part = columns[first : first + 1_000]
        bounds = float(part[0]["t"]), float(part[-1]["t"])
        values = {name: [float(row[name]) for row in part] for name in ("t", "ax", "ay", "az")}
        own = [
            {name: float(text) for name, text in place.items() if text}
            for place in places
            if bounds[0] <= float(place["t"]) <= bounds[1]
        ]
        result.append(json.dumps({**values, "fixes": own}))
    return "\n".join(result) + "\n"


def command(*arguments: str, text: str = "") -> None:
    """Run the command with standard input, to its end without an error."""
    words = [sys.executable, "-m", "locomotion", *arguments]
    done = subprocess.run(words, input=text, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr


def send(folder: Path, objects: Path, user: str, texts: list[str]) -> None:
    """Record the lines with a device of its own, and send what it has recorded."""
    folder.mkdir(parents=True)
    token = folder / "token"
    token.write_text("a-token-of-this-test\n")
    token.chmod(0o600)
    place = ["--store", str(folder / "journal"), "--user", user]
    for text in texts:
        command("record", *place, text=text)
    with collector(objects, user) as url:
        command("sync", *place, "--to", url, "--token-file", str(token), "--once")


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return people.write_people(tmp_path_factory.mktemp("units") / "archive", DAYS)


@pytest.fixture(scope="module")
def objects(archive: Path) -> Path:
    objects = archive.with_name("objects")
    for number, user in enumerate(DAYS):
        recordings = sorted(
            path for path in (archive / user).glob("*.csv.gz") if ".gps." not in path.name
        )
        send(archive.with_name(f"phone-{number}"), objects, user, [lines(p) for p in recordings])
    # A second device of Ann's was on for a part of the first day.
    first = archive / "ann" / "day-0.csv.gz"
    send(archive.with_name("tablet"), objects, "ann", [lines(first, 2_000)])
    return objects


def test_the_tables_of_units_are_those_of_the_recordings(archive: Path, objects: Path) -> None:
    expected, found = archive.with_name("expected"), archive.with_name("found")
    analyze(str(archive), str(expected))
    summary = analyze(str(objects), str(found))
    assert (summary.people, summary.days, summary.rejected) == (2, 3, 0)
    assert len(whole.table(found, "samples", "ann")) > 800
    tables = people.contents(expected, tables_only=True)
    assert people.contents(found, tables_only=True) == tables
    assert len(tables) >= 3 * 4


def test_a_damaged_unit_is_set_aside(objects: Path, tmp_path: Path) -> None:
    copy = tmp_path / "objects"
    shutil.copytree(objects, copy)
    path = max(copy.rglob("*.loco"), key=lambda path: path.stat().st_size)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))
    summary = analyze(str(copy), str(tmp_path / "out"))
    assert (summary.people, summary.rejected) == (2, 1)
    user = "ann" if "user=ann" in str(path) else "zoë"
    file = tmp_path / "out" / "rejected" / f"{key(user)}.parquet"
    (row,) = pq.read_table(file).to_pylist()
    assert "checksum" in row["reason"]
