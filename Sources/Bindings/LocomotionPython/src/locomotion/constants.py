"""The cases of a pipeline's answers, with the numbers of the C interface."""

from __future__ import annotations

from enum import IntEnum, IntFlag

__all__ = [
    "Activity",
    "ErrorCode",
    "FixStatus",
    "Form",
    "ItemType",
    "Moving",
    "Options",
    "Reason",
    "Rejection",
]


class Activity(IntEnum):
    """What a person is doing: the column `activity` of samples and timelines."""

    UNKNOWN = -1
    STATIONARY = 0
    WALKING = 1
    RUNNING = 2
    CYCLING = 3
    AUTOMOTIVE = 4
    """A road vehicle."""
    TRAIN = 5
    """A rail vehicle."""


class Reason(IntEnum):
    """Why an activity is unknown: the column `unknown_reason` of samples."""

    NONE = -1
    """It is known."""
    NOT_ENOUGH_DATA = 0
    """After a start or a gap, or at too low a rate."""
    BAD_SIGNAL = 1
    """Saturated, in free fall, or in another unit."""
    NOVELTY = 2
    """Unlike everything that the model was trained on."""
    LOW_CONFIDENCE = 3
    """No class is probable enough."""
    CUSTOM_ACTIVITY = 4
    """An activity of the model that is none of the six."""


class Moving(IntEnum):
    """Whether a phone changes place: the column `moving` of samples and fixes."""

    STATIONARY = 0
    MOVING = 1
    UNCERTAIN = 2


class FixStatus(IntEnum):
    """What became of a fix: the column `status` of fixes."""

    USED = 0
    RELOCATED = 1
    """The filter started again from it: the phone was somewhere else."""
    REJECTED = 2


class Rejection(IntEnum):
    """Why a fix was rejected: the column `rejection` of fixes."""

    NONE = -1
    """It was not."""
    IMPOSSIBLE_POSITION = 0
    NULL_ISLAND = 1
    """Exactly 0, 0."""
    NO_ACCURACY = 2
    """Its accuracy is so bad that it says nothing."""
    DUPLICATE = 3
    """The time of the newest fix."""
    OUT_OF_ORDER = 4
    """Earlier than the newest fix."""
    IMPLAUSIBLE_TIME = 5
    """A time that the next fix must confirm."""
    OUTLIER = 6
    """Too far from where the phone can be."""


class ItemType(IntEnum):
    """What an item of a timeline is: the column `type`.

    The legs of a trip follow it and tile it.
    """

    STAY = 0
    TRIP = 1
    LEG = 2
    GAP = 3
    """Time that nothing is known about."""


class Form(IntEnum):
    """How much later data an answer about a recording uses."""

    LIVE = 0
    """None: what was known at the time."""
    SETTLED = 1
    """10 s of it for activities, 6 s for fixes, 3 s for cadences."""
    SMOOTHED = 2
    """All of the recording; cadences as settled."""


class Options(IntFlag):
    """The options that a pipeline is created with."""

    KEEP_RECORDING = 1
    """Every sample and fix is kept, about 600 bytes for each."""


class ErrorCode(IntEnum):
    """The errors of the library: `PipelineError.code`."""

    OK = 0
    NULL = 1
    """A pointer is null where memory is needed."""
    ARGUMENT = 2
    """A count, size, stride, option or form is not allowed."""
    ALIGNMENT = 3
    """A pointer is not aligned for its elements."""
    HANDLE = 4
    """No pipeline: never created, or destroyed."""
    BUSY = 5
    """Another thread uses the pipeline at this moment."""
    CAPACITY = 6
    """A buffer is too small."""
    FINISHED = 7
    """The recording was finished: reset the pipeline first."""
    UNPROCESSED = 8
    """Measurements were appended and not yet processed."""
    NOT_KEPT = 9
    """The pipeline was created without `keeps_recording`."""
    TOO_MANY = 10
    """No further pipeline can be created."""
    MODEL = 11
    """No model file, or a damaged one."""
    MODEL_VERSION = 12
    """The model is for another version of the library."""
    STATE = 13
    """No saved state, or a damaged one."""
    STATE_VERSION = 14
    """The state was saved by another version of the library."""
    STATE_MODEL = 15
    """The state was saved with another model."""
