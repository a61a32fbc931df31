"""Recordings: the measurements of a phone as arrays, from every format that the command reads."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _native, _tables
from ._layout import FIX
from ._log import LOG, log_reading
from ._tables import as_times
from .errors import RejectedInput

__all__ = ["Label", "Recording", "read", "read_all"]

_HOUR = 3_600_000_000_000
"""Nanoseconds."""

#: The attribute, type and width of the library's arrays.
_COLUMNS: dict[str, tuple[str, Any, int]] = {
    "accelerations.times": ("acceleration_times", np.int64, 0),
    "accelerations.xyz": ("accelerations", np.float32, 3),
    "rotation_rates.times": ("rotation_rate_times", np.int64, 0),
    "rotation_rates.xyz": ("rotation_rates", np.float32, 3),
    "pressures.times": ("pressure_times", np.int64, 0),
    "pressures.hectopascals": ("pressures", np.float32, 0),
    "fixes": ("fixes", FIX, 0),
}

#: The attribute of each sensor, and that of its times.
_SENSORS = {
    "accelerations": "acceleration_times",
    "rotation_rates": "rotation_rate_times",
    "pressures": "pressure_times",
}


class Label(NamedTuple):
    """What the person did from `start` to `end`, as whoever recorded it noted."""

    start: int
    """Nanoseconds on the recording's clock."""
    end: int
    """The first instant after it."""
    text: str


def _empty(dtype: npt.DTypeLike, *width: int) -> Any:
    """Return a field that is without rows by default."""
    return field(default_factory=lambda: np.empty((0, *width), dtype))


