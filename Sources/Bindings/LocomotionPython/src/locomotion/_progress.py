"""A progress bar by the bytes of the files that the native library reads."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_SECONDS = 0.1
"""How long the bar stands between two looks."""


class ByteProgress:
    """A bar of tqdm over the bytes of a recording's files, while the library reads them.

    The library reports nothing while it works. But it reads each file from its start to its end,
    and the system tells how far the open files of this process have been read (Linux, proc(5),
    ``/proc/self/fdinfo``); elsewhere the bar moves at the end.
    """

    def __init__(self, path: str) -> None:
        from tqdm.auto import tqdm

        self._sizes = {os.path.realpath(file): file.stat().st_size for file in _files(Path(path))}
        self._read = dict.fromkeys(self._sizes, 0)
        self._bar: Any = tqdm(
            total=sum(self._sizes.values()) or None,
            desc="locomotion analyze",
            unit="B",
            unit_scale=True,
            unit_divisor=1024,
        )
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> ByteProgress:
        self._thread.start()
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._is_over.set()
        self._thread.join()
        if kind is None:
            # Also what was not needed, and what was read since the last look.
            self._bar.update(sum(self._sizes.values()) - self._bar.n)
        self._bar.close()

    def _watch(self) -> None:
        while not self._is_over.wait(_SECONDS):
            self.look()

    def look(self) -> None:
        """Move the bar to what has been read."""
        for path, position in _positions():
            if path in self._read:
                # A file may be read twice.
                self._read[path] = max(self._read[path], min(position, self._sizes[path]))
        self._bar.update(sum(self._read.values()) - self._bar.n)


def _files(path: Path) -> Iterator[Path]:
    """Iterate over the files of a recording: also the fixes beside tidy CSV."""
    if path.is_dir():
        yield from (file for file in path.rglob("*") if file.is_file())
    elif path.is_file():
        yield path
        stem = path.name.partition(".csv")[0]
        beside = (path.with_name(f"{stem}.gps.csv{end}") for end in ("", ".gz"))
        yield from (file for file in beside if file != path and file.is_file())


def _positions() -> Iterator[tuple[str, int]]:
    """Iterate over the open files of this process and how far each has been read."""
    try:
        descriptors = os.listdir("/proc/self/fd")
    except OSError:
        return
    for descriptor in descriptors:
        try:
            path = os.readlink(f"/proc/self/fd/{descriptor}")
            lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines()
        except OSError:
            continue  # closed meanwhile
        yield path, int(lines[0].removeprefix("pos:"))
