"""The analysis of a whole recording, as tables, a timeline, a track, a plot and a report."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import weakref
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar, overload
from typing import cast as _cast

import numpy as np
import numpy.typing as npt

from . import _command, _frames, _html, _timeline
from .errors import InputOutputError

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure, SubFigure

__all__ = ["Day", "FrameName", "TidyRecording", "analyze"]

FrameName: TypeAlias = Literal["fixes", "cadence", "steps", "samples", "timeline", "legs"]
"""The names of the data frames of a `Day`."""

FrameT = TypeVar("FrameT")
FigureT = TypeVar("FigureT", "Figure", "SubFigure")

_FILES = (
    "locate.csv",
    "cadence.csv",
    "classify.csv",
    "timeline.json",
    "track.geojson",
    "report.html",
    "summary.txt",
)
_SPAN = ("start", "end", "duration")
_TOTALS = ("distance", "steps", "climb", "climb_sd", "descent", "descent_sd")
_ITEM_COLUMNS = ("item", "type", *_SPAN, "lat", "lon", "radius", "activity", *_TOTALS)
_LEG_COLUMNS = ("item", "leg", *_SPAN, "activity", *_TOTALS)


class TidyRecording(Protocol):
    """A recording that can be written as a tidy CSV file."""

    def write_tidy(self, folder: str) -> str:
        """Write the recording to `folder` and return the path of the file for `analyze`.

        The file is ``NAME.csv[.gz]`` of ``t,ax,ay,az[,gx,gy,gz]`` (seconds, m/s² with gravity,
        rad/s), with ``NAME.gps.csv[.gz]`` beside it, or the latter alone.
        """


@overload
def analyze(
    recording: str | os.PathLike[str] | TidyRecording,
    *,
    frames: Literal["pandas"] = "pandas",
    progress: bool = False,
    jobs: int | None = None,
) -> Day[pd.DataFrame]: ...


@overload
def analyze(
    recording: str | os.PathLike[str] | TidyRecording,
    *,
    frames: Literal["polars"],
    progress: bool = False,
    jobs: int | None = None,
) -> Day[pl.DataFrame]: ...


def analyze(
    recording: str | os.PathLike[str] | TidyRecording,
    *,
    frames: _frames.FrameKind = "pandas",
    progress: bool = False,
    jobs: int | None = None,
) -> Day[Any]:
    """Analyze a whole recording: locations, cadence, activities, stays and trips.

    It runs ``locomotion analyze`` in a process of its own, whose files the `Day` keeps in a
    temporary folder as long as it exists.

    Parameters
    ----------
    recording : path or TidyRecording
        A tidy CSV recording, or any other that the command reads: accelerations in m/s² with
        gravity, fixes in degrees and metres, times in seconds. Or an object whose method
        ``write_tidy(folder)`` writes one and returns its path.
    frames : {"pandas", "polars"}, optional
        The library of the data frames. It is imported when the first one is read.
    progress : bool, optional
        Whether a progress bar of tqdm is shown.
    jobs : int, optional
        The number of threads, at least 1; one per core by default. The results are the same.

    Returns
    -------
    Day
        The results.

    Raises
    ------
    RejectedInput
        The recording cannot be used, as one without a row.
    InputOutputError
        The recording cannot be read, or the disk is full.
    UsageError
        `jobs` is not a positive number.
    TypeError
        `recording` is neither a path nor has a method ``write_tidy``.
    ValueError
        `frames` is another word.
    """
    _frames.check_kind(frames)
    with tempfile.TemporaryDirectory(prefix="locomotion-recording-") as input_folder:
        folder = tempfile.mkdtemp(prefix="locomotion-day-")
        try:
            with _Progress(progress) as advance:
                path = _path(recording, input_folder)
                advance()
                options = [] if jobs is None else ["--jobs", str(jobs)]
                _command.run(["analyze", path, "--out", folder, *options])
                advance()
            day: Day[Any] = Day(folder, frames=frames)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    day._own_folder()
    return day


class Day(Generic[FrameT]):
    """The results of `analyze`: data frames, a timeline, a track, a plot and a report.

    Data frames are read when they are first asked for, and kept: copy one before you change it.
    Columns and values are those of the command. Times are seconds (float64) on the recording's
    own clock, positions degrees (WGS 84), lengths metres, speeds m/s, courses degrees clockwise
    from north, cadences steps per minute of both feet. What is unknown is missing.

    A `Day` can be pickled: its files travel with it.

    Parameters
    ----------
    folder : path
        A folder that ``locomotion analyze --out`` has written. It is left as it is.
    frames : {"pandas", "polars"}, optional
        The library of the data frames.

    Raises
    ------
    InputOutputError
        A file is missing in the folder.
    ValueError
        `frames` is another word.
    """

    folder: str
    """The folder of the command's files, which is deleted with a `Day` that `analyze` returned."""

    @overload
    def __init__(
        self: Day[pd.DataFrame],
        folder: str | os.PathLike[str],
        *,
        frames: Literal["pandas"] = "pandas",
    ) -> None: ...

    @overload
    def __init__(
        self: Day[pl.DataFrame], folder: str | os.PathLike[str], *, frames: Literal["polars"]
    ) -> None: ...

    @overload
    def __init__(
        self: Day[Any], folder: str | os.PathLike[str], *, frames: _frames.FrameKind
    ) -> None: ...

    def __init__(
        self, folder: str | os.PathLike[str], *, frames: _frames.FrameKind = "pandas"
    ) -> None:
        self._kind = _frames.check_kind(frames)
        self.folder = os.path.abspath(folder)
        self._frames: dict[tuple[str, str, bool], Any] = {}
        for name in _FILES:
            if not os.path.isfile(self._file(name)):
                raise InputOutputError(f"{self._file(name)}: no such file of 'locomotion analyze'")

    # Data frames

    @property
    def fixes(self) -> FrameT:
        """The filtered location at every fix, one row each, in time order.

        Columns ``t, lat, lon, radius68, speed, speed_sd, course, p_stationary, moving, status``:
        what was known at `t`. `radius68` is claimed to hold the true position with probability
        0.68; `moving` is 1, 0 or missing; `status` is used, rejected or relocated.
        """
        return self.frame("fixes")

    @property
    def cadence(self) -> FrameT:
        """The cadence and steps of every second with accelerations.

        Columns ``t_start, t_end, cadence, confidence, steps``: what was known a few seconds later.
        Cadence and confidence are missing where there are no steps; `steps` is what was counted in
        the second, and may be a fraction.
        """
        return self.frame("cadence")

    @property
    def steps(self) -> FrameT:
        """The steps of every minute of the clock with accelerations, summed from `cadence`.

        Columns ``t_start, t_end, steps, seconds``. A minute starts at a multiple of 60 s on the
        recording's clock; `seconds` is how much of it has accelerations. The steps per minute are
        what studies of physical activity use; the total is `step_count`.
        """
        return self.frame("steps")

    @property
    def samples(self) -> FrameT:
        """The activity and cadence of every second with accelerations.

        Columns ``t_start, t_end, activity``, a probability ``p_NAME`` of each activity, then
        ``cadence, confidence, steps``. The activity is what was known when the second ended, and
        may be ``unknown``. The legs of `timeline` follow from all seconds of the recording, so
        that they can differ from it.
        """
        return self.frame("samples")

    @property
    def timeline(self) -> FrameT:
        """The stays, trips and gaps that tile the recording's time, one row each.

        Columns ``item, type, start, end, duration, lat, lon, radius, activity, distance, steps,
        climb, climb_sd, descent, descent_sd``. `item` counts from 0, as in `legs` and `geojson`;
        `type` is stay, trip or gap. Stays have a position and a radius of probability 0.68 (m),
        trips the activity of most of it, a distance (m), steps, and metres up and down with one
        standard deviation each.
        """
        return self.frame("timeline")

    @property
    def legs(self) -> FrameT:
        """The legs of the trips, one row each: the parts of a trip with one activity.

        Columns ``item, leg, start, end, duration, activity, distance, steps, climb, climb_sd,
        descent, descent_sd``. `item` is that of the trip in `timeline`; `leg` counts from 0 in
        each trip.
        """
        return self.frame("legs")

    @overload
    def frame(self, name: FrameName, kind: None = None, *, utc: bool = False) -> FrameT: ...

    @overload
    def frame(
        self, name: FrameName, kind: Literal["pandas"], *, utc: bool = False
    ) -> pd.DataFrame: ...

    @overload
    def frame(
        self, name: FrameName, kind: Literal["polars"], *, utc: bool = False
    ) -> pl.DataFrame: ...

    def frame(
        self, name: FrameName, kind: _frames.FrameKind | None = None, *, utc: bool = False
    ) -> Any:
        """Return one of the data frames, in either library.

        Parameters
        ----------
        name : {"fixes", "cadence", "steps", "samples", "timeline", "legs"}
            Which; the properties of the same names say what they hold.
        kind : {"pandas", "polars"}, optional
            The library; by default that of the day.
        utc : bool, optional
            Whether every column of times is followed by a column ``NAME_utc`` of datetimes in
            UTC, to the microsecond.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            The same object in every call with the same arguments.

        Raises
        ------
        ValueError
            There is no such data frame or library; or `utc` is asked for, but the recording's
            clock is not the Unix clock.
        """
        if name not in _READERS:
            raise ValueError(f"expected one of {', '.join(_READERS)}, found {name!r}")
        chosen = self._kind if kind is None else _frames.check_kind(kind)
        if utc and not self.is_unix_time:
            raise ValueError("the times of this recording are not those of the Unix clock")
        key = (name, chosen, utc)
        if key not in self._frames:
            if utc:
                self._frames[key] = _frames.with_utc(self.frame(name, chosen), chosen)
            else:
                self._frames[key] = _READERS[name](self, chosen)
        return self._frames[key]

    # Time and totals

    @property
    def start(self) -> float | None:
        """The start of the timeline, seconds on the recording's clock; None when it is empty."""
        return min((float(item["start"]) for item in self._items), default=None)

    @property
    def end(self) -> float | None:
        """The end of the timeline, seconds on the recording's clock; None when it is empty."""
        return max((float(item["end"]) for item in self._items), default=None)

    @property
    def is_unix_time(self) -> bool:
        """Whether the times are seconds since 1970 in UTC: the start is between 2000 and 2100."""
        return self.start is not None and _timeline.is_unix_time(self.start)

    @property
    def step_count(self) -> float:
        """The number of steps of the whole recording, to a thousandth; 0 without accelerations."""
        return round(float(self._columns("cadence.csv", "steps")["steps"].sum()), 3)

    # Documents

    @cached_property
    def summary(self) -> str:
        """The command's summary as text of at most 80 columns."""
        return self._text("summary.txt")

    @cached_property
    def timeline_json(self) -> dict[str, Any]:
        """The command's timeline: ``{"items": [...]}``, as it stands in `timeline.json`."""
        return _cast(dict[str, Any], json.loads(self._text("timeline.json")))

    @cached_property
    def geojson(self) -> dict[str, Any]:
        """The track as a GeoJSON FeatureCollection: stays are points, legs are lines.

        Coordinates are longitude and latitude, degrees. `item` in a feature's properties is the
        row of `timeline`.
        """
        return _cast(dict[str, Any], json.loads(self._text("track.geojson")))

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the command's report, one page that refers to nothing outside of it.

        Parameters
        ----------
        path : path, optional
            A file to which it is also written; an existing one is replaced.

        Returns
        -------
        str
            The page.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        if path is not None:
            shutil.copyfile(self._file("report.html"), path)
        return self._text("report.html")

    @overload
    def plot(self, figure: None = None, *, time_zone: str | None = None) -> Figure: ...

    @overload
    def plot(self, figure: FigureT, *, time_zone: str | None = None) -> FigureT: ...

    def plot(
        self, figure: Figure | SubFigure | None = None, *, time_zone: str | None = None
    ) -> Figure | SubFigure:
        """Plot the activities along time, a map of the track, the speed and the cadence.

        Parameters
        ----------
        figure : matplotlib.figure.Figure or SubFigure, optional
            Where; it is expected to be empty. By default a new figure that is unknown to pyplot:
            it need not be closed, and a notebook shows it once.
        time_zone : str, optional
            The zone of the times of day, as ``"Europe/Berlin"``; UTC by default. A recording
            whose clock is not the Unix clock shows the time since its start.

        Returns
        -------
        matplotlib.figure.Figure or SubFigure
            The figure.

        Raises
        ------
        ImportError
            matplotlib is not installed.
        zoneinfo.ZoneInfoNotFoundError
            There is no such time zone.
        """
        from .plotting import plot_day

        return plot_day(self, figure, time_zone=time_zone)

    def __repr__(self) -> str:
        lines = self.summary.splitlines()
        kinds = [item["type"] for item in self._items]
        counts = ", ".join(
            f"{kinds.count(kind)} {kind}{'' if kinds.count(kind) == 1 else 's'}"
            for kind in ("stay", "trip", "gap")
        )
        return f"<Day {lines[0] if lines else ''!r}: {counts}>"

    def _repr_html_(self) -> str:
        """Return the day as a fragment of HTML, which a notebook shows."""
        head = self.summary.split("\n\n")[0].splitlines() or [""]
        # An empty day has no blank line: its figures on the data follow at once.
        facts = head[1:] if self._items else head[1:2]
        return _html.day_html(head[0], facts, self._items)

    # Files

    @property
    def _items(self) -> list[dict[str, Any]]:
        return _cast(list[dict[str, Any]], self.timeline_json["items"])

    def _file(self, name: str) -> str:
        return os.path.join(self.folder, name)

    def _text(self, name: str) -> str:
        with open(self._file(name), encoding="utf-8", newline="") as file:
            return file.read()

    def _columns(self, file: str, *names: str) -> dict[str, npt.NDArray[np.float64]]:
        return _frames.read_columns(self._file(file), names)

    def _own_folder(self) -> None:
        """Delete the folder together with this object."""
        weakref.finalize(self, _delete, self.folder, os.getpid())

    def __getstate__(self) -> dict[str, Any]:
        files = {}
        for name in _FILES:
            with open(self._file(name), "rb") as file:
                files[name] = file.read()
        return {"kind": self._kind, "files": files}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._kind = state["kind"]
        self._frames = {}
        self.folder = tempfile.mkdtemp(prefix="locomotion-day-")
        self._own_folder()
        for name, content in state["files"].items():
            with open(self._file(name), "wb") as file:
                file.write(content)


