"""The analysis of many people's recordings."""

from __future__ import annotations

import functools
import hashlib
import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import _library, _native
from ..errors import UsageError
from . import archive, split, tables
from .archive import Part, User
from .engines import run
from .reading import PartError, feed, in_order
from .storage import Storage


@dataclass(frozen=True)
class Summary:
    """What an analysis came to."""

    people: int
    done_before: int
    seconds: int
    """Seconds with accelerations."""
    rejected: list[tuple[str, str]]
    """Recordings that were set aside, with the reasons."""

    def __str__(self) -> str:
        return (
            f"{self.people} people, {self.done_before} of them done before: "
            f"{self.seconds} seconds, {len(self.rejected)} recordings set aside"
        )


def analyze(
    source: str, target: str, *, master: str = "none", jobs: int | None = None
) -> Summary:
    """Analyze the recordings of many people and write the tables ``samples``, ``fixes``, ``items``.

    Each is Parquet in ``TABLE/USER.parquet``; what was set aside is in ``people/USER.json``. The
    rows of a person are those of ``locomotion analyze`` for all their recordings as one, in order
    of time. The files are the same for every `master` and any number of processes. What was done
    before, by the same version of the library from the same files, is left as it is.

    Parameters
    ----------
    source : str
        A folder, or ``s3://BUCKET/PREFIX``; see `archive.users` for what is in it.
    target : str
        Another one; it is made when it is not there.
    master : str, optional
        "none" for processes on this machine, else Spark's master; see `engines.session`.
    jobs : int, optional
        The number of processes with "none", one per core by default, or of Spark's partitions.

    Returns
    -------
    Summary
        Counts.

    Raises
    ------
    InputOutputError
        `source` is not there, or something cannot be written.
    RejectedInput
        `source` holds no recordings.
    UsageError
        `source` and `target` are one.
    """
    inputs, outputs = Storage(source), Storage(target)
    if inputs.root == outputs.root:
        raise UsageError(f"{target}: the source itself: expected another folder for the tables")
    if files := archive.mixed(inputs.find()):
        inputs = split.by_user(inputs, files, outputs, master)
    task = functools.partial(_analyze_person, inputs, outputs, code_digest())
    values = [(user.size, user) for user in archive.users(inputs)]
    people = run(task, values, "people analyzed", master, jobs)
    outputs.tidy()
    return Summary(
        people=len(people),
        done_before=sum(person["was_done"] for person in people),
        seconds=sum(person["rows"]["samples"] for person in people),
        rejected=sorted((path, reason) for one in people for path, reason in one["rejected"]),
    )


@functools.cache
def code_digest() -> str:
    """Return the SHA-256 of the library, which holds the algorithms and the built-in model."""
    return hashlib.sha256(Path(_library.library()._name).read_bytes()).hexdigest()


def _analyze_person(source: Storage, target: Storage, code: str, user: User) -> dict[str, Any]:
    """Analyze a person's recordings and write their tables; nothing when that is done.

    Done is what ``people/USER.json`` says, for the same files and the same digest of the code. It
    is written last, and returned with "was_done".
    """
    name = f"people/{user.key}.json"
    files = [entry for part in user.parts for entry in part.files]
    key = hashlib.sha256(json.dumps([code, tables.VERSION, files]).encode()).hexdigest()
    text = target.read(name)
    known: dict[str, Any] = json.loads(text) if text else {}
    if known.get("key") == key:
        return known | {"was_done": True}
    target.delete(name)
    rejected: dict[str, str] = {}
    while True:
        # A part that turns out to be damaged has left its traces in the state: begin again.
        good = [part for part in user.parts if part.path not in rejected]
        try:
            counts = _write_tables(source, target, user, good)
            break
        except PartError as error:
            rejected[error.part.path] = error.reason
    reasons = sorted(map(list, rejected.items()))
    found = {"user": user.name, "key": key, "rows": counts, "rejected": reasons}
    with target.create(name) as file:
        file.write(json.dumps(found, indent=1, sort_keys=True).encode() + b"\n")
    return found | {"was_done": False}


def _write_tables(
    source: Storage, target: Storage, user: User, parts: list[Part]
) -> dict[str, int]:
    """Write the tables of some parts, and return the numbers of their rows."""
    ordered = in_order(source, parts)
    counts = dict.fromkeys(tables.NAMES, 0)
    with ExitStack() as stack:
        writers = {}
        for name in tables.NAMES:
            file = stack.enter_context(target.create(f"{name}/{user.key}.parquet"))
            writers[name] = tables.TableWriter(file, name)

        def receive(name: str, value: npt.NDArray[np.uint8]) -> None:
            if name in writers:
                rows = tables.rows_of(name, user.name, value)
                counts[name] += len(rows)
                writers[name].append(rows)

        stream = _native.Stream()
        for part in ordered:
            feed(source, part, stream, receive)
        stream.finish(receive)
        for writer in writers.values():
            writer.close()
    return counts
