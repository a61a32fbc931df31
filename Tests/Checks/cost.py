#!/usr/bin/env python3
"""Counts the instructions of a second of samples, of a fix, and of a saved and restored state.

Prints them beside those of the last release in `.ci/cost`, and fails where one is 5 % above; after a
release, --keep writes the file anew. Valgrind counts, so that a busy machine changes nothing.

Usage: Tests/Checks/cost.py [--keep] PROGRAM     (Benchmarks/CLibrary/throughput.c, built)
"""

import re
import subprocess
import sys
from pathlib import Path

COUNTS = {"second": 600, "fix": 1200, "state": 20}
RELEASED = Path(__file__).parents[2] / ".ci/cost"


def instructions(program, item, count):
    words = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    run = subprocess.run(
        [*words, program, item, str(count)], check=True, capture_output=True, text=True)
    return int(re.search(r"I +refs: +([\d,]+)", run.stderr).group(1).replace(",", ""))


def main(program, keeps=False):
    # Of twice as many less that of some: the start is in both.
    found = {
        item: (instructions(program, item, 2 * count) - instructions(program, item, count)) // count
        for item, count in COUNTS.items()}
    if keeps:
        RELEASED.write_text("".join(f"{item} {number}\n" for item, number in found.items()))
    released = dict(line.split() for line in RELEASED.read_text().splitlines())
    for item, number in found.items():
        print(f"a {item}: {number:,} instructions, {number / int(released[item]):.3f} of the last release")
    return int(any(number > 1.05 * int(released[item]) for item, number in found.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1], "--keep" in sys.argv))
