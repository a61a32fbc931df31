"""The notebooks, executed from the first cell to the last: what they say is what is stored.

``python test_notebooks.py`` stores their outputs anew; ``Tests/Checks/python.sh --notebooks`` runs it.
"""

from __future__ import annotations

import base64
import gzip
import io
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for _name in ("ipykernel", "pandas", "matplotlib"):
    pytest.importorskip(_name)

FOLDER = Path(__file__).resolve().parents[3] / "Sources/Bindings/LocomotionPython/notebooks"
DAY = FOLDER / "a-day-from-a-phone.ipynb"
LABELS = FOLDER / "train-on-my-own-labels.ipynb"

LONGEST = 40_000
"""The characters of an output that is stored; a report in a frame has more, and few sites show it."""


def execute(path: Path, folder: Path) -> Any:
    """Return the notebook after its execution in `folder`."""
    notebook = nbformat.read(path, as_version=4)
    client = nbclient.NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
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
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("LOCOMOTION_RECORDING", raising=False)


def all_outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def tokens(output: Any) -> Iterator[Any]:
    """Iterate over the media types of an output, and the words and numbers of its text."""
    # Two streams may come in pieces; what a library frames its tables with is its own.
    yield from sorted(output.get("data", {"text/plain": ""}))
    text = output.get("data", {}).get("text/plain") or output.get("text", "")
    for word in re.findall(r"[\w.+:-]*\w", re.sub(r"\w*Figure\w*", "", text)):
        try:
            yield float(word)
        except ValueError:
            yield word


def without_long_parts(notebook: Any) -> Any:
    """Return a notebook with small images, and without what is too long to be stored."""
    from PIL import Image

    for output in all_outputs(notebook):
        data = output.get("data", {})
        if "image/png" in data:
            image = Image.open(io.BytesIO(base64.b64decode(data["image/png"]))).convert("RGB")
            small = io.BytesIO()
            image.quantize(64, dither=Image.Dither.NONE).save(small, "PNG", optimize=True)
            data["image/png"] = base64.b64encode(small.getvalue()).decode()
        for kind in [kind for kind, value in data.items() if len(value) > LONGEST]:
            del data[kind]
    return notebook


def store(path: Path) -> None:
    """Execute a notebook and store it with its outputs."""
    before = nbformat.read(path, as_version=4)
    os.environ.update(TZ="UTC")
    with tempfile.TemporaryDirectory() as folder:
        notebook = without_long_parts(execute(path, Path(folder)))
    notebook.metadata = before.metadata
    nbformat.write(notebook, path)


def check_stored(path: Path, notebook: Any) -> None:
    """Check that a notebook is stored with the outputs that it has now."""
    stored = nbformat.read(path, as_version=4)
    nbformat.validate(stored)
    assert path.stat().st_size < 150_000
    counts = [cell.execution_count for cell in stored.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    found = all_outputs(without_long_parts(notebook))
    assert len(found) == len(all_outputs(stored))
    for output, expected in zip(found, all_outputs(stored), strict=True):
        told, known = list(tokens(output)), list(tokens(expected))
        assert len(told) == len(known), known
        for one, other in zip(told, known, strict=True):
            # Kernels of OpenBLAS round differently.
            is_number = isinstance(other, float)
            close = pytest.approx(other, rel=1e-3, abs=1e-3, nan_ok=True) if is_number else other
            assert one == close, known


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
    check_stored(DAY, notebook)


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
    assert len(outputs(notebook, "image/png")) == 1
    check_stored(LABELS, notebook)


if __name__ == "__main__":
    for _path in sorted(FOLDER.glob("*.ipynb")):
        store(_path)
        print(_path, _path.stat().st_size, "bytes")
