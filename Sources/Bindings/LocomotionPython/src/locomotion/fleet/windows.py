"""The windows of labelled data sets with their features, from which one machine trains."""

from __future__ import annotations

import functools
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from .. import _native
from ..constants import ACTIVITIES
from ..errors import RejectedInput
from .analyze import code_digest
from .engines import run
from .storage import Storage

if TYPE_CHECKING:
    from sklearn.utils import Bunch

#: The seconds of labels of a task, which is a file of windows.
_SECONDS = 3_600.0
_DONE = b"locomotion.done"


@dataclass(frozen=True)
class Extraction:
    """What an extraction came to."""

    windows: int
    """Altered copies included."""
    recordings: int
    """Recordings with a label that stands for an activity."""
    rejected: list[tuple[str, str]]
    """Those that were set aside, with the reasons."""

    def __str__(self) -> str:
        return (
            f"{self.windows} windows of {self.recordings} recordings, "
            f"{len(self.rejected)} set aside"
        )


class _Task(NamedTuple):
    """Some recordings of a data set."""

    folder: str
    recordings: list[str]
    path: str
    """The file of their windows."""
    key: str
    """The digest of all that the windows depend on."""


def extract_windows(
    sets: Sequence[str],
    target: str,
    *,
    altered: bool = False,
    seed: int = 1,
    master: str = "none",
    jobs: int | None = None,
) -> Extraction:
    """Write the labelled windows of data sets as Parquet, a column for each feature.

    `read_windows` reads them in the order in which `sklearn.load_windows` returns them, so that
    models fitted to both are the same. A recording that is damaged is set aside. What was done
    before, by the same version of the library from the same files, is left as it is.

    Parameters
    ----------
    sets : sequence of str
        Folders of labelled data sets, which every worker can read.
    target : str
        A folder, or ``s3://BUCKET/PREFIX``, for these windows alone.
    altered, seed : optional
        As in `sklearn.load_windows`.
    master, jobs : optional
        As in `analyze`.

    Raises
    ------
    RejectedInput
        The sets hold no labels of activities.
    LocomotionError
        The command's, for a set whose labels cannot be used.
    """
    output = Storage(target)
    tasks: list[tuple[float, _Task]] = []
    for place, folder in enumerate(map(os.path.abspath, sets)):
        files = Storage(folder).find()
        words = json.dumps([code_digest(), folder, files, altered, seed]).encode()
        key = hashlib.sha256(words).hexdigest()
        for number, (seconds, names) in enumerate(_divided(_native.labelled_recordings(folder))):
            tasks.append((seconds, _Task(folder, names, f"{place:03}/{number:06}.parquet", key)))
    if not tasks:
        raise RejectedInput(f"{', '.join(sets)}: expected labels of activities, found none")
    paths = {task.path for _, task in tasks}
    for entry in output.find():
        if entry.path.endswith(".parquet") and entry.path not in paths:
            output.delete(entry.path)
    task = functools.partial(_extract, output, os.getcwd(), altered, seed)
    found = run(task, tasks, "windows extracted", master, jobs)
    output.tidy()
    return Extraction(
        windows=sum(one["windows"] for one in found),
        recordings=sum(len(task.recordings) for _, task in tasks),
        rejected=sorted((path, reason) for one in found for path, reason in one["rejected"]),
    )


def _divided(recordings: list[tuple[str, float]]) -> list[tuple[float, list[str]]]:
    """Return the recordings, of which the seconds of labels are known, in parts."""
    parts: list[tuple[float, list[str]]] = []
    for name, seconds in recordings:
        if not parts or parts[-1][0] + seconds > _SECONDS:
            parts.append((0.0, []))
        parts[-1] = (parts[-1][0] + seconds, [*parts[-1][1], name])
    return parts


def _extract(
    target: Storage, working_folder: str, altered: bool, seed: int, task: _Task
) -> dict[str, Any]:
    """Write the windows of a task, and return their number and what was set aside."""
    known = _known(target, task.path)
    if known.get("key") == task.key and known.get("recordings") == task.recordings:
        return known
    previous = os.getcwd()
    # Descriptions of sets are beside this folder.
    os.chdir(working_folder)
    try:
        found = _native.recording_windows(task.folder, task.recordings, altered, seed)
    finally:
        os.chdir(previous)
    names = ["dataset", "person", "recording"]
    columns = {name: pa.array(found[name], pa.string()) for name in names}
    columns["activity"] = pa.array(ACTIVITIES, pa.string()).take(found["classes"])
    columns |= {"end": found["ends"], "is_altered": found["is_altered"]}
    columns |= zip(_native.feature_names(), found["features"].T, strict=True)
    failures = [line.split("\t") for line in found["failures"].splitlines()]
    done = {
        "key": task.key,
        "recordings": task.recordings,
        "windows": len(found["ends"]),
        "rejected": [[f"{task.folder}/{name}", reason] for name, reason in failures],
    }
    table = pa.table(columns).replace_schema_metadata({_DONE: json.dumps(done)})
    with target.create(task.path) as file:
        pq.write_table(table, file, compression="zstd", use_dictionary=[*names, "activity"])
    return done


def _known(target: Storage, path: str) -> dict[str, Any]:
    """Return what a file states that was written before; nothing without one."""
    try:
        with target.open(path) as file:
            metadata = pq.read_schema(file).metadata or {}
    except FileNotFoundError:
        return {}
    known: dict[str, Any] = json.loads(metadata.get(_DONE, b"{}"))
    return known


def read_windows(source: str) -> Bunch:
    """Return the windows that `extract_windows` wrote, for `sklearn.ActivityClassifier.fit`.

    Parameters
    ----------
    source : str
        A folder, or ``s3://BUCKET/PREFIX``.

    Returns
    -------
    sklearn.utils.Bunch
        `data` (n, features), `target` (names of activities), `groups` (person, as
        ``dataset/person``), `ends` (ns), `is_altered` and `feature_names`, as of
        `sklearn.load_windows`.

    Examples
    --------
    >>> table = read_windows("windows")
    >>> model = ActivityClassifier().fit(table.data, table.target, groups=table.groups)
    """
    from sklearn.utils import Bunch

    storage = Storage(source)
    files = []
    for entry in storage.find():
        if entry.path.endswith(".parquet"):
            with storage.open(entry.path) as file:
                files.append((entry.path, pq.read_metadata(file).num_rows))
    count = sum(rows for _, rows in files)
    if count == 0:
        raise RejectedInput(f"{storage.root}: expected windows of 'extract_windows', found none")
    names = _native.feature_names()
    found = Bunch(
        data=np.empty((count, len(names)), np.float32),
        target=np.empty(count, object),
        groups=np.empty(count, object),
        ends=np.empty(count, np.int64),
        is_altered=np.empty(count, bool),
        feature_names=names,
    )
    first = 0
    for path, rows in files:
        with storage.open(path) as file:
            table = pq.read_table(file)
        part = slice(first, first + rows)
        for place, name in enumerate(names):
            found.data[part, place] = table[name].to_numpy()
        people = pa.compute.binary_join_element_wise(table["dataset"], table["person"], "/")
        for column, values in (("target", table["activity"]), ("groups", people)):
            # Each name once in memory.
            coded = values.combine_chunks().dictionary_encode()
            found[column][part] = coded.dictionary.to_numpy(zero_copy_only=False)[coded.indices]
        found.ends[part] = table["end"].to_numpy()
        found.is_altered[part] = table["is_altered"].to_numpy()
        first += rows
    return found
