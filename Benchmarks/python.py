"""How many samples per second Python takes in, beside the command and beside plain NumPy.

    python Benchmarks/python.py [RECORDING] [--minutes N] [--runs N] [--json FILE]

All work on the same recording: a tidy CSV file of accelerations (t,ax,ay,az), or an hour of a
simulated walk at 100 Hz. In each run every entry has one turn; the table has the best and the
median of wall-clock time.

- `Pipeline, batches of …`: arrays of int64 and float32 in memory to samples and fixes polled after
  each batch: position, moving state, cadence, activity and steps of every second. One thread.
- `command`: the whole process of `locomotion classify FILE.csv`, which also reads the file's text
  and writes rows, with as many threads as it takes; the program is LOCOMOTION_COMMAND.
- `NumPy`: what a notebook would do first, and does less: the norm of each sample, then for a window
  of 512 samples each second (every 100 samples) the mean, the deviation, the magnitudes of the
  rFFT of the norm less its mean, and the frequency of the largest below 5 Hz. In float32, a block
  of 64 windows at a time, which stays in the cache. It does not resample, so that it is wrong for
  any other rate or an interruption; it counts no steps, knows no activity and no faults.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

import locomotion

RATE = 100
WINDOW = 512
BLOCK = 64


def simulated_walk(minutes: float) -> tuple[Any, Any]:
    """Return times and accelerations of a walk with noise."""
    t = np.arange(round(minutes * 60 * RATE)) / RATE
    phase = 2 * np.pi * 1.9 * t
    xyz = np.random.default_rng(1).normal(0, 0.3, (len(t), 3))
    xyz[:, 0] += 2 * np.sin(phase / 2)
    xyz[:, 2] += 9.81 + 3 * np.cos(phase) + np.sin(2 * phase)
    return np.arange(len(t)) * (1_000_000_000 // RATE), xyz.astype(np.float32)


def read_recording(path: str) -> tuple[Any, Any]:
    """Return times and accelerations of a tidy CSV file."""
    rows: Any = np.genfromtxt(path, delimiter=",", names=True)
    xyz = np.stack([rows[name] for name in ("ax", "ay", "az")], axis=1)
    return np.rint(rows["t"] * 1e9).astype(np.int64), xyz.astype(np.float32)


def write_recording(path: str, times: Any, xyz: Any) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write("t,ax,ay,az\n")
        for time_, (x, y, z) in zip(times.tolist(), xyz.tolist(), strict=True):
            file.write(f"{time_ / 1e9:.3f},{x:.4f},{y:.4f},{z:.4f}\n")


def take_in(times: Any, xyz: Any, seconds: float | None) -> int:
    """Return how many seconds a pipeline has answers about, in batches of so many seconds."""
    found = 0
    edges = [0, len(times)]
    if seconds is not None:
        steps = np.arange(times[0], times[-1], round(seconds * 1e9))
        edges = [*np.searchsorted(times, steps).tolist(), len(times)]
    with locomotion.Pipeline() as pipeline:
        for start, end in zip(edges, edges[1:], strict=False):
            pipeline.append_accelerations(times[start:end], xyz[start:end])
            pipeline.process()
            found += len(pipeline.samples())
        pipeline.finish()
        return found + len(pipeline.samples())


def by_numpy(xyz: Any) -> int:
    """Return how many windows were described."""
    norm = np.sqrt(np.einsum("ij,ij->i", xyz, xyz))
    windows = sliding_window_view(norm, WINDOW)[::RATE]
    frequencies = np.fft.rfftfreq(WINDOW, 1 / RATE)
    is_step = (frequencies > 0.3) & (frequencies < 5)
    rows = []
    for start in range(0, len(windows), BLOCK):
        block = windows[start : start + BLOCK]
        mean = block.mean(axis=1)
        centred = block - mean[:, None]
        deviation = np.sqrt(np.einsum("ij,ij->i", centred, centred) / WINDOW)
        magnitudes = np.abs(np.fft.rfft(centred, axis=1))
        dominant = frequencies[is_step][magnitudes[:, is_step].argmax(axis=1)]
        rows.append(np.stack([mean, deviation, dominant], axis=1))
    return sum(map(len, rows))


def machine() -> dict[str, Any]:
    """Return what a time says little without."""
    model = ""
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    return {
        "processor": model or platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recording", nargs="?", help="a tidy CSV file (t,ax,ay,az)")
    parser.add_argument("--minutes", type=float, default=60, help="of the simulated walk")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", help="where the results are written")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.recording or str(Path(folder) / "walk.csv")
        if options.recording:
            times, xyz = read_recording(path)
        else:
            times, xyz = simulated_walk(options.minutes)
            write_recording(path, times, xyz)
        executable = os.environ.get("LOCOMOTION_COMMAND")
        words = [executable] if executable else [sys.executable, "-m", "locomotion"]

        def run_command() -> int:
            output = subprocess.run([*words, "classify", path], capture_output=True, check=True)
            return output.stdout.count(b"\n") - 1

        entries: dict[str, Callable[[], int]] = {
            "Pipeline, batches of 1 s": lambda: take_in(times, xyz, 1),
            "Pipeline, batches of 10 s": lambda: take_in(times, xyz, 10),
            "Pipeline, all at once": lambda: take_in(times, xyz, None),
            "command, whole process": run_command,
            "NumPy, less work": lambda: by_numpy(xyz),
        }
        durations: dict[str, list[float]] = {name: [] for name in entries}
        rows: dict[str, int] = {}
        for _ in range(options.runs):
            for name, work in entries.items():
                start = time.perf_counter()
                rows[name] = work()
                durations[name].append(time.perf_counter() - start)
    report(times, durations, rows, options.json)


def report(
    times: Any, durations: dict[str, list[float]], rows: dict[str, int], path: str | None
) -> None:
    """Print the table, and write it to a file if there is a path."""
    where = machine()
    seconds = (times[-1] - times[0]) / 1e9
    print(", ".join(f"{name} {value}" for name, value in where.items()))
    runs = len(next(iter(durations.values())))
    print(f"{len(times):,} samples, {seconds:,.0f} s; runs: {runs}\n")
    print(f"{'':26} {'best':>9} {'median':>9} {'samples/s':>12} {'× real time':>12} {'rows':>6}")
    for name, values in durations.items():
        best = min(values)
        print(
            f"{name:26} {best * 1e3:6.1f} ms {statistics.median(values) * 1e3:6.1f} ms"
            f" {len(times) / best:12,.0f} {seconds / best:12,.0f} {rows[name]:6}"
        )
    if path is not None:
        results = {
            "machine": where,
            "samples": len(times),
            "seconds": durations,
            "rows": rows,
        }
        Path(path).write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
