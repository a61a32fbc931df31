"""The analysis of one person: the task that is distributed."""

from __future__ import annotations

import hashlib
import json
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _native
from . import tables
from .archive import Part, User
from .reading import PartError, feed, in_order
from .storage import Storage

@dataclass(frozen=True)
class Job:
    """Where an analysis reads and writes, and by which code."""

    source: Storage
    target: Storage
    code: str
    """The SHA-256 of the library, which holds the model."""


def analyze(job: Job, user: User) -> dict[str, Any]:
    """Analyze a person's recordings and write their tables; nothing when that is done.

    Done is what ``people/USER.json`` says, for the same files and code. It is written last, and
    returned with "was_done".
    """
    name = f"people/{user.key}.json"
    files = [entry for part in user.parts for entry in part.files]
    key = hashlib.sha256(json.dumps([job.code, tables.VERSION, files]).encode()).hexdigest()
    text = job.target.read(name)
    known: dict[str, Any] = json.loads(text) if text else {}
    if known.get("key") == key:
        return known | {"was_done": True}
    job.target.delete(name)
    rejected: list[tuple[Part, str]] = []
    while True:
        # A part that turns out to be damaged has left its traces in the state: begin again.
        good = [part for part in user.parts if part not in [bad for bad, _ in rejected]]
        try:
            counts = _run(job, user, good)
            break
        except PartError as error:
            rejected.append((error.part, error.reason))
    found = {
        "user": user.name,
        "key": key,
        "rows": counts,
        "rejected": sorted([part.path, reason] for part, reason in rejected),
    }
    with job.target.create(name) as file:
        file.write(json.dumps(found, indent=1, sort_keys=True).encode() + b"\n")
    return found | {"was_done": False}


def _run(job: Job, user: User, parts: list[Part]) -> dict[str, int]:
    """Write the tables of some parts, and return the numbers of their rows."""
    ordered = in_order(job.source, parts)
    counts = dict.fromkeys(tables.NAMES, 0)
    with ExitStack() as stack:
        writers = {}
        for name in tables.NAMES:
            file = stack.enter_context(job.target.create(f"{name}/{user.key}.parquet"))
            writers[name] = tables.TableWriter(file, name)

        def receive(name: str, value: npt.NDArray[np.uint8]) -> None:
            if name in writers:
                rows = tables.rows_of(name, user.name, value)
                counts[name] += len(rows)
                writers[name].append(rows)

        stream = _native.Stream()
        for part in ordered:
            feed(job.source, part, stream, receive)
        stream.finish(receive)
        for writer in writers.values():
            writer.close()
    return counts
