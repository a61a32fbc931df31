"""Days: their data frames and documents against the files of the command."""

from __future__ import annotations

import csv
import io
import json
import logging
import math
import pickle
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from conftest import PHASES, Command, panel_labels, run

import locomotion
from locomotion import Day, RejectedInput, UsageError, _progress
from locomotion.day import FrameName

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

NAMES: tuple[FrameName, ...] = ("fixes", "cadence", "steps", "samples", "timeline", "legs")
KINDS: tuple[Literal["pandas"], Literal["polars"]] = ("pandas", "polars")
TEXT = {"activity", "custom", "status", "type"}


def values(frame: Any) -> dict[str, list[Any]]:
    """Return the columns of a data frame of either library; None where a value is missing."""
    if isinstance(frame, pl.DataFrame):
        return dict(frame.to_dict(as_series=False))
    return {
        name: [None if pd.isna(value) else value for value in frame[name].tolist()]
        for name in frame.columns
    }


def expected(rows: list[dict[str, str]]) -> dict[str, list[Any]]:
    """Return the columns of rows of text: numbers, but for columns of text; empty is None."""
    return {
        name: [
            None if row[name] == "" else row[name] if name in TEXT else float(row[name])
            for row in rows
        ]
        for name in rows[0]
    }


def empty_days(write: Callable[[str, str], str]) -> dict[str, Day[Any]]:
    """Return days without fixes, without accelerations, without either, and without a stay."""
    force = "".join(f"{i / 50},0,0,9.81\n" for i in range(3000))
    fixes = "".join(f"{i},{50 + i * 1e-5},8,100,5,1.1,0\n" for i in range(300))
    header = "t,lat,lon,alt,hacc,speed,course\n"
    recordings = {
        "no fixes": write("force.csv", "t,ax,ay,az\n" + force),
        "no accelerations": write("track.gps.csv", header + fixes),
        "one fix": write("point.gps.csv", header + "0,50,8,100,5,,\n"),
        "nothing": write("one.csv", "t,ax,ay,az\n0,0,0,9.81\n"),
    }
    return {name: locomotion.analyze(path) for name, path in recordings.items()}


# Data frames


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "file"), [("fixes", "locate.csv"), ("cadence", "cadence.csv")])
def test_table_has_the_columns_and_values_of_the_command(
    command: Command, day: Day[Any], kind: Any, name: Any, file: str
) -> None:
    rows = command.rows(file)
    assert len(rows) > 400
    found = values(day.frame(name, kind))
    assert list(found) == list(rows[0])
    assert found == expected(rows)


@pytest.mark.parametrize("kind", KINDS)
def test_samples_are_activities_with_the_cadence_of_their_second(
    command: Command, day: Day[Any], kind: Any
) -> None:
    cadences = {(row["t_start"], row["t_end"]): row for row in command.rows("cadence.csv")}
    rows = [
        {**row, **cadences[row["t_start"], row["t_end"]]} for row in command.rows("classify.csv")
    ]
    found = values(day.frame("samples", kind))
    assert list(found) == list(rows[0])
    assert found == expected(rows)
    assert {"stationary", "walking", "automotive"} <= set(found["activity"])


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_sums_of_minutes_of_the_clock(
    unix_command: Command, command: Command, kind: Any
) -> None:
    for source in (command, unix_command):
        sums: dict[int, list[float]] = {}
        for row in source.rows("cadence.csv"):
            minute = math.floor(float(row["t_start"]) / 60)
            sums.setdefault(minute, []).append(float(row["steps"]))
        found = values(locomotion.analyze(source.recording).frame("steps", kind))
        assert found == {
            "t_start": [minute * 60.0 for minute in sums],
            "t_end": [minute * 60.0 + 60 for minute in sums],
            "steps": [round(math.fsum(steps), 3) for steps in sums.values()],
            "seconds": [float(len(steps)) for steps in sums.values()],
        }
        assert len(sums) == sum(length for _, length, _ in PHASES) / 60


def test_step_count_is_the_sum_of_the_column(command: Command, day: Day[Any]) -> None:
    total = math.fsum(float(row["steps"]) for row in command.rows("cadence.csv"))
    assert day.step_count == round(total, 3)
    assert total > 200


