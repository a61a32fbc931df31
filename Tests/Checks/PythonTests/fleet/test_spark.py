"""Spark writes what processes write, whatever its partitions and whoever is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import labelled_sets
import people
import pytest

from locomotion.fleet import analyze, blocks, engines, train

pytestmark = pytest.mark.fleet
pytest.importorskip("pyspark")

MASTER = "local-cluster[2,1,1024]"


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """One session for all tests, as its start takes longer than most of them."""
    engine = engines.Spark(MASTER)
    engine.session.sparkContext.setLogLevel("ERROR")
    yield
    engine.close()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four people, of whom one has most of the days."""
    days = {"ann": 1, "ben": 7, "cem": 1, "42": 1}
    return people.write_people(tmp_path_factory.mktemp("spark") / "archive", days)


@pytest.fixture(scope="module")
def out(archive: Path) -> Path:
    out = archive.with_name("out")
    assert analyze(str(archive), str(out), jobs=2).days == 10
    return out


@pytest.mark.parametrize("batch", [1, 1 << 20, 1 << 40])
def test_any_partitions_write_the_same_bytes(
    archive: Path, out: Path, tmp_path: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_BATCH_BYTES", batch)
    summary = analyze(str(archive), str(tmp_path / "out"), master=MASTER)
    assert summary.people == 4
    assert people.contents(tmp_path / "out") == people.contents(out)


def test_a_second_run_writes_nothing(archive: Path, out: Path) -> None:
    before = people.changes(out)
    assert analyze(str(archive), str(out), master=MASTER).done_before == 4
    assert people.changes(out) == before


def test_an_interrupted_run_is_resumed(archive: Path, out: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    analyze(str(archive), str(target), master=MASTER)
    (target / "_manifests/ben.json").unlink()
    (target / "_manifests/ben.started").touch()
    for path in sorted(target.glob("samples/day=*/ben.parquet"))[:3]:
        path.write_bytes(path.read_bytes()[:100])
    assert analyze(str(archive), str(target), master=MASTER).done_before == 3
    assert people.contents(target) == people.contents(out)


def executors() -> list[int]:
    """Return the processes of executors that this process has begun."""
    parents, found = {}, []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            status = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)] = int(status[1])
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
            found.append(int(folder.name))

    def is_own(process: int) -> bool:
        while process > 1:
            if process == os.getpid():
                return True
            process = parents.get(process, 0)
        return False

    return sorted(process for process in found if is_own(process))


@pytest.mark.parametrize("files", [1, 9])
def test_a_killed_executor_changes_nothing(
    archive: Path, out: Path, tmp_path: Path, files: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "_BATCH_BYTES", 1)
    target = tmp_path / "out"
    killed: list[int] = []
    is_over = threading.Event()

    def kill() -> None:
        while not is_over.is_set():
            written = list(target.glob("*/day=*/*.parquet"))
            if len(written) >= files and (found := executors()):
                killed.append(found[-1])
                os.kill(found[-1], signal.SIGKILL)
                return
            time.sleep(0.01)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        analyze(str(archive), str(target), master=MASTER)
    finally:
        is_over.set()
        thread.join()
    assert len(killed) == 1
    assert people.contents(target) == people.contents(out)


def test_mixed_parquet_is_divided_by_a_shuffle(
    archive: Path, out: Path, tmp_path: Path
) -> None:
    mixed = people.write_parquet(archive, tmp_path / "mixed", parts=3)
    target, other = tmp_path / "out", tmp_path / "other"
    analyze(str(mixed), str(target), master=MASTER)
    assert people.contents(target, tables_only=True) == people.contents(out, tables_only=True)
    # What is divided has the same bytes as well.
    analyze(str(mixed), str(other))

    def divided(folder: Path) -> dict[str, str]:
        found = people.contents(folder / "_split")
        return {name: digest for name, digest in found.items() if name.endswith(".parquet")}

    assert divided(target) == divided(other)
    assert len(divided(target)) == 20


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return labelled_sets.write_sets(tmp_path_factory.mktemp("sets"))


@pytest.fixture(scope="module")
def model(sets: list[str], tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The model that processes train."""
    return train(sets, out=str(tmp_path_factory.mktemp("model") / "model"), jobs=2).model


@pytest.mark.parametrize("partitions", [1, 3, 7])
def test_any_partitions_train_the_same_model(
    sets: list[str], model: bytes, tmp_path: Path, partitions: int
) -> None:
    out = tmp_path / "model"
    trained = train(sets, out=str(out), master=MASTER, partitions=partitions)
    assert out.read_bytes() == trained.model == model
    assert trained.rejected == []


def test_windows_lost_with_an_executor_change_no_model(
    sets: list[str], model: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    share = blocks.SparkBlocks.share
    killed: list[int] = []

    def kill_and_share(own: blocks.SparkBlocks, value: object) -> blocks.Shared:
        # The first is shared when the windows are there, and so are the first sums.
        if not killed and (found := executors()):
            killed.append(found[-1])
            os.kill(found[-1], signal.SIGKILL)
        return share(own, value)

    monkeypatch.setattr(blocks.SparkBlocks, "share", kill_and_share)
    trained = train(sets, out=str(tmp_path / "model"), master=MASTER, partitions=7)
    assert len(killed) == 1
    assert trained.model == model
