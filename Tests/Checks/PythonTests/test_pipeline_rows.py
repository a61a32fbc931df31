"""Pipelines: the rows of simulated recordings are those of the command."""

from __future__ import annotations

import csv
import gzip
import math
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SECOND

from locomotion import (
    Activity,
    FixStatus,
    Form,
    Moving,
    Pipeline,
    _command,
)


RECORDINGS = Path(__file__).resolve().parents[3] / "Tests/Support/ChangeIndicator/Recordings"
"""Simulated recordings, two of them with faults of the sensors."""


def read_rows(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file) if row["t"]]


def nanoseconds(text: str) -> int:
    return int((Decimal(text) * SECOND).to_integral_value("ROUND_HALF_UP"))


def values(row: dict[str, str], *names: str) -> list[float]:
    return [float(row.get(name) or "nan") for name in names]


def rows_before(fixes: list[int], rows: list[int]) -> Any:
    """Return how many rows the command takes in before each fix: a fix goes first if it is not
    later. A time that the next one is earlier than counts as the next."""

    def due(times: list[int]) -> list[int]:
        return [min(pair) for pair in zip(times, [*times[1:], times[-1]], strict=True)]

    places, place, row_times = [], 0, due(rows)
    for time in due(fixes):
        while place < len(rows) and row_times[place] < time:
            place += 1
        places.append(place)
    return np.array(places)


def ingest_recording(pipeline: Pipeline, name: str, batches: int) -> None:
    """Take a recording of the change indicator in, in so many batches of its file."""
    rows = read_rows(RECORDINGS / f"{name}.csv.gz")
    times = np.array([nanoseconds(row["t"]) for row in rows])
    xyz = np.array([values(row, "ax", "ay", "az") for row in rows], np.float32)
    rates = np.array([values(row, "gx", "gy", "gz") for row in rows], np.float32)
    has_rates: Any = np.isfinite(rates).any(axis=1)
    fixes = read_rows(RECORDINGS / f"{name}.gps.csv.gz")
    table = {"time": np.array([nanoseconds(row["t"]) for row in fixes])}
    names = {"latitude": "lat", "longitude": "lon", "altitude": "alt"}
    names |= {"horizontal_accuracy": "hacc", "speed": "speed", "course": "course"}
    for column, short in names.items():
        table[column] = np.array([values(row, short)[0] for row in fixes])
    places = rows_before(table["time"].tolist(), times.tolist())
    edges = np.linspace(0, len(times), batches + 1).astype(int)
    for start, end in zip(edges, edges[1:], strict=False):
        part, is_last = slice(start, end), end == len(times)
        chosen = (places >= start) & ((places < end) | is_last)
        pipeline.ingest(
            accelerations=(times[part], xyz[part]),
            rotation_rates=(times[part][has_rates[part]], rates[part][has_rates[part]]),
            fixes={column: array[chosen] for column, array in table.items()},
        )
    pipeline.finish()


def number(value: float, decimals: int) -> str:
    """Write a number as the command does: nothing when it is unknown, halves away from zero."""
    if not math.isfinite(value):
        return ""
    scaled = abs(float(value) * 10**decimals)
    whole = math.floor(scaled) + (scaled - math.floor(scaled) >= 0.5)
    sign = "-" if value < 0 and whole else ""
    return f"{sign}{whole // 10**decimals}.{whole % 10**decimals:0{decimals}}"


def seconds(time: int) -> str:
    text = f"{abs(int(time)) // SECOND}.{abs(int(time)) % SECOND:09}".rstrip("0").rstrip(".")
    return f"-{text}" if time < 0 else text


def activity_rows(samples: Any) -> Iterator[str]:
    for row in samples[samples["has_accelerations"] == 1]:
        activity = Activity(row["activity"]).name.lower()
        probabilities = [number(value, 5) for value in row["probabilities"]]
        yield ",".join([seconds(row["start"]), seconds(row["end"]), activity, *probabilities])


def cadence_rows(samples: Any) -> Iterator[str]:
    for row in samples[samples["has_accelerations"] == 1]:
        yield ",".join(
            [
                seconds(row["start"]),
                seconds(row["end"]),
                number(row["cadence"], 2),
                number(row["cadence_confidence"], 4),
                number(row["steps"], 3),
            ]
        )


def fix_rows(fixes: Any) -> Iterator[str]:
    for row in fixes:
        names = {"latitude": 8, "longitude": 8, "radius68": 2, "speed": 3, "speed_deviation": 3}
        course = 0.0 if row["course"] >= 359.95 else row["course"]
        yield ",".join(
            [
                seconds(row["fix"]["time"]),
                *(number(row[name], decimals) for name, decimals in names.items()),
                number(course, 1),
                number(1 - row["moving_probability"], 4),
                {Moving.STATIONARY: "0", Moving.MOVING: "1"}.get(row["moving"], ""),
                FixStatus(row["status"]).name.lower(),
            ]
        )


@pytest.mark.parametrize("batches", [1, 100])
@pytest.mark.parametrize("name", ["damaged-ride", "drive-through-tunnel", "walk-with-pauses"])
def test_rows_are_those_of_the_command(name: str, batches: int) -> None:
    recording = str(RECORDINGS / f"{name}.csv.gz")

    def command(*words: str) -> list[str]:
        return _command.run([words[0], recording, *words[1:]]).stdout.splitlines()[1:]

    with Pipeline(keeps_recording=True) as pipeline:
        ingest_recording(pipeline, name, batches)
        live = pipeline.samples()
        assert live.tobytes() == pipeline.recording_samples(Form.LIVE).tobytes()
        assert list(fix_rows(pipeline.fixes())) == command("locate", "--mode", "live")
        for form in Form:
            mode = form.name.lower()
            samples = pipeline.recording_samples(form)
            assert list(activity_rows(samples)) == command("classify", "--mode", mode)
            located = "lagged" if form == Form.SETTLED else mode
            fixes = pipeline.recording_fixes(form)
            assert list(fix_rows(fixes)) == command("locate", "--mode", located)
        settled = pipeline.recording_samples(Form.SETTLED)
        assert list(cadence_rows(settled)) == command("cadence", "--mode", "lagged")
        assert len(live) > 100
