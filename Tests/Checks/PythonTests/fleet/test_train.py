"""Models that tasks train are those of the command."""

from __future__ import annotations

import functools
import importlib
import json
import shutil
from pathlib import Path
from typing import Any

import labelled_sets
import numpy as np
import pytest

from locomotion import InputOutputError, RejectedInput, UsageError, _command, _native
from locomotion.fleet import fit, train
from locomotion.fleet.__main__ import main

# The function of the same name hides the module.
train_steps = importlib.import_module("locomotion.fleet.train")

pytestmark = pytest.mark.fleet


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return labelled_sets.write_sets(tmp_path_factory.mktemp("sets"))


class Expected:
    """What ``locomotion train`` writes."""

    def __init__(self, sets: list[str], folder: Path, *words: str) -> None:
        model, report = folder / "expected.model", folder / "expected.json"
        words = ("train", "--dataset", *sets, "--out", str(model), "--json", str(report), *words)
        self.text = _command.run(words).stdout
        self.model = model.read_bytes()
        self.report: dict[str, Any] = json.loads(report.read_text())
        del self.report["unseenPeople"]["importances"]
        # What people have in common is described beside the recordings, which workers don't read.
        for name in ("unseenPeople", "unseenDatasets"):
            self.report[name]["groups"] = []


@pytest.fixture(scope="module")
def expected(sets: list[str], tmp_path_factory: pytest.TempPathFactory) -> Expected:
    return Expected(sets, tmp_path_factory.mktemp("expected"))


@pytest.mark.parametrize(("jobs", "partitions"), [(1, 1), (2, 3), (2, 7)])
def test_the_model_is_the_commands(
    sets: list[str], expected: Expected, tmp_path: Path, jobs: int, partitions: int
) -> None:
    out = tmp_path / "own.model"
    trained = train(sets, out=str(out), jobs=jobs, partitions=partitions)
    assert out.read_bytes() == trained.model == expected.model
    found = dict(trained.scores)
    assert found["unseenPeople"].pop("importances") == []
    # The check of whole recordings is `check-dataset`'s.
    assert found.pop("dataProblems") == [] and expected.report["dataProblems"] == []
    assert found == {
        name: value for name, value in expected.report.items() if name != "dataProblems"
    }
    assert found["rotation"]["windows"] > 0
    assert trained.people == 7
    assert [path.name for path in tmp_path.iterdir()] == ["own.model"]


