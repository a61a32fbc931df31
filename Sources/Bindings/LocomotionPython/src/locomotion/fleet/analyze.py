"""The analysis of many people's recordings."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

from .. import _library
from ..errors import UsageError
from . import archive, split
from .engines import run
from .person import Job
from .person import analyze as analyze_person
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
    job = Job(inputs, outputs, code_digest())
    values = [(user.size, user) for user in archive.users(inputs)]
    people = run(functools.partial(analyze_person, job), values, "people analyzed", master, jobs)
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
