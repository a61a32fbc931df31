"""The metadata that Datasets/croissant.py makes, and the folds of Datasets/split.py."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
import runpy
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

DATASETS = Path(__file__).resolve().parents[3] / "Datasets"
SPLIT = DATASETS / "Splits" / "people-1.csv"
DESCRIPTION = {
    "name": "walks",
    "source": {"title": "Doe: Walks, 2026", "url": "https://example.org/walks"},
    "licence": "CC BY 4.0",
    "samplingRate": 50,
    "people": 1,
    "sensors": ["accelerometer", "location"],
    "placement": "pocket",
    "labels": {"stairs": "ignore", "walking": "walking"},
    "trainingLabels": {"stairs": "walking"},
}
WITH_RATES = "accelerations-gx-gy-gz"
Run = subprocess.CompletedProcess[str]


def run(script: str, *words: object) -> Run:
    command = [sys.executable, str(DATASETS / script), *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.fixture
def walks(tmp_path: Path) -> Path:
    """A data set of two recordings, one of them compressed and with fixes."""
    folder = tmp_path / "walks"
    folder.mkdir()
    (folder / "dataset.json").write_text(json.dumps(DESCRIPTION))
    (folder / "labels.csv").write_text(
        "recording,subject,start,end,label\nwalk[1],ann,0,1.5,walking\nwalk2,ann,0,1,stairs\n"
    )
    (folder / "walk[1].csv").write_text("t,ax,ay,az,own\n0,0,0.5,9.81,7\n0.02,0,,9.8,7\n")
    with gzip.open(folder / "walk2.csv.gz", "wt") as file:
        file.write("t,ax,ay,az,gx,gy,gz\n0,1,2,3,0.1,0.2,0.3\n")
    (folder / "walk2.gps.csv").write_text("t,lat,lon,hacc\n0,48,11.5,-1\n")
    (folder / "notes.csv").write_text("recording,weather\nwalk2,rain\n")
    return folder


def croissant(path: Path) -> str:
    made = run("croissant.py", path)
    assert made.returncode == 0, made.stderr
    return made.stdout


def test_metadata_name_files_columns_and_units(walks: Path) -> None:
    text = croissant(walks)
    assert croissant(walks) == text
    made = json.loads(text)
    assert made["license"] == "https://spdx.org/licenses/CC-BY-4.0.html"
    assert (made["creator"]["name"], made["datePublished"]) == ("Doe", "2026")
    for fact in ("pocket", "accelerations per second: 50", "people: 1", "accelerometer, location"):
        assert fact in made["description"]
    assert made["rai:dataAnnotationProtocol"] == [
        "stairs: ignore; in training walking",
        "walking: walking",
    ]
    files = {file["@id"]: file for file in made["distribution"] if "sha256" in file}
    assert set(files) == {path.name for path in walks.glob("*.csv*")}
    for name, file in files.items():
        data = (walks / name).read_bytes()
        assert file["sha256"] == hashlib.sha256(data).hexdigest()
        assert file["contentSize"] == f"{len(data)} B"
    units = {
        field["@id"]: field["annotation"]["value"] if "annotation" in field else None
        for records in made["recordSet"]
        for field in records["field"]
    }
    assert units == {
        "accelerations/recording": None, "accelerations/t": "s",
        "accelerations/ax": "m/s²", "accelerations/ay": "m/s²", "accelerations/az": "m/s²",
        f"{WITH_RATES}/recording": None, f"{WITH_RATES}/t": "s",
        f"{WITH_RATES}/ax": "m/s²", f"{WITH_RATES}/ay": "m/s²", f"{WITH_RATES}/az": "m/s²",
        f"{WITH_RATES}/gx": "rad/s", f"{WITH_RATES}/gy": "rad/s", f"{WITH_RATES}/gz": "rad/s",
        "fixes/recording": None, "fixes/t": "s",
        "fixes/lat": "°", "fixes/lon": "°", "fixes/hacc": "m",
        "labels/recording": None, "labels/subject": None,
        "labels/start": "s", "labels/end": "s", "labels/label": None,
    }  # fmt: skip


def test_columns_are_those_that_the_readme_lists() -> None:
    readme = (DATASETS / "README.md").read_text(encoding="utf-8")
    table = readme.split("## The tidy form")[1].split("## Descriptions")[0]
    known = set(runpy.run_path(str(DATASETS / "croissant.py"))["COLUMNS"])
    lines = [line for line in table.splitlines() if line.startswith(("| `", "- `X.truth"))]
    spans = [span for span in re.findall("`([^`]+)`", " ".join(lines)) if ".csv" not in span]
    listed = set(",".join(spans).split(","))
    assert {"ax", "lat", "course", "note", "system", "cadence"} <= listed
    assert listed <= known


def test_mlcroissant_accepts_the_metadata_and_reads_the_records(walks: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    file = walks / "croissant.json"
    file.write_text(croissant(walks), encoding="utf-8")
    data = mlcroissant.Dataset(file)
    assert list(data.metadata.ctx.issues.errors) == []

    def records(name: str) -> list[dict[str, object]]:
        return [
            {
                key.split("/")[1]: value.decode() if isinstance(value, bytes) else value
                for key, value in record.items()
            }
            for record in data.records(name)
        ]

    assert records("accelerations") == [
        {"recording": "walk[1]", "t": 0, "ax": 0, "ay": 0.5, "az": 9.81},
        {"recording": "walk[1]", "t": 0.02, "ax": 0, "ay": None, "az": 9.8},
    ]
    with_rates = {"ax": 1, "ay": 2, "az": 3, "gx": 0.1, "gy": 0.2, "gz": 0.3}
    assert records(WITH_RATES) == [{"recording": "walk2", "t": 0, **with_rates}]
    assert records("fixes") == [{"recording": "walk2", "t": 0, "lat": 48, "lon": 11.5, "hacc": -1}]
    assert [row["label"] for row in records("labels")] == ["walking", "stairs"]
    (walks / "labels.csv").write_text("recording,subject,start,end,label\n")
    with pytest.raises(Exception, match="labels.csv"):
        list(mlcroissant.Dataset(file).records("labels"))


@pytest.mark.parametrize("path", sorted(DATASETS.glob("Descriptions/*.json")), ids=lambda p: p.stem)
def test_mlcroissant_accepts_every_description(path: Path, tmp_path: Path) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    file = tmp_path / "croissant.json"
    file.write_text(croissant(path), encoding="utf-8")
    assert mlcroissant.Dataset(file).metadata.name == path.stem


def frozen() -> dict[tuple[str, str], int]:
    with open(SPLIT, encoding="utf-8", newline="") as file:
        return {(row["dataset"], row["person"]): int(row["fold"]) for row in csv.DictReader(file)}


def test_the_frozen_split_is_that_of_the_readme() -> None:
    readme = (DATASETS / "README.md").read_text(encoding="utf-8")
    assert hashlib.sha256(SPLIT.read_bytes()).hexdigest() in readme
    assert set(frozen().values()) == {1, 2, 3, 4, 5}
    sets = defaultdict(list)
    for (name, _), fold in frozen().items():
        sets[name].append(fold)
    for name, folds in sets.items():
        described = json.loads((DATASETS / "Descriptions" / f"{name}.json").read_text())
        if len(folds) > described.get("people", 0):
            assert len(set(folds)) == 1
        else:
            assert max(Counter(folds).values()) <= -(-len(folds) // 5) + 1


@pytest.fixture
def people(tmp_path: Path) -> Callable[..., list[Path]]:
    """A function that makes recordings for the people of some of the described sets."""

    made = {
        "difronzo": ["0,60,walking", "60,70,stairs"],
        "driver_jair": ["0,60,automotive"],
        "geotec_spsw": ["0,60,walking"],
        "motionsense": ["0,60,walking", "60,70,stairs"],
    }

    def make(*names: str) -> list[Path]:
        for name in names:
            folder = tmp_path / name
            folder.mkdir()
            rows = ["recording,subject,start,end,label"]
            for person in (person for other, person in frozen() if other == name):
                rows += [f"r{person},{person},{row}" for row in made[name]]
                (folder / f"r{person}.csv").write_text("t,ax,ay,az\n0,0,0,9.81\n")
            (folder / "labels.csv").write_text("\n".join(rows) + "\n")
        return [tmp_path / name for name in names]

    return make


def test_check_compares_the_people(people: Callable[..., list[Path]]) -> None:
    folders = people("difronzo", "motionsense")
    checked = run("split.py", "--check", *folders)
    assert checked.returncode == 0 and "20 people of 2 data sets" in checked.stdout
    with open(folders[0] / "labels.csv", "a", encoding="utf-8") as file:
        file.write("r9,u9,0,1,walking\n")
    checked = run("split.py", "--check", *folders)
    assert checked.returncode == 1 and "difronzo/u9 is not in the split" in checked.stderr


def test_folds_hold_each_person_once(people: Callable[..., list[Path]], tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = run("split.py", "--folds", out, *people("difronzo", "motionsense"))
    assert made.returncode == 0, made.stderr
    found: dict[tuple[str, str], int] = {}
    for fold in range(1, 6):
        folder = out / f"fold{fold}"
        with open(folder / "labels.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["label"] for row in rows} == {"walking", "roughly walking"}
        for row in rows:
            assert (folder / f"{row['recording']}.csv").read_text().startswith("t,ax")
            name, person = row["subject"].split("/")
            assert found.setdefault((name, person), fold) == fold
        described = json.loads((folder / "dataset.json").read_text())
        assert described["labels"] == {"walking": "walking"}
        assert described["trainingLabels"] == {"roughly walking": "walking"}
    assert found == {m: f for m, f in frozen().items() if m[0] in ("difronzo", "motionsense")}


def test_an_assignment_is_balanced_and_depends_on_no_order(
    people: Callable[..., list[Path]],
) -> None:
    folders = people("difronzo", "driver_jair", "geotec_spsw", "motionsense")
    made = run("split.py", *folders)
    assert made.returncode == 0, made.stderr
    assert run("split.py", *reversed(folders)).stdout == made.stdout
    folds = defaultdict(list)
    for row in csv.DictReader(made.stdout.splitlines()):
        folds[row["dataset"]].append(row["fold"])
    assert len(set(folds.pop("driver_jair"))) == 1
    for members in folds.values():
        sizes = Counter(members)
        assert len(sizes) == 5 and max(sizes.values()) - min(sizes.values()) <= 1
