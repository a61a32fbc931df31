"""Which device of a person counts on a day."""

import random

import pytest
from conftest import DAY

# Seconds that each device, of which there are up to 16, recorded of a day.
CASES = [
    {"a": 10.0}, {"a": 10.0, "b": 20.0}, {"b": 20.0, "a": 10.0}, {"a": 20.0, "b": 20.0},
    {"f": 20.0, "0": 20.0}, {"a": 0.0, "b": 0.0}, {"a": 0.1 + 0.2, "b": 0.3},
    {"9": 5.0, "a": 5.0, "c": 4.0}, {"d": 86400.0, "e": 86400.0, "1": 86399.999999999},
]
for seed in range(40):
    chance = random.Random(seed)
    CASES.append({
        device: chance.choice([0.0, 3600.0, 7200.0, chance.random() * DAY / 1e9])
        for device in chance.sample("0123456789abcdef", chance.randint(1, 5))})


def chosen(database, recorded):
    """The device that the database chooses."""
    for device in recorded:
        database.add("ann", device, primary=False)
    with database.cursor("collector", "ann") as cursor:
        for device, seconds in recorded.items():
            cursor.execute(
                "UPDATE archive.days SET recorded_seconds = %s WHERE device = %s",
                [seconds, device * 32])
        cursor.execute("SELECT archive.choose_primary('ann', '2026-06-01')")
        cursor.execute("SELECT device FROM archive.days WHERE is_primary")
        (device,), = cursor.fetchall()
    database.erase("ann")
    return device


@pytest.mark.parametrize("recorded", CASES)
def test_the_device_that_recorded_most_counts(empty, recorded):
    names = {device * 32: seconds for device, seconds in recorded.items()}
    # Of equal ones the first by name.
    assert chosen(empty, recorded) == min(names, key=lambda name: (-names[name], name))