def _csv(name: str) -> Callable[[Day[Any], _frames.FrameKind], Any]:
    return lambda day, kind: _frames.read_frame(day._file(name), kind)


def _samples(day: Day[Any], kind: _frames.FrameKind) -> Any:
    activities = _frames.read_frame(day._file("classify.csv"), kind)
    return _frames.join_by_second(activities, day.frame("cadence", kind), kind)


def _steps(day: Day[Any], kind: _frames.FrameKind) -> Any:
    seconds = day._columns("cadence.csv", "t_start", "t_end", "steps")
    minutes, rows = np.unique(np.floor(seconds["t_start"] / 60), return_inverse=True)
    count = len(minutes)
    lengths = seconds["t_end"] - seconds["t_start"]
    return _frames.build_frame(
        {
            "t_start": minutes * 60,
            "t_end": minutes * 60 + 60,
            # The command prints thousandths.
            "steps": np.round(np.bincount(rows, seconds["steps"], count), 3),
            "seconds": np.round(np.bincount(rows, lengths, count), 3),
        },
        kind,
    )


def _timeline_frame(day: Day[Any], kind: _frames.FrameKind) -> Any:
    rows = [{"item": number, **item} for number, item in enumerate(day._items)]
    return _frame_of_rows(rows, _ITEM_COLUMNS, kind)


