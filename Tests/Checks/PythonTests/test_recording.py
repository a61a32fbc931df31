"""Recordings from files and to files."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import Command

import locomotion

GPX = """<?xml version="1.0" encoding="{encoding}"?>
<gpx version="1.1" creator="é" xmlns="http://www.topografix.com/GPX/1/1"><trk><name>ré</name><trkseg>
<trkpt lat="48" lon="11.5"><ele>500</ele><time>2026-07-10T06:40:00Z</time></trkpt>
<trkpt lat="48.001" lon="11.5"><time>2026-07-10T06:41:00Z</time></trkpt>
</trkseg></trk></gpx>
"""


def test_read_returns_the_numbers_of_a_tidy_file(command: Command) -> None:
    recording = locomotion.read(command.recording)
    with gzip.open(command.recording, "rt") as file:
        rows = np.loadtxt(file, delimiter=",", skiprows=1)
    assert recording.name == "day"
    assert np.array_equal(recording.acceleration_times, np.round(rows[:, 0] * 1e9).astype(int))
    assert np.array_equal(recording.accelerations, rows[:, 1:].astype(np.float32))
    assert len(recording.fixes) == 420
    assert recording.fixes["latitude"][0] == 48.0
    assert np.isnan(recording.fixes["course"][0])
    assert recording.start == 0
    assert recording.end == recording.acceleration_times[-1]
    assert repr(recording) == "<Recording 'day': 420 s, 21,000 accelerations, 420 fixes>"


def test_a_written_recording_is_read_again(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    times = np.arange(500, dtype=np.int64) * 10_000_001
    fixes = np.zeros(3, locomotion.Recording().fixes.dtype)
    fixes["time"] = [0, 1_500_000_000, 3_000_000_000]
    fixes["latitude"] = [48, 48.000001, np.nan]
    for name in ("vertical_accuracy", "speed_accuracy", "course_accuracy", "altitude"):
        fixes[name] = np.nan
    written = locomotion.Recording(
        name="../a walk",
        acceleration_times=times,
        accelerations=random.normal(0, 5, (500, 3)).astype(np.float32),
        rotation_rate_times=times,
        rotation_rates=random.normal(0, 1, (500, 3)).astype(np.float32),
        pressure_times=times[::100],
        pressures=np.linspace(990, 991, 5, dtype=np.float32),
        fixes=fixes,
    )
    path = written.write_tidy(tmp_path)
    assert Path(path) == tmp_path / "a-walk.csv.gz"
    read = locomotion.read(path)
    for name in ("acceleration_times", "rotation_rate_times", "pressure_times"):
        assert np.array_equal(getattr(read, name), getattr(written, name)), name
    assert np.allclose(read.accelerations, written.accelerations, rtol=1e-7, atol=1e-9)
    assert np.allclose(read.rotation_rates, written.rotation_rates, rtol=1e-7, atol=1e-9)
    assert np.array_equal(read.pressures, written.pressures)
    for name in ("time", "latitude", "longitude", "speed"):
        assert np.array_equal(read.fixes[name], fixes[name], equal_nan=True), name


def test_fixes_alone_are_written_alone(tmp_path: Path) -> None:
    fixes = np.zeros(2, locomotion.Recording().fixes.dtype)
    fixes["time"] = [0, 1_000_000_000]
    path = locomotion.Recording(fixes=fixes).write_tidy(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["recording.gps.csv.gz"]
    assert len(locomotion.read(path).fixes) == 2


def test_a_pipeline_takes_a_recording(command: Command) -> None:
    recording = locomotion.read(command.recording)
    pipeline = locomotion.Pipeline()
    pipeline.append_accelerations(recording.acceleration_times, recording.accelerations)
    pipeline.append_fixes(recording.fixes)
    pipeline.finish()
    samples = pipeline.samples()
    walking = samples["activity"] == locomotion.Activity.WALKING
    assert 130 < walking.sum() < 170


@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1", "windows-1252"])
def test_gpx_is_read_in_other_encodings(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "track.gpx"
    path.write_bytes(GPX.format(encoding=encoding).encode(encoding))
    recording = locomotion.read(path)
    assert recording.name == "track"
    assert list(recording.fixes["latitude"]) == [48, 48.001]
    assert recording.fixes["time"][0] == 1_783_665_600_000_000_000
    assert "2" in recording.report


def test_labels_of_a_data_set_come_with_its_recordings(labelled: Path) -> None:
    recordings = locomotion.read_all(labelled)
    assert [recording.name for recording in recordings] == [
        f"{person}-{take}" for person in ("ann", "ben", "cem") for take in (0, 1)
    ]
    first = recordings[0]
    assert first.subject == "ann"
    assert [label.text for label in first.labels] == ["stationary", "walking", "cycling"]
    assert first.labels[0] == (0, 30_000_000_000, "stationary")
    with pytest.raises(locomotion.RejectedInput, match=r"expected one recording, found 6 \(ann-0"):
        locomotion.read(labelled)


def test_what_cannot_be_read_says_so(
    tmp_path: Path, write: Callable[[str, str], str]
) -> None:
    with pytest.raises(locomotion.InputOutputError, match="no such file"):
        locomotion.read(tmp_path / "none.csv")
    with pytest.raises(locomotion.RejectedInput, match="expected a recording in a form"):
        locomotion.read(write("x.txt", "hello"))
    with pytest.raises(locomotion.RejectedInput, match="bad.csv"):
        locomotion.read(write("bad.csv", "t,ax,ay,az\n0,1,2\n"))
    with pytest.raises(locomotion.InputOutputError):
        locomotion.Recording().write_tidy(tmp_path / "no" / "folder")
    with pytest.raises(ValueError, match="a time for each row, got 0 of acceleration_times"):
        locomotion.Recording(accelerations=np.zeros((2, 3), np.float32))


def test_what_was_left_out_is_reported(write: Callable[[str, str], str]) -> None:
    features = [
        {"type": "Feature", "geometry": {"type": "Point", "coordinates": place}, "properties": {
            "timestamp": "2026-07-10T06:40:00Z"}}
        for place in ([11.5, 48.0], [11.5, 95.0])
    ]
    text = json.dumps({"type": "FeatureCollection", "features": features})
    recording = locomotion.read(write("track.geojson", text))
    assert len(recording.fixes) == 1
    assert "1" in recording.report


def test_seconds_in_floating_point_are_refused_as_times() -> None:
    seconds = np.arange(500) / 100
    with pytest.raises(TypeError, match="np.rint"):
        locomotion.Recording(acceleration_times=seconds, accelerations=np.zeros((500, 3)))


def test_tables_with_the_columns_of_tidy_csv_are_taken() -> None:
    import pandas as pd

    seconds = 1_750_000_000 + np.arange(500) / 100
    force = pd.DataFrame({"t": seconds, "ax": 0.0, "ay": 0.0, "az": 9.81})
    recording = locomotion.Recording.of(force)
    assert recording.acceleration_times.dtype == np.int64
    first, last = recording.acceleration_times[[0, -1]].tolist()
    assert first == 1_750_000_000_000_000_000
    assert abs(last - first - 4_990_000_000) < 1_000
    fixes = pd.DataFrame({"t": [0.0, 1.5], "lat": 48.0, "lon": 11.0, "hacc": 5.0})
    found = locomotion.Recording.of(fixes).fixes
    assert found["time"].tolist() == [0, 1_500_000_000]
    assert found["latitude"].tolist() == [48.0, 48.0]
    assert found["horizontal_accuracy"].tolist() == [5.0, 5.0]
    assert np.isnan(found["speed"]).all()
    with pytest.raises(ValueError, match="expected seconds"):
        locomotion.Recording.of(pd.DataFrame({"t": [np.nan], "ax": 0.0, "ay": 0.0, "az": 0.0}))
    with pytest.raises(ValueError, match="'lng'"):
        locomotion.Recording.of(pd.DataFrame({"t": [0.0], "lat": 48.0, "lng": 11.0}))


def test_version_is_that_of_the_command() -> None:
    import subprocess
    import sys

    told = subprocess.run(
        [sys.executable, "-m", "locomotion", "--version"], capture_output=True, text=True, check=True
    )
    assert told.stdout == f"locomotion {locomotion.__version__}\n"
