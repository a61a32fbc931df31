"""The analysis of an archive."""

from __future__ import annotations

import functools
import hashlib
import math
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .. import _library
from ..errors import UsageError
from . import archive, split
from .engines import Engine, engine
from .person import Job, Outcome
from .person import analyze as analyze_person
from .storage import Storage


@dataclass(frozen=True)
class Summary:
    """What an analysis came to."""

    people: int
    done_before: int
    days: int
    seconds: int
    """Seconds with accelerations."""
    named: float
    """Seconds of a named activity."""
    expected_right: float
    """Of these, those that are expected to be right: the sum of their probabilities."""
    novel: float
    """Seconds unlike what the model was trained on."""
    bytes: int
    """Of the recordings."""
    rejected: int
    """Parts that were set aside; the table ``rejected`` has the reasons."""


def analyze(
    source: str, target: str, *, master: str = "none", jobs: int | None = None
) -> Summary:
    """Analyze an archive and write the tables ``samples``, ``fixes``, ``items`` and ``days``.

    Each is Parquet in ``TABLE/day=YYYY-MM-DD/USER.parquet``, the date being that of UTC; what was
    set aside is in ``rejected/USER.parquet``. The rows of a person are those of ``locomotion
    analyze`` for all their recordings as one, in order of time. The files are the same for every
    `master` and any number of processes. What was done before, by the same version of the library
    from the same files, is left as it is.

    Parameters
    ----------
    source : str
        A folder, or ``s3://BUCKET/PREFIX``; see `archive.users` for what is in it.
    target : str
        Another one; it is made when it is not there.
    master : str, optional
        "none" for processes on this machine, else Spark's master; see `engines.Spark`.
    jobs : int, optional
        The number of processes with "none"; one per core by default.

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
        raise UsageError(f"{target}: the archive itself: expected another folder for the tables")
    with closing(engine(master, jobs)) as runner:
        return _analyze(inputs, outputs, runner)


def _analyze(inputs: Storage, outputs: Storage, runner: Engine) -> Summary:
    if archive.is_mixed(inputs.find()):
        inputs = split.by_user(inputs, outputs, runner)
    people = archive.users(inputs)
    return _run(people, Job(inputs, outputs, code_digest()), runner)


def _run(people: list[archive.User], job: Job, runner: Engine) -> Summary:
    values = [(user.size, user) for user in people]
    results = runner.run(functools.partial(_task, job), values, "people analyzed")
    job.target.tidy()
    outcomes = [Outcome(**result) for result in results]
    return Summary(
        people=len(outcomes),
        done_before=sum(outcome.was_done for outcome in outcomes),
        days=sum(outcome.days for outcome in outcomes),
        seconds=sum(outcome.seconds for outcome in outcomes),
        # Exact, as the order is that in which people were done.
        named=math.fsum(outcome.named for outcome in outcomes),
        expected_right=math.fsum(outcome.expected_right for outcome in outcomes),
        novel=math.fsum(outcome.novel for outcome in outcomes),
        bytes=sum(outcome.bytes for outcome in outcomes),
        rejected=sum(outcome.rejected for outcome in outcomes),
    )


def _task(job: Job, user: archive.User) -> dict[str, Any]:
    return asdict(analyze_person(job, user))


@functools.cache
def code_digest() -> str:
    """Return the SHA-256 of the library, which holds the algorithms and the built-in model."""
    return hashlib.sha256(Path(_library.library()._name).read_bytes()).hexdigest()
