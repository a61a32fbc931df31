"""What is shown on a terminal while tasks run."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any


def progress(count: int, title: str) -> AbstractContextManager[Callable[[int], None]]:
    """Show a bar on a terminal after two seconds; the function that it gives advances it."""
    return _Progress(count, title)


class _Progress:
    def __init__(self, count: int, title: str) -> None:
        self._bar: Any = None
        self._lock = threading.Lock()
        if sys.stderr.isatty():
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=count, desc=title, delay=2)

    def __enter__(self) -> Callable[[int], None]:
        return self._advance

    def _advance(self, count: int) -> None:
        with self._lock:
            if self._bar is not None and count:
                self._bar.update(count)

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()
