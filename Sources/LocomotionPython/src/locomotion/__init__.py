"""Position, moving state, step cadence, activity, stays and trips from a phone's sensors."""

from .day import Day, analyze
from .errors import InputOutputError, LocomotionError, RejectedInput, UsageError

__all__ = [
    "Day",
    "InputOutputError",
    "LocomotionError",
    "RejectedInput",
    "UsageError",
    "analyze",
]
