"""Folders and object stores, by the names of what is in them."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow.fs as pafs

_WORK = "_work"


class Entry(NamedTuple):
    """A file of a storage."""

    path: str
    """Below the storage's root, with ``/``."""
    size: int
    modified: int
    """Nanoseconds since 1970."""


@dataclass(frozen=True)
class Storage:
    """A folder, or a prefix of an object store (``s3://bucket/prefix``, ``s3a://…``).

    Of an object store, credentials, region and endpoint are those of the environment, as every
    client of it reads them (``AWS_ACCESS_KEY_ID``, ``AWS_ENDPOINT_URL``, …).
    """

    root: str

    def __post_init__(self) -> None:
        if "://" not in self.root:
            object.__setattr__(self, "root", os.path.abspath(self.root))

    @property
    def is_local(self) -> bool:
        """Whether it is a folder."""
        return "://" not in self.root

    def _open(self) -> tuple[Any, str]:
        if self.is_local:
            return pafs.LocalFileSystem(), self.root
        scheme, _, place = self.root.partition("://")
        if scheme in ("s3", "s3a"):
            names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
            endpoint = next(filter(None, map(os.environ.get, names)), None)
            # A small object is put in one request, in place of the three of an upload in parts.
            filesystem = pafs.S3FileSystem(endpoint_override=endpoint, allow_delayed_open=True)
            return filesystem, place.rstrip("/")
        found: tuple[Any, str] = pafs.FileSystem.from_uri(self.root)
        return found

    def _place(self, path: str) -> tuple[Any, str]:
        filesystem, root = self._open()
        return filesystem, f"{root}/{path}" if path else root

    def exists(self) -> bool:
        """Return whether there is anything."""
        filesystem, root = self._open()
        return bool(filesystem.get_file_info(root).type != pafs.FileType.NotFound)

    def find(self, folder: str = "") -> list[Entry]:
        """Return all files below a folder in the order of their names; none if it is missing.

        What begins with a dot or an underscore is left out, with all below it.
        """
        filesystem, place = self._place(folder)
        selector = pafs.FileSelector(place, recursive=True, allow_not_found=True)
        _, root = self._open()
        entries = []
        for info in filesystem.get_file_info(selector):
            path = info.path[len(root) :].lstrip("/")
            if info.type != pafs.FileType.File or any(
                name[0] in "._" for name in path.split("/")
            ):
                continue
            entries.append(Entry(path, info.size, info.mtime_ns or 0))
        return sorted(entries)

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None when it is missing."""
        filesystem, place = self._place(path)
        try:
            with filesystem.open_input_stream(place, compression=None) as file:
                return bytes(file.read())
        except FileNotFoundError:
            return None

    def open(self, path: str) -> Any:
        """Open a file to read any part of it."""
        filesystem, place = self._place(path)
        return filesystem.open_input_file(place)

    def chunks(self, path: str, size: int = 1 << 20) -> Iterator[bytes]:
        """Iterate over the content of a file."""
        filesystem, place = self._place(path)
        with filesystem.open_input_stream(place, compression=None) as file:
            while part := file.read(size):
                yield part

    def write(self, path: str, content: bytes) -> None:
        """Write a file as a whole: whoever reads it sees the old content or the new."""
        with self.create(path) as file:
            file.write(content)

    @contextmanager
    def create(self, path: str) -> Iterator[Any]:
        """Give a file to write to, which takes its place when all was written."""
        filesystem, place = self._place(path)
        if not self.is_local:
            # An object is there when it is complete.
            with filesystem.open_output_stream(place, compression=None) as file:
                yield file
            return
        work = os.path.join(self.root, _WORK)
        os.makedirs(work, exist_ok=True)
        temporary = os.path.join(work, secrets.token_hex(16))
        with open(temporary, "xb") as file:
            yield file
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.replace(temporary, place)

    def delete(self, path: str) -> None:
        """Delete a file; nothing when it is missing."""
        filesystem, place = self._place(path)
        try:
            filesystem.delete_file(place)
        except FileNotFoundError:
            pass

    def tidy(self) -> None:
        """Delete what writers that died have left behind."""
        if self.is_local:
            shutil.rmtree(os.path.join(self.root, _WORK), ignore_errors=True)

    @contextmanager
    def local(self, path: str) -> Iterator[str]:
        """Give the path of a file or folder on this machine, of an object a copy of it."""
        if self.is_local:
            yield os.path.join(self.root, path)
            return
        with tempfile.TemporaryDirectory(prefix="locomotion-fleet-") as folder:
            # The format is found by names, and beside a recording may be its file of fixes.
            target = os.path.join(folder, path.rsplit("/", 1)[-1])
            for entry in self.find(path) or self._beside(path):
                inner = entry.path[len(path) :].lstrip("/") if entry.path.startswith(path) else ""
                place = os.path.join(target, inner) if inner else os.path.join(
                    folder, entry.path.rsplit("/", 1)[-1]
                )
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    for part in self.chunks(entry.path):
                        file.write(part)
            yield target

    def _beside(self, path: str) -> list[Entry]:
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(".gz").removesuffix(".csv")
        beside = {name, f"{stem}.gps.csv", f"{stem}.gps.csv.gz"}
        return [
            entry
            for entry in self.find(folder)
            if entry.path.rpartition("/")[0] == folder
            and entry.path.rpartition("/")[2] in beside
        ]
