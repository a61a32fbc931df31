"""Reports on people and weeks, and scores."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import people
import pyarrow as pa
import pytest

from locomotion import InputOutputError, RejectedInput, UsageError, _command
from locomotion.fleet import evaluate, report, tables
from locomotion.fleet.__main__ import main
from locomotion.fleet.report import MODES, Cells
from locomotion.fleet.scores import accuracy, interval, macro_f1
from locomotion.fleet.storage import Storage

pytestmark = pytest.mark.fleet


def write_days(out: Path, walkers: int, drivers: int, **totals: float) -> None:
    """Write a day each of people who walk 1 km, or drive 10 km, with other totals."""
    storage = Storage(str(out))
    for number in range(walkers + drivers):
        mode = "walking" if number < walkers else "automotive"
        row: dict[str, object] = dict.fromkeys(tables.DAYS.names[4:], 0)
        row |= {"user": f"user {number}", "date": "2026-07-10", "first": 0, "last": 1}
        row |= {f"{mode}_s": 3600.0, f"{mode}_m": 1000.0 if mode == "walking" else 10_000.0}
        row |= {"recorded_s": 40_000.0, "steps": 100.0 * number} | totals
        content = tables.file_of(pa.Table.from_pylist([row], tables.DAYS))
        storage.write(f"days/day=2026-07-10/{number}.parquet", content)


def cells(page: Path, caption: str) -> list[list[str]]:
    """Return the texts of a table's rows."""
    found = re.search(f"<caption>{re.escape(caption)}.*?</table>", page.read_text(), re.DOTALL)
    assert found
    return [
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
        for row in re.findall(r"<tr>(.*?)</tr>", found[0].partition("<tbody>")[2])
    ]


def test_small_cells_are_hidden(tmp_path: Path) -> None:
    write_days(tmp_path, walkers=12, drivers=10)
    page = Path(report(str(tmp_path)))
    (row,) = cells(page, "Distance, km")
    assert row[1] == "12.0 (11 %)"
    assert row[1 + MODES.index("automotive")] == "100.0 (89 %)"
    # Fewer drivers than ten: their cell goes, and with it the one that the sum would tell it by.
    write_days(tmp_path, walkers=13, drivers=9)
    (row,) = cells(Path(report(str(tmp_path))), "Distance, km")
    assert row[1] == row[1 + MODES.index("automotive")] == "·"
    (row,) = cells(Path(report(str(tmp_path), fewest=9)), "Distance, km")
    assert row[1 + MODES.index("automotive")] == "90.0 (87 %)"


def test_a_week_tells_how_right_its_activities_are_expected_to_be(tmp_path: Path) -> None:
    write_days(tmp_path, walkers=12, drivers=0, unknown_s=4000.0, expected_right_s=34_200.0,
               novel_s=200.0)
    (row,) = cells(Path(report(str(tmp_path))), "People and days")
    # 34,200 of the 36,000 seconds with a name; 200 of 40,000.
    assert row[-2:] == ["95.0 %", "0.5 %"]
    (row,) = cells(Path(report(str(tmp_path), fewest=13)), "People and days")
    assert row[-2:] == ["·", "·"]


@pytest.mark.parametrize(
    ("people_in", "shown"),
    [
        ([12, 30, 10], [True, True, True]),
        ([12, 30, 9], [False, True, False]),
        ([3, 30, 9], [False, True, False]),
        ([0, 30, 9], [True, False, False]),
        ([0, 0, 9], [True, True, False]),
        ([0, 0, 0], [True, True, True]),
    ],
)
def test_no_cell_follows_from_the_others(people_in: list[int], shown: list[bool]) -> None:
    assert Cells(10).shown(people_in) == shown


