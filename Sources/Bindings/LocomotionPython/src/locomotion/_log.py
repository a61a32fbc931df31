"""What a person may want to know of a run, as messages of the logger ``locomotion``."""

from __future__ import annotations

import logging

LOG = logging.getLogger("locomotion")
# Silent unless the program that imports this package configures logging.
LOG.addHandler(logging.NullHandler())

#: How the lines of a report on reading begin that tell nothing that was left out or doubted.
_PLAIN = ("read ", "form: ", "stated by ")


def log_reading(name: str, report: str) -> None:
    """Log what was read of a recording; what was dropped, or looks wrong, as warnings."""
    for line in report.splitlines():
        LOG.log(logging.INFO if line.startswith(_PLAIN) else logging.WARNING, "%s: %s", name, line)
