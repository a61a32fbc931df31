"""The pipeline: measurements in as they come, what a person did in each second out."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from . import _layout, _tables
from ._layout import Counts, Intake
from ._session import Answers, Session, address
from .constants import Activity, ErrorCode, Form, Options
from .errors import PipelineError

__all__ = ["Counts", "CustomActivity", "Intake", "Model", "Pipeline"]

Model: TypeAlias = bytes | bytearray | memoryview | str | os.PathLike[str] | None
"""The content of a model file, the path of one, or None for the built-in model."""

_Column: TypeAlias = "npt.ArrayLike | None"

PipelineT = TypeVar("PipelineT", bound="Pipeline")


class CustomActivity(NamedTuple):
    """An activity of a model beside the six of every model."""

    name: str
    behaves_like: Activity
    """The activity that it is a kind of; UNKNOWN for none."""


class Pipeline:
    """Position, moving state, cadence and activity of every second, while measurements come in.

    Append what the sensors delivered since the last time, in any order of the sensors, then call
    `process`, and poll `samples` and `fixes`; `finish` ends a recording. Where the stream is cut
    does not matter, as long as all sensors are cut at about the same time. `ingest` does both at
    once.

    **Times** are nanoseconds on the sensors' clock, whose zero is the caller's choice and which all
    sensors share: arrays of integers, of datetime64 or of timedelta64, of any unit, without
    missing ones. Floats are refused: they do not say their unit, and a float64 is too short for
    nanoseconds since 1970.

    **Values** are float32; other real numbers are converted. NaN, and what is impossible, is
    counted (`counts`) and left out, never an error. Arrays of float32 are not copied before the
    library reads them: a column of (n, 3), of a structured array or of a data frame without
    missing values, and slices with a positive step.

    **Tables** in place of times and values are data frames of pandas or polars, tables of pyarrow,
    objects with ``__arrow_c_stream__``, structured arrays, and mappings of names to columns, with
    a column ``time`` or ``timestamp``. Of a pandas frame the index may be it, called so or of
    datetimes.

    **Answers** are structured arrays with the names, units and order of the C interface
    (`locomotion.h`): degrees, metres, m/s, steps per minute of both feet; NaN is unknown; cases
    are numbers of `locomotion.constants`. `to_pandas` and `to_polars` make data frames of them.

    A pipeline can be saved, copied and pickled, with what was not polled: the other one goes on
    with the same answers. It takes about 230 kB. Different pipelines may be used from different
    threads at the same time, and run without the global interpreter lock. Of two calls with one
    pipeline at the same time the second raises a `PipelineError` with the code BUSY. After a fork
    the child has a pipeline of its own, unless another thread was using it.

    Parameters
    ----------
    model : bytes or path, optional
        The content of a model file, or its path; the built-in model by default.
    keeps_recording : bool, optional
        Whether every sample and fix is kept, about 600 bytes for each, for `recording_samples`,
        `recording_fixes` and the lagged and smoothed `timeline`.

    Raises
    ------
    ModelError
        `model` is damaged, or for another version of the library.
    InputOutputError
        The native library cannot be loaded.
    OSError
        The file of the model cannot be read.
    PipelineError
        There are too many pipelines: 16,383 at a time.

    Every other method raises a ValueError when the pipeline is closed, and a PipelineError when
    another thread uses it (BUSY); those that take measurements also after `finish` (FINISHED).

    Examples
    --------
    >>> import numpy as np
    >>> from locomotion import Pipeline
    >>> times = np.arange(6000) * 10_000_000  # a minute at 100 Hz
    >>> xyz = np.tile(np.float32([0, 0, 9.81]), (6000, 1))
    >>> with Pipeline() as pipeline:
    ...     pipeline.append_accelerations(times, xyz)
    ...     pipeline.finish()
    ...     len(pipeline.samples())
    60
    """

    # A pipeline whose creation failed is a closed one.
    _session: Session | None = None

    def __init__(self, model: Model = None, *, keeps_recording: bool = False) -> None:
        options = Options.KEEP_RECORDING if keeps_recording else Options(0)
        self._session = Session("locomotion_create", _content(model), int(options))

    def __repr__(self) -> str:
        name = type(self).__name__
        if self.is_closed:
            return f"<{name}: closed>"
        try:
            counts = self.counts
            keeps = ", keeps its recording" if self.keeps_recording else ""
        except PipelineError:
            return f"<{name}: in use>"
        fixes = counts.fixes_used + counts.fixes_relocated + counts.fixes_rejected
        return f"<{name}: {counts.accelerations.received:,} accelerations, {fixes:,} fixes{keeps}>"

    # What it is

    @property
    def keeps_recording(self) -> bool:
        """Whether every sample and fix is kept."""
        count = np.zeros(1, np.int64)
        words = (Form.LIVE, None, 0, address(count))
        # The library only says so in an error.
        allowed = (ErrorCode.CAPACITY, ErrorCode.NOT_KEPT)
        code = self._open.call("locomotion_recording_fixes", *words, allowed=allowed)
        return code != ErrorCode.NOT_KEPT

    @property
    def custom_activities(self) -> list[CustomActivity]:
        """The custom activities of the model, by the number that samples have for them."""
        name, like = ctypes.create_string_buffer(_layout.CUSTOM_NAME), np.zeros(1, np.int32)
        words = ctypes.addressof(name), address(like)
        found: list[CustomActivity] = []
        while not self._open.call(
            "locomotion_custom_activity", len(found), *words, allowed=(ErrorCode.ARGUMENT,)
        ):
            found.append(CustomActivity(name.value.decode(), Activity(like[0])))
        return found

    @property
    def counts(self) -> Counts:
        """What came in so far, and what became of it."""
        stored = np.zeros(1, _layout.COUNTS)
        self._open.call("locomotion_counts_so_far", address(stored))
        values = stored[0].tolist()
        return Counts._make([*(Intake(*intake) for intake in values[:3]), *values[3:]])

    # Measurements in

    def append_accelerations(
        self, times: Any, x: _Column = None, y: _Column = None, z: _Column = None, /
    ) -> None:
        """Append accelerations, oldest first: ``(times, xyz)``, ``(times, x, y, z)`` or a table.

        They are specific force in m/s², Android's sign: a phone that lies flat reads z = +9.81.

        Parameters
        ----------
        times : array_like, (n,)
            When they were measured; see the class.
        xyz : array_like, (n, 3)
            The three axes side by side; or `x`, `y` and `z`, (n,) each.
        table : table
            In place of all: columns ``time``, and ``x``, ``y``, ``z`` or ``ax``, ``ay``, ``az``.
            Other columns are not read.

        Raises
        ------
        TypeError
            Times or values of another type.
        ValueError
            Lengths that differ, another shape, missing times, a column that is missing.
        ImportError
            An Arrow stream, and neither pyarrow nor polars is installed.
        """
        self._append("accelerations", times, x, y, z)

    def append_rotation_rates(
        self, times: Any, x: _Column = None, y: _Column = None, z: _Column = None, /
    ) -> None:
        """Append rotation rates in rad/s: as `append_accelerations`.

        The columns of a table are ``time``, and ``x``, ``y``, ``z`` or ``gx``, ``gy``, ``gz``.
        """
        self._append("rotation_rates", times, x, y, z)

    def append_pressures(self, times: Any, pressures: _Column = None, /) -> None:
        """Append pressures of the air in hPa, (n,): as `append_accelerations`.

        The columns of a table are ``time``, and ``pressure`` or ``hectopascals``.
        """
        self._append("pressures", times, pressures)

    def append_fixes(self, fixes: Any, /) -> None:
        """Append fixes of the phone's location service in the order in which they came.

        Parameters
        ----------
        fixes : table
            The columns ``time``, ``latitude``, ``longitude`` (degrees, WGS 84) and those that
            there are of ``altitude``, ``horizontal_accuracy`` (the radius, metres, that holds the
            position with 68 %), ``vertical_accuracy``, ``speed``, ``speed_accuracy``, ``course``,
            ``course_accuracy``. NaN and, but for altitudes, negative numbers are unknown.

        Raises
        ------
        TypeError, ValueError, ImportError
            As `append_accelerations`; a ValueError also for any other column.
        """
        self._open.append([("fixes", _tables.fixes(fixes))])

    def ingest(
        self,
        *,
        accelerations: Any = None,
        rotation_rates: Any = None,
        pressures: Any = None,
        fixes: Any = None,
    ) -> None:
        """Append what each sensor delivered, then process it.

        Parameters
        ----------
        accelerations, rotation_rates : table or tuple, optional
            A table, or a tuple ``(times, xyz)`` or ``(times, x, y, z)``.
        pressures : table or tuple, optional
            A table, or a tuple ``(times, pressures)``.
        fixes : table, optional
            A table of fixes.

        Raises
        ------
        TypeError, ValueError, ImportError
            As `append_accelerations`. Nothing was appended.
        """
        given = {
            "accelerations": accelerations,
            "rotation_rates": rotation_rates,
            "pressures": pressures,
            "fixes": fixes,
        }
        there = {sensor: value for sensor, value in given.items() if value is not None}
        found = [(sensor, _tables.parts(sensor, value)) for sensor, value in there.items()]
        self._open.append(found, then_process=True)

    def _append(self, sensor: str, *given: Any) -> None:
        measurements = tuple(each for each in given if each is not None)
        self._open.append([(sensor, _tables.measurements(sensor, measurements))])

    def process(self) -> None:
        """Take in what was appended; what it completes can be polled."""
        self._open.call("locomotion_process")

    def finish(self) -> None:
        """Take in what was appended and end the recording.

        It completes the last second and processes the fixes that wait. From then on only what
        reads works, and `reset`.
        """
        self._open.call("locomotion_finish")

    # Answers out

    def samples(self) -> Answers:
        """Return the seconds that were completed since the last call, each once.

        A row of the structured array is what was known when a second ended; they are in order.
        """
        return self._open.poll("locomotion_poll_samples", _layout.SAMPLE)

    def fixes(self) -> Answers:
        """Return what the filter made of the fixes that were processed since the last call.

        The rows are in the order in which they were processed; `fix` is the fix.
        """
        return self._open.poll("locomotion_poll_fixes", _layout.FIX_REPORT)

    def timeline(self, form: Form = Form.LIVE) -> Answers:
        """Return the stays, trips with their legs, and gaps of all seconds so far.

        Parameters
        ----------
        form : Form, optional
            LIVE follows the stream. LAGGED and SMOOTHED, which is what ``locomotion timeline``
            prints, are for a pipeline that keeps its recording.

        Returns
        -------
        structured array
            The items in order of time; the legs of a trip follow it.

        Raises
        ------
        PipelineError
            The pipeline does not keep its recording (NOT_KEPT).
        ValueError
            `form` is no form.
        """
        return self._all("timeline", form, _layout.TIMELINE_ITEM)

    def recording_samples(self, form: Form = Form.LAGGED) -> Answers:
        """Return all seconds so far, for a pipeline that keeps its recording.

        It takes time and memory in proportion to the recording. Arguments and errors are those of
        `timeline`, the rows those of `samples`.
        """
        return self._all("recording_samples", form, _layout.SAMPLE)

    def recording_fixes(self, form: Form = Form.LAGGED) -> Answers:
        """Return all fixes so far: as `recording_samples`, with the rows of `fixes`."""
        return self._all("recording_fixes", form, _layout.FIX_REPORT)

    def _all(self, name: str, form: Form, dtype: np.dtype[np.void]) -> Answers:
        return self._open.stored(f"locomotion_{name}", Form(form), dtype=dtype)

    # Life

    @classmethod
    def restore(
        cls: type[PipelineT], state: bytes | bytearray | memoryview, model: Model = None
    ) -> PipelineT:
        """Return a pipeline that goes on where another one was saved, with the same answers.

        Parameters
        ----------
        state : bytes
            What `save` returned, in any build of the same version of the library.
        model : bytes or path, optional
            The model that the saved pipeline was created with. It is not part of the state.

        Raises
        ------
        StateError
            `state` is damaged, of another version, or was saved with another model.
        ModelError, OSError
            As when a pipeline is created.
        TypeError
            `state` are no bytes.
        """
        pipeline = cls.__new__(cls)
        content = _bytes(state, "state")
        pipeline._session = Session("locomotion_restore", _content(model), content, len(content))
        return pipeline

    def save(self) -> bytes:
        """Return the state, with what was not polled and what is kept: about 50 kB.

        The model is not part of it.

        Raises
        ------
        PipelineError
            Something was appended and not yet processed (UNPROCESSED).
        """
        return self._open.stored("locomotion_save", dtype=np.uint8, capacity=1 << 16).tobytes()

    def reset(self) -> None:
        """Make the pipeline one that has seen nothing; what was not polled is lost."""
        self._open.call("locomotion_reset")

    def close(self) -> None:
        """Free the pipeline; a second time does nothing.

        Raises
        ------
        PipelineError
            Another thread uses it (BUSY); it stays open.
        """
        if self._session is not None:
            self._session.close()

    @property
    def is_closed(self) -> bool:
        """Whether the pipeline was closed."""
        return self._session is None or not self._session.is_open

    @property
    def _open(self) -> Session:
        if self._session is None:
            raise ValueError("the pipeline is closed")
        return self._session

    def __enter__(self: PipelineT) -> PipelineT:
        with self._open.use():
            return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __getstate__(self) -> dict[str, Any]:
        others = {name: value for name, value in self.__dict__.items() if name != "_session"}
        return {"pipeline": self.save(), "model": self._open.model, "attributes": others}

    def __setstate__(self, state: dict[str, Any]) -> None:
        model = state["model"]
        content = None if model is None else _bytes(model, "model")
        self._session = self.restore(state["pipeline"], content)._session
        self.__dict__.update(state["attributes"])


def _content(model: Model) -> bytes | None:
    """Return the content of a model file."""
    if model is None:
        return None
    if isinstance(model, (str, os.PathLike)):
        return Path(model).read_bytes()
    return _bytes(model, "model")


def _bytes(value: Any, name: str) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise TypeError(f"{name}: expected bytes, found {type(value).__name__}")
    return bytes(value)
