"""Parquet in which the rows of several people are together, divided by people and days."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import quote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from ..errors import RejectedInput
from . import archive
from .engines import session
from .reading import FIXES, SENSORS
from .storage import Entry, Storage

if TYPE_CHECKING:
    import pandas as pd

_DAY = 86_400_000_000_000
"""Nanoseconds."""


def by_user(source: Storage, files: list[Entry], target: Storage, master: str) -> Storage:
    """Divide rows into ``user=…/day=…/`` and return where they are; nothing when that is done.

    The rows of a folder may be in several files and in any order. Files whose names begin with
    ``fixes`` hold fixes.
    """
    result = Storage(f"{target.root}/_split")
    key = json.dumps([source.root, files]).encode()
    if result.read("_done.json") == key:
        return result
    result.delete("_done.json")
    for entry in result.find():
        result.delete(entry.path)
    sensors = tuple(name for columns in SENSORS.values() for name in columns)
    divide = _in_this_process if master == "none" else _on_spark
    for name, wanted in (("rows", ("t", *sensors)), ("fixes", FIXES)):
        own = [entry for entry in files if archive.is_fixes(entry.path) == (name == "fixes")]
        if own:
            divide(source, own, _columns(source, own, wanted), result, name, master)
    with result.create("_done.json") as file:
        file.write(key)
    result.tidy()
    return result


def _columns(source: Storage, files: list[Entry], wanted: tuple[str, ...]) -> list[str]:
    """Return the wanted columns that the files have, all of them the same."""
    found = set()
    for entry in files:
        with source.open(entry.path) as file:
            schema = pq.read_schema(file)
        if "user" not in schema.names or "t" not in schema.names:
            raise RejectedInput(f"{entry.path}: expected the columns user and t")
        if (kind := schema.field("t").type) != pa.int64():
            raise RejectedInput(f"{entry.path}: expected t in int64, found {kind}")
        found.add(tuple(name for name in wanted if name in schema.names))
    if len(found) != 1:
        raise RejectedInput(f"expected the same columns in all files, found {sorted(found)}")
    return list(found.pop())


def _in_this_process(
    source: Storage, files: list[Entry], names: list[str], target: Storage, name: str, _: str
) -> None:
    filesystem, _ = source.filesystem()
    rows = ds.dataset([source.filesystem(each.path)[1] for each in files], filesystem=filesystem)
    columns = {column: ds.field(column) for column in names}
    columns["user"] = ds.field("user").cast(pa.string())
    columns["day"] = pc.divide(ds.field("t"), _DAY)
    filesystem, root = target.filesystem()
    keys = pa.schema([("user", pa.string()), ("day", pa.int64())])
    ds.write_dataset(
        rows.scanner(columns=columns), root, filesystem=filesystem, format="parquet",
        basename_template=f"{name}-{{i}}.parquet",
        partitioning=ds.partitioning(keys, flavor="hive"), max_partitions=1 << 20,
        existing_data_behavior="overwrite_or_ignore",
    )  # fmt: skip


def _on_spark(
    source: Storage, files: list[Entry], names: list[str], target: Storage, name: str, master: str
) -> None:
    import pandas as pd

    def write(key: tuple[str, int], rows: pd.DataFrame) -> pd.DataFrame:
        user, day = key
        path = f"user={archive.User(user, ()).key}/day={day}/{name}.parquet"
        with target.create(path) as file:
            pq.write_table(pa.Table.from_pandas(rows[names], preserve_index=False), file)
        return pd.DataFrame({"path": [path]})

    spark = session(master)
    root = source.root if source.is_local else source.root.replace("s3://", "s3a://", 1)
    scheme = "file://" if source.is_local else ""
    paths = [scheme + quote(f"{root}/{entry.path}", safe="/:=") for entry in files]
    spark.sparkContext.setJobDescription(f"{name} divided by people and days")
    frame = spark.read.parquet(*paths).selectExpr("string(user) user", f"t div {_DAY} day", *names)
    frame.groupBy("user", "day").applyInPandas(write, "path string").collect()