def test_the_command_line_trains(
    sets: list[str], expected: Expected, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out, report = tmp_path / "own.model", tmp_path / "own.json"
    words = ["train", *sets, "--out", str(out), "--json", str(report), "--leave-one-person-out"]
    assert main(words) == 0
    assert out.read_bytes() == expected.model
    text = capfd.readouterr().out
    card, _, people = text.partition("== Each person by a model trained without them")
    # The command's card.
    lines = expected.text.splitlines()
    assert [line for line in card.strip().splitlines() if line not in lines] == []
    windows = json.loads(report.read_text())["unseenPeople"]["windows"]["bySubject"]
    rows = people.splitlines()[1:]
    assert [row.split()[0] for row in rows] == sorted(windows)
    assert rows[0].startswith("hills/ann  ") and " windows  " in rows[0]


def test_settings_are_the_commands(sets: list[str], tmp_path: Path) -> None:
    expected = Expected(sets, tmp_path, "--seed", "7", "--as-recorded")
    out = str(tmp_path / "own.model")
    trained = train(sets, out=out, seed=7, is_altered=False, jobs=2)
    assert trained.model == expected.model
    assert trained.windows == sum(
        sum(source["windows"].values()) for source in expected.report["sources"]
    )


def test_a_damaged_recording_is_set_aside(sets: list[str], tmp_path: Path) -> None:
    bad, good = ([str(tmp_path / kind / Path(folder).name) for folder in sets]
                 for kind in ("bad", "good"))  # fmt: skip
    for folder, *copies in zip(sets, bad, good, strict=True):
        for copy in copies:
            shutil.copytree(folder, copy)
    torn = Path(bad[0]) / "ben-1.csv.gz"
    torn.write_bytes(torn.read_bytes()[:20_000])
    (Path(good[0]) / "ben-1.csv.gz").unlink()
    # Of this person nothing is left.
    for name in ("fay-0", "fay-1"):
        (Path(bad[1]) / f"{name}.csv.gz").unlink()
        (Path(bad[1]) / f"{name}.csv").write_text("t,ax,ay,az\n0,one,two,three\n")
        (Path(good[1]) / f"{name}.csv.gz").unlink()
    out = str(tmp_path / "own.model")
    trained = train(bad, out=out, jobs=2)
    assert [path for path, _ in trained.rejected] == sorted(
        [f"{bad[0]}/ben-1", f"{bad[1]}/fay-0", f"{bad[1]}/fay-1"]
    )
    assert trained.people == 6
    reasons = dict(trained.rejected)
    assert "ends in the middle" in reasons[f"{bad[0]}/ben-1"]
    assert "fay-0.csv:2:" in reasons[f"{bad[1]}/fay-0"]
    assert trained.scores["dataProblems"] == [
        f"set aside: {path}: {reason}" for path, reason in trained.rejected
    ]
    assert trained.model == Expected(good, tmp_path).model


def test_what_cannot_be_trained_is_refused(sets: list[str], tmp_path: Path) -> None:
    out = str(tmp_path / "own.model")
    with pytest.raises(UsageError, match="expected one set of the name town"):
        train([sets[0], sets[0]], out=out)
    with pytest.raises(InputOutputError, match="cannot be written"):
        train(sets, out=str(tmp_path / "missing" / "own.model"))
    with pytest.raises(InputOutputError, match="no such file"):
        train([str(tmp_path / "none")], out=out)
    one = labelled_sets.write_set(tmp_path / "one", ["ann"], 0)
    with pytest.raises(RejectedInput, match="at least two people, found one"):
        train([str(one)], out=out, jobs=1)
    (one / "labels.csv").write_text("recording,subject,start,end,label\nann-0,ann,0,9,nothing\n")
    with pytest.raises(RejectedInput, match="expected labels of activities"):
        train([str(one)], out=out)
    assert not Path(out).exists()


def test_integers_of_128_bits_are_added() -> None:
    random = np.random.default_rng(5)
    limbs = random.integers(0, 1 << 64, (2, 500, 2), np.uint64)
    # Carries, borrows and signs.
    limbs[:, :250, 0] |= np.uint64(0xFFFF << 48)
    limbs[:, :, 1] = (limbs[:, :, 1].view(np.int64) >> np.int64(3)).view(np.uint64)

    def numbers(rows: Any) -> list[int]:
        return [int(low) + (int(high) << 64) for low, high in zip(
            rows[:, 0], rows[:, 1].view(np.int64), strict=True
        )]  # fmt: skip

    expected = [a + b for a, b in zip(numbers(limbs[0]), numbers(limbs[1]), strict=True)]
    assert numbers(fit._added(limbs[0], limbs[1])) == expected


def _columns(features: Any, basis: dict[str, Any]) -> Any:
    """Return the columns of a basis, as the definition of `HingeBasis` has them."""
    means, scales, knots = (basis[name] for name in ("means", "scales", "knots"))
    u = np.clip((features - means) / scales, np.float32(-6), np.float32(6)).astype(np.float64)
    hinges = np.maximum(0, u[:, :, None] - knots.reshape(1, -1, 6).astype(np.float64))
    columns = np.concatenate([u[:, :, None], hinges], axis=2).reshape(len(u), -1)
    return np.hstack([np.ones((len(u), 1)), columns])


def test_a_person_left_out_is_as_if_not_there(sets: list[str]) -> None:
    options = fit.Options(is_altered=False)
    people, _ = train_steps._people(sets)
    blocks = [train_steps._windows(str(Path.cwd()), options, person) for person in people]

    def steps(own: list[Any]) -> tuple[_native.Training, Any]:
        counts = [count for block in own for count in fit._counts(block)[0]]
        arrays = {"counts": fit._json(counts), "seed": np.array([1], np.uint64)}
        training = _native.Training(arrays)

        def run(step: str, block: Any, more: dict[str, Any]) -> Any:
            return fit.typed(training.run(step, block.arrays | more))

        return training, run

    training, run = steps(blocks)
    counts: dict[str, Any] = {}
    for level in range(3):
        wanted = training.run("prefixes", counts) | {"level": np.array([level], np.int32)}
        parts = [run("counts", block, wanted) for block in blocks]
        found = functools.reduce(fit._add_key_counts, parts)
        counts |= {f"{name}_{level}": values for name, values in found.items()}
    basis = training.run("basis", counts)
    floats = {name: values.view(np.float32) for name, values in basis.items()}

    def solved(own: list[Any]) -> tuple[Any, Any]:
        training, run = steps(own)
        sums = []
        for block in own:
            found = run("sums", block, basis)
            names = json.loads(found["parts"].tobytes())
            parts = found["elements"].reshape(len(names), -1, 2)
            keys = [(name["dataset"], name["activity"]) for name in names]
            own_parts = dict(zip(keys, parts, strict=True))
            sums.append(fit._Sums(own_parts, found["outliers"]))
        total = functools.reduce(fit._add_sums, sums)
        return training.run("solve", basis | fit._of_sums(total)), run

    _, run = solved(blocks)
    for place in (0, 5):
        found = run("scores", blocks[place], {})["without_person"].reshape(-1, 3)
        weights, _ = solved(blocks[:place] + blocks[place + 1 :])
        table = weights["weights"].view(np.float64).reshape(3, -1)
        arrays = blocks[place].arrays
        features = arrays["features"].reshape(len(arrays["classes"]), -1)
        direct = _columns(features, floats) @ table.T
        # Sums of some hundred products in another order.
        assert np.abs(direct - found).max() < 1e-11
        full, _ = solved(blocks)
        others = full["weights"].view(np.float64).reshape(3, -1)
        assert np.abs(_columns(features, floats) @ others.T - found).max() > 1e-3
