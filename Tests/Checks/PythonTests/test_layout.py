"""The structs, constants and functions of the C header against those of the package."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from locomotion import _layout, _library, constants
from locomotion.errors import InputOutputError, LocomotionError

HEADER = Path(__file__).resolve().parents[3] / "Sources/Bindings/CLocomotion/include/locomotion.h"
"""The C interface."""

STRUCTS = {
    "locomotion_fix": _layout.FIX,
    "locomotion_sample": _layout.SAMPLE,
    "locomotion_fix_report": _layout.FIX_REPORT,
    "locomotion_timeline_item": _layout.TIMELINE_ITEM,
    "locomotion_intake": _layout.INTAKE,
    "locomotion_counts": _layout.COUNTS,
}

ENUMS: dict[str, type[IntEnum]] = {
    "LOCOMOTION_ACTIVITY_": constants.Activity,
    "LOCOMOTION_REASON_": constants.Reason,
    "LOCOMOTION_FIX_": constants.FixStatus,
    "LOCOMOTION_REJECTION_": constants.Rejection,
    "LOCOMOTION_ITEM_": constants.ItemType,
    "LOCOMOTION_ERROR_": constants.ErrorCode,
}
"""The enums of the package by the prefix of their constants."""

BY_NAME: dict[str, IntEnum | int] = {
    "LOCOMOTION_ABI_VERSION": _library.ABI_VERSION,
    "LOCOMOTION_ACTIVITY_COUNT": _layout.ACTIVITIES,
    "LOCOMOTION_CUSTOM_ACTIVITIES": _layout.CUSTOM_ACTIVITIES,
    "LOCOMOTION_CUSTOM_NAME": _layout.CUSTOM_NAME,
    "LOCOMOTION_STATIONARY": constants.Moving.STATIONARY,
    "LOCOMOTION_MOVING": constants.Moving.MOVING,
    "LOCOMOTION_UNCERTAIN": constants.Moving.UNCERTAIN,
    "LOCOMOTION_LIVE": constants.Form.LIVE,
    "LOCOMOTION_SETTLED": constants.Form.SETTLED,
    "LOCOMOTION_SMOOTHED": constants.Form.SMOOTHED,
    "LOCOMOTION_KEEP_RECORDING": constants.Options.KEEP_RECORDING,
    "LOCOMOTION_OK": constants.ErrorCode.OK,
}
"""The constants whose names have no prefix of their own."""

C_TYPES: dict[str, Any] = {
    "int32_t": ctypes.c_int32,
    "uint32_t": ctypes.c_uint32,
    "int64_t": ctypes.c_int64,
    "locomotion_pipeline": ctypes.c_uint64,
}


def header() -> str:
    """Return the header without its comments."""
    return re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)


def header_constants() -> dict[str, int]:
    """Return the names and values of the constants of the header."""
    text = header()
    found = {name: int(value) for name, value in re.findall(r"(LOCOMOTION_\w+) = (-?\d+)", text)}
    version = re.findall(r"#define LOCOMOTION_ABI_VERSION (\d+)", text)
    return found | {"LOCOMOTION_ABI_VERSION": int(version[0])}


def header_structs() -> dict[str, list[str]]:
    """Return the names of the structs of the header, and of their fields."""
    structs = re.findall(r"typedef struct \{(.*?)\} (\w+);", header(), flags=re.DOTALL)
    return {name: re.findall(r"(\w+)(?:\[\w+\])?;", body) for body, name in structs}


def test_header_has_the_structs_and_fields_of_the_package() -> None:
    assert header_structs() == {name: list(kind.names or ()) for name, kind in STRUCTS.items()}


def test_offsets_and_sizes_are_those_of_a_compiler(tmp_path: Path) -> None:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    prints = "".join(
        f'printf("{name} %zu\\n", sizeof({name}));'
        + "".join(
            f'printf("{name}.{field} %zu %zu\\n", offsetof({name}, {field}),'
            f" sizeof((({name} *)0)->{field}));"
            for field in fields
        )
        for name, fields in header_structs().items()
    )
    source = tmp_path / "layout.c"
    source.write_text(
        "#include <locomotion.h>\n#include <stddef.h>\n#include <stdio.h>\n"
        f"int main(void) {{ {prints} }}\n"
    )
    program = tmp_path / "layout"
    subprocess.run([compiler, source, "-o", program, "-I", HEADER.parent], check=True)
    found = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    expected = []
    for name, kind in STRUCTS.items():
        expected.append(f"{name} {kind.itemsize}")
        assert kind.fields is not None
        for field, (part, offset) in ((key, value[:2]) for key, value in kind.fields.items()):
            expected.append(f"{name}.{field} {offset} {part.itemsize}")
    assert found.splitlines() == expected
    assert len(expected) > 90


def test_types_of_fields_are_those_of_the_header() -> None:
    codes = {"int64_t": "<i8", "int32_t": "<i4", "double": "<f8", "float": "<f4"}
    kinds = {name: np.dtype(code).newbyteorder("=") for name, code in codes.items()}
    structs = re.findall(r"typedef struct \{(.*?)\} (\w+);", header(), flags=re.DOTALL)
    for body, name in structs:
        for kind, fields in re.findall(r"^\s*(\w+) (\w[^;]*);", body, flags=re.MULTILINE):
            for field in re.findall(r"\w+", re.sub(r"\[\w+\]", "", fields)):
                assert STRUCTS[name][field].base == kinds.get(kind, STRUCTS.get(kind)), field


def test_constants_are_those_of_the_header() -> None:
    expected = dict(BY_NAME)
    for prefix, kind in ENUMS.items():
        expected |= {prefix + member.name: member for member in kind}
    # The header's word for no error has no prefix.
    del expected["LOCOMOTION_ERROR_OK"]
    assert header_constants() == {name: int(value) for name, value in expected.items()}


def test_every_enum_is_compared() -> None:
    compared = {kind.__name__ for kind in ENUMS.values()} | {"Moving", "Form", "Options"}
    assert compared == set(constants.__all__)


def test_functions_have_the_types_of_the_header() -> None:
    declared = re.findall(r"^([\w ]+? \*?)(locomotion_\w+)\(([^)]*)\);", header(), re.MULTILINE)
    found = {}
    for result, name, arguments in declared:
        kinds = []
        for argument in arguments.split(","):
            if "*" in argument:
                kinds.append(ctypes.c_void_p)
            elif argument.strip() != "void":
                kinds.append(C_TYPES[argument.split()[0]])
        found[name] = (ctypes.c_char_p if "*" in result else C_TYPES[result.strip()], tuple(kinds))
    assert found == _library.FUNCTIONS


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
            "int locomotion_abi_version(void) { return 2; }",
            "expected version 1 of the interface, found 2",
        ),
        (
            "int locomotion_abi_version(void) { return 1; }",
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
