"""Many people's recordings: analyses, and windows to train on, in Spark or in processes.

``python -m locomotion.fleet`` is the command; it needs the extra ``fleet``.
"""

try:
    import pyarrow
except ImportError as error:
    raise ImportError("locomotion.fleet needs pyarrow: install swift-locomotion[fleet]") from error

from .analyze import Summary, analyze
from .windows import extract_windows, read_windows

__all__ = ["Summary", "analyze", "extract_windows", "read_windows"]
