"""The tables of a fleet: their rows, and files of them whose bytes the rows alone decide."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .. import _layout
from ..constants import ItemType
from ..frames import to_pandas

_LAYOUTS = {
    "samples": _layout.SAMPLE, "fixes": _layout.FIX_REPORT, "items": _layout.TIMELINE_ITEM
}  # fmt: skip

NAMES = tuple(_LAYOUTS)
"""The seconds with accelerations or a fix, the fixes, and the stays, trips, legs and gaps."""

VERSION = "2"
"""That of the columns; in the metadata of each file as ``locomotion.schema``."""

#: The rows of a group of a file.
_GROUP = 1 << 17


def rows_of(name: str, user: str, value: npt.NDArray[Any]) -> pa.Table:
    """Return a person's rows of a table, from a result of `_native.Stream`.

    The columns are ``user`` and those of `to_pandas`; items have their number in ``item``, a leg
    that of its trip, which it follows.
    """
    rows = value.view(_LAYOUTS[name])
    if name == "samples":
        rows = rows[(rows["has_accelerations"] == 1) | (rows["has_fix"] == 1)]
    frame = to_pandas(rows)
    if name == "items":
        frame.insert(0, "item", np.cumsum(rows["type"] != ItemType.LEG) - 1)
    frame.insert(0, "user", user)
    table = pa.Table.from_pandas(frame, preserve_index=False)
    fields = [
        pa.field(field.name, pa.string() if pa.types.is_dictionary(field.type) else field.type)
        for field in table.schema.set(0, pa.field("user", pa.string()))
    ]
    return table.cast(pa.schema(fields, {"locomotion.schema": f"{name}/{VERSION}"}))


class TableWriter:
    """Writes a table to a file of Parquet, piece by piece.

    The bytes depend on the rows and the version of pyarrow, not on the pieces.
    """

    def __init__(self, file: Any, name: str) -> None:
        self._rest = rows_of(name, "", np.empty(0, np.uint8))
        schema = self._rest.schema
        texts = [field.name for field in schema if field.type == pa.string()]
        self._writer = pq.ParquetWriter(file, schema, compression="zstd", use_dictionary=texts)

    def append(self, table: pa.Table) -> None:
        """Take rows."""
        self._rest = pa.concat_tables([self._rest, table])
        while len(self._rest) >= _GROUP:
            self._write(_GROUP)

    def close(self) -> None:
        """Write all that is left."""
        if len(self._rest):
            self._write(len(self._rest))
        self._writer.close()

    def _write(self, count: int) -> None:
        self._writer.write_table(self._rest.slice(0, count).combine_chunks(), row_group_size=count)
        self._rest = self._rest.slice(count)
