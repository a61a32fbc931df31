"""The rules that the archive's database has too, so that both tell the same of the same days.

`Tests/Checks/DatabaseTests/test_rules.py` asks both. Nothing of the package is imported here, so
that it can be read without the library.
"""

from __future__ import annotations

from collections.abc import Mapping

LEAST_PEOPLE = 10
"""The fewest people of a cell that is shown: ``analysis.least_people`` of the database."""


def primary_device(recorded: Mapping[str, float]) -> str:
    """Return which of a person's devices counts on a day: ``archive.choose_primary``.

    Parameters
    ----------
    recorded : mapping
        The seconds of the day that are not in gaps, by the device's name; at least one.

    Returns
    -------
    str
        The device that recorded most; of equal ones the first by name.
    """
    return min(recorded, key=lambda device: (-recorded[device], device))
