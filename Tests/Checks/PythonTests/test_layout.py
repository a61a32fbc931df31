"""The package's copy of the C header, and loading the library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from locomotion import _library, constants
from locomotion.errors import InputOutputError, LocomotionError


def test_names_of_activities_are_those_of_the_library() -> None:
    for activity in constants.Activity:
        assert _library.library().locomotion_activity_name(activity).decode() == (
            activity.name.lower()
        )


def test_every_error_has_a_text_of_its_own() -> None:
    texts = [_library.library().locomotion_error_text(code) for code in constants.ErrorCode]
    assert len(set(texts)) == len(texts)
    assert b"unknown error" not in texts
    assert _library.library().locomotion_error_text(len(texts)) == b"unknown error"


# Loading


def test_missing_library_is_an_os_error(tmp_path: Path) -> None:
    with pytest.raises(InputOutputError, match="the library cannot be loaded: .*none.so"):
        _library.load(str(tmp_path / "none.so"))


def test_file_that_is_no_library_is_an_os_error(tmp_path: Path) -> None:
    path = tmp_path / "text.so"
    path.write_text("text")
    with pytest.raises(InputOutputError, match=r"the library cannot be loaded: .*text\.so"):
        _library.load(str(path))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int other;", "expected the function locomotion_abi_version, found none"),
        (
            "int locomotion_abi_version(void) { return 1; }",
            "expected version 2 of the interface, found 1",
        ),
        (
            "int locomotion_abi_version(void) { return 2; }",
            "expected the function locomotion_error_text, found none",
        ),
    ],
)
def test_other_library_is_refused(tmp_path: Path, source: str, message: str) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    (tmp_path / "other.c").write_text(source)
    path = tmp_path / "other.so"
    subprocess.run([compiler, "-shared", "-fPIC", tmp_path / "other.c", "-o", path], check=True)
    with pytest.raises(LocomotionError) as caught:
        _library.load(str(path))
    assert str(caught.value) == f"{path}: {message}"


def test_without_the_variable_the_library_is_beside_the_module(tmp_path: Path) -> None:
    package = tmp_path / "locomotion"
    shutil.copytree(Path(_library.__file__).parent, package)
    path = package / "liblocomotion-python.so"
    program = "import locomotion._library as l; print(l.library()._name)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    environment.pop("LOCOMOTION_LIBRARY", None)

    def run() -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True
        )

    path.unlink(missing_ok=True)
    assert f"the library cannot be loaded: {path}" in run().stderr
    path.symlink_to(_library.library()._name)
    assert run().stdout == f"{path}\n"


def test_import_loads_neither_the_library_nor_data_frames() -> None:
    program = (
        "import sys, locomotion; from locomotion import _library;"
        "print(_library.library.cache_info().currsize,"
        " sorted({'pandas', 'polars', 'pyarrow', 'matplotlib'} & set(sys.modules)))"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(_library.__file__).parents[1])}
    found = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    assert found.stdout == "0 []\n", found.stderr
