#!/usr/bin/env bash
#
# Holds the built-in model, its card and the published figures together: trains anew, compares, and
# says what differs. Takes about a minute beside the build.
#
# Usage: Datasets/check-default.sh [FOLDER]
#
# FOLDER holds the data sets, as for train-default.sh. Says so and stops where they are not, and where
# the processor is not x86-64: sums round differently there, and the model's bytes with them.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
data=${1:-${LOCOMOTION_DATASETS:-$root/../shared/datasets}}

skip() {
  echo "check-default: skipped: $1"
  exit 0
}

[ "$(uname -m)" = x86_64 ] || skip "the built-in model's bytes are those of x86-64"
for set in $(sed -n '/^sets=(/,/^)/{/[()]/!p}' "$root/Datasets/train-default.sh"); do
  [ -d "$data/$set" ] || skip "no data set $set in $data"
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$root/Datasets/train-default.sh" --out "$scratch" "$data"

python3 - "$scratch" "$root/Sources/Device/CLocomotionModel/default.model" \
  "$root/Sources/Device/LocomotionActivityRecognition/Documentation.docc/ModelCard.md" \
  "$root/Sources/Device/Locomotion/Documentation.docc/Results.md" << 'PYTHON'
import difflib
import re
import struct
import sys

scratch, model_file, card_file, results_file = sys.argv[1:]


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def model(path):
    with open(path, "rb") as file:
        return file.read()


def numbers(data):
    """Settings by name, and the arrays of the accelerations' function; see ModelFile.swift."""
    names = [
        "filtered temperature", "hindsight temperature", "window temperature", "dwell",
        "evidence exponent", "confidence threshold", "hindsight dwell factor",
        "hindsight evidence factor"]
    arrays, place = [], 32 + struct.unpack_from("<Q", data, 24)[0]
    for _ in range(4):
        count, = struct.unpack_from("<Q", data, place)
        arrays += struct.unpack_from(f"<{count}f", data, place + 8)
        place += 8 + 4 * count
    return dict(zip(names, struct.unpack_from("<8f", data, place))), arrays


differences = []
now, kept = (model(path) for path in (f"{scratch}/default.model", model_file))
if now != kept:
    differences.append(f"the model: {len(now)} bytes trained, {len(kept)} embedded")
    (new, new_array), (old, old_array) = numbers(now), numbers(kept)
    differences += [
        f"  {name}: trained {new[name]:.7g}, embedded {old[name]:.7g}"
        for name in new if new[name] != old[name]
    ]
    if len(new_array) == len(old_array):
        gaps = [abs(a - b) for a, b in zip(new_array, old_array)]
        differences.append(
            f"  {sum(gap > 0 for gap in gaps)} of {len(gaps)} numbers, by {max(gaps):.2g} at most")

trained, card = text(f"{scratch}/ModelCard.md"), text(card_file)
if trained != card:
    lines = [
        line for line in difflib.unified_diff(
            card.splitlines(), trained.splitlines(), "card", "trained", lineterm="", n=0)
    ]
    differences.append("the card:")
    differences += ["  " + line for line in lines[:40]]
    if len(lines) > 40:
        differences.append(f"  and {len(lines) - 40} lines more")


def figures(section):
    """Accuracy and macro-F1 by stage: of six classes, and with train as automotive."""
    def table(title):
        rows = {}
        for line in section.split(title, 1)[1].splitlines()[1:]:
            row = re.match(r"(\S.*?)  +(\S.*)", line)
            values = re.findall(r"([\d.]+) %", row[2]) if row else []
            if len(values) < 2:
                break
            rows[row[1]] = " / ".join(f".{round(10 * float(x)):03}" for x in values[:2])
        return rows
    classes, merged = table(" windows  accuracy"), table("train as automotive")
    return {stage: (classes[stage], merged[stage]) for stage in classes}


people, sets = (
    figures(trained.split(title, 1)[1])
    for title in ("Scores: people not trained on", "Scores: data sets not trained on"))
rows = []
for name, stages, column in (
    ("the person; six classes", people, 0), ("the person; train as automotive", people, 1),
    ("the set; train as automotive", sets, 1)):
    cells = [stage[column] for stage in stages.values()]
    rows.append(f"| {name} | {cells[0]} | {cells[1]} | {cells[3]} |")
    rows.append(f"| the same with speeds | | {cells[2]} | {cells[4]} |")
results = text(results_file)
differences += [f"Results.md has no row {row}" for row in rows if row not in results]

for line in differences:
    print(f"check-default: {line}", file=sys.stderr)
if differences:
    sys.exit("check-default: run Datasets/train-default.sh, and say in the commit what changed")
print("check-default: model, card and Results.md are what the data give")
PYTHON
