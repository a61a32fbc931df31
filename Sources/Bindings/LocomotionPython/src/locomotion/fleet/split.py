"""Parquet in which the rows of several people are together, divided by people and days."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import RejectedInput
from . import archive, tables
from .engines import Engine, Spark
from .storage import Entry, Storage
from .terminal import progress

FOLDER = "_split"
_SENSORS = ("t", "ax", "ay", "az", "gx", "gy", "gz", "pressure")
_FIXES = ("t", "lat", "lon", "alt", "hacc", "vacc", "speed", "speed_acc", "course", "course_acc")
#: The bytes of the files for each partition of the shuffle.
_PARTITION_BYTES = 64 << 20
#: The rows of a group of the files that are written.
_GROUP = 1 << 16


def by_user(source: Storage, target: Storage, runner: Engine) -> Storage:
    """Divide the rows, in order of time, and return where they are; nothing when that is done.

    Files whose names begin with ``fixes`` hold fixes. With Spark it is one shuffle by user and day;
    without it each person's day is sorted in memory, unless its rows are in order.
    """
    result = Storage(f"{target.root}/{FOLDER}")
    entries = [entry for entry in source.find() if entry.path.endswith(".parquet")]
    digests = [f"{archive.digest(source, entry)} {entry.path}" for entry in entries]
    digest = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    manifest = result.read("_done.json")
    if manifest and json.loads(manifest)["digest"] == digest:
        return result
    for entry in result.find():
        result.delete(entry.path)
    fixes = [entry for entry in entries if archive.is_fixes_name(entry.path)]
    others = [entry for entry in entries if entry not in fixes]
    for name, columns, files in (("rows", _SENSORS, others), ("fixes", _FIXES, fixes)):
        if not files:
            continue
        names = _columns(source, files, columns)
        if isinstance(runner, Spark):
            _by_spark(source, result, files, names, name, runner)
        else:
            _by_process(source, result, files, names, name)
    result.write("_done.json", json.dumps({"digest": digest}).encode())
    return result


def _columns(source: Storage, files: list[Entry], wanted: tuple[str, ...]) -> list[str]:
    """Return the wanted columns that the files have, all of them the same."""
    found = set()
    for entry in files:
        with source.open(entry.path) as file:
            schema = pq.read_schema(file)
        if "user" not in schema.names or "t" not in schema.names:
            raise RejectedInput(f"{entry.path}: expected the columns user and t")
        if schema.field("t").type != pa.int64():
            found_type = schema.field("t").type
            raise RejectedInput(f"{entry.path}: expected t in int64, found {found_type}")
        found.add(tuple(name for name in wanted if name in schema.names))
    if len(found) != 1:
        raise RejectedInput(f"expected the same columns in all files, found {sorted(found)}")
    return list(found.pop())


class _Files:
    """Writes sorted rows to one file after another."""

    def __init__(self, target: Storage, name: str) -> None:
        self._target = target
        self._name = name
        self._key: tuple[str, int] | None = None
        self._open = ExitStack()
        self._writer: pq.ParquetWriter | None = None
        self._rest: list[pa.Table] = []
        self.count = 0

    def append(self, key: tuple[str, int], table: pa.Table) -> None:
        """Append rows of a user's day; the next day begins the next file."""
        if key != self._key:
            self.close()
            self._key = key
            user, day = key
            folder = f"user={archive.key(user)}/day={tables.day_of(day * tables.DAY)}"
            file = self._open.enter_context(self._target.create(f"{folder}/{self._name}.parquet"))
            self._writer = self._open.enter_context(
                pq.ParquetWriter(file, table.schema, compression="zstd", use_dictionary=False)
            )
        self._rest.append(table)
        if sum(part.num_rows for part in self._rest) >= _GROUP:
            self._write(everything=False)

    def _write(self, *, everything: bool) -> None:
        # Groups of the same rows, however they came.
        table = pa.concat_tables(self._rest).combine_chunks()
        place = 0
        while table.num_rows - place >= _GROUP or everything and table.num_rows > place:
            assert self._writer is not None
            self._writer.write_table(table.slice(place, _GROUP))
            place += _GROUP
        self._rest = [table.slice(place)] if place < table.num_rows else []

    def close(self) -> None:
        """End the file."""
        if self._key is None:
            return
        if self._rest:
            self._write(everything=True)
        self._open.close()
        self._key, self._rest = None, []
        self.count += 1