def _legs(day: Day[Any], kind: _frames.FrameKind) -> Any:
    rows = [
        {"item": number, "leg": place, **leg}
        for number, item in enumerate(day._items)
        for place, leg in enumerate(item.get("legs", []))
    ]
    return _frame_of_rows(rows, _LEG_COLUMNS, kind)


def _frame_of_rows(
    rows: list[dict[str, Any]], columns: tuple[str, ...], kind: _frames.FrameKind
) -> Any:
    """Return rows of JSON as a data frame: `columns`, then what else they hold."""
    found = dict.fromkeys(name for row in rows for name in row if name != "legs")
    names = [*columns, *(name for name in found if name not in columns)]
    return _frames.build_frame(
        {
            name: [
                round(row["end"] - row["start"], 3) if name == "duration" else row.get(name)
                for row in rows
            ]
            for name in names
        },
        kind,
    )


_READERS: dict[str, Callable[[Day[Any], _frames.FrameKind], Any]] = {
    "fixes": _csv("locate.csv"),
    "cadence": _csv("cadence.csv"),
    "steps": _steps,
    "samples": _samples,
    "timeline": _timeline_frame,
    "legs": _legs,
}


def _path(recording: object, folder: str) -> str:
    """Return the path of a recording, which is written to `folder` if it is no path."""
    write_tidy = getattr(recording, "write_tidy", None)
    if callable(write_tidy):
        recording = write_tidy(folder)
    if not isinstance(recording, (str, os.PathLike)):
        raise TypeError(
            "expected a path or an object with a method write_tidy(folder), "
            f"found {type(recording).__name__}"
        )
    path = os.fspath(recording)
    if not isinstance(path, str):
        raise TypeError("expected a path of text, found one of bytes")
    # The command would take it for an option.
    return os.path.join(os.curdir, path) if path.startswith("-") else path


def _delete(folder: str, process: int) -> None:
    # A forked process must not delete what its parent still uses.
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


class _Progress:
    """A progress bar over the two stages of an analysis, or nothing."""

    def __init__(self, is_shown: bool) -> None:
        self._bar: Any = None
        if is_shown:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=2, desc="locomotion analyze", unit="stage")

    def __enter__(self) -> Callable[[], None]:
        return self._advance

    def _advance(self) -> None:
        if self._bar is not None:
            self._bar.update()

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
