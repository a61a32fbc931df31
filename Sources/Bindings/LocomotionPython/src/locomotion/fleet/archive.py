"""What a source holds: its users, and the recordings of each."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, unquote

from ..errors import InputOutputError, RejectedInput
from .storage import Entry, Storage

#: Files beside recordings that are none.
_OTHERS = re.compile(
    r"(labels|meta|steps|strides)\.|.*\.(truth|sources|stays)\.csv|readme|licen[cs]e|.*\.md$",
    re.IGNORECASE,
)
_FIXES = re.compile(r"(.*\.gps\.csv(\.gz)?|fixes.*\.parquet)$")
_SUFFIX = re.compile(r"(\.gps)?\.csv(\.gz)?$")


@dataclass(frozen=True)
class Part:
    """A recording that the command reads, or a folder of Parquet."""

    path: str
    files: tuple[Entry, ...]
    """What it consists of."""

    @property
    def is_parquet(self) -> bool:
        """Whether it is rows in Parquet."""
        return self.files[0].path.endswith(".parquet")


@dataclass(frozen=True)
class User:
    """A person with all their recordings."""

    name: str
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """The bytes of all parts."""
        return sum(entry.size for part in self.parts for entry in part.files)

    @property
    def key(self) -> str:
        """The name percent-encoded, as that of a file without a leading dot or underscore."""
        text = quote(self.name, safe=" @+,=")
        return f"%{ord(text[0]):02X}{text[1:]}" if text[:1] in (".", "_") else text


def mixed(entries: Iterable[Entry]) -> list[Entry]:
    """Return the Parquet in which the users are not apart."""
    return [
        entry
        for entry in entries
        if entry.path.endswith(".parquet") and not entry.path.startswith("user=")
    ]


def users(storage: Storage) -> list[User]:
    """Return the users of a source in the order of their names.

    A source is one of these:

    - A folder of recordings. ``USER/…``: every file or folder in it is a recording of that user;
      ``USER__NAME``: a recording of the user before the two underscores; any other file or folder
      without recordings is a user of its own, named as it is without its suffix. The fixes of
      ``X.csv.gz`` are in ``X.gps.csv.gz`` beside it.
    - Parquet in ``user=…/`` or ``user=…/day=…/``, of which each folder is read as a whole: files
      that begin with ``fixes`` hold fixes, others ``t`` (int64, ns), ``ax, ay, az`` (m/s²) and
      where there was a gyroscope ``gx, gy, gz`` (rad/s). Parquet with a column ``user`` is divided
      first; see `split`.

    Raises
    ------
    InputOutputError
        There is no such source.
    RejectedInput
        It holds nothing of these.
    """
    entries = storage.find()
    if not entries and not storage.exists():
        raise InputOutputError(f"{storage.root}: no such folder")
    found: dict[str, dict[str, list[Entry]]] = {}
    for entry in entries:
        if place := _place(entry.path):
            name, part = place
            found.setdefault(name, {}).setdefault(part, []).append(entry)
    people = [
        User(name, tuple(_part(path, files) for path, files in sorted(parts.items())))
        for name, parts in sorted(found.items())
    ]
    if not people:
        raise RejectedInput(
            f"{storage.root}: expected USER/RECORDING, USER__RECORDING or Parquet, found none"
        )
    return people


def _place(path: str) -> tuple[str, str] | None:
    """Return the user of a file and the path of the part that it belongs to."""
    names = path.split("/")
    if _OTHERS.match(names[-1]):
        return None
    if path.endswith(".parquet"):
        if not names[0].startswith("user="):
            return None
        return unquote(names[0].removeprefix("user=")), path.rpartition("/")[0]
    depth = 1
    if names[0].startswith("user=") or len(names) > 1 and "__" not in names[0]:
        user = unquote(names[0].removeprefix("user="))
        depth = 3 if len(names) > 2 and names[1].startswith("day=") else 2
    elif "__" in names[0]:
        user = names[0].partition("__")[0]
    else:
        user = _stem(names[0])
    part = "/".join(names[:depth])
    return user, _stem(part) if _SUFFIX.search(part) else part


def _stem(name: str) -> str:
    stem = _SUFFIX.sub("", name)
    return stem if stem != name or "/" in name else name.rpartition(".")[0] or name


def _part(path: str, files: list[Entry]) -> Part:
    # The file of fixes is picked up beside the other one.
    files = sorted(files, key=lambda entry: (is_fixes(entry.path), entry.path))
    is_folder = files[0].path.startswith(f"{path}/")
    return Part(path if is_folder else files[0].path, tuple(files))


def is_fixes(path: str) -> bool:
    """Return whether a path is that of fixes."""
    return bool(_FIXES.match(path.rpartition("/")[2]))
