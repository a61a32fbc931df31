"""Archives of a few people."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from conftest import write_day

import locomotion

START = 1_783_665_600
"""10 July 2026, 06:40 UTC."""

DAY = 86_400


def write_people(archive: Path, days: dict[str, int]) -> Path:
    """Write an archive of people with so many days each; all days are alike but for their times."""
    cache = archive.with_name(f"{archive.name}-cache")
    cache.mkdir()
    for day in range(max(days.values())):
        write_day(cache / f"day-{day}.csv.gz", START + day * DAY)
    for number, (name, count) in enumerate(days.items()):
        folder = archive / name
        folder.mkdir(parents=True)
        for day in range(count):
            # Another person's day of the same date: some rows fewer.
            for suffix in (".csv.gz", ".gps.csv.gz"):
                lines = gzip.decompress((cache / f"day-{day}{suffix}").read_bytes()).splitlines()
                kept = [lines[0], *lines[1 + 5 * number :]]
                path = folder / f"day-{day}{suffix}"
                path.write_bytes(gzip.compress(b"\n".join(kept) + b"\n", mtime=0))
    shutil.rmtree(cache)
    return archive


def contents(out: Path, *, tables_only: bool = False) -> dict[str, str]:
    """Return the digests of all files."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
        and not (tables_only and path.relative_to(out).parts[0] in ("people", "_split"))
    }


def changes(out: Path) -> dict[str, int]:
    """Return when each file was written, ns."""
    return {str(path): path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}


def write_parquet(archive: Path, out: Path, *, parts: int) -> Path:
    """Write the rows of all people to mixed files, in no order."""
    rows, fixes = [], []
    for path in sorted(archive.glob("*/day-?.csv.gz")):
        recording = locomotion.read(path)
        columns: dict[str, Any] = {"t": recording.acceleration_times}
        columns |= dict(zip(("ax", "ay", "az"), recording.accelerations.T, strict=True))
        user = [path.parent.name]
        rows.append(pa.table({"user": user * len(columns["t"]), **columns}))
        names = {"time": "t", "latitude": "lat", "longitude": "lon", "altitude": "alt"}
        names |= {"horizontal_accuracy": "hacc", "speed": "speed", "course": "course"}
        found = {short: recording.fixes[name] for name, short in names.items()}
        fixes.append(pa.table({"user": user * len(found["t"]), **found}))
    out.mkdir()
    random = np.random.default_rng(3)
    for name, tables in (("samples", rows), ("fixes", fixes)):
        whole = pa.concat_tables(tables)
        order = np.array_split(random.permutation(len(whole)), parts)
        for number, places in enumerate(order):
            pq.write_table(whole.take(pa.array(places)), out / f"{name}-{number}.parquet")
    return out
