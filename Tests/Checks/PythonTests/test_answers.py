"""Pipelines: their answers are, byte for byte, those of the Swift modules."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

from locomotion import Form, Pipeline, _layout

RECORDINGS = Path(__file__).resolve().parents[3] / "Tests/Support/ChangeIndicator/Recordings"
"""Simulated recordings, two of them with faults of the sensors."""

MEASUREMENT = np.dtype([("sensor", "i8"), ("values", _layout.FIX)])


def write_reference(recording: Path, folder: Path) -> None:
    """Write the measurements and answers of a recording; see `Tests/Support/StructReference`."""
    program = os.environ.get("LOCOMOTION_REFERENCE")
    if not program:
        pytest.skip("LOCOMOTION_REFERENCE does not name the program struct-reference")
    subprocess.run([program, recording, folder], check=True)


def answers(measurements: Path, batches: int) -> dict[str, bytes]:
    """Return what a pipeline says of measurements in so many batches, by the name of a file."""
    all_measurements = np.fromfile(measurements, MEASUREMENT)
    with Pipeline(keeps_recording=True) as pipeline:
        parts = np.array_split(all_measurements, batches)
        for part in parts:
            values = [part["values"][part["sensor"] == sensor] for sensor in range(4)]
            xyz = [
                np.stack([rows["latitude"], rows["longitude"], rows["altitude"]], -1)
                for rows in values[:2]
            ]
            pipeline.ingest(
                accelerations=(values[0]["time"], xyz[0]),
                rotation_rates=(values[1]["time"], xyz[1]),
                pressures=(values[2]["time"], values[2]["latitude"]),
                fixes=values[3],
            )
        pipeline.finish()
        found = {"live.samples": pipeline.samples(), "live.fixes": pipeline.fixes()}
        for form in Form:
            name = form.name.lower()
            if form != Form.LIVE:
                found[f"{name}.samples"] = pipeline.recording_samples(form)
                found[f"{name}.fixes"] = pipeline.recording_fixes(form)
            found[f"{name}.items"] = pipeline.timeline(form)
        assert pipeline.recording_samples(Form.LIVE).tobytes() == found["live.samples"].tobytes()
        assert pipeline.recording_fixes(Form.LIVE).tobytes() == found["live.fixes"].tobytes()
        counts = np.array([pipeline.counts], _layout.COUNTS)
    return {name: rows.tobytes() for name, rows in {**found, "counts": counts}.items()}


def compare(recording: Path, folder: Path, batches: int) -> int:
    """Compare a recording's answers with those of the Swift modules; return their bytes."""
    write_reference(recording, folder)
    expected = {path.name: path.read_bytes() for path in (folder / "answers").iterdir()}
    found = answers(folder / "measurements", batches)
    assert sorted(found) == sorted(expected)
    assert [name for name in found if found[name] != expected[name]] == []
    return sum(map(len, expected.values()))


@pytest.mark.parametrize("batches", [1, 100])
@pytest.mark.parametrize("name", ["damaged-ride", "drive-through-tunnel", "walk-with-pauses"])
def test_answers_are_those_of_swift(name: str, batches: int, tmp_path: Path) -> None:
    assert compare(RECORDINGS / f"{name}.csv.gz", tmp_path, batches) > 100_000
