"""Compiles the shared library when a wheel is built."""

from __future__ import annotations

import contextlib
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# The versions of the C library's functions that the shared library uses are no newer than this.
TAG = "py3-none-manylinux_2_34_x86_64"


class LibraryHook(BuildHookInterface[Any]):
    """Builds ``liblocomotion-python.so`` from the Swift package that this folder is part of."""

    @staticmethod
    def compile(script: Path, library: Path) -> int:
        """Run the script, with a line each minute on the terminal: pip shows nothing of it."""
        minutes = 0
        with subprocess.Popen(["bash", str(script), str(library)], stdout=sys.stderr) as process:
            while True:
                try:
                    return process.wait(timeout=60)
                except subprocess.TimeoutExpired:
                    minutes += 1
                with contextlib.suppress(OSError), open("/dev/tty", "w") as terminal:
                    terminal.write(f"locomotion: compiling for {minutes} of some ten minutes\n")

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile the library and add it to the wheel.

        Raises
        ------
        RuntimeError
            The system is another than Linux on x86-64, the Swift package or its toolchain is
            missing, or the library cannot be compiled.
        """
        if sys.platform != "linux" or platform.machine() != "x86_64":
            raise RuntimeError(
                "the shared library is built on Linux on x86-64 only, this is "
                f"{sys.platform} on {platform.machine()}"
            )
        script = Path(self.root, "build.sh")
        if not Path(self.root, "../../../Package.swift").exists():
            raise RuntimeError(
                f"{self.root}: expected a folder of the Swift package: build from its repository"
            )
        if shutil.which("swift") is None:
            raise RuntimeError("swift is not in the PATH; see https://www.swift.org/install")
        library = Path(self.root, "../../../.build/locomotion-python/package")
        if self.compile(script, library):
            raise RuntimeError(f"{script}: the library cannot be compiled; see the lines above")
        if version == "editable":
            shutil.copytree(library, Path(self.root, "src/locomotion"), dirs_exist_ok=True)
        for file in library.rglob("*"):
            if file.is_file():
                place = f"locomotion/{file.relative_to(library)}"
                build_data["force_include"][str(file)] = place
        build_data["pure_python"] = False
        build_data["tag"] = TAG