@pytest.mark.parametrize("kind", KINDS)
def test_timeline_has_a_row_per_item(command: Command, day: Day[Any], kind: Any) -> None:
    items = command.items()
    found = values(day.frame("timeline", kind))
    assert {item["type"] for item in items} == {"stay", "trip"}
    assert found.pop("item") == list(range(len(items)))
    assert found.pop("duration") == [item["end"] - item["start"] for item in items]
    keys = {key for item in items for key in item} - {"legs"}
    assert set(found) == keys
    assert found == {key: [item.get(key) for item in items] for key in found}


@pytest.mark.parametrize("kind", KINDS)
def test_legs_name_their_trip(command: Command, day: Day[Any], kind: Any) -> None:
    numbered = [
        {"item": number, "leg": place, "duration": leg["end"] - leg["start"], **leg}
        for number, item in enumerate(command.items())
        for place, leg in enumerate(item.get("legs", []))
    ]
    assert len(numbered) >= 2
    found = values(day.frame("legs", kind))
    assert set(found) == set(numbered[0])
    assert found == {key: [leg[key] for leg in numbered] for key in found}


@pytest.mark.parametrize("name", NAMES)
def test_both_libraries_have_the_same_columns_and_types(day: Day[Any], name: FrameName) -> None:
    pandas, polars = day.frame(name, "pandas"), day.frame(name, "polars")
    assert list(pandas.columns) == polars.columns
    types = {"float64": "Float64", "Int8": "Int8", "int64": "Int64", "str": "String"}
    types["object"] = "String"  # before pandas 3
    assert [types[str(kind)] for kind in pandas.dtypes] == [str(kind) for kind in polars.dtypes]
    for column in pandas.columns:
        if column in ("t", "t_start", "t_end", "start", "end"):
            assert str(pandas[column].dtype) == "float64"


@pytest.mark.parametrize("name", NAMES)
def test_property_is_the_cached_frame_of_the_days_library(
    command: Command, day: Day[Any], name: Any
) -> None:
    pandas, polars = day, locomotion.analyze(command.recording, frames="polars")
    assert isinstance(getattr(pandas, name), pd.DataFrame)
    assert isinstance(getattr(polars, name), pl.DataFrame)
    assert getattr(pandas, name) is pandas.frame(name)
    assert pandas.frame(name, "polars") is pandas.frame(name, "polars")
    assert isinstance(pandas.frame(name, "polars"), pl.DataFrame)


def test_repeated_seconds_of_a_clock_set_back_keep_their_own_steps(
    write: Callable[[str, str], str], tmp_path: Path
) -> None:
    rows = ["t,ax,ay,az\n"]
    for amplitude in (0, 3):
        for i in range(3000):
            force = 9.81 + amplitude * math.sin(2 * math.pi * 1.8 * i / 50)
            rows.append(f"{i / 50},{0.05 * math.sin(i):.3f},0,{force:.3f}\n")
    command = Command(Path(write("back.csv", "".join(rows))), tmp_path / "out")
    table = command.rows("cadence.csv")
    first = {row["t_start"]: row["steps"] for row in reversed(table)}
    assert len(first) < len(table)
    assert any(row["steps"] != first[row["t_start"]] for row in table)
    for kind in KINDS:
        day = locomotion.analyze(command.recording, frames=kind)
        assert values(day.samples)["t_start"] == [float(row["t_start"]) for row in table]
        assert values(day.samples)["steps"] == [float(row["steps"]) for row in table]


def test_unknown_names_are_refused(day: Day[Any], command: Command) -> None:
    with pytest.raises(ValueError, match=r"expected one of fixes, cadence, .* found 'speeds'"):
        day.frame("speeds")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="found 'arrow'"):
        day.frame("fixes", "arrow")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="found 'dask'"):
        locomotion.analyze(command.recording, frames="dask")  # type: ignore[call-overload]


# Time


@pytest.mark.parametrize("kind", KINDS)
def test_utc_columns_follow_the_columns_of_times(unix_command: Command, kind: Any) -> None:
    day = locomotion.analyze(unix_command.recording)
    assert day.is_unix_time
    for name, first in [("fixes", "t"), ("samples", "t_start"), ("timeline", "start")]:
        plain, frame = day.frame(name, kind), day.frame(name, kind, utc=True)  # type: ignore
        columns = list(frame.columns)
        assert columns[columns.index(first) + 1] == f"{first}_utc"
        assert [column for column in columns if not column.endswith("_utc")] == list(plain.columns)
        assert str(frame[f"{first}_utc"][0]) == "2026-07-10 06:40:00+00:00"
        assert [instant.timestamp() for instant in frame[f"{first}_utc"]] == list(plain[first])
        assert f"{first}_utc" not in plain.columns


