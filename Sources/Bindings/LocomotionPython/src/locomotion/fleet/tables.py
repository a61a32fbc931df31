"""The tables of a fleet: their columns, and files of them whose bytes the rows alone decide."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .._columns import ACTIVITIES
from ..constants import Activity, FixStatus, ItemType, Moving

VERSIONS = {"samples": 1, "fixes": 2, "items": 1, "days": 2, "rejected": 1}
"""The version of each table's columns; in the metadata of each file as ``locomotion.schema``."""

DAY = 86_400_000_000_000
"""Nanoseconds."""

_ITEM_NUMBERS = ("distance", "steps", "climb", "climb_sd", "descent", "descent_sd")


def _schema(name: str, fields: list[tuple[str, pa.DataType]]) -> pa.Schema:
    metadata = {"locomotion.schema": f"{name}/{VERSIONS[name]}"}
    return pa.schema([pa.field(*field) for field in fields], metadata)


SAMPLES = _schema(
    "samples",
    [
        ("user", pa.string()),
        ("t_start", pa.int64()),
        ("t_end", pa.int64()),
        ("activity", pa.string()),
        *((f"p_{name}", pa.float32()) for name in ACTIVITIES),
        ("cadence", pa.float32()),
        ("confidence", pa.float32()),
        ("steps", pa.float32()),
    ],
)
"""The seconds with accelerations: the columns of ``classify`` (live) and of ``cadence``.

Times of all tables are nanoseconds on the recordings' clock; what is unknown is missing.
"""

FIXES = _schema(
    "fixes",
    [
        ("user", pa.string()),
        ("t", pa.int64()),
        *(
            (name, pa.float64())
            for name in (
                "lat", "lon", "radius68", "speed", "speed_sd", "course", "p_stationary"
            )
        ),
        ("moving", pa.bool_()),
        ("status", pa.string()),
        ("alt", pa.float64()),
        ("alt_sd", pa.float64()),
    ],
)
"""The columns of ``locate`` (live)."""

ITEMS = _schema(
    "items",
    [
        ("user", pa.string()),
        ("item", pa.int32()),
        ("leg", pa.int32()),
        ("type", pa.string()),
        ("start", pa.int64()),
        ("end", pa.int64()),
        ("activity", pa.string()),
        ("lat", pa.float64()),
        ("lon", pa.float64()),
        ("radius", pa.float64()),
        *((name, pa.float64()) for name in _ITEM_NUMBERS),
    ],
)
"""Stays, trips, their legs and gaps, as ``timeline`` prints them; a leg has its trip's ``item``."""

DAYS = _schema(
    "days",
    [
        ("user", pa.string()),
        ("date", pa.string()),
        ("first", pa.int64()),
        ("last", pa.int64()),
        ("recorded_s", pa.float64()),
        ("unknown_s", pa.float64()),
        ("expected_right_s", pa.float64()),
        ("novel_s", pa.float64()),
        ("steps", pa.float64()),
        ("fixes", pa.int64()),
        ("fixes_rejected", pa.int64()),
        ("radius68_median", pa.float64()),
        ("stays", pa.int64()),
        ("trips", pa.int64()),
        ("stay_s", pa.float64()),
        ("gap_s", pa.float64()),
        *((f"{name}_s", pa.float64()) for name in (*ACTIVITIES[1:], "other")),
        *((f"{name}_m", pa.float64()) for name in (*ACTIVITIES[1:], "other")),
    ],
)
"""The totals of a person's day, and its quality.

Of the seconds in `samples` those of unknown activity, those whose activity is expected to be right,
those unlike what the model was trained on, and the steps; of `fixes` the number, those
rejected and the median radius; stays and trips by the day on which they begin; and of `items` the
seconds and metres in it: at a stay, in gaps, and on legs by activity, of which a day has the part
of the time that lies in it.

Expected to be right is the sum of the probabilities of the named activities: over ``recorded_s`` less
``unknown_s`` it is their expected accuracy where probabilities are calibrated. It and ``novel_s`` over
``recorded_s`` tell without a label of people and phones on which the model drifts. The report of
``locomotion analyze`` has the same two of hindsight, these are of the live answers.
"""

REJECTED = _schema(
    "rejected",
    [
        ("user", pa.string()),
        ("path", pa.string()),
        ("bytes", pa.int64()),
        ("reason", pa.string()),
    ],
)
"""The parts of an archive that were set aside."""


