"""The command ``python -m locomotion.fleet``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import LocomotionError

if TYPE_CHECKING:
    from .analyze import Summary
    from .windows import Extraction


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line, and return its exit status: that of ``locomotion`` at the same error."""
    # They have the names of the functions' parameters.
    options = vars(_parser().parse_args(arguments))
    run: Callable[..., Summary | Extraction] = options.pop("run")
    try:
        result = run(**options)
    except LocomotionError as error:
        print(f"locomotion.fleet: {error}", file=sys.stderr)
        return error.status
    except ImportError as error:
        print(f"locomotion.fleet: {error}: install swift-locomotion[fleet]", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"locomotion.fleet: {error}", file=sys.stderr)
        return 74
    for path, reason in result.rejected:
        print(f"set aside: {path}: {reason}", file=sys.stderr)
    print(result)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m locomotion.fleet",
        description="Analyzes the recordings of many people, and computes the windows to train on, "
        "on Spark or on this machine.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    analyze = commands.add_parser("analyze", help="tables of seconds, fixes and items")
    analyze.add_argument("source", metavar="SOURCE", help="recordings or Parquet of many people")
    analyze.add_argument("target", metavar="OUT", help="where the tables go")
    _add_engine(analyze)
    analyze.set_defaults(run=_analyze)

    windows = commands.add_parser(
        "windows",
        help="the windows of labelled sets, with their features",
        description="Computes the windows of labelled sets with their features, which "
        "'read_windows' reads for 'ActivityClassifier.fit'. Damaged recordings are set aside.",
    )
    windows.add_argument("sets", metavar="SET", nargs="+", help="labelled data sets")
    windows.add_argument(
        "--out", dest="target", metavar="OUT", required=True, help="where the windows go"
    )
    windows.add_argument(
        "--altered", action="store_true", help="altered copies of the recordings as well"
    )
    windows.add_argument("--seed", type=int, default=1, help="of the alterations (default: 1)")
    _add_engine(windows)
    windows.set_defaults(run=_windows)
    return parser


def _add_engine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--master", default="none", metavar="URL",
        help="Spark's master, 'default' for that of spark-submit, or 'none' for processes of this "
        "machine (default: none)",
    )  # fmt: skip
    parser.add_argument(
        "--jobs", type=int, metavar="N",
        help="processes with 'none' (default: one per core), partitions with Spark",
    )  # fmt: skip


def _analyze(**options: Any) -> Summary:
    from .analyze import analyze

    return analyze(**options)


def _windows(**options: Any) -> Extraction:
    from .windows import extract_windows

    return extract_windows(**options)


if __name__ == "__main__":
    sys.exit(main())