def test_a_page_needs_nothing_else_and_is_always_the_same(tmp_path: Path) -> None:
    write_days(tmp_path, walkers=12, drivers=10)
    path = Path(report(str(tmp_path)))
    text = path.read_text()
    assert text.count("<svg") == 3
    assert not re.search(r"(src|href)=\"(?!#)|<script|@import|url\((?!#)", text)
    assert "user 1" not in text
    assert Path(report(str(tmp_path), html=str(tmp_path / "again.html"))).read_text() == text


def test_reports_without_tables_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputOutputError, match="no days"):
        report(str(tmp_path))
    with pytest.raises(UsageError, match="--fewest 0"):
        report(str(tmp_path), fewest=0)


def test_scores_of_a_few_windows() -> None:
    windows = np.zeros((6, 7))
    windows[1, 1], windows[1, 6], windows[3, 3], windows[3, 1] = 6, 2, 1, 1
    assert accuracy(windows) == pytest.approx(7 / 10)
    # Walking: 2 · 6 / (8 + 7); cycling: 2 · 1 / (2 + 1).
    assert macro_f1(windows) == pytest.approx((12 / 15 + 2 / 3) / 2)
    assert np.isnan(accuracy(np.zeros((6, 7))))


def test_intervals_are_over_people() -> None:
    good, bad = np.zeros((6, 7)), np.zeros((6, 7))
    good[1, 1], bad[1, 2] = 1000, 1000
    # Of people of whom half are always right, 16 drawn anew: binomial, deviation 1/8.
    found = interval([good] * 8 + [bad] * 8, accuracy, seed=1)
    assert found.value == 0.5
    assert found.low == pytest.approx(0.25, abs=0.0626)
    assert found.high == pytest.approx(0.75, abs=0.0626)
    assert interval([good, bad], accuracy, seed=1) == interval([good, bad], accuracy, seed=1)
    alone = interval([good], accuracy, seed=1)
    assert alone.value == 1 and np.isnan(alone.low) and np.isnan(alone.high)


def test_evaluations_have_the_windows_of_the_command(labelled: Path, tmp_path: Path) -> None:
    description = {"name": "x", "source": {"title": "x", "url": ""}, "licence": "CC0-1.0"}
    description |= {"placement": "pocket", "phone": "a <phone>"}
    (labelled / "dataset.json").write_text(json.dumps(description))
    path = tmp_path / "page.html"
    try:
        text = evaluate([str(labelled)], html=str(path), jobs=1)
        words = ["evaluate", "--json", "--dataset", str(labelled)]
        found = json.loads(_command.run(words).stdout)["live"]["overall"]["confusion"]
    finally:
        (labelled / "dataset.json").unlink()
    windows = sum(sum(answers.values()) for answers in found.values())
    assert windows > 30
    assert f"3 people, {windows} windows" in text
    for group, name in (("placement", "pocket"), ("phone", "a &lt;phone&gt;")):
        assert [row[:3] for row in cells(path, f"By {group}")] == [[name, "3", str(windows)]]
    assert len(cells(path, "By person")) == 3
    for row in cells(path, "Answers by truth"):
        own = [found[row[0]].get(answer, 0) for answer in (*tables.ACTIVITIES, "unknown")]
        assert row[1:] == [str(count) for count in own]


def test_sets_without_windows_are_refused(tmp_path: Path) -> None:
    with pytest.raises((RejectedInput, InputOutputError)):
        evaluate([str(tmp_path)], html=str(tmp_path / "page.html"), jobs=1)


def test_the_command_prints_what_it_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = people.write_people(tmp_path / "archive", {"ann": 1})
    assert main(["analyze", str(archive), str(tmp_path / "out"), "--jobs", "1"]) == 0
    assert "1 people, 0 of them done before: 1 days" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "out"), "--fewest", "1"]) == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "out/report.html")
    assert main(["analyze", str(tmp_path / "none"), str(tmp_path / "out")]) == 74
    assert "no such folder" in capsys.readouterr().err
    with pytest.raises(SystemExit) as usage:
        main(["analyze"])
    assert usage.value.code == 2