def test_utc_is_refused_without_the_unix_clock(day: Day[Any]) -> None:
    assert not day.is_unix_time
    with pytest.raises(ValueError, match="not those of the Unix clock"):
        day.frame("fixes", utc=True)


def test_start_and_end_are_those_of_the_items(command: Command, unix_command: Command) -> None:
    for source in (command, unix_command):
        items = source.items()
        found = locomotion.analyze(source.recording)
        assert (found.start, found.end) == (items[0]["start"], items[-1]["end"])
    assert items[-1]["end"] - items[0]["start"] == 420


# Documents


def test_documents_are_those_of_the_command(
    command: Command, day: Day[Any], tmp_path: Path
) -> None:
    assert day.summary == command.text("summary.txt")
    assert day.geojson == json.loads(command.text("track.geojson"))
    assert day.timeline_json == json.loads(command.text("timeline.json"))
    assert day.to_html() == command.text("report.html")
    assert day.to_html(tmp_path / "report.html") == command.text("report.html")
    assert (tmp_path / "report.html").read_bytes() == (command.folder / "report.html").read_bytes()
    with pytest.raises(OSError, match="nowhere"):
        day.to_html(tmp_path / "nowhere" / "report.html")


def test_a_journal_has_the_day_of_the_recording(unix_command: Command, tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "journal"), "--user", "ada"]
    run("journal", "import", *store, str(unix_command.recording))
    told = run("journal", "day", *store, "--json", "--time-zone", "UTC")
    assert json.loads(told) == locomotion.analyze(unix_command.recording).timeline_json


def test_documents_are_made_when_they_are_asked_for(command: Command) -> None:
    day = locomotion.analyze(command.recording)
    made = day._results._made  # type: ignore[attr-defined]
    assert len(day.timeline) == len(command.items())
    assert set(made) == {"reading", "custom", "timeline"}
    assert day.summary == command.text("summary.txt")
    assert "report" not in made


def test_track_is_a_geo_data_frame(command: Command) -> None:
    geopandas = pytest.importorskip("geopandas")
    day = locomotion.analyze(command.recording)
    frame = geopandas.GeoDataFrame.from_features(day.geojson, crs="OGC:CRS84")
    assert len(frame) == len(day.geojson["features"]) >= 3
    assert frame.crs.equals("OGC:CRS84")
    assert {"item", "type", "activity"} <= set(frame.columns)
    # As far as the drive goes, along a parallel.
    drive = frame[frame.activity == "automotive"].to_crs(frame.estimate_utm_crs())
    assert drive.length.sum() == pytest.approx(14 * 150, rel=0.1)


def test_jobs_do_not_change_the_results(command: Command, day: Day[Any]) -> None:
    found = locomotion.analyze(command.recording, jobs=2)
    assert values(found.samples) == values(day.samples)
    for jobs in (-1, 0, 257):
        with pytest.raises(UsageError, match=f"from 1 to 256, found {jobs}"):
            locomotion.analyze(command.recording, jobs=jobs)


# What is analyzed, and where it is kept


def test_arrays_and_tables_are_analyzed_as_their_file(command: Command, day: Day[Any]) -> None:
    recording = locomotion.read(command.recording)
    times, xyz = recording.acceleration_times, recording.accelerations
    names = ("ax", "ay", "az")
    table = {"time": times, **{name: xyz[:, axis] for axis, name in enumerate(names)}}
    fixes = pd.DataFrame({name: recording.fixes[name] for name in recording.fixes.dtype.names})
    for given in (
        recording,
        {"accelerations": (times, xyz), "fixes": recording.fixes},
        {"accelerations": pl.DataFrame(table), "fixes": fixes},
    ):
        found = locomotion.analyze(given)
        for name in NAMES:
            assert values(found.frame(name)) == values(day.frame(name)), name
    alone = locomotion.analyze(pd.DataFrame(table))
    assert values(alone.cadence)["t_start"] == values(day.cadence)["t_start"]
    assert len(alone.fixes) == 0
    assert values(locomotion.analyze(fixes).fixes)["t"] == values(day.fixes)["t"]


def test_a_table_may_have_several_sensors() -> None:
    times = np.arange(6000) * 10_000_000
    columns = {name: np.zeros(6000, np.float32) for name in ("ax", "ay", "gx", "gy", "gz")}
    table = {"time": times, "az": np.full(6000, 9.81), **columns}
    given = locomotion.Recording.of({**table, "pressure": np.full(6000, 950.0)})
    assert given.rotation_rates.shape == given.accelerations.shape == (6000, 3)
    assert given.accelerations[0].tolist() == [0, 0, np.float32(9.81)]
    assert given.pressures.shape == (6000,)
    assert len(locomotion.analyze(given).cadence) == 60
    with pytest.raises(ValueError, match="expected the columns of a sensor, found 'time', 'x'"):
        locomotion.analyze({"time": times, "x": times})


