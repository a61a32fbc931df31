"""Labelled sets of a few people, with gyroscopes."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from conftest import motion

ACTIVITIES = ("stationary", "walking", "cycling")


def write_set(folder: Path, names: list[str], first: int) -> Path:
    """Write a set of people, two recordings each, of three activities of 40 s; `first` varies it.

    The recordings of the last person have no gyroscope, and every recording begins with a label
    that stands for no activity.
    """
    folder.mkdir()
    labels = ["recording,subject,start,end,label"]
    for number, name in enumerate(names):
        for take in (0, 1):
            random = np.random.default_rng(100 * first + 10 * number + take)
            labels.append(f"{name}-{take},{name},0,3,waiting for a lift")
            parts = []
            for index, activity in enumerate(ACTIVITIES):
                parts.append(motion(activity, 40, first + number, random))
                labels.append(f"{name}-{take},{name},{40 * index},{40 * (index + 1)},{activity}")
            force = np.concatenate(parts)
            rates = random.normal(0, 0.02, force.shape)
            rates[4000:] += 0.4 * np.sin(np.arange(len(force) - 4000) / 9)[:, None]
            rows = force if number == len(names) - 1 else np.hstack([force, rates])
            columns = ("t", "ax", "ay", "az", "gx", "gy", "gz")[: rows.shape[1] + 1]
            lines = [",".join(columns)]
            for index, values in enumerate(rows.tolist()):
                lines.append(",".join((f"{index / 100:.2f}", *(f"{x:.4f}" for x in values))))
            content = ("\n".join(lines) + "\n").encode()
            (folder / f"{name}-{take}.csv.gz").write_bytes(gzip.compress(content, 1, mtime=0))
    (folder / "labels.csv").write_text("\n".join(labels) + "\n")
    return folder


def write_sets(folder: Path) -> list[str]:
    """Write two sets of seven people."""
    folder.mkdir(exist_ok=True)
    return [
        str(write_set(folder / "town", ["ann", "ben", "cem", "dan"], 0)),
        str(write_set(folder / "hills", ["eva", "ann", "fay"], 4)),
    ]
