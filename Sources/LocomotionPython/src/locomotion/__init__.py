"""Position, moving state, step cadence, activity, stays and trips from a phone's sensors."""

from .constants import (
    Activity,
    ErrorCode,
    FixStatus,
    Form,
    ItemType,
    Moving,
    Reason,
    Rejection,
)
from .data_frames import to_pandas, to_polars
from .day import Day, analyze
from .errors import (
    InputOutputError,
    LocomotionError,
    ModelError,
    PipelineError,
    RejectedInput,
    StateError,
    UsageError,
)
from .pipeline import Counts, CustomActivity, Intake, Pipeline

__all__ = [
    "Activity",
    "Counts",
    "CustomActivity",
    "Day",
    "ErrorCode",
    "FixStatus",
    "Form",
    "InputOutputError",
    "Intake",
    "ItemType",
    "LocomotionError",
    "ModelError",
    "Moving",
    "Pipeline",
    "PipelineError",
    "Reason",
    "Rejection",
    "RejectedInput",
    "StateError",
    "UsageError",
    "analyze",
    "to_pandas",
    "to_polars",
]
