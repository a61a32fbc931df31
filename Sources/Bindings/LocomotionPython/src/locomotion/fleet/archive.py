"""What an archive holds: its users, and the recordings of each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
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


class Kind(Enum):
    """How the parts of an archive are stored."""

    RECORDING = "recording"
    """A file or folder that the command reads."""
    PARQUET = "parquet"
    """Rows of a user: accelerations and rotation rates, or fixes."""
    UNIT = "unit"
    """A unit of the collector."""


@dataclass(frozen=True)
class Part:
    """A recording, or a file of rows."""

    kind: Kind
    files: tuple[Entry, ...]
    """What it consists of; the first one, or the folder of all, is what is read."""
    path: str
    day: str = ""
    """The date in its path, where there is one: ``YYYY-MM-DD``."""

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return sum(entry.size for entry in self.files)


@dataclass(frozen=True)
class User:
    """A person with all their recordings."""

    name: str
    parts: tuple[Part, ...]

    @property
    def size(self) -> int:
        """The bytes of all parts."""
        return sum(part.size for part in self.parts)

    @property
    def key(self) -> str:
        """The name as a file's name."""
        return key(self.name)


def key(name: str) -> str:
    """Return a name percent-encoded, as that of a file without a leading dot or underscore."""
    text = quote(name, safe=" @+,=")
    return f"%{ord(text[0]):02X}{text[1:]}" if text[:1] in (".", "_") else text


def is_mixed(entries: Iterable[Entry]) -> bool:
    """Return whether there is Parquet in which the users are not apart."""
    return any(
        entry.path.endswith(".parquet") and not entry.path.startswith("user=")
        for entry in entries
    )


def users(storage: Storage) -> list[User]:
    """Return the users of an archive in the order of their names.

    An archive is one of these:

    - A folder of recordings. ``USER/…``: every file or folder in it is a recording of that user;
      ``USER__NAME``: a recording of the user before the two underscores; any other file or folder
      without recordings is a user of its own, named as it is without its suffix. The fixes of
      ``X.csv.gz`` are in ``X.gps.csv.gz`` beside it.
    - Parquet in ``user=…/`` or ``user=…/day=…/``: files that begin with ``fixes`` hold fixes,
      others ``t`` (int64, ns), ``ax, ay, az`` (m/s²) and, where there was a gyroscope, ``gx, gy,
      gz`` (rad/s). Parquet with a column ``user`` is divided first; see `split`.
    - The collector's: ``user=…/day=…/DIGEST.loco``. Of a user's devices that count for a day which
      has recorded most of it.

    Raises
    ------
    InputOutputError
        There is no such archive.
    RejectedInput
        It holds nothing of these.
    """
    entries = storage.find()
    if not entries and not storage.exists():
        raise InputOutputError(f"{storage.root}: no such folder")
    found: dict[str, dict[str, list[Entry]]] = {}
    for entry in entries:
        place = _place(entry.path)
        if place is not None:
            name, part = place
            found.setdefault(name, {}).setdefault(part, []).append(entry)
    people = [
        User(name, tuple(_part(path, files) for path, files in sorted(parts.items())))
        for name, parts in sorted(found.items())
    ]
    if not people:
        raise RejectedInput(
            f"{storage.root}: expected USER/RECORDING, USER__RECORDING, Parquet or units, "
            "found none"
        )
    return people


def _place(path: str) -> tuple[str, str] | None:
    """Return the user of a file and the path of the part that it belongs to."""
    names = path.split("/")
    if _OTHERS.match(names[-1]):
        return None
    if path.endswith((".parquet", ".loco")):
        if not names[0].startswith("user="):
            return None
        return unquote(names[0].removeprefix("user=")), path
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
    day = re.search(r"(?:^|/)day=(\d{4}-\d{2}-\d{2})/", path)
    date = day[1] if day and day[1] != "0000-00-00" else ""
    if path.endswith(".parquet"):
        return Part(Kind.PARQUET, tuple(files), path, date)
    if path.endswith(".loco"):
        return Part(Kind.UNIT, tuple(files), path, date)
    # The file of fixes is picked up beside the other one.
    files = sorted(files, key=lambda entry: (is_fixes_name(entry.path), entry.path))
    is_folder = len(files) > 0 and files[0].path.startswith(f"{path}/")
    return Part(Kind.RECORDING, tuple(files), path if is_folder else files[0].path, date)


def is_fixes(part: Part) -> bool:
    """Return whether a part of Parquet holds fixes."""
    return is_fixes_name(part.path)


def is_fixes_name(path: str) -> bool:
    """Return whether a path is that of fixes."""
    return bool(_FIXES.match(path.rpartition("/")[2]))


def digest(storage: Storage, entry: Entry) -> str:
    """Return the SHA-256 of a file's content, which a unit has in its name."""
    name = entry.path.rpartition("/")[2]
    if re.fullmatch(r"[0-9a-f]{64}\.loco", name):
        return name[:64]
    sha = hashlib.sha256()
    for chunk in storage.chunks(entry.path):
        sha.update(chunk)
    return sha.hexdigest()
