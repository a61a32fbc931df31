#!/usr/bin/env python3
"""How long a training takes by sums over people, beside one process, and how far they differ.

    python Benchmarks/training.py SET... [--windows N] [--people N] [--master URL|none] [--jobs N]
                                  [--partitions N] [--model] [--json FILE]

Windows (default 1,000,000) are those of the labelled sets, altered copies among them, repeated for
people (default 200) of as many windows each; each feature is varied by a hundredth, so that no two
windows are equal. They are made before the clock starts, without rotation rates.

- `by sums`: `locomotion.fleet` on Spark or in processes: the steps by name, and what this process
  does between them. From the counts to the weights that the normal equations of all windows give.
- `one process`: the trainer of `locomotion train` on all windows in one array, to the same weights.
- `difference`: the largest of two weights, in units in the last place of double precision.
- With `--model` the whole training, people left out, calibrated: the two files are compared. Then
  most of the time is what is no sum: the temporal filter, chosen in one process on both sides.

The peak of memory is that of the one process (VmHWM), with the array that it is given.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import json
import multiprocessing
import pickle
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from locomotion import _native
from locomotion.fleet import engines

# The function of the same name hides the module.
train = importlib.import_module("locomotion.fleet.train")
fit = importlib.import_module("locomotion.fleet.fit")

OPTIONS = fit.Options()


class Timed:
    """Blocks whose steps are timed."""

    def __init__(self, blocks: Any) -> None:
        self._blocks = blocks
        self.seconds: dict[str, float] = {}

    def _timed(self, name: str, action: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        result = action()
        self.seconds[name] = self.seconds.get(name, 0) + time.perf_counter() - start
        return result

    def share(self, value: Any) -> Any:
        return self._timed("sent to tasks", lambda: self._blocks.share(value))

    def map(self, function: Any, title: str) -> Any:
        return self._timed(title, lambda: self._blocks.map(function, title))

    def sum(self, function: Any, add: Any, title: str) -> Any:
        return self._timed(title, lambda: self._blocks.sum(function, add, title))

    def close(self) -> None:
        self._blocks.close()


#: The windows of the real people, by the file that holds them.
real: dict[str, list[Any]] = {}


def windows(path: str, count: int, number: int) -> Any:
    """Return so many windows of a person that repeats a real one."""
    if path not in real:
        real[path] = pickle.loads(Path(path).read_bytes())
    people = real[path]
    source = people[number % len(people)].arrays
    size = len(source["classes"])
    rows = np.arange(count) % size
    random = np.random.default_rng(number)
    features = source["features"].reshape(size, -1)[rows]
    features *= 1 + np.float32(0.01) * random.standard_normal(features.shape, np.float32)
    origins = json.loads(source["origins"].tobytes())
    for origin in origins:
        origin["person"] += f"-{number}"
    repeated = {name: source[name][rows] for name in ("classes", "recordings", "speeds")}
    return fit.Windows(
        repeated | {
            "features": features.reshape(-1),
            "origins": fit._json(origins),
            "ends": source["ends"][rows] + (np.arange(count) // size) * 10**15,
            "has_rotation": np.zeros(count, np.uint8),
            "rotation": np.zeros(0, np.float32),
            "places": np.arange(count),
            "set": np.full(count, number, np.int32),
        },
        [],
    )  # fmt: skip


def in_one_process(path: str, count: int, people: int, has_model: bool) -> dict[str, Any]:
    """Train on all windows in one array."""
    columns = len(_native.feature_names())
    features = np.empty((count * people, columns), np.float32)
    parts, origins, counts = [], [], []
    for number in range(people):
        found = windows(path, count, number)
        counts += fit._counts(found)[0]
        arrays = dict(found.arrays)
        features[number * count : (number + 1) * count] = arrays.pop("features").reshape(
            count, columns
        )
        arrays["recordings"] = arrays["recordings"] + np.int32(len(origins))
        origins += json.loads(arrays["origins"].tobytes())
        parts.append(arrays)
    table = {
        name: np.concatenate([part[name] for part in parts])
        for name in ("classes", "recordings", "ends", "speeds", "has_rotation", "rotation")
    }
    table |= {"features": features, "origins": fit._json(origins)}
    if has_model:
        table["has_model"] = np.ones(1, np.uint8)
    training = _native.Training(
        {"counts": fit._json(counts), "seed": np.array([OPTIONS.seed], np.uint64)}
    )
    start = time.perf_counter()
    result = training.run("whole", table)
    seconds = time.perf_counter() - start
    lines = Path("/proc/self/status").read_text().splitlines()
    peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    return {"seconds": seconds, "result": result, "gigabytes": peak / 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("sets", nargs="+", metavar="SET")
    parser.add_argument("--windows", type=int, default=1_000_000)
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--master", default="none")
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--partitions", type=int)
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    count = options.windows // options.people
    with tempfile.TemporaryDirectory() as folder, closing(
        engines.engine(options.master, options.jobs)
    ) as runner:
        path = f"{folder}/windows"
        people, _ = train._people(options.sets)
        task = functools.partial(train._windows, ".", OPTIONS)
        Path(path).write_bytes(pickle.dumps([task(person) for person in people]))
        values = [(1.0, number) for number in range(options.people)]
        made = functools.partial(windows, path, count)
        with closing(Timed(runner.blocks(made, values, "made", options.partitions))) as blocks:
            start = time.perf_counter()
            found: Any
            if options.model:
                found = fit.fit(blocks, OPTIONS).model
            else:
                found = fit.solve(blocks, OPTIONS).weights
            seconds = time.perf_counter() - start
            steps = blocks.seconds
        runner.close()
        # A process of its own, whose memory is that of the trainer.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            future = pool.submit(in_one_process, path, count, options.people, options.model)
            whole = future.result()
    steps["in this process"] = seconds - sum(steps.values())
    print(f"{count * options.people} windows of {options.people} people")
    print(f"by sums ({options.master}): {seconds:.1f} s")
    for name, own in steps.items():
        print(f"  {name}: {own:.1f} s")
    print(f"one process: {whole['seconds']:.1f} s, {whole['gigabytes']:.1f} GB")
    if options.model:
        other = whole["result"]["model"].tobytes()
        difference = sum(a != b for a, b in zip(found, other, strict=True))
        print(f"difference: {difference} of {len(other)} bytes of the model")
    else:
        other = whole["result"]["weights"].view(np.float64)
        ulps = np.abs(found.view(np.int64) - other.view(np.int64)).max()
        difference = int(ulps)
        print(f"difference: {difference} units in the last place of {len(other)} weights at most")
    if options.json:
        figures = {
            "windows": count * options.people, "people": options.people, "by_sums": seconds,
            "steps": steps, "one_process": whole["seconds"], "difference": difference,
        }  # fmt: skip
        Path(options.json).write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