@dataclass(eq=False)
class Recording:
    """The measurements of one phone in arrays.

    Times are nanoseconds on the recording's clock, in the order of the file, which need not be
    ascending. `Pipeline` takes the arrays without a copy, and `analyze` the recording as it is.
    """

    name: str = "recording"
    """The name of its file, or the name that its file states."""
    subject: str = ""
    """The person, where the file names one."""
    acceleration_times: npt.NDArray[np.int64] = _empty(np.int64)
    """The times of the rows of `accelerations`, ns."""
    accelerations: npt.NDArray[np.float32] = _empty(np.float32, 3)
    """(n, 3): m/s² with gravity, Android's sign (+9.81 on z when the phone lies flat)."""
    rotation_rate_times: npt.NDArray[np.int64] = _empty(np.int64)
    """The times of the rows of `rotation_rates`, ns."""
    rotation_rates: npt.NDArray[np.float32] = _empty(np.float32, 3)
    """(n, 3): rad/s."""
    pressure_times: npt.NDArray[np.int64] = _empty(np.int64)
    """The times of `pressures`, ns."""
    pressures: npt.NDArray[np.float32] = _empty(np.float32)
    """The pressures of the air, hPa."""
    fixes: npt.NDArray[Any] = _empty(FIX)
    """A structured array: time (ns), latitude, longitude (degrees), altitude,
    horizontal_accuracy, vertical_accuracy (m), speed, speed_accuracy (m/s), course,
    course_accuracy (degrees); NaN is unknown."""
    labels: list[Label] = field(default_factory=list)
    """What the person did, where the file states it."""
    report: str = ""
    """What was left out on reading, and why, a line each; of all recordings of one input."""

    def __post_init__(self) -> None:
        for rows, times in _SENSORS.items():
            # Seconds in floating point would be taken for nanoseconds.
            setattr(self, times, as_times(getattr(self, times)))
            counts = len(getattr(self, times)), len(getattr(self, rows))
            if counts[0] != counts[1]:
                raise ValueError(
                    f"expected a time for each row, got {counts[0]} of {times} "
                    f"and {counts[1]} of {rows}"
                )

    @property
    def start(self) -> int | None:
        """The earliest time, ns; None without a measurement."""
        return min((int(times.min()) for times in self._all_times() if len(times)), default=None)

    @property
    def end(self) -> int | None:
        """The latest time, ns; None without a measurement."""
        return max((int(times.max()) for times in self._all_times() if len(times)), default=None)

    def _all_times(self) -> list[npt.NDArray[np.int64]]:
        return [*(getattr(self, times) for times in _SENSORS.values()), self.fixes["time"]]

    def hours(self) -> Iterator[Recording]:
        """Iterate over the hours of the clock of a recording whose times ascend."""
        attributes = [*((times, rows) for rows, times in _SENSORS.items()), ("fixes",)]
        for hour in np.unique(np.concatenate(self._all_times()) // _HOUR).tolist():
            found: dict[str, Any] = {}
            for names, times in zip(attributes, self._all_times(), strict=True):
                rows = slice(*np.searchsorted(times, (hour * _HOUR, (hour + 1) * _HOUR)))
                found |= {name: getattr(self, name)[rows] for name in names}
            yield dataclasses.replace(self, **found)

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """Return the arrays by the names that the native library has for them.

        Raises
        ------
        ValueError
            Their lengths or shapes do not belong together.
        """
        found = {}
        for name, (attribute, kind, width) in _COLUMNS.items():
            found[name] = np.ascontiguousarray(getattr(self, attribute), kind)
            count = len(found.get(name.partition(".")[0] + ".times", found[name]))
            expected = (count, width) if width else (count,)
            if found[name].shape != expected:
                raise ValueError(f"{attribute}: expected {expected}, found {found[name].shape}")
        return found

    def write_tidy(self, folder: str | os.PathLike[str]) -> str:
        """Write the recording as tidy CSV, which the command reads, and return its path.

        Parameters
        ----------
        folder : path
            An existing folder. The file is ``NAME.csv.gz`` with the letters and digits of the
            recording's name; the fixes are in ``NAME.gps.csv.gz`` beside it. Times are exact,
            other numbers have nine decimals.

        Returns
        -------
        str
            The path of the file.

        Raises
        ------
        InputOutputError
            A file cannot be written.
        """
        letters = "".join(c if c.isalnum() or c in "-_" else "-" for c in self.name).strip("-")
        path = os.path.join(folder, f"{letters or 'recording'}.csv.gz")
        _native.write(path, self.arrays())
        if self.acceleration_times.size == 0 and self.fixes.size > 0:
            # A file of a header alone has nothing to add to the fixes.
            os.remove(path)
            return os.path.join(folder, f"{letters or 'recording'}.gps.csv.gz")
        return path

    @classmethod
    def of(cls, measurements: Any) -> Recording:
        """Return measurements in arrays or data frames as a recording.

        Parameters
        ----------
        measurements : mapping or table
            What `Pipeline.ingest` takes, by name: ``accelerations``, ``rotation_rates``,
            ``pressures``, ``fixes``. Or one table of a column ``time`` and ``ax, ay, az``, and
            perhaps ``gx, gy, gz`` and ``pressure``; or one of fixes, or of points of geopandas.
            Numbers in a column ``t`` are seconds; the names of tidy CSV are known: ``t, lat, lon,
            alt, hacc, speed, course``.

        Raises
        ------
        TypeError, ValueError, ImportError
            As `Pipeline.append_accelerations`.
        """
        recording = cls()
        for sensor, given in _tables.sensors(measurements).items():
            if sensor == "fixes":
                recording.fixes = np.concatenate(_tables.fixes(given))
                continue
            parts = _tables.measurements(sensor, given if isinstance(given, tuple) else (given,))
            if not parts:
                continue
            columns = zip(*(part.values for part in parts), strict=True)
            axes = [np.concatenate(column) for column in columns]
            times = np.concatenate([part.times for part in parts])
            setattr(recording, _SENSORS[sensor], times)
            setattr(recording, sensor, axes[0] if len(axes) == 1 else np.stack(axes, axis=-1))
        return recording

    def __repr__(self) -> str:
        start, end = self.start, self.end
        seconds = 0 if start is None or end is None else (end - start) / 1e9
        counts = {name: len(getattr(self, name)) for name in (*_SENSORS, "fixes", "labels")}
        parts = [
            f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items() if count > 0
        ]
        return f"<Recording {self.name!r}: {seconds:,.0f} s, {', '.join(parts) or 'empty'}>"


def read(path: str | os.PathLike[str]) -> Recording:
    """Read one recording, in any format that the command reads.

    The format is found by names and content, as by ``locomotion convert``: tidy CSV, exports of
    Sensor Logger and phyphox, GPX, TCX, FIT, KML, GeoJSON and others.

    Parameters
    ----------
    path : path
        A file, a folder or a zip file.

    Returns
    -------
    Recording
        Its measurements. Of a tidy CSV file every row with a time, as the command processes them;
        of other formats what ``locomotion convert`` keeps.

    Raises
    ------
    RejectedInput
        The format is unknown, nothing can be used, or there are several recordings, which
        `read_all` reads.
    InputOutputError
        It cannot be read.
    """
    recordings = read_all(path)
    if len(recordings) != 1:
        names = ", ".join(recording.name for recording in recordings[:5])
        more = ", …" if len(recordings) > 5 else ""
        raise RejectedInput(
            f"{os.fspath(path)}: expected one recording, found {len(recordings)} ({names}{more}): "
            "'read_all' reads them"
        )
    return recordings[0]


def read_all(path: str | os.PathLike[str]) -> list[Recording]:
    """Read all recordings of an input in its order, at least one.

    Formats, parameters and errors are those of `read`, but that there may be several.
    """
    started = time.monotonic()
    recordings: list[Recording] = []
    report = ""
    label = ""
    for name, value in _native.read(path):
        if name in _COLUMNS:
            attribute, kind, width = _COLUMNS[name]
            column = value.view(kind)
            setattr(recordings[-1], attribute, column.reshape(-1, width) if width else column)
        elif name == "label.span":
            start, end = value.view(np.int64).tolist()
            recordings[-1].labels.append(Label(start, end, label))
        elif name == "recording":
            recordings.append(Recording(name=_native.text(value)))
        elif name == "subject":
            recordings[-1].subject = _native.text(value)
        elif name == "label":
            label = _native.text(value)
        elif name == "report":
            report = _native.text(value)
    log_reading(os.fspath(path), report)
    LOG.info("%s: read in %.1f s", os.fspath(path), time.monotonic() - started)
    return [dataclasses.replace(recording, report=report) for recording in recordings]
