"""The analysis of one person: the task that is distributed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.lib.recfunctions import repack_fields

from .. import _native
from ..constants import FixStatus
from . import archive, tables
from .archive import Part, User
from .days import DayDivider, Rows, Totals, days_of_fixes, structured
from .measurements import PartError, feed, in_order
from .storage import Storage
from .tables import DAY

MANIFESTS = "_manifests"
_TABLES = ("samples", "fixes", "items", "days")
_SAMPLE_FIELDS = [
    "start", "end", "activity", "unknown_reason", "probabilities", "cadence", "cadence_confidence",
    "steps",
]  # fmt: skip


@dataclass(frozen=True)
class Job:
    """Where an analysis reads and writes, and by which code."""

    source: Storage
    target: Storage
    code: str
    """The SHA-256 of the library, which holds the model."""


@dataclass
class Outcome:
    """What became of a person."""

    user: str
    was_done: bool
    seconds: int = 0
    days: int = 0
    named: float = 0.0
    expected_right: float = 0.0
    novel: float = 0.0
    rejected: int = 0
    bytes: int = 0


def analyze(job: Job, user: User) -> Outcome:
    """Analyze a person's recordings and write the tables of their days; nothing when that is done.

    Done is what the manifest says, for the same input and code. It is written last.
    """
    name = f"{MANIFESTS}/{user.key}.json"
    text = job.target.read(name)
    known: dict[str, Any] = json.loads(text) if text else {}
    inputs = _inputs(job.source, user, known.get("inputs", {}))
    versions = dict(sorted(tables.VERSIONS.items()))
    if (
        known.get("code") == job.code
        and known.get("versions") == versions
        and known.get("digest") == _digest(inputs)
    ):
        if inputs != known["inputs"]:
            job.target.write(name, _text(known | {"inputs": inputs}))
        return Outcome(user.name, was_done=True, **known["outcome"])

    marker = f"{MANIFESTS}/{user.key}.started"
    has_remains = bool(known) or job.target.read(marker) is not None
    job.target.write(marker, b"")
    rejected: list[tuple[Part, str]] = []
    while True:
        # A part that turns out to be damaged has left its traces in the state: begin again.
        good = [part for part in user.parts if part not in [bad for bad, _ in rejected]]
        writer = _Writer(job.target, user)
        try:
            _run(job.source, good, writer)
            break
        except PartError as error:
            rejected.append((error.part, error.reason))
    writer.write_rejected(rejected)
    if has_remains or rejected:
        _delete_remains(job.target, user, writer.files, known.get("files"))
    outcome: dict[str, Any] = {
        "seconds": writer.seconds,
        "days": writer.days,
        "named": writer.total("recorded_s") - writer.total("unknown_s"),
        "expected_right": writer.total("expected_right_s"),
        "novel": writer.total("novel_s"),
        "rejected": len(rejected),
        "bytes": sum(part.size for part in user.parts),
    }
    manifest = {
        "user": user.name,
        "code": job.code,
        "versions": versions,
        "digest": _digest(inputs),
        "inputs": inputs,
        "files": dict(sorted(writer.files.items())),
        "counts": writer.counts,
        "outcome": outcome,
    }
    job.target.write(name, _text(manifest))
    job.target.delete(marker)
    return Outcome(user.name, was_done=False, **outcome)


def _text(manifest: dict[str, Any]) -> bytes:
    return json.dumps(manifest, indent=1, sort_keys=True).encode() + b"\n"


def _inputs(storage: Storage, user: User, known: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the size, the time of change and the digest of each file.

    The content of one whose size and time of change are known is not read.
    """
    result = {}
    for part in user.parts:
        for entry in part.files:
            size, modified, digest = known.get(entry.path, (None, None, None))
            if (size, modified) != (entry.size, entry.modified) or not digest:
                digest = archive.digest(storage, entry)
            result[entry.path] = [entry.size, entry.modified, digest]
    return dict(sorted(result.items()))


def _digest(inputs: dict[str, list[Any]]) -> str:
    """Return the digest of all names and contents; times of change do not matter."""
    lines = [f"{digest} {path}\n" for path, (_, _, digest) in inputs.items()]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _run(source: Storage, parts: list[Part], writer: _Writer) -> None:
    steps = in_order(source, parts)
    stream = _native.Stream()
    for step in steps:
        feed(source, step, stream, writer.receive)
    stream.finish(writer.receive)
    writer.finish()


