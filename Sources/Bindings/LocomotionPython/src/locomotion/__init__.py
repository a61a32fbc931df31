"""Position, moving state, step cadence, activity, stays and trips from a phone's sensors."""

from importlib.metadata import PackageNotFoundError, version

from .constants import Activity, ErrorCode, FixStatus, Form, ItemType, Moving, Reason, Rejection
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
from .frames import to_pandas, to_polars
from .pipeline import Counts, CustomActivity, Intake, Pipeline
from .recording import Label, Recording, read, read_all

try:
    __version__ = version("swift-locomotion")
except PackageNotFoundError:  # the source, without an installation
    __version__ = "0"

__all__ = [
    "Activity", "Counts", "CustomActivity", "Day", "ErrorCode", "FixStatus", "Form",
    "InputOutputError", "Intake", "ItemType", "Label", "LocomotionError", "ModelError", "Moving",
    "Pipeline", "PipelineError", "Reason", "Recording", "Rejection", "RejectedInput", "StateError",
    "UsageError", "analyze", "read", "read_all", "to_pandas", "to_polars",
]  # fmt: skip
