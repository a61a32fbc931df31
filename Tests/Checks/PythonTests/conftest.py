"""Recordings made with NumPy, and what the command and the library say of them.

The library is the one that LOCOMOTION_LIBRARY names, or else that of the package.
"""

from __future__ import annotations

import csv
import gzip
import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import locomotion
from locomotion import Form, Pipeline

RATE = 50
"""Samples per second."""

PHASES = (("rest", 120, 0.0), ("walk", 150, 1.4), ("drive", 150, 14.0))
"""What the person does: the name, how long (s), and the speed (m/s)."""

def write_day(path: Path, start: float = 0.0) -> Path:
    """Write seven minutes of rest, a walk and a drive to `path` and to the file of fixes beside."""
    random = np.random.default_rng(7)
    rows, fixes, east, t = [], [], 0.0, 0.0
    for name, length, speed in PHASES:
        times = np.arange(length * RATE) / RATE
        force = random.normal(0, 0.02, (len(times), 3))
        force[:, 2] += 9.81
        if name == "walk":
            phase = 2 * math.pi * 1.8 * times
            force[:, 2] += 2.5 * np.sin(phase) + 0.9 * np.sin(2 * phase)
            force[:, 0] += 1.1 * np.sin(phase / 2)
        if name == "drive":
            force += np.convolve(random.normal(0, 1.2, len(times)), np.ones(5) / 5, "same")[:, None]
        rows += [(t + dt, *force[index]) for index, dt in enumerate(times)]
        for second in range(length):
            longitude = 11.5 + (east + speed * second) / 74_500
            fixes.append((t + second, 48.0, longitude, 500, 5, speed, 90 if speed else ""))
        east += speed * length
        t += length
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        file.write("t,ax,ay,az\n")
        file.writelines(f"{start + t:.2f},{x:.3f},{y:.3f},{z:.3f}\n" for t, x, y, z in rows)
    beside = path.with_name(path.name.replace(".csv.gz", ".gps.csv.gz"))
    with gzip.open(beside, "wt", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["t", "lat", "lon", "alt", "hacc", "speed", "course"])
        writer.writerows((start + fix[0], fix[1], f"{fix[2]:.8f}", *fix[3:]) for fix in fixes)
    return path


@dataclass(frozen=True)
class Measurements:
    """What the sensors of a phone say: nanoseconds, and values of float32."""

    times: Any
    xyz: Any
    rates: Any
    pressures: Any
    fixes: dict[str, Any]

    def between(self, start: int, end: int) -> Measurements:
        """Return what was measured in start ..< end, in views of the arrays."""
        rows = slice(*np.searchsorted(self.times, (start, end)))
        fixes = slice(*np.searchsorted(self.fixes["time"], (start, end)))
        return Measurements(
            self.times[rows],
            self.xyz[rows],
            self.rates[rows],
            self.pressures[rows],
            {name: values[fixes] for name, values in self.fixes.items()},
        )


