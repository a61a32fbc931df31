"""The tables of a person as the files of ``locomotion analyze``.

As a program: ``printed.py FOLDER USER...`` compares ``FOLDER/tables`` with what the command prints
of ``FOLDER/people/USER`` as one recording, and exits 1 when a row differs.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from locomotion import _command

ACTIVITIES = ("stationary", "walking", "running", "cycling", "automotive", "train")


def table(out: Path, name: str, user: str) -> list[dict[str, Any]]:
    """Return a person's rows of all days."""
    files = sorted(out.glob(f"{name}/day=*/{user}.parquet"))
    rows = pa.concat_tables([pq.ParquetFile(path).read() for path in files]).to_pylist()
    assert {row["user"] for row in rows} == {user}
    return rows


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
        "items": [item(row) for row in table(out, "items", user)],
    }


def item(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of items as an item, or a leg, of the timeline."""
    result = {"type": row["type"]}
    result |= {name: rounded(row[name] / 1e9, 3) for name in ("start", "end")}
    if row["type"] == "stay":
        result |= {"lat": rounded(row["lat"], 8), "lon": rounded(row["lon"], 8)}
        result |= {"radius": rounded(row["radius"], 1)}
    if row["type"] in ("trip", "leg"):
        result |= {"activity": row["activity"], "distance": rounded(row["distance"], 1)}
        result |= {"steps": rounded(row["steps"], 0)}
        for name in ("climb", "climb_sd", "descent", "descent_sd"):
            result[name] = rounded(row[name], 1)
    return result


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


def expected(recording: Path, folder: Path) -> dict[str, Any]:
    """Return the rows that the command itself prints for a recording."""
    _command.run(["analyze", str(recording), "--out", str(folder)])
    items: list[dict[str, Any]] = []
    for item in json.loads((folder / "timeline.json").read_text())["items"]:
        legs = item.pop("legs", [])
        items += [item, *({"type": "leg", **leg} for leg in legs)]
    lines = {
        name: (folder / f"{name}.csv").read_text().splitlines()[1:]
        for name in ("classify", "cadence", "locate")
    }
    return {**lines, "items": items}


def main(folder: Path, users: list[str]) -> int:
    """Compare the rows of users, and return the exit status."""
    rows = differing = 0
    for user in users:
        work = folder / "by-command" / user
        own = printed(folder / "tables", user)
        whole = joined(folder / "people" / user, work / "recording")
        for name, lines in expected(whole, work / "out").items():
            rows += len(lines)
            if own[name] != lines:
                differing += 1
                print(f"{user}: {name} differs", file=sys.stderr)
    print(f"{rows} rows of {len(users)} people compared with the command's, {differing} differ")
    return int(differing > 0 or rows == 0)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
