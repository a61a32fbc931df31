"""The notebooks: stored without outputs, and executed from the first cell to the last."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for _name in ("ipykernel", "pandas", "matplotlib"):
    pytest.importorskip(_name)

FOLDER = Path(__file__).resolve().parents[3] / "Sources" / "Bindings" / "LocomotionPython" / "notebooks"
DAY = FOLDER / "a-day-from-a-phone.ipynb"
LABELS = FOLDER / "train-on-my-own-labels.ipynb"


def execute(path: Path, folder: Path) -> Any:
    """Return the notebook after its execution in `folder`."""
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
    )
    return client.execute()


def outputs(notebook: Any, kind: str) -> list[str]:
    """Return the outputs of a media type, or the printed text for "stream"."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if kind == "stream" and output.output_type == "stream":
                found.append(output.text)
            elif kind in output.get("data", {}):
                found.append(output.data[kind])
    return found


@pytest.fixture(autouse=True)
def own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep what a kernel writes, and a person's settings, out of the way."""
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.delenv("LOCOMOTION_RECORDING", raising=False)


def test_notebooks_are_stored_without_outputs() -> None:
    paths = sorted(FOLDER.glob("*.ipynb"))
    assert {DAY, LABELS} <= set(paths)
    for path in paths:
        notebook = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                assert cell.outputs == [], path.name
                assert cell.execution_count is None, path.name


def test_notebook_makes_a_recording_of_its_own(tmp_path: Path) -> None:
    notebook = execute(DAY, tmp_path)
    assert "synthetic.csv" in outputs(notebook, "text/plain")[0]
    text = "".join(outputs(notebook, "stream"))
    assert "Fri 10 Jul 2026" in text
    assert "steps in the whole recording" in text
    # The day's plot, once, and the probabilities.
    assert len(outputs(notebook, "image/png")) == 2
    assert any("automotive" in html for html in outputs(notebook, "text/html"))
    assert len(list(tmp_path.glob("*/report.html"))) == 1


def test_notebook_reads_the_recording_it_is_given(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCOMOTION_RECORDING", str(command.recording))
    notebook = execute(DAY, tmp_path)
    assert command.text("summary.txt").strip() in "".join(outputs(notebook, "stream"))
    assert list(tmp_path.rglob("synthetic.csv")) == []
    (report,) = tmp_path.glob("*/report.html")
    assert report.read_bytes() == (command.folder / "report.html").read_bytes()


@pytest.mark.parametrize("missing", ["fixes", "accelerations"])
def test_notebook_reads_half_a_recording(
    missing: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = ".csv.gz" if missing == "fixes" else ".gps.csv.gz"
    source = command.recording.with_name(command.recording.name.replace(".csv.gz", ending))
    path = tmp_path / f"half{ending.removesuffix('.gz')}"
    path.write_bytes(gzip.decompress(source.read_bytes()))
    monkeypatch.setenv("LOCOMOTION_RECORDING", str(path))
    notebook = execute(DAY, tmp_path)
    assert path.name in "".join(outputs(notebook, "stream"))
    assert len(outputs(notebook, "image/png")) == 2


def test_notebook_trains_on_labels(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    notebook = execute(LABELS, tmp_path)
    text = "".join(outputs(notebook, "stream"))
    assert "windows of 6 people" in text
    assert "balanced accuracy 1.0" in text
    assert "walking: 90 of 90 seconds" in text
    assert (tmp_path / "my-model.bin").stat().st_size > 10_000
    assert len(outputs(notebook, "image/png")) >= 1