class _Writer:
    """Writes the tables of a person, one file for each day."""

    def __init__(self, target: Storage, user: User) -> None:
        self._target = target
        self._user = user
        self._totals = Totals(user.name)
        self._samples = DayDivider(self._write_samples)
        self._fixes = DayDivider(self._write_fixes)
        self._items: Rows | None = None
        self._last_fix_day: int | None = None
        self.files: dict[str, str] = {}
        """The digest of each file."""
        self.counts: Any = None
        self.seconds = 0
        self.days = 0

    def receive(self, name: str, value: npt.NDArray[np.uint8]) -> None:
        """Take what has become final."""
        rows = structured(name, value)
        if name == "samples":
            rows = rows[rows["has_accelerations"] == 1]
            # Of some days a quarter of the memory.
            self.seconds += len(rows)
            self._samples.append(repack_fields(rows[_SAMPLE_FIELDS]), rows["start"] // DAY)
        elif name == "fixes":
            days = days_of_fixes(rows, self._last_fix_day)
            if (rows["status"] != FixStatus.REJECTED).any():
                self._last_fix_day = int(days[-1])
            self._fixes.append(rows, days)
        elif name == "items":
            self._items = rows
        elif name == "counts":
            self.counts = _plain(rows[0])

    def finish(self) -> None:
        """Write all that is left."""
        self._samples.finish()
        self._fixes.finish()
        if self._items is not None and len(self._items):
            table = tables.items(self._user.name, self._items)
            # A leg is on the day of its trip.
            starts = self._items["start"] // DAY
            is_leg = self._items["type"] == 2
            first = np.maximum.accumulate(np.where(is_leg, 0, np.arange(len(starts))))
            days = starts[first]
            for day in np.unique(days).tolist():
                self._write("items", day, table.filter(pa.array(days == day)))
            self._totals.add_items(self._items)
        for day, row in self._totals.tables():
            self._write("days", day, row)
            self.days += 1

    def total(self, name: str) -> float:
        """Return a total of the table ``days`` over all of them."""
        return self._totals.sum(name)

    def _write_samples(self, day: int, rows: Rows) -> None:
        self._totals.add_samples(day, rows)
        self._write("samples", day, tables.samples(self._user.name, rows))

    def _write_fixes(self, day: int, rows: Rows) -> None:
        self._totals.add_fixes(day, rows)
        self._write("fixes", day, tables.fixes(self._user.name, rows))

    def _write(self, name: str, day: int, table: pa.Table) -> None:
        path = f"{name}/day={tables.day_of(day * DAY)}/{self._user.key}.parquet"
        if path in self.files:
            # The clock was set back to a day that was over.
            with self._target.open(path) as file:
                table = pa.concat_tables([pq.ParquetFile(file).read(), table])
        self._put(path, table)

    def write_rejected(self, parts: list[tuple[Part, str]]) -> None:
        """Write the parts that were set aside."""
        if not parts:
            return
        rows = [
            {"user": self._user.name, "path": part.path, "bytes": part.size, "reason": reason}
            for part, reason in sorted(parts, key=lambda pair: pair[0].path)
        ]
        table = pa.Table.from_pylist(rows, tables.REJECTED)
        self._put(f"rejected/{self._user.key}.parquet", table)

    def _put(self, path: str, table: pa.Table) -> None:
        content = tables.file_of(table)
        self._target.write(path, content)
        self.files[path] = hashlib.sha256(content).hexdigest()


def _plain(row: Any) -> dict[str, Any]:
    return {
        name: _plain(row[name]) if row[name].dtype.names else int(row[name])
        for name in row.dtype.names
    }


def _delete_remains(
    target: Storage, user: User, files: dict[str, str], known: dict[str, str] | None
) -> None:
    """Delete what an earlier analysis of other recordings left behind.

    `known` are the files of one that ended; without it they are looked for.
    """
    remains = list(known or [])
    if known is None:
        for name in (*_TABLES, "rejected"):
            remains += [entry.path for entry in target.find(name)]
    for path in remains:
        if path.rpartition("/")[2] == f"{user.key}.parquet" and path not in files:
            target.delete(path)
