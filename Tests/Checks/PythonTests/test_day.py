"""Days: their data frames, documents, plots and HTML against the files of the command."""

from __future__ import annotations

import gc
import io
import json
import math
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal

import pytest
from conftest import FILES, PHASES, Command, panel_labels

import locomotion
from locomotion import Day, InputOutputError, RejectedInput, UsageError
from locomotion.day import FrameName

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

NAMES: tuple[FrameName, ...] = ("fixes", "cadence", "steps", "samples", "timeline", "legs")
KINDS: tuple[Literal["pandas"], Literal["polars"]] = ("pandas", "polars")
TEXT = {"activity", "status", "type"}


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
        found = values(Day(source.folder).frame("steps", kind))
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
def test_property_is_the_cached_frame_of_the_days_library(command: Command, name: Any) -> None:
    pandas, polars = Day(command.folder), Day(command.folder, frames="polars")
    assert isinstance(getattr(pandas, name), pd.DataFrame)
    assert isinstance(getattr(polars, name), pl.DataFrame)
    assert getattr(pandas, name) is pandas.frame(name)
    assert pandas.frame(name, "polars") is pandas.frame(name, "polars")
    assert isinstance(pandas.frame(name, "polars"), pl.DataFrame)


def test_more_columns_of_the_command_become_columns(command: Command, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes((command.folder / name).read_bytes())
    item = {
        "type": "trip",
        "start": 0,
        "end": 2.5,
        "activity": "walking",
        "colour_code": 3,
        "distance": None,
        "legs": [{"start": 0, "end": 2.5, "activity": "walking", "custom_activity": "stairs"}],
    }
    (tmp_path / "timeline.json").write_text(json.dumps({"items": [item]}), encoding="utf-8")
    (tmp_path / "classify.csv").write_text(
        "t_start,t_end,activity,p_walking,custom,p_stairs\n"
        "0,1,walking,0.5,NA,0.25\n"
        "1,2,walking,1,,\n",
        encoding="utf-8",
    )
    (tmp_path / "cadence.csv").write_text(
        "t_start,t_end,cadence,confidence,steps\n1,2,100.5,0.5,1.5\n1,2,90,0.5,9\n4,5,,,0\n",
        encoding="utf-8",
    )
    for kind in KINDS:
        day: Day[Any] = Day(tmp_path, frames=kind)
        assert values(day.timeline)["colour_code"] == [3.0]
        assert values(day.timeline)["distance"] == [None]
        assert values(day.legs)["custom_activity"] == ["stairs"]
        assert values(day.samples) == {
            "t_start": [0, 1],
            "t_end": [1, 2],
            "activity": ["walking", "walking"],
            "p_walking": [0.5, 1],
            "custom": ["NA", None],
            "p_stairs": [0.25, None],
            "cadence": [None, 100.5],
            "confidence": [None, 0.5],
            "steps": [None, 1.5],
        }
    assert "stairs" in day._repr_html_()


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
        day: Day[Any] = Day(command.folder, frames=kind)
        assert values(day.samples)["t_start"] == [float(row["t_start"]) for row in table]
        assert values(day.samples)["steps"] == [float(row["steps"]) for row in table]


def test_unknown_names_are_refused(day: Day[Any], command: Command) -> None:
    with pytest.raises(ValueError, match=r"expected one of fixes, cadence, .* found 'speeds'"):
        day.frame("speeds")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="found 'arrow'"):
        day.frame("fixes", "arrow")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="found 'dask'"):
        locomotion.analyze(command.recording, frames="dask")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="found 'dask'"):
        Day(command.folder, frames="dask")  # type: ignore[call-overload]


# Time


@pytest.mark.parametrize("kind", KINDS)
def test_utc_columns_follow_the_columns_of_times(unix_command: Command, kind: Any) -> None:
    day = Day(unix_command.folder)
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
        found = Day(source.folder)
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


def test_jobs_do_not_change_the_results(command: Command) -> None:
    found = locomotion.analyze(command.recording, jobs=2)
    assert values(found.samples) == values(Day(command.folder).samples)
    with pytest.raises(UsageError):
        locomotion.analyze(command.recording, jobs=-1)


# What is analyzed, and where it is kept


