"""The tables of a person, and those of an analysis of all their recordings as one.

As a program: ``whole.py FOLDER USER...`` compares ``FOLDER/tables`` with an analysis of
``FOLDER/people/USER``, and exits 1 when a table differs.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from locomotion import _layout, _native
from locomotion.fleet import tables


def table(out: Path, name: str, user: str) -> list[dict[str, Any]]:
    """Return a person's rows of all days."""
    files = sorted(out.glob(f"{name}/day=*/{user}.parquet"))
    rows = pa.concat_tables([pq.ParquetFile(path).read() for path in files]).to_pylist()
    assert {row["user"] for row in rows} == {user}
    return rows


def joined(recordings: Path, folder: Path) -> Path:
    """Write a person's days, in the order of their names, as one recording."""
    folder.mkdir(parents=True)
    for suffix in (".csv.gz", ".gps.csv.gz"):
        lines: list[bytes] = []
        for path in sorted(recordings.glob(f"*{suffix}")):
            if path.name.endswith(".gps.csv.gz") == (suffix == ".gps.csv.gz"):
                found = gzip.decompress(path.read_bytes()).splitlines()
                lines += found if not lines else found[1:]
        content = gzip.compress(b"\n".join(lines) + b"\n", compresslevel=1)
        (folder / f"whole{suffix}").write_bytes(content)
    return folder / "whole.csv.gz"


def expected(recording: Path, user: str) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of an analysis of a recording as a whole, in the tables of a fleet."""
    found = _native.analyze(str(recording), 0, b"")
    samples = found["samples"].view(_layout.SAMPLE)
    rows = {
        "samples": tables.samples(user, samples[samples["has_accelerations"] == 1]),
        "fixes": tables.fixes(user, found["fixes"].view(_layout.FIX_REPORT)),
        "items": tables.items(user, found["items"].view(_layout.TIMELINE_ITEM)),
    }
    return {name: part.to_pylist() for name, part in rows.items()}


def main(folder: Path, users: list[str]) -> int:
    """Compare the rows of users, and return the exit status."""
    rows = differing = 0
    for user in users:
        with tempfile.TemporaryDirectory() as work:
            whole = joined(folder / "people" / user, Path(work) / "recording")
            for name, lines in expected(whole, user).items():
                rows += len(lines)
                if table(folder / "tables", name, user) != lines:
                    differing += 1
                    print(f"{user}: {name} differs", file=sys.stderr)
    print(f"{rows} rows of {len(users)} people compared with whole analyses, {differing} differ")
    return int(differing > 0 or rows == 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
