"""The tables of a person, and those of an analysis of all their recordings as one.

As a program: ``whole.py FOLDER USER...`` compares ``FOLDER/tables`` with an analysis of
``FOLDER/people/USER``, and exits 1 when a table differs.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from locomotion import _native
from locomotion.fleet import tables


def table(out: Path, name: str, user: str) -> pa.Table:
    """Return a person's rows."""
    return pq.ParquetFile(out / name / f"{user}.parquet").read()


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


def expected(recording: Path, user: str) -> dict[str, pa.Table]:
    """Return the tables of an analysis of a recording as a whole."""
    found = _native.Analysis(str(recording), b"")
    return {name: tables.rows_of(name, user, found[name]) for name in tables.NAMES}


def main(folder: Path, users: list[str]) -> int:
    """Compare the rows of users, and return the exit status."""
    rows = differing = 0
    for user in users:
        with tempfile.TemporaryDirectory() as work:
            whole = joined(folder / "people" / user, Path(work) / "recording")
            for name, own in expected(whole, user).items():
                rows += len(own)
                if not table(folder / "tables", name, user).equals(own):
                    differing += 1
                    print(f"{user}: {name} differs", file=sys.stderr)
    print(f"{rows} rows of {len(users)} people compared with whole analyses, {differing} differ")
    return int(differing > 0 or rows == 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