def simulated_walk(seconds: int = 120, rate: int = 100) -> Measurements:
    """Return a walk with a halt, whose values are not symmetric in x, y and z."""
    random = np.random.default_rng(11)
    t = np.arange(seconds * rate) / rate
    walks = (t < seconds * 0.4) | (t > seconds * 0.6)
    phase = 2 * math.pi * 1.9 * t
    xyz = random.normal(0, 0.02, (len(t), 3)) + [0.1, 0.4, 9.79]
    xyz[:, 0] += walks * 2 * np.sin(phase / 2)
    xyz[:, 2] += walks * (3 * np.cos(phase) + np.sin(2 * phase))
    rates = random.normal(0, 0.01, (len(t), 3)) + 0.3 * walks[:, None] * np.sin(phase / 2)[:, None]
    times = np.arange(seconds) * 1_000_000_000 + 5_000_000
    metres = np.cumsum(walks[::rate] * 1.4)
    fixes = {
        "time": times,
        "latitude": 48 + metres / 111_200,
        "longitude": np.full(seconds, 11.5),
        "horizontal_accuracy": np.full(seconds, 6.0),
        "speed": np.where(np.arange(seconds) % 3 == 0, np.nan, walks[::rate] * 1.4),
    }
    return Measurements(
        np.arange(len(t)) * (1_000_000_000 // rate),
        xyz.astype(np.float32),
        rates.astype(np.float32),
        (950 - t / 600).astype(np.float32),
        fixes,
    )


SECOND = 1_000_000_000
"""Nanoseconds."""


def feed(pipeline: Pipeline, part: Measurements) -> None:
    """Take a part of a walk in."""
    pipeline.ingest(
        accelerations=(part.times, part.xyz),
        rotation_rates=(part.times, part.rates),
        pressures=(part.times, part.pressures),
        fixes=part.fixes,
    )


def parts(walk: Measurements, length: int, first: int = 0) -> Iterator[Measurements]:
    """Iterate over a walk in parts of so many nanoseconds, from an instant on."""
    end = int(walk.times[-1]) + 1
    for start in range(first, end, length):
        yield walk.between(start, min(start + length, end))


def answers(pipeline: Pipeline) -> tuple[bytes, ...]:
    """Finish a pipeline and return all that it says."""
    pipeline.finish()
    found = [pipeline.samples(), pipeline.fixes(), pipeline.timeline()]
    if pipeline.keeps_recording:
        for form in Form:
            found += [pipeline.recording_samples(form), pipeline.recording_fixes(form)]
            found += [pipeline.timeline(form)]
    return (*(rows.tobytes() for rows in found), repr(pipeline.counts).encode())


def panel_labels(figure: Any) -> list[str]:
    """Return the names of the vertical axes, from top to bottom."""
    return [panel.get_ylabel().split(",")[0] for panel in figure.axes]


def run(*arguments: str) -> str:
    """Run the command of the package, which succeeds, and return what it prints."""
    words = [sys.executable, "-m", "locomotion", *arguments]
    return subprocess.run(words, check=True, capture_output=True, encoding="utf-8").stdout


class Command:
    """The files that the command itself writes for a recording, read without the package."""

    def __init__(self, recording: Path, folder: Path) -> None:
        run("analyze", str(recording), "--out", str(folder))
        self.recording = recording
        self.folder = folder

    def text(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def rows(self, name: str) -> list[dict[str, str]]:
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def items(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = json.loads(self.text("timeline.json"))["items"]
        return items


@pytest.fixture(scope="session")
def command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """What the command writes for the synthetic day."""
    folder = tmp_path_factory.mktemp("day")
    return Command(write_day(folder / "day.csv.gz"), folder / "out")


@pytest.fixture(scope="session")
def unix_command(tmp_path_factory: pytest.TempPathFactory) -> Command:
    """The same of the synthetic day on the Unix clock: 10 July 2026, 06:40 UTC."""
    folder = tmp_path_factory.mktemp("unix")
    return Command(write_day(folder / "day.csv.gz", 1_783_665_600.0), folder / "out")


@pytest.fixture(scope="session")
def day(command: Command) -> locomotion.Day[Any]:
    """The synthetic day; tests leave it as it is."""
    return locomotion.analyze(command.recording)


@pytest.fixture(scope="session")
def walk() -> Measurements:
    """Two minutes of a walk with a halt; tests leave it as it is."""
    return simulated_walk()


@pytest.fixture(scope="session")
def expected(walk: Measurements) -> tuple[bytes, ...]:
    """All answers about the walk, taken in at once."""
    with Pipeline(keeps_recording=True) as pipeline:
        feed(pipeline, walk)
        return answers(pipeline)


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], str]:
    """A function that writes a file of a name and a text and returns its path."""

    def write(name: str, text: str) -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def motion(activity: str, seconds: int, person: int, random: np.random.Generator) -> Any:
    """Return accelerations at 100 Hz of a phone in a person's pocket."""
    t = np.arange(seconds * 100) / 100
    force = random.normal(0, 0.03, (len(t), 3))
    force += [0, 9.81 * math.sin(person), 9.81 * math.cos(person)]
    if activity == "walking":
        phase = 2 * math.pi * (1.7 + 0.1 * person) * t
        force += np.outer(np.sin(phase) + 0.4 * np.sin(2 * phase + 1), [0.5, 1.5, 2.5])
    if activity == "cycling":
        phase = 2 * math.pi * (1.1 + 0.1 * person) * t
        force += np.outer(np.sin(phase), [0.6, 1.2, 0.4]) + random.normal(0, 0.6, (len(t), 3))
    return force


@pytest.fixture(scope="session")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set of three people, two recordings each, of three activities of half a minute."""
    folder = tmp_path_factory.mktemp("labelled")
    labels = ["recording,subject,start,end,label"]
    for person, name in enumerate(("ann", "ben", "cem")):
        for take in (0, 1):
            random = np.random.default_rng(10 * person + take)
            activities = ("stationary", "walking", "cycling")
            parts = [motion(activity, 30, person, random) for activity in activities]
            for index, activity in enumerate(activities):
                labels.append(
                    f"{name}-{take},{name},{30 * index},{30 * (index + 1)},{activity}"
                )
            with open(folder / f"{name}-{take}.csv", "w", encoding="utf-8") as file:
                file.write("t,ax,ay,az\n")
                for index, (x, y, z) in enumerate(np.concatenate(parts)):
                    file.write(f"{index / 100:.2f},{x:.4f},{y:.4f},{z:.4f}\n")
    (folder / "labels.csv").write_text("\n".join(labels) + "\n")
    return folder
