"""Windows that tasks extract are those of `load_windows`, and so are the models fitted to them."""

from __future__ import annotations

import shutil
from pathlib import Path

import labelled_sets
import numpy as np
import people
import pytest

from locomotion import InputOutputError, RejectedInput
from locomotion.fleet import extract_windows, read_windows, windows
from locomotion.fleet.__main__ import main
from locomotion.sklearn import ActivityClassifier, load_windows

pytestmark = pytest.mark.fleet


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return labelled_sets.write_sets(tmp_path_factory.mktemp("sets"))


@pytest.mark.parametrize(("altered", "seconds"), [(False, 3_600.0), (True, 300.0), (True, 0.0)])
def test_windows_and_models_are_those_of_one_machine(
    sets: list[str], tmp_path: Path, altered: bool, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(windows, "_SECONDS", seconds)
    out = str(tmp_path / "out")
    extracted = extract_windows(sets, out, altered=altered, seed=7, jobs=2)
    expected = load_windows(sets, altered=altered, seed=7)
    assert (extracted.recordings, extracted.rejected) == (14, [])
    found = read_windows(out)
    assert extracted.windows == len(found.data) == len(expected.data)
    assert found.data.tobytes() == expected.data.tobytes()
    for name in ("target", "groups", "ends", "is_altered"):
        assert np.array_equal(found[name], expected[name])
    models = [
        ActivityClassifier().fit(table.data, table.target, groups=table.groups).model_bytes()
        for table in (found, expected)
    ]
    assert models[0] == models[1]


def test_a_second_run_writes_nothing_and_another_one_all(sets: list[str], tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = extract_windows(sets, str(out))
    before = people.changes(out)
    assert len(before) == 2
    assert extract_windows(sets, str(out)) == first
    assert people.changes(out) == before
    other = extract_windows(sets[1:], str(out), altered=True)
    assert other.windows > first.windows / 2
    assert [path.name for path in out.glob("*/*.parquet")] == ["000000.parquet"]
    assert len(read_windows(str(out)).data) == other.windows


def test_a_damaged_recording_is_set_aside(
    sets: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    bad, good = (str(tmp_path / kind / "town") for kind in ("bad", "good"))
    for copy in (bad, good):
        shutil.copytree(sets[0], copy)
    torn = Path(bad) / "ben-1.csv.gz"
    torn.write_bytes(torn.read_bytes()[:20_000])
    (Path(good) / "ben-1.csv.gz").unlink()
    out = tmp_path / "out"
    for _ in range(2):
        assert main(["windows", bad, "--out", str(out)]) == 0
        told = capfd.readouterr()
        assert told.err.startswith(f"set aside: {bad}/ben-1: ")
        assert "ends in the middle" in told.err
        assert told.out.endswith("windows of 8 recordings, 1 set aside\n")
    assert read_windows(str(out)).data.tobytes() == load_windows(good).data.tobytes()


def test_what_cannot_be_extracted_is_refused(sets: list[str], tmp_path: Path) -> None:
    with pytest.raises(InputOutputError, match="no such file"):
        extract_windows([str(tmp_path / "none")], str(tmp_path / "out"))
    one = labelled_sets.write_set(tmp_path / "one", ["ann"], 0)
    (one / "labels.csv").write_text("recording,subject,start,end,label\nann-0,ann,0,9,nothing\n")
    with pytest.raises(RejectedInput, match="expected labels of activities"):
        extract_windows([str(one)], str(tmp_path / "out"))
    with pytest.raises(RejectedInput, match="found none"):
        read_windows(str(tmp_path / "out"))
