"""Results of tasks that stay where they were computed, and sums over them."""

from __future__ import annotations

import functools
import multiprocessing
import os
import pickle
import secrets
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, Protocol, TypeVar

from .terminal import progress

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")


class Shared(Protocol):
    """A value that every task can have."""

    key: str
    """What no other value has."""

    def get(self) -> Any:
        """Return the value."""


class Blocks(Protocol):
    """Results of tasks, which stay where they are while functions of them are computed there."""

    def share(self, value: Any) -> Shared:
        """Return a value as one that tasks can have."""

    def map(self, function: Callable[[Any], ResultT], title: str) -> list[ResultT]:
        """Return a function's result for each block, in any order."""

    def sum(
        self, function: Callable[[Any], ResultT], add: Callable[[ResultT, ResultT], ResultT],
        title: str,
    ) -> ResultT:  # fmt: skip
        """Return the sum of a function's results.

        `add` is associative and commutative, as it is of integers: parts are summed by tasks, and
        in no particular order. There is a block.
        """

    def close(self) -> None:
        """Delete the blocks."""


def divided(values: Sequence[tuple[float, ItemT]], count: int) -> list[list[ItemT]]:
    """Return values with their sizes in so many parts or fewer, of about the same size."""
    parts: list[list[ItemT]] = [[] for _ in range(max(1, min(count, len(values))))]
    sizes = [0.0] * len(parts)
    for size, value in sorted(values, key=lambda pair: -pair[0]):
        least = sizes.index(min(sizes))
        parts[least].append(value)
        sizes[least] += max(size, 1e-9)
    return parts


def _sum(
    function: Callable[[Any], ResultT], add: Callable[[ResultT, ResultT], ResultT],
    blocks: Iterable[Any],
) -> ResultT:  # fmt: skip
    return functools.reduce(add, map(function, blocks))


# MARK: Processes of this machine


class _File:
    """A value in a file."""

    def __init__(self, path: str) -> None:
        self.key = path

    def get(self) -> Any:
        return pickle.loads(Path(self.key).read_bytes())


def _store(function: Callable[[Any], Any], values: list[tuple[str, Any]]) -> int:
    for path, value in values:
        Path(path).write_bytes(pickle.dumps(function(value), protocol=5))
    return len(values)


def _read(paths: list[str]) -> Iterator[Any]:
    for path in paths:
        yield _File(path).get()


def _map_files(function: Callable[[Any], ResultT], paths: list[str]) -> list[ResultT]:
    return [function(block) for block in _read(paths)]


def _sum_files(
    function: Callable[[Any], ResultT], add: Callable[[ResultT, ResultT], ResultT],
    paths: list[str],
) -> ResultT:  # fmt: skip
    return _sum(function, add, _read(paths))


class FileBlocks:
    """Blocks in files of a temporary folder."""

    def __init__(
        self, function: Callable[[Any], Any], parts: list[list[Any]], title: str, jobs: int
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="locomotion-fleet-")
        # Spawned: a fork would copy the threads of pyarrow in the middle of something.
        self._pool = ProcessPoolExecutor(
            min(jobs, len(parts)), mp_context=multiprocessing.get_context("spawn")
        )
        named = [[(self._path(), value) for value in part] for part in parts]
        self._parts = [[path for path, _ in part] for part in named]
        try:
            for _ in self._run(functools.partial(_store, function), named, title):
                pass
        except BaseException:
            self.close()
            raise

    def _path(self) -> str:
        return os.path.join(self._folder.name, secrets.token_hex(8))

    def _run(
        self, function: Callable[[Any], ResultT], parts: Sequence[Any], title: str
    ) -> Iterator[ResultT]:
        """Iterate over the function's results, in the order in which they come."""
        with progress(len(parts), title) as advance:
            futures = [self._pool.submit(function, part) for part in parts]
            try:
                for future in as_completed(futures):
                    yield future.result()
                    advance(1)
            finally:
                for future in futures:
                    future.cancel()

    def share(self, value: Any) -> Shared:
        """Return a value in a file; see `Blocks`."""
        file = _File(self._path())
        Path(file.key).write_bytes(pickle.dumps(value, protocol=5))
        return file

    def map(self, function: Callable[[Any], ResultT], title: str) -> list[ResultT]:
        """Return the results; see `Blocks`."""
        parts = self._run(functools.partial(_map_files, function), self._parts, title)
        return [result for part in parts for result in part]

    def sum(
        self, function: Callable[[Any], ResultT], add: Callable[[ResultT, ResultT], ResultT],
        title: str,
    ) -> ResultT:  # fmt: skip
        """Return the sum; see `Blocks`."""
        task = functools.partial(_sum_files, function, add)
        return functools.reduce(add, self._run(task, self._parts, title))

    def close(self) -> None:
        """End the processes and delete the files."""
        self._pool.shutdown(cancel_futures=True)
        self._folder.cleanup()


# MARK: Spark


class _Broadcast:
    """A value that Spark sends to each machine once."""

    def __init__(self, broadcast: Any) -> None:
        self._broadcast = broadcast
        self.key = secrets.token_hex(16)

    def get(self) -> Any:
        return self._broadcast.value


class SparkBlocks:
    """Blocks in an RDD: Spark computes anew those that are lost with an executor."""

    def __init__(
        self, function: Callable[[Any], Any], parts: list[list[Any]], title: str, context: Any,
        watched: Callable[..., Any],
    ) -> None:  # fmt: skip
        from pyspark import StorageLevel

        self._context = context
        self._watched_by = watched
        self._count = len(parts)
        pickled = [pickle.dumps(part) for part in parts]

        def compute(rows: Iterable[bytes]) -> Iterator[Any]:
            for row in rows:
                for value in pickle.loads(row):
                    yield function(value)

        self._rdd: Any = context.parallelize(pickled, len(parts)).mapPartitions(compute)
        # On disks, which the system caches: a block may take much of an executor's memory.
        self._rdd.persist(StorageLevel.DISK_ONLY)
        self._watched(self._rdd.count, title)

    def _watched(self, action: Callable[[], Any], title: str) -> Any:
        return self._watched_by(action, self._count, title, title)

    def share(self, value: Any) -> Shared:
        """Return a broadcast value; see `Blocks`."""
        return _Broadcast(self._context.broadcast(value))

    def map(self, function: Callable[[Any], ResultT], title: str) -> list[ResultT]:
        """Return the results; see `Blocks`."""
        results: list[ResultT] = self._watched(self._rdd.map(function).collect, title)
        return results

    def sum(
        self, function: Callable[[Any], ResultT], add: Callable[[ResultT, ResultT], ResultT],
        title: str,
    ) -> ResultT:  # fmt: skip
        """Return the sum, by a tree of tasks; see `Blocks`."""

        def append(sum: ResultT | None, block: Any) -> Any:
            return combine(sum, function(block))

        def combine(first: ResultT | None, second: ResultT | None) -> Any:
            if first is None or second is None:
                return second if first is None else first
            return add(first, second)

        result: ResultT = self._watched(
            lambda: self._rdd.treeAggregate(None, append, combine), title
        )
        return result

    def close(self) -> None:
        """Free the disks of the executors."""
        self._rdd.unpersist()
