"""The analysis of a recording, and what it found: tables, a timeline, a track and a report."""

from __future__ import annotations

import json
import os
import time
from contextlib import nullcontext
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, TypeVar, get_args, overload

import numpy as np

from . import _layout, _native
from . import frames as _frames
from ._log import LOG, log_reading
from ._progress import ByteProgress
from .errors import InputOutputError, RejectedInput, UsageError
from .recording import Recording

if TYPE_CHECKING:
    import geopandas as gpd
    import pandas as pd
    import polars as pl
    from matplotlib.figure import Figure, SubFigure
    from typing_extensions import Unpack

__all__ = ["Day", "FrameName", "analyze"]

_MOST_JOBS = 256

FrameName = Literal["fixes", "cadence", "steps", "samples", "timeline", "legs"]
"""The names of the data frames of a `Day`."""

FrameT = TypeVar("FrameT")
FigureT = TypeVar("FigureT", "Figure", "SubFigure")


class Day(Generic[FrameT]):
    """The results of `analyze`: data frames, a timeline, a track, a plot and a report.

    Data frames and documents are made when they are first asked for, and kept: copy a data frame
    before you change it. Until then the library holds the analysis, some 100 MB a week of seconds.
    Columns and values are those of the command. Times are seconds (float64) on the recording's
    own clock, positions degrees (WGS 84), lengths metres, speeds m/s, courses degrees clockwise
    from north, cadences steps per minute of both feet. What is unknown is missing.

    A `Day` can be pickled.
    """

    def __init__(
        self,
        results: _native.Analysis | dict[str, _native.Bytes],
        *,
        frames: _frames.FrameKind,
        time_zone: str | None = None,
    ) -> None:
        self.time_zone = time_zone
        self._kind: _frames.FrameKind = frames
        self._results = results
        self._frames: dict[tuple[str, str, bool], Any] = {}

    # Data frames

    @property
    def fixes(self) -> FrameT:
        """The filtered location at every fix, one row each, in time order.

        Columns ``t, lat, lon, radius68, speed, speed_sd, course, p_stationary, moving, status, alt,
        alt_sd``: what was known at `t`. `radius68` is claimed to hold the true position with
        probability 0.68; `moving` is 1, 0 or missing; `status` is used, rejected or relocated; `alt`
        is the altitude with one standard deviation (m).
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
        """The activity and cadence of every second with accelerations, or with fixes alone.

        Columns ``t_start, t_end, activity``, a probability ``p_NAME`` of each activity, then
        ``cadence, confidence, steps``, which are missing without accelerations. The activity is
        what was known when the second ended, and may be ``unknown``. The legs of `timeline`
        follow from all seconds of the recording, so that they can differ from it. A model with
        custom activities adds ``custom``, which is missing where it is none, and the probability
        ``p_NAME`` of each.
        """
        return self.frame("samples")

    @property
    def timeline(self) -> FrameT:
        """The stays, trips and gaps that tile the recording's time, one row each.

        Columns ``item, type, start, end, duration, lat, lon, radius, start_sd, end_sd, observed,
        activity, distance, moving, steps, climb, climb_sd, descent, descent_sd, highest,
        highest_sd, lowest, lowest_sd, distance_sd``. `item` counts from 0, as in `legs` and
        `geojson`; `type` is stay, trip or gap. Stays have a position and a radius of probability
        0.68 (m), one standard deviation of their ends (s), and how many seconds of them fixes or
        accelerations observed; trips the activity of most of it, a distance (m) and its standard
        deviation, the seconds in motion, and steps; both have metres up and down and the highest
        and lowest altitude, with one standard deviation each.
        """
        return self.frame("timeline")

    @property
    def legs(self) -> FrameT:
        """The legs of the trips, one row each: the parts of a trip with one activity.

        Columns ``item, leg, start, end, duration, activity, probability, distance, moving, steps,
        climb, climb_sd, descent, descent_sd, highest, highest_sd, lowest, lowest_sd``. `item` is
        that of the trip in `timeline`; `leg` counts from 0 in each trip; `probability` is how
        likely the activity is right. Custom activities of a model are in ``custom_activity``.
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
        if name not in get_args(FrameName):
            raise ValueError(f"expected one of {', '.join(get_args(FrameName))}, found {name!r}")
        chosen = self._kind if kind is None else kind
        _frames.check_kind(chosen)
        if utc and not self.is_unix_time:
            raise ValueError("the times of this recording are not those of the Unix clock")
        key = (name, chosen, utc)
        if key not in self._frames:
            self._frames[key] = _frames.build_frame(self.table(name, utc=utc), chosen)
        return self._frames[key]

    def table(self, name: FrameName, *, utc: bool = False) -> _frames.Columns:
        """Return the columns of a data frame, in which NaN, None and what is masked is missing."""
        if utc:
            return _frames.with_utc(self.table(name))
        custom = _native.custom_classes(self._results["custom"])
        if name == "timeline":
            return _frames.timeline(self.timeline_json["items"])
        if name == "legs":
            return _frames.legs(self.timeline_json["items"], len(custom) > 0)
        if name == "fixes":
            return _frames.fixes(self._results["fixes"].view(_layout.FIX_REPORT))
        rows = self._results["samples"].view(_layout.SAMPLE)
        is_known = rows["has_accelerations"] == 1
        if name == "samples":
            # Without accelerations fixes tell the activity, but no steps.
            is_known |= ~np.isnan(rows["probabilities"][:, 0])
            return _frames.samples(rows[is_known], custom)
        return (_frames.steps if name == "steps" else _frames.cadence)(rows[is_known])

    # Time and totals

    @property
    def start(self) -> float | None:
        """The start of the timeline, seconds on the recording's clock; None when it is empty."""
        return min((float(item["start"]) for item in self.timeline_json["items"]), default=None)

    @property
    def end(self) -> float | None:
        """The end of the timeline, seconds on the recording's clock; None when it is empty."""
        return max((float(item["end"]) for item in self.timeline_json["items"]), default=None)

    @property
    def is_unix_time(self) -> bool:
        """Whether the times are seconds since 1970 in UTC: the start is between 2000 and 2100."""
        # The years that the report takes for those of the Unix clock.
        return self.start is not None and 946_684_800 < self.start < 4_102_444_800

    @property
    def step_count(self) -> float:
        """The number of steps of the whole recording, to a thousandth; 0 without accelerations."""
        return round(float(np.sum(self.table("cadence")["steps"])), 3)

    # Documents

    @cached_property
    def summary(self) -> str:
        """The command's summary as text of at most 80 columns."""
        return self._document("summary")

    @cached_property
    def timeline_json(self) -> dict[str, Any]:
        """The command's timeline: ``{"items": [...]}``, as ``locomotion timeline`` prints it."""
        return self._json("timeline")

    @cached_property
    def geojson(self) -> dict[str, Any]:
        """The track as a GeoJSON FeatureCollection: stays are points, legs are lines.

        Coordinates are longitude and latitude, degrees. `item` in a feature's properties is the
        row of `timeline`; `to_geopandas` makes a data frame of the legs.
        """
        return self._json("track")

    def to_geopandas(self, name: Literal["fixes", "legs"] = "fixes") -> gpd.GeoDataFrame:
        """Return the filtered locations as points, or the legs of the trips as lines.

        Parameters
        ----------
        name : {"fixes", "legs"}, optional
            Points are indexed by their times in `time_zone` or else UTC, as movingpandas takes
            them; of a recording whose clock is not the Unix clock by seconds.

        Returns
        -------
        geopandas.GeoDataFrame
            With the columns of the frame of that name, of which the points have no ``t``, ``lat``
            and ``lon``; in longitude and latitude (OGC:CRS84).
        """
        import geopandas

        crs = "OGC:CRS84"
        if name == "legs":
            found = geopandas.GeoDataFrame.from_features(self.geojson, crs=crs)
            lines = found.geometry[found["type"] == "trip"]
            return geopandas.GeoDataFrame(self.frame("legs", "pandas"), geometry=lines.array)
        fixes = self.frame("fixes", "pandas", utc=self.is_unix_time)
        times = fixes["t"]
        if self.is_unix_time:
            times = fixes["t_utc"].dt.tz_convert(self.time_zone or "UTC").rename("t")
        points = geopandas.points_from_xy(fixes["lon"], fixes["lat"])
        columns = fixes.drop(columns=["t", "lat", "lon", "t_utc"], errors="ignore")
        return geopandas.GeoDataFrame(columns, geometry=points, crs=crs).set_index(times)

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
        return self._document("report", path)

    def to_gpx(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the legs of the trips as GPX 1.1, one ``trk`` each, a point a second.

        Parameters and errors are those of `to_html`.
        """
        return self._document("gpx", path)

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
            The zone of the times of day, as ``"Europe/Berlin"``; by default `time_zone` of the day,
            or UTC. A recording whose clock is not the Unix clock shows the time since its start.

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

        return plot_day(self, figure, time_zone=time_zone or self.time_zone)

    def __repr__(self) -> str:
        title = self.summary.partition("\n")[0]
        kinds = [item["type"] for item in self.timeline_json["items"]]
        counts = ", ".join(
            f"{kinds.count(kind)} {kind}{'' if kinds.count(kind) == 1 else 's'}"
            for kind in ("stay", "trip", "gap")
        )
        return f"<Day {title!r}: {counts}>"

    def _repr_html_(self) -> str:
        """Return the report in a frame, which a notebook shows."""
        page = escape(self.to_html())
        return f'<iframe srcdoc="{page}" style="width:100%;height:40em;border:0"></iframe>'

    # Results of the library

    def _document(self, name: str, path: str | os.PathLike[str] | None = None) -> str:
        content = self._results[name].tobytes()
        if path is not None:
            Path(path).write_bytes(content)
        return content.decode()

    def _json(self, name: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._document(name))
        return found

    def __getstate__(self) -> dict[str, Any]:
        kept = ("_kind", "_results", "time_zone")
        return {name: self.__dict__[name] for name in kept} | {"_frames": {}}


class _Options(TypedDict, total=False):
    """The options of `analyze` but `frames`."""

    progress: bool
    jobs: int | None
    model: str | os.PathLike[str] | None
    time_zone: str | None
    units: Literal["metric", "imperial"]
    clock: Literal[12, 24]
    towns: str | os.PathLike[str] | None
    map: str | os.PathLike[str] | None


@overload
def analyze(
    recording: Any, *, frames: Literal["pandas"] = "pandas", **options: Unpack[_Options]
) -> Day[pd.DataFrame]: ...


@overload
def analyze(
    recording: Any, *, frames: Literal["polars"], **options: Unpack[_Options]
) -> Day[pl.DataFrame]: ...


def analyze(
    recording: Any,
    *,
    frames: _frames.FrameKind = "pandas",
    progress: bool = False,
    jobs: int | None = None,
    model: str | os.PathLike[str] | None = None,
    time_zone: str | None = None,
    units: Literal["metric", "imperial"] = "metric",
    clock: Literal[12, 24] = 24,
    towns: str | os.PathLike[str] | None = None,
    map: str | os.PathLike[str] | None = None,  # noqa: A002  # the name of the command's option
) -> Day[Any]:
    """Analyze a whole recording: locations, cadence, activities, stays and trips.

    The results are those of ``locomotion analyze``.

    Parameters
    ----------
    recording : path, Recording, mapping or table
        A file, folder or zip file in any format that the command reads; a `Recording`; or arrays
        and data frames, as `Recording.of` takes them: by the names of the sensors, or a table with
        a column ``time``.
    frames : {"pandas", "polars"}, optional
        The library of the data frames. It is imported when the first one is read.
    progress : bool, optional
        Whether a progress bar of tqdm is shown, by the bytes read of a file or folder. What is not
        tidy CSV is read before it is analyzed, so that it stands at its end for a while. Arrays
        have none.
    jobs : int, optional
        The number of threads for a file, from 1 to 256; one per core by default. The results are
        the same.
    model : path, optional
        A file of an activity model, as ``locomotion train``, ``locomotion journal learn`` and
        `locomotion.sklearn.ActivityClassifier.save` write it; the built-in one by default.
    time_zone : str, optional
        The zone of the times of day in report, summary, plot and `Day.to_geopandas`, as
        ``"Europe/Berlin"``; by default that of the command, and UTC in plots and frames.
    units : {"metric", "imperial"}, optional
        Those of the report and the summary.
    clock : {24, 12}, optional
        The hours of times of day in the report and the summary.
    towns : path, optional
        A list of towns, by which report and summary say where a place is: see
        ``locomotion help analyze``.
    map : path, optional
        A map of roads and rails, as ``locomotion map`` makes it, with which trips are compared.

    Returns
    -------
    Day
        The results. Type checkers know whose data frames it has, those of pandas with
        ``pandas-stubs``.

    Raises
    ------
    RejectedInput
        The recording cannot be used, as one without a row; or the model isn't one.
    InputOutputError
        The recording, or the model, cannot be read.
    UsageError
        `jobs` is no such number, or `time_zone`, `units` or `clock` no such word.
    TypeError
        `recording` is something else.
    ValueError
        `frames` is another word; or columns are missing, or do not belong together.
    """
    _frames.check_kind(frames)
    if jobs is not None and not 1 <= jobs <= _MOST_JOBS:
        raise UsageError(f"jobs: expected a number from 1 to {_MOST_JOBS}, found {jobs}")
    parameters = b"" if model is None else _read(model)
    words = {
        "--time-zone": time_zone, "--units": units, "--clock": clock, "--towns": towns,
        "--map": map,
    }  # fmt: skip
    options = [f"{name}={word}" for name, word in words.items() if word is not None]
    started = time.monotonic()
    if isinstance(recording, (str, os.PathLike)):
        name = os.fspath(recording)
        if not isinstance(name, str):
            raise TypeError("expected a path of text, found one of bytes")
        with ByteProgress(name) if progress else nullcontext():
            results = _native.Analysis(name, parameters, jobs=jobs or 0, options=options)
    else:
        try:
            given = recording if isinstance(recording, Recording) else Recording.of(recording)
        except TypeError as error:
            others = "a path, a Recording, a mapping of sensors or a table"
            raise TypeError(f"expected {others}: {error}") from error
        if given.start is None:
            raise RejectedInput(f"{given.name}: nothing usable: it has no measurement")
        name = given.name
        arrays = given.arrays()
        results = _native.Analysis(name, parameters, arrays=arrays, options=options)
    log_reading(name, _native.text(results["reading"]))
    LOG.info("%s: analyzed in %.1f s", name, time.monotonic() - started)
    return Day(results, frames=frames, time_zone=time_zone)


def _read(model: str | os.PathLike[str]) -> bytes:
    try:
        content = Path(model).read_bytes()
    except OSError as error:
        raise InputOutputError(f"{os.fspath(model)}: {error.strerror}") from error
    if not content:
        raise RejectedInput(f"{os.fspath(model)}: not a model file: it is empty")
    return content
