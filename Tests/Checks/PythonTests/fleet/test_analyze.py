"""Analyses of archives in processes: the rows, and runs that end early or come again."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import people
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import whole

from locomotion import InputOutputError, RejectedInput, UsageError, _command, _layout
from locomotion.constants import Activity, Reason
from locomotion.fleet import analyze, tables
from locomotion.fleet.days import Totals
from locomotion.fleet.storage import Storage

pytestmark = pytest.mark.fleet

DAYS = {"ann": 2, "ben": 1, "7": 3}
"""A name may be a number."""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return people.write_people(tmp_path_factory.mktemp("fleet") / "archive", DAYS)


@pytest.fixture(scope="module")
def out(archive: Path) -> Path:
    out = archive.with_name("out")
    summary = analyze(str(archive), str(out))
    assert (summary.people, summary.done_before, summary.days) == (3, 0, 6)
    return out


@pytest.mark.parametrize("user", DAYS)
def test_rows_are_those_of_one_analysis_of_all_recordings(
    archive: Path, out: Path, user: str, tmp_path: Path
) -> None:
    expected = whole.expected(whole.joined(archive / user, tmp_path / "whole"), user)
    assert len(expected["samples"]) > 400 * DAYS[user]
    assert len(expected["items"]) > 2
    for name, rows in expected.items():
        assert whole.table(out, name, user) == rows


def test_totals_are_those_of_the_rows(out: Path) -> None:
    rows = whole.table(out, "days", "ann")
    samples = whole.table(out, "samples", "ann")
    fixes = whole.table(out, "fixes", "ann")
    items = whole.table(out, "items", "ann")
    assert [row["date"] for row in rows] == ["2026-07-10", "2026-07-11"]
    assert sum(row["recorded_s"] for row in rows) == len(samples)
    named = [row for row in samples if row["activity"] != "unknown"]
    right = sum(row[f"p_{row['activity']}"] for row in named)
    assert 0.5 < right / len(named) < 1
    assert sum(row["expected_right_s"] for row in rows) == pytest.approx(right, rel=1e-12)
    assert all(0 <= row["novel_s"] <= row["unknown_s"] for row in rows)
    steps = sum(row["steps"] for row in samples)
    assert sum(row["steps"] for row in rows) == pytest.approx(steps, rel=1e-12)
    assert sum(row["fixes"] for row in rows) == len(fixes)
    legs = [item for item in items if item["type"] == "leg"]
    metres = sum(leg["distance"] or 0 for leg in legs)
    names = ("walking", "running", "cycling", "automotive", "train", "other")
    found = sum(row[f"{name}_m"] for row in rows for name in names)
    assert found == pytest.approx(metres, rel=1e-12)
    # The night between the two days, which nothing observed, is part of a stay that both share.
    stays = [item for item in items if item["type"] == "stay"]
    seconds = sum((stay["end"] - stay["start"]) / 1e9 for stay in stays)
    assert sum(row["stay_s"] for row in rows) == pytest.approx(seconds)
    assert all(row["stay_s"] > 3_600 for row in rows)
    assert all(row["gap_s"] == 0 for row in rows)


def test_seconds_count_by_their_probability_and_their_reason() -> None:
    rows = np.zeros(4, _layout.SAMPLE)
    rows["start"] = np.arange(4) * 1_000_000_000
    rows["end"] = rows["start"] + 1_000_000_000
    rows["activity"] = [Activity.WALKING, Activity.TRAIN, Activity.UNKNOWN, Activity.UNKNOWN]
    rows["unknown_reason"] = [Reason.NONE, Reason.NONE, Reason.NOVELTY, Reason.BAD_SIGNAL]
    rows["probabilities"][:, Activity.WALKING] = 0.75
    rows["probabilities"][:, Activity.TRAIN] = 0.25
    totals = Totals("ann")
    # A clock that is set back leads to a day in two parts.
    totals.add_samples(0, rows[:1])
    totals.add_samples(0, rows[1:])
    ((_, table),) = totals.tables()
    (row,) = table.to_pylist()
    assert (row["recorded_s"], row["unknown_s"]) == (4, 2)
    assert (row["expected_right_s"], row["novel_s"]) == (1, 1)


def test_files_state_the_version_of_their_columns(out: Path) -> None:
    for name in ("samples", "fixes", "items", "days"):
        paths = sorted(out.glob(f"{name}/day=*/*.parquet"))
        assert len(paths) >= 3
        for path in paths:
            metadata = pq.read_schema(path).metadata
            assert metadata[b"locomotion.schema"] == f"{name}/{tables.VERSIONS[name]}".encode()


def test_any_number_of_processes_writes_the_same_bytes(
    archive: Path, out: Path, tmp_path: Path
) -> None:
    analyze(str(archive), str(tmp_path / "one"), jobs=1)
    assert people.contents(tmp_path / "one") == people.contents(out)


def test_a_second_run_writes_nothing(archive: Path, out: Path) -> None:
    before = people.changes(out)
    summary = analyze(str(archive), str(out))
    assert summary.done_before == 3
    assert people.changes(out) == before


def test_files_of_another_time_and_the_same_content_are_done(
    archive: Path, out: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "archive"
    shutil.copytree(archive, copy, copy_function=shutil.copyfile)
    shutil.copytree(out, tmp_path / "out")
    assert analyze(str(copy), str(tmp_path / "out")).done_before == 3


@pytest.mark.parametrize("count", [1, 6, 20])
def test_a_run_that_died_is_resumed(
    archive: Path, out: Path, tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from locomotion.fleet import person
    from locomotion.fleet.archive import users

    class Died(BaseException):
        pass

    target = tmp_path / "out"
    writes = 0
    write = Storage.write

    def dying(self: Storage, path: str, content: bytes) -> None:
        nonlocal writes
        writes += 1
        if writes > count:
            raise Died
        write(self, path, content)

    code = json.loads((out / "_manifests/ann.json").read_text())["code"]
    job = person.Job(Storage(str(archive)), Storage(str(target)), code)
    with monkeypatch.context() as patch:
        patch.setattr(Storage, "write", dying)
        with pytest.raises(Died):
            for user in users(job.source):
                person.analyze(job, user)
    done = len(list(target.glob("_manifests/*.json")))
    assert done < 3 and (count < 20 or done > 0)
    assert analyze(str(archive), str(target)).done_before == done
    assert people.contents(target) == people.contents(out)


def test_what_changed_is_analyzed_anew_and_nothing_is_left(
    archive: Path, out: Path, tmp_path: Path
) -> None:
    copy, target = tmp_path / "archive", tmp_path / "out"
    shutil.copytree(archive, copy)
    shutil.copytree(out, target)
    for path in (copy / "7").glob("day-1*"):
        path.unlink()
    before = people.contents(target)
    assert analyze(str(copy), str(target)).done_before == 2
    after = people.contents(target)
    assert {name for name in before if name not in after} == {
        f"{name}/day=2026-07-11/7.parquet" for name in ("samples", "fixes")
    } | ({"items/day=2026-07-11/7.parquet"} & set(before))
    assert all(before[name] == after[name] for name in after if "7.parquet" not in name
               and "7.json" not in name)
    analyze(str(copy), str(tmp_path / "fresh"))
    assert people.contents(tmp_path / "fresh") == after


def test_poison_is_set_aside_with_its_reason(archive: Path, out: Path, tmp_path: Path) -> None:
    copy, target = tmp_path / "archive", tmp_path / "out"
    shutil.copytree(archive, copy)
    content = (copy / "ann/day-0.csv.gz").read_bytes()
    (copy / "ann/torn.csv.gz").write_bytes(content[: len(content) // 2])
    (copy / "ann/words.csv").write_text("t,ax,ay,az\n1783752000,a,b,c\n")
    (copy / "ann/empty.csv").write_text("t,ax,ay,az\n")
    (copy / "ann/noise.bin").write_bytes(bytes(range(256)) * 4)
    # The years 2089 and 2105.
    text = gzip.decompress((copy / "ben/day-0.csv.gz").read_bytes())
    for user, year, digit in (("ben", "2089", b"\n37"), ("7", "2105", b"\n42")):
        path = copy / f"{user}/in-{year}.csv.gz"
        path.write_bytes(gzip.compress(text.replace(b"\n17", digit)))
    (copy / "cem").mkdir()
    (copy / "cem/only.csv").write_text("nonsense")
    summary = analyze(str(copy), str(target))
    assert (summary.people, summary.rejected) == (4, 7)
    rows = {row["path"]: row["reason"] for path in sorted(target.glob("rejected/*.parquet"))
            for row in pq.ParquetFile(path).read().to_pylist()}
    assert set(rows) == {
        "ann/torn.csv.gz", "ann/words.csv", "ann/empty.csv", "ann/noise.bin", "ben/in-2089.csv.gz",
        "7/in-2105.csv.gz", "cem/only.csv",
    }
    for user, year in (("ben", "2089"), ("7", "2105")):
        assert f"absurd clock: it begins at {year}-" in rows[f"{user}/in-{year}.csv.gz"]
    assert "ends in the middle" in rows["ann/torn.csv.gz"]
    assert rows["ann/words.csv"].startswith("ann/words.csv:2:")
    assert not any(str(tmp_path) in reason for reason in rows.values())
    # The others are as if it had never been there.
    expected = people.contents(out, tables_only=True)
    found = people.contents(target, tables_only=True)
    assert {name: digest for name, digest in found.items() if "rejected" not in name} == expected


@pytest.mark.parametrize("parts", [1, 3])
def test_mixed_parquet_gives_the_same_tables(
    archive: Path, out: Path, tmp_path: Path, parts: int
) -> None:
    mixed = people.write_parquet(archive, tmp_path / "mixed", parts=parts)
    target = tmp_path / "out"
    assert analyze(str(mixed), str(target)).people == 3
    expected = people.contents(out, tables_only=True)
    assert people.contents(target, tables_only=True) == expected
    before = people.changes(target)
    assert analyze(str(mixed), str(target)).done_before == 3
    assert people.changes(target) == before


def test_parquet_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    rows = pa.table({"user": ["ann"], "t": [0.5], "ax": [0.0], "ay": [0.0], "az": [9.8]})
    pq.write_table(rows, tmp_path / "archive/rows.parquet")
    with pytest.raises(RejectedInput, match=r"rows\.parquet: expected t in int64, found double"):
        analyze(str(tmp_path / "archive"), str(tmp_path / "out"))


def test_recordings_of_other_formats_are_read(tmp_path: Path) -> None:
    points = "".join(
        f'<trkpt lat="{48 + second / 8e4:.6f}" lon="11.5"><time>2026-07-10T06:'
        f"{second // 60:02}:{second % 60:02}Z</time></trkpt>"
        for second in range(600)
    )
    (tmp_path / "archive/ann").mkdir(parents=True)
    path = tmp_path / "archive/ann/walk.gpx"
    path.write_text(
        f'<gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
        f"{points}</trkseg></trk></gpx>"
    )
    assert analyze(str(tmp_path / "archive"), str(tmp_path / "out")).rejected == 0
    _command.run(["convert", str(path), str(tmp_path / "tidy")])
    (converted,) = (tmp_path / "tidy").rglob("*.gps.csv.gz")
    expected = whole.expected(converted, "ann")
    assert len(expected["fixes"]) == 600
    for name in ("fixes", "items"):
        assert whole.table(tmp_path / "out", name, "ann") == expected[name]


def test_what_cannot_be_analyzed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputOutputError, match="no such folder"):
        analyze(str(tmp_path / "missing"), str(tmp_path / "out"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(RejectedInput, match="found none"):
        analyze(str(tmp_path / "empty"), str(tmp_path / "out"))
    with pytest.raises(UsageError, match="the archive itself"):
        analyze(str(tmp_path / "empty"), str(tmp_path / "empty"))
