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

from locomotion.fleet import analyze, engines, extract_windows

pytestmark = pytest.mark.fleet
pytest.importorskip("pyspark")

MASTER = "local-cluster[2,1,1024]"


@pytest.fixture(scope="module", autouse=True)
def session() -> Iterator[None]:
    """One session for all tests, as its start takes longer than most of them."""
    spark = engines.session(MASTER)
    spark.sparkContext.setLogLevel("ERROR")
    yield
    spark.stop()


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four people, of whom one has most of the days."""
    days = {"ann": 1, "ben": 7, "cem": 1, "42": 1}
    return people.write_people(tmp_path_factory.mktemp("spark") / "archive", days)


@pytest.fixture(scope="module")
def out(archive: Path) -> Path:
    out = archive.with_name("out")
    assert analyze(str(archive), str(out), jobs=2).people == 4
    return out


@pytest.mark.parametrize("partitions", [None, 1, 9])
def test_any_partitions_write_the_same_bytes(
    archive: Path, out: Path, tmp_path: Path, partitions: int | None
) -> None:
    summary = analyze(str(archive), str(tmp_path / "out"), master=MASTER, jobs=partitions)
    assert summary.people == 4
    assert people.contents(tmp_path / "out") == people.contents(out)


def test_a_second_run_writes_nothing(archive: Path, out: Path) -> None:
    before = people.changes(out)
    assert analyze(str(archive), str(out), master=MASTER).done_before == 4
    assert people.changes(out) == before


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


@pytest.mark.parametrize("files", [1, 7])
def test_a_killed_executor_changes_nothing(
    archive: Path, out: Path, tmp_path: Path, files: int
) -> None:
    target = tmp_path / "out"
    killed: list[int] = []
    is_over = threading.Event()

    def kill() -> None:
        while not is_over.is_set():
            written = list(target.glob("*/*.parquet"))
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


def test_mixed_parquet_gives_the_same_tables(archive: Path, out: Path, tmp_path: Path) -> None:
    mixed = people.write_parquet(archive, tmp_path / "mixed", parts=3)
    target = tmp_path / "out"
    analyze(str(mixed), str(target), master=MASTER)
    assert people.contents(target, tables_only=True) == people.contents(out, tables_only=True)
    assert analyze(str(mixed), str(target), master=MASTER).done_before == 4


def test_windows_are_those_of_processes(tmp_path: Path) -> None:
    sets = labelled_sets.write_sets(tmp_path / "sets")
    extract_windows(sets, str(tmp_path / "processes"), altered=True)
    extract_windows(sets, str(tmp_path / "spark"), altered=True, master=MASTER)
    assert people.contents(tmp_path / "spark") == people.contents(tmp_path / "processes")