def _schema(names: list[str]) -> pa.Schema:
    kind = pa.float64() if "lat" in names else pa.float32()
    return pa.schema([(name, pa.int64() if name == "t" else kind) for name in names])


def _divided(
    table: pa.Table, names: list[str]
) -> Iterator[tuple[tuple[str, int], pa.Table]]:
    """Iterate over the rows of each user and day, in the order in which they are."""
    table = table.combine_chunks()
    users = table.column("user").cast(pa.string()).combine_chunks().dictionary_encode()
    if isinstance(users, pa.ChunkedArray):
        users = users.combine_chunks()
    codes = np.asarray(users.indices)
    days = np.asarray(table.column("t")) // tables.DAY
    order = np.lexsort((days, codes))
    codes, days = codes[order], days[order]
    edges = np.flatnonzero((np.diff(codes) != 0) | (np.diff(days) != 0)) + 1
    rows = table.select(names).cast(_schema(names)).take(pa.array(order))
    bounds = [0, *edges.tolist(), len(codes)]
    for first, last in zip(bounds, bounds[1:], strict=False):
        if last > first:
            user = users.dictionary[int(codes[first])].as_py()
            yield (user, int(days[first])), rows.slice(first, last - first)


def _by_spark(
    source: Storage, target: Storage, files: list[Entry], names: list[str], name: str, runner: Spark
) -> None:
    from pyspark.sql import functions

    session = runner.session
    scheme = "file://" if source.is_local else ""
    root = source.root.replace("s3://", "s3a://", 1)
    paths = [scheme + quote(f"{root}/{entry.path}", safe="/:=") for entry in files]
    session.sparkContext.setJobDescription(f"{name} divided by people and days")
    frame = session.read.parquet(*paths).select("user", *names)
    frame = frame.withColumn("_day", functions.floor(functions.col("t") / tables.DAY))
    others = [functions.col(column).asc_nulls_last() for column in names]
    # A Python worker for each of Spark's usual 200 partitions would take longer than small files.
    count = sum(entry.size for entry in files) // _PARTITION_BYTES
    count = max(session.sparkContext.defaultParallelism, count)
    ordered = frame.repartition(count, "user", "_day").sortWithinPartitions(
        "user", "_day", *others
    )

    def write(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        output = _Files(target, name)
        for batch in batches:
            for key, rows in _divided(pa.Table.from_batches([batch]), names):
                output.append(key, rows)
        output.close()
        yield pa.RecordBatch.from_pydict({"files": pa.array([output.count], pa.int64())})

    ordered.mapInArrow(write, "files long").collect()


def _by_process(
    source: Storage, target: Storage, files: list[Entry], names: list[str], name: str
) -> None:
    spools: dict[tuple[str, int], list[bytes]] = {}
    with progress(len(files), f"{name} divided") as advance:
        for entry in files:
            with source.open(entry.path) as file:
                rows_of = pq.ParquetFile(file, pre_buffer=False)
                for batch in rows_of.iter_batches(_GROUP, columns=["user", *names]):
                    for key, rows in _divided(pa.Table.from_batches([batch]), names):
                        spools.setdefault(key, []).append(_packed(rows))
            advance(1)
    for key in sorted(spools):
        table = pa.concat_tables([_unpacked(part) for part in spools.pop(key)])
        order: list[Any] = [(column, "ascending") for column in names]
        times = np.asarray(table.column("t"))
        if not bool((np.diff(times) > 0).all()):
            table = table.take(pc.sort_indices(table, sort_keys=order))
        output = _Files(target, name)
        output.append(key, table)
        output.close()


def _packed(table: pa.Table) -> bytes:
    output = io.BytesIO()
    with pa.ipc.new_stream(
        output, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")
    ) as writer:
        writer.write_table(table)
    return output.getvalue()


def _unpacked(content: bytes) -> pa.Table:
    return pa.ipc.open_stream(content).read_all()