class Recording:
    """A recording in memory, as far as `analyze` is concerned."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.folder = ""

    def write_tidy(self, folder: str) -> str:
        self.folder = folder
        path = os.path.join(folder, "walk & <run>.csv")
        Path(path).write_text(self.text, encoding="utf-8")
        return path


def test_recording_object_is_analyzed_and_deleted(write: Callable[[str, str], str]) -> None:
    text = "t,ax,ay,az\n" + "".join(f"{i / 50},0,0,9.81\n" for i in range(500))
    recording = Recording(text)
    found = locomotion.analyze(recording)
    assert len(found.cadence) == 10
    assert recording.folder
    assert not os.path.exists(recording.folder)
    assert values(found.samples) == values(locomotion.analyze(write("same.csv", text)).samples)
    assert "walk &amp; &lt;run&gt;.csv" in found._repr_html_()
    assert "<run>" not in found._repr_html_()


def test_what_is_no_recording_is_refused() -> None:
    for other in (7, None, b"walk.csv"):
        with pytest.raises(TypeError, match="expected a path"):
            locomotion.analyze(other)  # type: ignore[call-overload]


def test_name_that_begins_with_a_hyphen_is_a_path(
    write: Callable[[str, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("--jobs.csv", "t,ax,ay,az\n" + "".join(f"{i / 50},0,0,9.81\n" for i in range(500)))
    monkeypatch.chdir(tmp_path)
    assert "--jobs.csv" in locomotion.analyze("--jobs.csv").summary


def test_folder_lives_as_long_as_the_day(command: Command) -> None:
    found = locomotion.analyze(command.recording)
    folder = found.folder
    assert set(os.listdir(folder)) == FILES
    del found
    gc.collect()
    assert not os.path.exists(folder)


def test_no_folder_is_left_after_an_error(
    write: Callable[[str, str], str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    found = locomotion.analyze(write("one.csv", "t,ax,ay,az\n0,0,0,9.81\n"))
    assert os.listdir(folder) == [os.path.basename(found.folder)]
    with pytest.raises(RejectedInput):
        locomotion.analyze(Recording("t,ax,ay,az\n"))
    assert os.listdir(folder) == [os.path.basename(found.folder)]


def test_forked_process_leaves_the_folder(command: Command) -> None:
    program = (
        "import gc, os, sys, locomotion\n"
        "day = locomotion.analyze(sys.argv[1])\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    del day\n"
        "    gc.collect()\n"
        "    sys.exit(0)\n"
        "assert os.waitpid(child, 0)[1] == 0\n"
        "print(os.path.exists(day.folder), day.folder)\n"
    )
    arguments = [sys.executable, "-c", program, str(command.recording)]
    found = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout.split()
    assert found[0] == "True"
    assert not os.path.exists(found[1])


def test_folder_of_the_command_is_read_and_left(command: Command, tmp_path: Path) -> None:
    found = Day(command.folder)
    assert found.summary == command.text("summary.txt")
    del found
    gc.collect()
    assert {path.name for path in command.folder.iterdir()} == FILES
    with pytest.raises(InputOutputError, match=r"locate\.csv: no such file"):
        Day(tmp_path)


def test_pickled_day_outlives_the_first(command: Command) -> None:
    found = locomotion.analyze(command.recording, frames="polars")
    folder, pickled = found.folder, pickle.dumps(found)
    del found
    gc.collect()
    assert not os.path.exists(folder)
    other = pickle.loads(pickled)
    assert values(other.fixes) == expected(command.rows("locate.csv"))
    assert isinstance(other.fixes, pl.DataFrame)
    assert other.to_html() == command.text("report.html")
    folder = other.folder
    del other
    gc.collect()
    assert not os.path.exists(folder)


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
    assert "2/2" in capfd.readouterr().err


# HTML


class _Elements(HTMLParser):
    """Checks that elements are closed in order, and collects them and their text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.started: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.started.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_html_shows_title_totals_and_timeline(command: Command, day: Day[Any]) -> None:
    fragment = _Elements(day._repr_html_())
    lines = command.text("summary.txt").splitlines()
    assert fragment.words[:3] == lines[:3]
    items = command.items()
    legs = [leg for item in items for leg in item.get("legs", [])]
    pieces = sum(max(len(item.get("legs", [])), 1) for item in items)
    assert fragment.started.count("rect") == pieces
    kinds = {leg["activity"] for leg in legs} | {"stay"}
    assert fragment.started.count("tr") == 2 + len(kinds) + len(items)
    walked = sum(leg["steps"] for leg in legs if leg["activity"] == "walking")
    assert f"{walked:,}" in fragment.words
    assert "script" not in fragment.started


def test_long_timeline_is_cut_and_says_so(command: Command, tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_bytes((command.folder / name).read_bytes())
    items = [{"type": "gap", "start": i * 60, "end": i * 60 + 60} for i in range(37)]
    (tmp_path / "timeline.json").write_text(json.dumps({"items": items}), encoding="utf-8")
    fragment = _Elements(Day(tmp_path)._repr_html_())
    assert fragment.started.count("tr") == 2 + 1 + 30
    assert "… and 7 more in " in fragment.words


def test_repr_counts_the_items(day: Day[Any], command: Command) -> None:
    title = command.text("summary.txt").splitlines()[0]
    assert repr(day) == f"<Day {title!r}: 1 stay, 1 trip, 0 gaps>"


# Days in which something is missing


@pytest.mark.filterwarnings("error")
def test_days_without_data_have_empty_frames_plots_and_html(
    write: Callable[[str, str], str],
) -> None:
    days = empty_days(write)
    rows = {
        "no fixes": (0, 60, 1, 60, 1, 0),
        "no accelerations": (300, 0, 0, 0, 1, 1),
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
        fragment = _Elements(found._repr_html_())
        assert fragment.words[0] == found.summary.splitlines()[0]
        assert not any("seconds with data" in words for words in fragment.words)
        assert ("rect" in fragment.started) == bool(found.timeline_json["items"])
        assert found.to_html().startswith("<!")
        assert re.fullmatch(r"<Day '.*': \d+ stays?, \d+ trips?, \d+ gaps?>", repr(found))
    assert days["nothing"].start is None
    assert days["nothing"].end is None
    assert days["nothing"].step_count == 0
    assert not days["nothing"].is_unix_time