def test_what_is_no_recording_is_refused() -> None:
    for other in (7, None, b"walk.csv"):
        with pytest.raises(TypeError, match="expected a path"):
            locomotion.analyze(other)
    with pytest.raises(RejectedInput, match="recording: nothing usable"):
        locomotion.analyze(locomotion.Recording())
    damaged = locomotion.Recording()
    damaged.accelerations, damaged.acceleration_times = np.zeros((2, 3)), np.arange(1)
    with pytest.raises(ValueError, match=r"accelerations: expected \(1, 3\), found \(2, 3\)"):
        locomotion.analyze(damaged)


def test_name_that_begins_with_a_hyphen_is_a_path(
    write: Callable[[str, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("--jobs.csv", "t,ax,ay,az\n" + "".join(f"{i / 50},0,0,9.81\n" for i in range(500)))
    monkeypatch.chdir(tmp_path)
    assert "--jobs.csv" in locomotion.analyze("--jobs.csv").summary


def test_pickled_day_is_the_same(command: Command) -> None:
    other = pickle.loads(pickle.dumps(locomotion.analyze(command.recording, frames="polars")))
    assert values(other.fixes) == expected(command.rows("locate.csv"))
    assert isinstance(other.fixes, pl.DataFrame)
    assert other.to_html() == command.text("report.html")


def test_libraries_are_imported_when_they_are_used(command: Command) -> None:
    program = (
        "import sys, locomotion\n"
        "day = locomotion.analyze(sys.argv[1], frames='polars')\n"
        "day._repr_html_(), repr(day), day.summary, day.step_count\n"
        "names = {'pandas', 'polars', 'matplotlib', 'tqdm'}\n"
        "def loaded(): return sorted(names & set(sys.modules))\n"
        "print(loaded())\n"
        "day.plot()\n"
        "print(loaded())\n"
        "day.fixes\n"
        "print(loaded())\n"
    )
    arguments = [sys.executable, "-c", program, str(command.recording)]
    found = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    assert found.splitlines() == ["[]", "['matplotlib']", "['matplotlib', 'polars']"]


def test_progress_is_shown_on_request_only(
    command: Command, capfd: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("tqdm")
    locomotion.analyze(command.recording)
    assert capfd.readouterr() == ("", "")
    locomotion.analyze(command.recording, progress=True)
    shown = capfd.readouterr().err
    fixes = command.recording.with_name("day.gps.csv.gz")
    size = (command.recording.stat().st_size + fixes.stat().st_size) / 1024
    assert f"{size:.0f}k/{size:.0f}k" in shown
    locomotion.analyze(locomotion.read(command.recording), progress=True)
    assert capfd.readouterr() == ("", "")


def test_progress_is_that_of_the_files_read(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tqdm")
    if not Path("/proc/self/fdinfo").exists():
        pytest.skip("the system does not tell how far files have been read")
    # No look but those of this test.
    monkeypatch.setattr(_progress, "_SECONDS", 3600)
    shutil.copy(command.recording, tmp_path / "a.csv.gz")
    other = tmp_path / "b.csv.gz"
    shutil.copy(command.recording, other)
    with _progress.ByteProgress(str(tmp_path)) as progress:
        with open(tmp_path / "a.csv.gz", "rb", buffering=0) as file:
            file.read(1000)
            progress.look()
            assert progress._bar.n == 1000
            file.seek(0)
            progress.look()
            assert progress._bar.n == 1000
        with open(other, "rb", buffering=0) as file:
            file.read()
            progress.look()
            assert progress._bar.n == 1000 + other.stat().st_size
    assert progress._bar.n == progress._bar.total == 2 * other.stat().st_size


# Messages


def test_messages_tell_what_was_read_and_left_out(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "walk.csv"
    rows = [f"{index / 50:.2f},0,0,9.81" for index in range(500)]
    path.write_text("t,ax,ay,az\n" + "\n".join([*rows, ",0,0,9.81", ",0,0,9.81"]) + "\n")
    locomotion.analyze(path)
    # The root logger's level is that of warnings.
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: dropped 2: no usable time"
    ]
    assert capfd.readouterr() == ("", "")
    caplog.set_level(logging.INFO, "locomotion")
    for run in (locomotion.analyze, locomotion.read):
        caplog.clear()
        run(path)
        found = [(record.levelname, record.getMessage()) for record in caplog.records]
        assert found[0][0] == "INFO"
        assert found[0][1].startswith(f"{path}: read 502, kept 500: 500 accelerations")
        assert ("WARNING", f"{path}: dropped 2: no usable time") in found
        assert re.fullmatch(r".*: (analyzed|read) in \d+\.\d s", found[-1][1])


def test_messages_are_silent_without_a_configuration(command: Command, tmp_path: Path) -> None:
    path = tmp_path / "walk.csv"
    path.write_text("t,ax,ay,az\n0,0,0,9.81\n,0,0,9.81\n")
    program = f"import locomotion; locomotion.read({str(path)!r})"
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    assert (done.stdout, done.stderr) == (b"", b"")


# HTML


class _Frame(HTMLParser):
    """The page in a frame, which is all that there is."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.pages: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "iframe"
        self.pages.append(dict(attrs)["srcdoc"] or "")

    def handle_data(self, data: str) -> None:
        assert data == ""


def test_a_notebook_shows_the_report(day: Day[Any]) -> None:
    assert _Frame(day._repr_html_()).pages == [day.to_html()]


def test_repr_counts_the_items(day: Day[Any], command: Command) -> None:
    title = command.text("summary.txt").splitlines()[0]
    assert repr(day) == f"<Day {title!r}: 1 stay, 1 trip, 0 gaps>"


# Days in which something is missing


@pytest.mark.filterwarnings("error")
def test_days_without_data_have_empty_frames_and_plots(
    write: Callable[[str, str], str],
) -> None:
    days = empty_days(write)
    rows = {
        "no fixes": (0, 60, 1, 60, 1, 0),
        "no accelerations": (300, 0, 0, 295, 1, 1),
        "one fix": (1, 0, 0, 0, 1, 0),
        "nothing": (0, 0, 0, 0, 0, 0),
    }
    panels = {
        "no fixes": ["", "cadence"],
        "no accelerations": ["", "north", "speed"],
        "one fix": ["", "north"],
        "nothing": [],
    }
    for name, found in days.items():
        for kind in KINDS:
            frames = [found.frame(frame, kind) for frame in NAMES]
            assert tuple(map(len, frames)) == rows[name], name
            full = days["no fixes" if len(found.cadence) else "no accelerations"]
            for frame, other in zip(NAMES, frames, strict=True):
                assert list(other.columns) == list(full.frame(frame).columns)
        figure: Any = found.plot()
        assert panel_labels(figure) == panels[name]
        figure.savefig(io.BytesIO(), format="png")
        assert found.to_html().startswith("<!")
        assert re.fullmatch(r"<Day '.*': \d+ stays?, \d+ trips?, \d+ gaps?>", repr(found))
    assert days["nothing"].start is None
    assert days["nothing"].end is None
    assert days["nothing"].step_count == 0
    assert not days["nothing"].is_unix_time


# Places and times as the caller has them


def test_texts_are_told_in_the_callers_zone_and_units(unix_command: Command) -> None:
    own = {"time_zone": "Asia/Tokyo", "units": "imperial", "clock": 12}
    found = locomotion.analyze(unix_command.recording, **own)  # type: ignore[call-overload]
    folder = unix_command.folder.parent / "tokyo"
    words = [f"--{name.replace('_', '-')}={value}" for name, value in own.items()]
    run("analyze", str(unix_command.recording), "--out", str(folder), *words)
    assert found.to_html() == (folder / "report.html").read_text()
    assert " mi" in found.summary
    figure = found.plot()
    assert figure.axes[-1].get_xlabel() == "time of day, Asia/Tokyo"
    for wrong in ({"time_zone": "Mars/Base"}, {"units": "nautical"}, {"clock": 10}):
        with pytest.raises(locomotion.UsageError, match=str(next(iter(wrong.values())))):
            locomotion.analyze(unix_command.recording, **wrong)


def test_towns_name_places(unix_command: Command, tmp_path: Path) -> None:
    towns = tmp_path / "towns"
    stay = next(item for item in unix_command.items() if item["type"] == "stay")
    towns.write_text(f"Neustadt\t{stay['lat']}\t{stay['lon']}\t9000\n")
    assert "Neustadt" in locomotion.analyze(unix_command.recording, towns=towns).summary
    towns.write_text("Neustadt\n")
    with pytest.raises(RejectedInput, match="line 1"):
        locomotion.analyze(unix_command.recording, towns=towns)


def test_locations_are_points_that_movingpandas_takes(unix_command: Command) -> None:
    found = locomotion.analyze(unix_command.recording, time_zone="Europe/Berlin")
    points = found.to_geopandas()
    assert str(points.index.tz) == "Europe/Berlin"
    assert points.index[0].timestamp() == pytest.approx(found.fixes["t"][0], abs=1e-5)
    assert points.geometry.x.tolist() == found.fixes["lon"].tolist()
    assert points.crs == "OGC:CRS84"
    # The answers go in again, as a frame of the caller's does.
    again = locomotion.analyze(points[["geometry"]])
    assert len(again.fixes) == len(points)
    lines = found.to_geopandas("legs")
    assert lines["distance"].tolist() == found.legs["distance"].tolist()
    assert set(lines.geometry.geom_type) <= {"LineString", "MultiLineString"}


def test_legs_are_saved_as_gpx(unix_command: Command, tmp_path: Path) -> None:
    day = locomotion.analyze(unix_command.recording)
    text = day.to_gpx(tmp_path / "legs.gpx")
    assert (tmp_path / "legs.gpx").read_text() == text
    read = locomotion.read_all(tmp_path / "legs.gpx")
    assert sum(len(track.fixes) for track in read) > 100
    assert text.count("<trk>") == len(day.legs)
    assert pickle.loads(pickle.dumps(day)).to_gpx() == text


# A model of one's own


def test_model_of_ones_own_is_used(command: Command, tmp_path: Path) -> None:
    import locomotion.sklearn

    path = tmp_path / "own.model"
    features = np.random.default_rng(1).normal(size=(80, 87))
    features[::2, 0] += 3
    labels = ["stationary", "walking"] * 40
    locomotion.sklearn.ActivityClassifier().fit(features, labels).save(path)
    folder = tmp_path / "out"
    words = ["analyze", str(command.recording), "--model", str(path), "--out", str(folder)]
    subprocess.run([sys.executable, "-m", "locomotion", *words], check=True, capture_output=True)
    own = locomotion.analyze(command.recording, model=path)
    assert own.summary == (folder / "summary.txt").read_text()
    built_in = locomotion.analyze(command.recording)
    assert not own.frame("samples", "pandas").equals(built_in.frame("samples", "pandas"))
    path.write_bytes(b"no model")
    with pytest.raises(locomotion.RejectedInput, match="the model"):
        locomotion.analyze(command.recording, model=path)
    path.write_bytes(b"")
    with pytest.raises(locomotion.RejectedInput, match="empty"):
        locomotion.analyze(command.recording, model=path)
    with pytest.raises(locomotion.InputOutputError, match="missing"):
        locomotion.analyze(command.recording, model=tmp_path / "missing")


def test_custom_activities_are_columns(command: Command, tmp_path: Path) -> None:
    import locomotion.sklearn

    path = tmp_path / "own.model"
    cut, ends = locomotion.sklearn.windows(locomotion.read(command.recording))
    features = locomotion.sklearn.WindowFeatures().transform(cut)
    names = np.array(["stationary", "stairs", "automotive"])
    labels = names[np.searchsorted([122, 272], ends / 1e9)]
    # Who walks does it in another way.
    others = features[labels == "stairs"] * 1.5
    model = locomotion.sklearn.ActivityClassifier(classes={"stairs": "walking"})
    rows = np.concatenate([features, others])
    model.fit(rows, [*labels, *["walking"] * len(others)]).save(path)
    folder = tmp_path / "out"
    words = ["analyze", str(command.recording), "--model", str(path), "--out", str(folder)]
    subprocess.run([sys.executable, "-m", "locomotion", *words], check=True, capture_output=True)
    day = locomotion.analyze(command.recording, model=path)
    with open(folder / "classify.csv", encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    items = json.loads((folder / "timeline.json").read_text())["items"]
    legs = [leg for item in items for leg in item.get("legs", [])]
    for kind in KINDS:
        found = values(day.frame("samples", kind))
        assert [name for name in found if name not in day.cadence] == list(table[0])[2:]
        assert {name: found[name] for name in table[0]} == expected(table)
        assert set(found["custom"]) > {None}
        own = values(day.frame("legs", kind))["custom_activity"]
        assert own == [leg.get("custom_activity") for leg in legs]
        assert "stairs" in own
