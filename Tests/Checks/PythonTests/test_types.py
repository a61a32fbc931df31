"""What a type checker knows of the package."""

from __future__ import annotations

from pathlib import Path

import pytest

import locomotion

api = pytest.importorskip("mypy.api")
pytest.importorskip("polars")

PROGRAM = """
from typing import Literal, assert_type
import pandas as pd
import polars as pl
from locomotion import Day, Recording, analyze, read

day = analyze("walk.csv.gz")
assert_type(day, Day[pd.DataFrame])
assert_type(day.timeline, pd.DataFrame)
assert_type(day.frame("legs"), pd.DataFrame)
assert_type(day.frame("legs", "polars"), pl.DataFrame)
polar = analyze(read("walk.csv.gz"), frames="polars", progress=True)
assert_type(polar.timeline, pl.DataFrame)
assert_type(polar.frame("legs", utc=True), pl.DataFrame)
assert_type(polar.frame("legs", "pandas"), pd.DataFrame)

def either(kind: Literal["pandas", "polars"]) -> None:
    assert_type(analyze("walk.csv.gz", frames=kind), Day[pd.DataFrame] | Day[pl.DataFrame])

day.timelines
"""


def test_data_frames_have_the_types_of_their_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    source = Path(locomotion.__file__).parents[1]
    if not (source / "../pyproject.toml").exists():
        monkeypatch.delenv("MYPYPATH", raising=False)
    else:
        monkeypatch.setenv("MYPYPATH", str(source))
    options = ["--strict", "--python-version", "3.11", "--cache-dir", str(tmp_path / "cache")]
    out, errors, _ = api.run([*options, str(program)])
    # One, so that the check is known to see types at all.
    (error, summary) = out.strip().splitlines()
    assert '"Day[DataFrame]" has no attribute "timelines"' in error
    assert "Found 1 error" in summary
    assert errors == ""
