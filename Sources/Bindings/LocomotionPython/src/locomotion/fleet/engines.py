"""What runs tasks: processes of this machine, or Spark."""

from __future__ import annotations

import json
import multiprocessing
import os
import pickle
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import SparkSession

ItemT = TypeVar("ItemT")
_Task: TypeAlias = "Callable[[ItemT], dict[str, Any]]"

#: The most partitions that tasks are divided into where the caller names no number.
_MOST_PARTITIONS = 10_000


def run(
    function: _Task[ItemT],
    values: Sequence[tuple[float, ItemT]],
    title: str,
    master: str,
    jobs: int | None,
) -> list[dict[str, Any]]:
    """Return a function's results, which JSON can hold, for values with their sizes, in any order.

    Parameters
    ----------
    function : function
        A function of a module, or a partial one: it is sent to other processes.
    values : sequence
        Sizes, of which the largest are begun first in processes, and values.
    title : str
        What the work is called on a terminal and in Spark's pages.
    master : str
        "none" for processes of this machine, else Spark's master; see `session`.
    jobs : int, optional
        The number of processes, one per core by default, or of Spark's partitions.
    """
    ordered = [value for _, value in sorted(values, key=lambda pair: -pair[0])]
    if not ordered:
        return []
    if master == "none":
        return _in_processes(function, ordered, title, jobs)
    return _on_spark(function, ordered, title, master, jobs)


def _in_processes(
    function: _Task[ItemT], values: list[ItemT], title: str, jobs: int | None
) -> list[dict[str, Any]]:
    from tqdm import tqdm

    workers = min(jobs or len(os.sched_getaffinity(0)), len(values))
    # Spawned: a fork would copy the threads of pyarrow in the middle of something.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=context) as pool:
        futures = [pool.submit(function, value) for value in values]
        try:
            ended = as_completed(futures)
            shown = tqdm(ended, total=len(values), desc=title, delay=2, disable=None)
            return [future.result() for future in shown]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _on_spark(
    function: _Task[ItemT], values: list[ItemT], title: str, master: str, partitions: int | None
) -> list[dict[str, Any]]:
    import pandas as pd

    def work(rows: pd.DataFrame) -> pd.DataFrame:
        results = [json.dumps(function(pickle.loads(content))) for content in rows["content"]]
        return pd.DataFrame({"result": results})

    contents = [(index, bytearray(pickle.dumps(value))) for index, value in enumerate(values)]
    spark = session(master)
    tasks = spark.createDataFrame(contents, "task long, content binary")
    # A named number, as Spark would put so few rows into one partition.
    count = partitions or min(len(values), _MOST_PARTITIONS)
    spark.sparkContext.setJobDescription(f"{title}: {len(values)}")
    groups = tasks.repartition(count, "task").groupBy("task")
    return [json.loads(row.result) for row in groups.applyInPandas(work, "result string").collect()]


def session(master: str) -> SparkSession:
    """Return the Spark session, which is begun when there is none.

    Parameters
    ----------
    master : str
        ``local[2]``, ``local-cluster[2,1,1024]``, ``spark://…``; "default" is the one that
        ``spark-submit`` was called with.
    """
    from pyspark.sql import SparkSession

    # The workers need the interpreter in which this package is installed.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder: Any = SparkSession.builder
    builder = builder.appName("locomotion.fleet")
    if master != "default":
        builder = builder.master(master)
    if master.startswith("local"):
        # Executors find a driver by its address, and names of machines may not be known.
        builder = builder.config("spark.driver.host", "127.0.0.1")
        builder = builder.config("spark.driver.bindAddress", "127.0.0.1")
    started: SparkSession = builder.getOrCreate()
    return started
