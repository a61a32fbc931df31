"""Many people's recordings: analyses in Spark or in processes, tables, reports, scores and models.

``python -m locomotion.fleet`` is the command; it needs the extra ``fleet``.
"""

try:
    import pyarrow
except ImportError as error:
    raise ImportError("locomotion.fleet needs pyarrow: install swift-locomotion[fleet]") from error

from .analyze import Summary, analyze
from .evaluate import evaluate
from .fit import Training
from .report import report
from .train import train

__all__ = ["Summary", "Training", "analyze", "evaluate", "report", "train"]
