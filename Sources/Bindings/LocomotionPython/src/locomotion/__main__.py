"""Runs the `locomotion` command: ``python -m locomotion`` with the command's own arguments."""

from __future__ import annotations

import signal
import sys

from . import _native
from .errors import LocomotionError


def main() -> None:
    """Run the arguments of this process as a command, and exit with its status."""
    # Python only notes an interrupt, and would act on it when the command has ended.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        status = _native.command(sys.argv[1:])
    except LocomotionError as error:
        print(f"locomotion: {error}", file=sys.stderr)
        status = error.status
    sys.exit(status)


if __name__ == "__main__":
    main()
