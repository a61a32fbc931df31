"""What runs tasks: processes of this machine, or Spark."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pyarrow as pa

from .blocks import Blocks, FileBlocks, SparkBlocks, divided
from .terminal import progress

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

#: Small tasks are put together until they have so many bytes: one of Spark's takes .1 s itself.
_BATCH_BYTES = 16 << 20


class Engine(Protocol):
    """What runs a function on many values."""

    def run(
        self,
        function: Callable[[ItemT], dict[str, Any]],
        values: Sequence[tuple[int, ItemT]],
        title: str,
    ) -> list[dict[str, Any]]:
        """Return the function's results for values with their sizes, in any order.

        The largest are begun first, so that none of them is the last one. `title` is what the
        work is called on the terminal and in Spark's pages.
        """

    def blocks(
        self,
        function: Callable[[ItemT], Any],
        values: Sequence[tuple[float, ItemT]],
        title: str,
        partitions: int | None = None,
    ) -> Blocks:
        """Return the function's results for values with their sizes, which stay where they are.

        `partitions` is the number of parts in which they are worked on; by default there are some
        for each processor.
        """

    def close(self) -> None:
        """Free what it has begun."""


class Processes:
    """Runs tasks in processes of this machine."""

    def __init__(self, jobs: int | None = None) -> None:
        self._jobs = jobs or len(os.sched_getaffinity(0))

    def run(
        self,
        function: Callable[[ItemT], dict[str, Any]],
        values: Sequence[tuple[int, ItemT]],
        title: str,
    ) -> list[dict[str, Any]]:
        """Return the results; see `Engine`."""
        ordered = [value for _, value in sorted(values, key=lambda pair: -pair[0])]
        results = []
        # Spawned: a fork would copy the threads of pyarrow in the middle of something.
        context = multiprocessing.get_context("spawn")
        workers = min(self._jobs, max(1, len(ordered)))
        with progress(len(ordered), title) as advance, ProcessPoolExecutor(
            workers, mp_context=context
        ) as pool:
            futures = [pool.submit(function, value) for value in ordered]
            try:
                for future in as_completed(futures):
                    results.append(future.result())
                    advance(1)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return results

    def blocks(
        self,
        function: Callable[[ItemT], Any],
        values: Sequence[tuple[float, ItemT]],
        title: str,
        partitions: int | None = None,
    ) -> Blocks:
        """Return the results in files of a temporary folder; see `Engine`."""
        parts = divided(values, partitions or 4 * self._jobs)
        return FileBlocks(function, parts, title, self._jobs)

    def close(self) -> None:
        """Do nothing: the processes have ended."""


class Spark:
    """Runs tasks in the executors of a Spark cluster.

    Parameters
    ----------
    master : str
        ``local[2]``, ``local-cluster[2,1,1024]``, ``spark://…``; "default" is the one that
        ``spark-submit`` was called with.
    """

    def __init__(self, master: str) -> None:
        self._master = master
        self._own: SparkSession | None = None

    @property
    def session(self) -> SparkSession:
        """The session, which is begun when it is first asked for."""
        from pyspark.sql import SparkSession

        # The workers need the interpreter in which this package is installed.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder: Any = SparkSession.builder
        builder = builder.appName("locomotion.fleet")
        if self._master != "default":
            builder = builder.master(self._master)
        if self._master.startswith("local"):
            # Executors find a driver by its address, and names of machines may not be known.
            builder = builder.config("spark.driver.host", "127.0.0.1")
            builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
        # Names of users that are numbers stay texts.
        option = "spark.sql.sources.partitionColumnTypeInference.enabled"
        builder = builder.config(option, "false")
        builder = builder.config("spark.ui.showConsoleProgress", "false")
        had_one = SparkSession.getActiveSession() is not None
        session: SparkSession = builder.getOrCreate()
        if not had_one:
            self._own = session
        return session

    def close(self) -> None:
        """End the session, unless it was there before."""
        if self._own is not None:
            self._own.stop()
            self._own = None

    def run(
        self,
        function: Callable[[ItemT], dict[str, Any]],
        values: Sequence[tuple[int, ItemT]],
        title: str,
    ) -> list[dict[str, Any]]:
        """Return the results; see `Engine`."""
        if not values:
            return []
        batches = _batches(values)
        session = self.session
        context = session.sparkContext

        def work(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in rows:
                for content in batch.column(0).to_pylist():
                    results = [json.dumps(function(value)) for value in pickle.loads(content)]
                    yield pa.RecordBatch.from_pydict({"result": pa.array(results, pa.string())})

        rows = [(bytearray(pickle.dumps(batch)),) for batch in batches]
        frame = session.createDataFrame(
            context.parallelize(rows, len(rows)), "content binary"
        ).mapInArrow(work, "result string")
        collected = self.watched(frame.collect, len(rows), f"{title}: {len(values)}", title)
        return [json.loads(row.result) for row in collected]

    def blocks(
        self,
        function: Callable[[ItemT], Any],
        values: Sequence[tuple[float, ItemT]],
        title: str,
        partitions: int | None = None,
    ) -> Blocks:
        """Return the results as an RDD that is kept on disks; see `Engine`."""
        context = self.session.sparkContext
        count = partitions or 4 * context.defaultParallelism
        return SparkBlocks(function, divided(values, count), title, context, self.watched)

    def watched(
        self, action: Callable[[], ResultT], tasks: int, words: str, title: str
    ) -> ResultT:
        """Return what an action gives that runs so many tasks, while a bar shows them."""
        from pyspark import InheritableThread

        context = self.session.sparkContext
        results: list[ResultT] = []
        failures: list[BaseException] = []

        def run() -> None:
            try:
                context.setJobGroup("locomotion.fleet", title)
                context.setJobDescription(words)
                results.append(action())
            except BaseException as error:
                failures.append(error)

        thread = InheritableThread(target=run)
        tracker = context.statusTracker()
        with progress(tasks, title) as advance:
            thread.start()
            done = 0
            while thread.is_alive():
                thread.join(0.5)
                now = sum(
                    info.numCompletedTasks
                    for job in tracker.getJobIdsForGroup("locomotion.fleet")
                    if (found := tracker.getJobInfo(job)) and found.status == "RUNNING"
                    for stage in found.stageIds
                    if (info := tracker.getStageInfo(stage))
                )
                now = min(now, tasks)
                advance(max(0, now - done))
                done = max(done, now)
            advance(tasks - done)
        if failures:
            raise failures[0]
        return results[0]


def _batches(values: Sequence[tuple[int, ItemT]]) -> list[list[ItemT]]:
    """Return the values in batches, the largest first."""
    batches: list[list[ItemT]] = []
    room = 0
    for size, value in sorted(values, key=lambda pair: -pair[0]):
        if not batches or size > room:
            batches.append([])
            room = _BATCH_BYTES
        batches[-1].append(value)
        room -= size
    return batches


def engine(master: str, jobs: int | None) -> Engine:
    """Return processes for the master "none", and else Spark."""
    return Processes(jobs) if master == "none" else Spark(master)
