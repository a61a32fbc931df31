"""Archives of a few people, their tables, and what the command prints of each person."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from conftest import Command, write_day

import locomotion

START = 1_783_665_600
"""10 July 2026, 06:40 UTC."""

DAY = 86_400
ACTIVITIES = ("stationary", "walking", "running", "cycling", "automotive", "train")


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


def joined(archive: Path, user: str, folder: Path) -> Path:
    """Write a person's days as one recording."""
    folder.mkdir(parents=True)
    for suffix in (".csv.gz", ".gps.csv.gz"):
        lines: list[bytes] = []
        for path in sorted((archive / user).glob(f"day-?{suffix}")):
            found = gzip.decompress(path.read_bytes()).splitlines()
            lines += found if not lines else found[1:]
        (folder / f"whole{suffix}").write_bytes(gzip.compress(b"\n".join(lines) + b"\n"))
    return folder / "whole.csv.gz"


def contents(out: Path, *, tables_only: bool = False) -> dict[str, str]:
    """Return the digests of all files."""
    return {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file()
        and not (tables_only and path.relative_to(out).parts[0].startswith("_"))
    }


def changes(out: Path) -> dict[str, int]:
    """Return when each file was written, ns."""
    return {str(path): path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}


def table(out: Path, name: str, user: str) -> list[dict[str, Any]]:
    """Return a person's rows of all days."""
    files = sorted(out.glob(f"{name}/day=*/{user}.parquet"))
    rows = pa.concat_tables([pq.ParquetFile(path).read() for path in files]).to_pylist()
    assert {row["user"] for row in rows} == {user}
    return rows


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


def number(value: float | None, decimals: int) -> str:
    """Write a number as the command does: halves away from zero."""
    if value is None:
        return ""
    scaled = abs(float(value) * 10**decimals)
    whole = math.floor(scaled) + (scaled - math.floor(scaled) >= 0.5)
    sign = "-" if value < 0 and whole else ""
    return f"{sign}{whole // 10**decimals}.{whole % 10**decimals:0{decimals}}"


def rounded(value: float | None, decimals: int) -> float | None:
    """Round a number as the timeline of the command does."""
    if value is None:
        return None
    scaled = abs(value) * 10**decimals
    whole = math.floor(scaled) + (scaled - math.floor(scaled) >= 0.5)
    return math.copysign(whole / 10**decimals, value) if whole else 0.0


def seconds(time: int) -> str:
    return f"{time // 10**9}.{time % 10**9:09}".rstrip("0").rstrip(".")


def printed(out: Path, user: str) -> dict[str, Any]:
    """Return a person's rows as the files of ``locomotion analyze``."""
    samples, fixes = table(out, "samples", user), table(out, "fixes", user)
    classify, cadence, locate = [], [], []
    for row in samples:
        times = [seconds(row["t_start"]), seconds(row["t_end"])]
        chances = [number(row[f"p_{name}"], 5) for name in ACTIVITIES]
        classify.append(",".join([*times, row["activity"], *chances]))
        rates = [number(row["cadence"], 2), number(row["confidence"], 4), number(row["steps"], 3)]
        cadence.append(",".join([*times, *rates]))
    for row in fixes:
        course = row["course"]
        course = 0.0 if course is not None and course >= 359.95 else course
        numbers = [number(row[name], 8) for name in ("lat", "lon")]
        numbers += [number(row["radius68"], 2)]
        numbers += [number(row[name], 3) for name in ("speed", "speed_sd")]
        numbers += [number(course, 1), number(row["p_stationary"], 4)]
        moving = {None: "", True: "1", False: "0"}[row["moving"]]
        locate.append(",".join([seconds(row["t"]), *numbers, moving, row["status"]]))
    return {
        "classify": classify,
        "cadence": cadence,
        "locate": locate,
        "items": [_item(row) for row in table(out, "items", user)],
    }


def _item(row: dict[str, Any]) -> dict[str, Any]:
    item = {"type": row["type"]}
    item |= {name: rounded(row[name] / 1e9, 3) for name in ("start", "end")}
    if row["type"] == "stay":
        item |= {"lat": rounded(row["lat"], 8), "lon": rounded(row["lon"], 8)}
        item |= {"radius": rounded(row["radius"], 1)}
    if row["type"] in ("trip", "leg"):
        item |= {"activity": row["activity"], "distance": rounded(row["distance"], 1)}
        item |= {"steps": rounded(row["steps"], 0)}
        for name in ("climb", "climb_sd", "descent", "descent_sd"):
            item[name] = rounded(row[name], 1)
    return item


def expected(recording: Path, folder: Path) -> dict[str, Any]:
    """Return the rows that the command itself prints for a recording."""
    command = Command(recording, folder)
    items: list[dict[str, Any]] = []
    for item in json.loads(command.text("timeline.json"))["items"]:
        legs = item.pop("legs", [])
        items += [item, *({"type": "leg", **leg} for leg in legs)]
    lines = {
        name: command.text(f"{name}.csv").splitlines()[1:]
        for name in ("classify", "cadence", "locate")
    }
    return {**lines, "items": items}
