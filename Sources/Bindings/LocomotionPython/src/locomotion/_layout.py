"""The structs of the C interface as NumPy dtypes.

The structs have no padding, so that fields in the order of the header, in the machine's own byte
order, are the layout. A test compares every offset with a C compiler's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

#: LOCOMOTION_ACTIVITY_COUNT, LOCOMOTION_CUSTOM_ACTIVITIES and LOCOMOTION_CUSTOM_NAME.
ACTIVITIES = 6
CUSTOM_ACTIVITIES = 8
CUSTOM_NAME = 33


def _dtype(**fields: str | tuple[str, int] | np.dtype[Any]) -> np.dtype[np.void]:
    """Return a structured dtype without padding, of names and their types."""
    return np.dtype([_field(name, kind) for name, kind in fields.items()])


def _field(name: str, kind: Any) -> Any:
    return (name, kind[0], (kind[1],)) if isinstance(kind, tuple) else (name, kind)


#: locomotion_fix
FIX = _dtype(
    time="i8",
    latitude="f8",
    longitude="f8",
    altitude="f8",
    horizontal_accuracy="f8",
    vertical_accuracy="f8",
    speed="f8",
    speed_accuracy="f8",
    course="f8",
    course_accuracy="f8",
)

#: locomotion_sample
SAMPLE = _dtype(
    start="i8",
    end="i8",
    latitude="f8",
    longitude="f8",
    radius68="f8",
    speed="f8",
    speed_deviation="f8",
    course="f8",
    altitude="f8",
    altitude_deviation="f8",
    climb_rate="f8",
    moving_probability="f8",
    transition_began="i8",
    moving="i4",
    transition="i4",
    has_fix="i4",
    has_accelerations="i4",
    activity="i4",
    unknown_reason="i4",
    probabilities=("f4", ACTIVITIES),
    cadence="f4",
    cadence_confidence="f4",
    cadence_error="f4",
    steps="f4",
    horizontal_level="f4",
    vertical_level="f4",
    rotation_level="f4",
    coverage="f4",
    custom_activity="i4",
    custom_probabilities=("f4", CUSTOM_ACTIVITIES),
    reserved="i4",
)

#: locomotion_fix_report
FIX_REPORT = _dtype(
    fix=FIX,
    latitude="f8",
    longitude="f8",
    radius68="f8",
    speed="f8",
    speed_deviation="f8",
    course="f8",
    altitude="f8",
    altitude_deviation="f8",
    moving_probability="f8",
    moving="i4",
    status="i4",
    rejection="i4",
    reserved="i4",
)

#: locomotion_timeline_item
TIMELINE_ITEM = _dtype(
    start="i8",
    end="i8",
    latitude="f8",
    longitude="f8",
    radius68="f8",
    distance="f8",
    steps="f8",
    climb="f8",
    climb_deviation="f8",
    descent="f8",
    descent_deviation="f8",
    type="i4",
    activity="i4",
    legs="i4",
    is_final="i4",
    custom_activity="i4",
    reserved="i4",
)

#: locomotion_intake
INTAKE = _dtype(
    received="i8",
    kept="i8",
    not_finite="i8",
    out_of_range="i8",
    duplicate="i8",
    out_of_order="i8",
    isolated="i8",
    saturated="i8",
    gaps="i8",
    bridged_gaps="i8",
    clock_resets="i8",
)

#: locomotion_counts
COUNTS = _dtype(
    accelerations=INTAKE,
    rotation_rates=INTAKE,
    pressures=INTAKE,
    fixes_used="i8",
    fixes_relocated="i8",
    fixes_rejected="i8",
    fixes_waiting="i8",
)
