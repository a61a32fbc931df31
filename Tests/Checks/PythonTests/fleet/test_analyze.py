"""Analyses of archives in processes: the rows, and runs that end early or come again."""

from __future__ import annotations

import gzip
import importlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import people
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import whole
from conftest import run

from locomotion import InputOutputError, RejectedInput, UsageError
from locomotion.fleet import analyze, tables
from locomotion.fleet.__main__ import main
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
    assert (summary.people, summary.done_before, summary.rejected) == (3, 0, [])
    return out


@pytest.mark.parametrize("user", DAYS)
def test_rows_are_those_of_one_analysis_of_all_recordings(
    archive: Path, out: Path, user: str, tmp_path: Path
) -> None:
    expected = whole.expected(whole.joined(archive / user, tmp_path / "whole"), user)
    assert len(expected["samples"]) > 400 * DAYS[user]
    assert len(expected["items"]) > 2
    for name, rows in expected.items():
        assert whole.table(out, name, user).equals(rows)


def test_columns_are_those_of_data_frames(out: Path) -> None:
    samples, items = (whole.table(out, name, "ann").to_pandas() for name in ("samples", "items"))
    assert list(samples.columns[:3]) == ["user", "start", "end"]
    assert set(samples["activity"]) >= {"stationary", "walking"}
    # A leg has the number of its trip, after which it comes.
    assert (items["item"].diff().dropna() == (items["type"][1:] != "leg")).all()


def test_files_state_the_version_of_their_columns(out: Path) -> None:
    for name in tables.NAMES:
        metadata = whole.table(out, name, "ben").schema.metadata
        assert metadata == {b"locomotion.schema": f"{name}/{tables.VERSION}".encode()}


def test_pieces_do_not_change_the_bytes(out: Path, tmp_path: Path) -> None:
    rows = whole.table(out, "samples", "7")
    for number, size in enumerate((499, 10_000)):
        writer = tables.TableWriter(tmp_path / str(number), "samples")
        for _ in range(200):
            for first in range(0, len(rows), size):
                writer.append(rows.slice(first, size))
        writer.close()
    assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()
    assert pq.read_metadata(tmp_path / "0").num_row_groups == 2


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


@pytest.mark.parametrize("count", [1, 5, 11])
def test_a_run_that_died_is_resumed(
    archive: Path, out: Path, tmp_path: Path, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = importlib.import_module("locomotion.fleet.analyze")
    from locomotion.fleet.archive import users

    class Died(BaseException):
        pass

    target = tmp_path / "out"
    files = 0
    create = Storage.create

    @contextmanager
    def dying(self: Storage, path: str) -> Iterator[Any]:
        nonlocal files
        files += 1
        with create(self, path) as file:
            yield file
            if files > count:
                raise Died

    source = Storage(str(archive))
    with monkeypatch.context() as patch:
        patch.setattr(Storage, "create", dying)
        with pytest.raises(Died):
            for user in users(source):
                module._analyze_person(source, Storage(str(target)), module.code_digest(), user)
    done = len(list(target.glob("people/*.json")))
    assert done == count // 4
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
    assert analyze(str(copy), str(target)).done_before == 2
    analyze(str(copy), str(tmp_path / "fresh"))
    assert people.contents(tmp_path / "fresh") == people.contents(target)
    assert people.contents(target) != people.contents(out)


def test_poison_is_set_aside_with_its_reason(
    archive: Path, out: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
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
    assert main(["analyze", str(copy), str(target)]) == 0
    told = capfd.readouterr().err.splitlines()
    assert sum(line.startswith("set aside: ") for line in told) == 7
    summary = analyze(str(copy), str(target))
    assert (summary.people, summary.done_before) == (4, 4)
    rows = dict(summary.rejected)
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
    assert {name: digest for name, digest in found.items() if "cem" not in name} == expected
    assert all(len(whole.table(target, name, "cem")) == 0 for name in tables.NAMES)


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
    assert analyze(str(tmp_path / "archive"), str(tmp_path / "out")).rejected == []
    run("convert", str(path), str(tmp_path / "tidy"))
    (converted,) = (tmp_path / "tidy").rglob("*.gps.csv.gz")
    expected = whole.expected(converted, "ann")
    assert len(expected["fixes"]) == 600
    for name in ("fixes", "items"):
        assert whole.table(tmp_path / "out", name, "ann").equals(expected[name])
    # A second with a fix is one that was recorded.
    seconds = whole.table(tmp_path / "out", "samples", "ann").to_pandas()
    assert 590 <= len(seconds) <= 600
    assert (seconds["activity"] == "walking").mean() > 0.9


def test_an_outing_ends_with_its_track(tmp_path: Path) -> None:
    tracks = [
        "<trk><trkseg>"
        + "".join(
            f'<trkpt lat="{48 + 25 / 3.6 * (second + start) / 111_200:.6f}" lon="11.5">'
            f"<time>2026-07-10T{start // 3600:02}:{second // 60:02}:"
            f"{second % 60:02}Z</time></trkpt>"
            for second in range(0, 3600, 5)
        )
        + "</trkseg></trk>"
        for start in (3_600, 32_400)
    ]
    for path, content in {"ann/day": tracks, "bob/am": tracks[:1], "bob/pm": tracks[1:]}.items():
        file = tmp_path / f"archive/{path}.gpx"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f'<gpx version="1.1">{"".join(content)}</gpx>')
    analyze(str(tmp_path / "archive"), str(tmp_path / "out"))
    for user in ("ann", "bob"):
        expected = whole.expected(tmp_path / "archive/ann/day.gpx", user)
        assert expected["items"]["type"].to_pylist().count("gap") == 1
        for name, rows in expected.items():
            assert whole.table(tmp_path / "out", name, user).equals(rows)


def test_what_cannot_be_analyzed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputOutputError, match="no such folder"):
        analyze(str(tmp_path / "missing"), str(tmp_path / "out"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(RejectedInput, match="found none"):
        analyze(str(tmp_path / "empty"), str(tmp_path / "out"))
    with pytest.raises(UsageError, match="the source itself"):
        analyze(str(tmp_path / "empty"), str(tmp_path / "empty"))