def file_of(table: pa.Table) -> bytes:
    """Return a Parquet file of a table, whose bytes are the same wherever they are made.

    They depend on the rows, the schema and the version of pyarrow.
    """
    output = io.BytesIO()
    pq.write_table(
        table,
        output,
        version="2.6",
        row_group_size=1 << 20,
        compression="zstd",
        compression_level=3,
        use_dictionary=["user", *_texts(table.schema)],
        data_page_version="1.0",
        write_statistics=True,
    )
    return output.getvalue()


def _texts(schema: pa.Schema) -> list[str]:
    return [name for name in schema.names if name != "user" and schema.field(name).type == "string"]


def day_of(time: int) -> str:
    """Return the date (UTC) of an instant: ``YYYY-MM-DD``."""
    return str(np.datetime64(int(time) // DAY, "D"))


def _known(values: npt.NDArray[Any]) -> pa.Array:
    """Return numbers of which NaN is missing."""
    return pa.array(values, mask=np.isnan(values))


def _named(numbers: npt.NDArray[Any], names: dict[int, str | None]) -> pa.Array:
    """Return the names of numbers."""
    keys = np.array(sorted(names))
    values = pa.array([names[key] for key in keys.tolist()], pa.string())
    return values.take(pa.array(np.searchsorted(keys, numbers)))


_ACTIVITY_NAMES: dict[int, str | None] = {
    int(activity): activity.name.lower() for activity in Activity
}
_STATUS_NAMES: dict[int, str | None] = {int(status): status.name.lower() for status in FixStatus}
_TYPE_NAMES: dict[int, str | None] = {int(kind): kind.name.lower() for kind in ItemType}


def samples(user: str, rows: npt.NDArray[Any]) -> pa.Table:
    """Return the table of seconds, all with accelerations."""
    columns = [
        pa.repeat(user, len(rows)),
        pa.array(rows["start"]),
        pa.array(rows["end"]),
        _named(rows["activity"], _ACTIVITY_NAMES),
        *(_known(rows["probabilities"][:, index].copy()) for index in range(len(ACTIVITIES))),
        _known(rows["cadence"]),
        _known(rows["cadence_confidence"]),
        _known(rows["steps"]),
    ]
    return pa.Table.from_arrays(columns, schema=SAMPLES)


def fixes(user: str, rows: npt.NDArray[Any]) -> pa.Table:
    """Return the table of what the filter made of fixes."""
    columns = [
        pa.repeat(user, len(rows)),
        pa.array(rows["fix"]["time"].copy()),
        *(
            _known(rows[name])
            for name in (
                "latitude", "longitude", "radius68", "speed", "speed_deviation", "course"
            )
        ),
        pa.array(1 - rows["moving_probability"]),
        pa.array(rows["moving"] == Moving.MOVING, mask=rows["moving"] == Moving.UNCERTAIN),
        _named(rows["status"], _STATUS_NAMES),
        _known(rows["altitude"]),
        _known(rows["altitude_deviation"]),
    ]
    return pa.Table.from_arrays(columns, schema=FIXES)


def items(user: str, rows: npt.NDArray[Any]) -> pa.Table:
    """Return the table of the items of a whole timeline."""
    is_leg = rows["type"] == ItemType.LEG
    is_stay_or_gap = np.isin(rows["type"], (ItemType.STAY, ItemType.GAP))
    number = np.cumsum(~is_leg) - 1
    # The legs of a trip are numbered from 0.
    last = np.maximum.accumulate(np.where(is_leg, 0, np.arange(len(rows))))
    leg = np.arange(len(rows)) - last - 1
    activity = _named(rows["activity"], _ACTIVITY_NAMES)
    nothing = pa.nulls(len(rows), pa.string())
    columns = [
        pa.repeat(user, len(rows)),
        pa.array(number.astype(np.int32)),
        pa.array(leg.astype(np.int32), mask=~is_leg),
        _named(rows["type"], _TYPE_NAMES),
        pa.array(rows["start"]),
        pa.array(rows["end"]),
        pa.compute.if_else(pa.array(is_stay_or_gap), nothing, activity),
        _known(rows["latitude"]),
        _known(rows["longitude"]),
        _known(rows["radius68"]),
        *(
            _known(rows[name])
            for name in (
                "distance", "steps", "climb", "climb_deviation", "descent", "descent_deviation"
            )
        ),
    ]
    return pa.Table.from_arrays(columns, schema=ITEMS)
