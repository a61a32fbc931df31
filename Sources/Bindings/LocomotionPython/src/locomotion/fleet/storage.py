"""Folders and object stores, by the names of what is in them."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
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

    def filesystem(self, path: str = "") -> tuple[Any, str]:
        """Return the file system of pyarrow, and where a path below the root is in it."""
        scheme, _, root = self.root.rpartition("://")
        if self.is_local:
            found: Any = pafs.LocalFileSystem()
        elif scheme in ("s3", "s3a"):
            names = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
            endpoint = next(filter(None, map(os.environ.get, names)), None)
            found, root = pafs.S3FileSystem(endpoint_override=endpoint), root.rstrip("/")
        else:
            found, root = pafs.FileSystem.from_uri(self.root)
        return found, f"{root}/{path}" if path else root

    def exists(self) -> bool:
        """Return whether there is anything."""
        filesystem, root = self.filesystem()
        return bool(filesystem.get_file_info(root).type != pafs.FileType.NotFound)

    def find(self) -> list[Entry]:
        """Return all files in the order of their names; none if the root is missing.

        What begins with a dot or an underscore is left out, with all below it.
        """
        filesystem, root = self.filesystem()
        selector = pafs.FileSelector(root, recursive=True, allow_not_found=True)
        entries = []
        for info in filesystem.get_file_info(selector):
            path = info.path[len(root) :].lstrip("/")
            is_hidden = any(name[0] in "._" for name in path.split("/"))
            if info.type == pafs.FileType.File and not is_hidden:
                entries.append(Entry(path, info.size, info.mtime_ns or 0))
        return sorted(entries)

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None when it is missing."""
        try:
            with self.open(path) as file:
                return bytes(file.read())
        except FileNotFoundError:
            return None

    def open(self, path: str) -> Any:
        """Open a file to read any part of it."""
        filesystem, place = self.filesystem(path)
        return filesystem.open_input_file(place)

    @contextmanager
    def create(self, path: str) -> Iterator[Any]:
        """Give a file to write to, which takes its place when all was written.

        Whoever reads it meanwhile sees the old content.
        """
        filesystem, place = self.filesystem(path)
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
        filesystem, place = self.filesystem(path)
        with suppress(FileNotFoundError):
            filesystem.delete_file(place)

    def tidy(self) -> None:
        """Delete what writers that died have left behind."""
        if self.is_local:
            shutil.rmtree(os.path.join(self.root, _WORK), ignore_errors=True)

    @contextmanager
    def local(self, path: str, files: Iterable[Entry]) -> Iterator[str]:
        """Give the path of a recording on this machine, of objects a copy of its files."""
        if self.is_local:
            yield os.path.join(self.root, path)
            return
        with tempfile.TemporaryDirectory(prefix="locomotion-fleet-") as folder:
            for entry in files:
                # The format is found by names, and beside a recording may be its file of fixes.
                place = os.path.join(folder, entry.path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                filesystem, source = self.filesystem(entry.path)
                pafs.copy_files(source, place, filesystem, pafs.LocalFileSystem())
            yield os.path.join(folder, path)
