"""The columns of a day's tables: the values that the command prints, of structs and a timeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .constants import Activity, FixStatus, Moving

Columns: TypeAlias = "dict[str, Sequence[Any] | npt.NDArray[Any]]"
Rows: TypeAlias = npt.NDArray[np.void]
Items: TypeAlias = "Sequence[Mapping[str, Any]]"

ACTIVITIES = tuple(activity.name.lower() for activity in Activity if activity >= 0)
"""The names of the activities by their numbers."""

_TOTALS = (
    "distance", "moving", "steps", "climb", "climb_sd", "descent", "descent_sd",
    "highest", "highest_sd", "lowest", "lowest_sd",
)  # fmt: skip


def fixes(rows: Rows) -> Columns:
    """Return the columns of ``locomotion locate``."""
    course = np.where(rows["course"] >= 359.95, 0, rows["course"])
    moving = {Moving.STATIONARY: 0, Moving.MOVING: 1}
    return {
        "t": _seconds(rows["fix"]["time"]),
        "lat": rounded(rows["latitude"], 8),
        "lon": rounded(rows["longitude"], 8),
        "radius68": rounded(rows["radius68"], 2),
        "speed": rounded(rows["speed"], 3),
        "speed_sd": rounded(rows["speed_deviation"], 3),
        "course": rounded(course, 1),
        "p_stationary": rounded(1 - rows["moving_probability"], 4),
        "moving": [moving.get(Moving(state)) for state in rows["moving"].tolist()],
        "status": _names([status.name.lower() for status in FixStatus], rows["status"]),
        "alt": rounded(rows["altitude"], 2),
        "alt_sd": rounded(rows["altitude_deviation"], 2),
    }


def cadence(rows: Rows) -> Columns:
    """Return the columns of ``locomotion cadence``; `rows` are the seconds with accelerations."""
    return {
        "t_start": _seconds(rows["start"]),
        "t_end": _seconds(rows["end"]),
        "cadence": rounded(rows["cadence"], 2),
        "confidence": rounded(rows["cadence_confidence"], 4),
        "steps": rounded(rows["steps"], 3),
    }


def samples(rows: Rows) -> Columns:
    """Return the columns of ``locomotion classify`` with those of `cadence`."""
    found = cadence(rows)
    probabilities = rounded(rows["probabilities"], 5)
    activities = _names([*ACTIVITIES, "unknown"], rows["activity"])
    columns: Columns = {"t_start": found.pop("t_start"), "t_end": found.pop("t_end")}
    columns["activity"] = activities
    columns |= {f"p_{name}": probabilities[:, code] for code, name in enumerate(ACTIVITIES)}
    return columns | found


def steps(rows: Rows) -> Columns:
    """Return the sums over the minutes of the clock of `cadence`."""
    seconds = {name: np.asarray(values) for name, values in cadence(rows).items()}
    minutes, places = np.unique(np.floor(seconds["t_start"] / 60), return_inverse=True)
    count = len(minutes)
    lengths = seconds["t_end"] - seconds["t_start"]
    return {
        "t_start": minutes * 60,
        "t_end": minutes * 60 + 60,
        # The command prints thousandths.
        "steps": np.round(np.bincount(places, seconds["steps"], count), 3),
        "seconds": np.round(np.bincount(places, lengths, count), 3),
    }


def timeline(items: Items) -> Columns:
    """Return the columns of the items of a timeline."""
    span = _spans(items)
    names = (
        "lat", "lon", "radius", "start_sd", "end_sd", "observed", "activity", *_TOTALS, "distance_sd"
    )  # fmt: skip
    return (
        {"item": range(len(items)), "type": [item["type"] for item in items]}
        | span
        | {name: [item.get(name) for item in items] for name in names}
    )


def legs(items: Items) -> Columns:
    """Return the columns of the legs of trips."""
    numbers = [(item, leg) for item, trip in enumerate(items) for leg in range(_count(trip))]
    found = [items[item]["legs"][leg] for item, leg in numbers]
    return (
        {"item": [item for item, _ in numbers], "leg": [leg for _, leg in numbers]}
        | _spans(found)
        | {name: [leg.get(name) for leg in found] for name in ("activity", *_TOTALS)}
    )


OF_SAMPLES: dict[str, Callable[[Rows], Columns]] = {
    "cadence": cadence, "steps": steps, "samples": samples
}  # fmt: skip
OF_ITEMS: dict[str, Callable[[Items], Columns]] = {"timeline": timeline, "legs": legs}


def rounded(values: npt.NDArray[Any], decimals: int) -> npt.NDArray[np.float64]:
    """Round as the command does when it prints: halves away from zero, and no negative zero."""
    scaled = values.astype(np.float64) * 10**decimals
    whole = np.floor(np.abs(scaled))
    whole += np.abs(scaled) - whole >= 0.5
    return np.asarray(np.where(whole == 0, 0.0, np.copysign(whole, scaled) / 10**decimals))


def _count(item: Mapping[str, Any]) -> int:
    return len(item.get("legs", ()))


def _spans(rows: Items) -> Columns:
    starts, ends = [row["start"] for row in rows], [row["end"] for row in rows]
    lengths = [round(end - start, 3) for start, end in zip(starts, ends, strict=True)]
    return {"start": starts, "end": ends, "duration": lengths}


def _seconds(times: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    # Of integers Python's quotient is the nearest number; a double has no room for all of them.
    return np.array([time / 1_000_000_000 for time in times.tolist()], np.float64)


def _names(names: Sequence[str], numbers: npt.NDArray[np.int32]) -> list[str]:
    """Return names by their numbers, −1 for the last one."""
    return [names[number] for number in numbers.tolist()]
