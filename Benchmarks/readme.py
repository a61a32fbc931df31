"""Measures the figures of README's tables of accuracy and cost anew, and says which differ.

Usage: readme.py FOLDER [--datasets DIR] [--short] [--write]

FOLDER holds the programs `locomotion` and `benchmark` (`.build/release`); DIR the data sets
(../shared/datasets, or where LOCOMOTION_DATASETS points). For each row it prints the commands and
what they measure; what README says where it differs, and the status is then 1. --write corrects README
instead. --short leaves out what takes minutes: names by models of other people, corrections and the
costs, which are printed and not compared; without data sets nothing is left but that each row is known. The row of activities is that of the model
card, which Datasets/check-default.sh compares with a training.
"""

import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec

ROOT = pathlib.Path(__file__).resolve().parent.parent
CARD = ROOT / "Sources/Device/LocomotionActivityRecognition/Documentation.docc/ModelCard.md"
DRIVES, HOUSES, DAYS = "gsdc_chipset", "city_canyon", "days"


class Measurement:
    """What the rows are measured by; each command runs once."""

    def __init__(self, programs, datasets):
        self.programs, self.datasets, self.printed = programs, datasets, {}

    def run(self, *words):
        if words not in self.printed:
            print("$", *words, flush=True)
            full = [
                str(self.programs / word) if word in ("locomotion", "benchmark")
                else str(self.datasets / word) if (self.datasets / word).is_dir() else word
                for word in words]
            done = subprocess.run(full, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT)
            self.printed[words] = done.stdout
        return self.printed[words]

    def numbers(self, pattern, *words):
        """The numbers that a command prints in a place."""
        text = self.run(*words) if words else CARD.read_text()
        found = re.search(pattern, text, re.M | re.S)
        if not found:
            sys.exit(f"readme: {' '.join(words) or CARD.name} says nothing like {pattern}")
        return [float(number) for number in found.groups()]

    def scores(self, name):
        return json.loads(self.run("benchmark", "score", "location", "--json", "--dataset", name))

    def tracks(self, name, mode="ours, live"):
        """The scores of this package's estimates, one for each recording of a set."""
        return [
            track for one in self.scores(name)["recordings"] for track in one["tracks"]
            if track["name"] == mode]


def part(value, digits=2):
    return f"{value:.{digits}f}".removeprefix("0")


def location(m):
    def ratio(name, mode):
        return part(statistics.geometric_mean(
            one["relativeToRaw"]["rms"] for one in m.tracks(name, mode)))
    return "; ".join(
        f"{ratio(name, 'ours, live')} / {ratio(name, 'ours, looking back')}"
        for name in (DRIVES, HOUSES, DAYS))


def mean_of(m, key, names, digits):
    return ", ".join(
        f"{100 * statistics.mean(one[key] for one in m.tracks(name)):.{digits}f}"
        for name in names) + " %"


def stays(m):
    ours = next(one for one in m.scores(DAYS)["pooled"]["stays"] if one["name"] == "ours")
    wrong = ours["detections"] - ours["matches"]
    return f"{ours['matches']} of {ours['truths']} found, {wrong or 'none'} false"


def lengths_command(m):
    return (sys.executable, "Benchmarks/lengths.py", "locomotion", "--draws", "0",
            "--dataset", str(m.datasets))


def lengths(m):
    nine_of_ten, within = m.numbers(
        r"positions alone.*?timeline +off: .*?90 % ([\d.]+) %.*?within 3 %: (\d+)%",
        *lengths_command(m))
    return f"{within:.0f} %; {nine_of_ten} %"


def names(m):
    rides, runs, walks = m.numbers(
        r"positions alone.*?cycling named so: ([\d.]+).*?: ([\d.]+) of .*?: ([\d.]+) of",
        *lengths_command(m), "--leave-people-out")
    return f"{100 * runs:.0f} / {100 * walks:.0f} / {100 * rides:.0f} %"


def steps(m):
    words = ("benchmark", "score", "cadence", "--dataset", "oxford_steps")
    rates, counts = (
        ", ".join(
            f"{m.numbers(rf'^oxford_steps {one}, smoothed +[0-9]+ +' + figure, *words)[0]:.2f}"
            for one in ("o1", "o2"))
        for figure in (r"([0-9.]+) +[0-9.]+ ", r"([0-9.]+) %"))
    return f"{rates} steps/min; {counts} %"


def activity(m):
    """Of the people of the model card, and of its data sets, where a train counts as automotive."""
    live, back = m.numbers(
        r"^Scores: people.*?^live +\d+ +([\d.]+) %.*?^in hindsight +\d+ +([\d.]+) %")
    of_sets, of_sets_back = m.numbers(
        r"^Scores: data sets.*?^train as automotive.*?^live +([\d.]+) %.*?^in hindsight +([\d.]+) %")
    return "; ".join(
        f"{part(one / 100, 3)} / {part(other / 100, 3)}" for one, other in ((live, back), (of_sets, of_sets_back)))


def corrections(m):
    script = (ROOT / "Datasets/train-default.sh").read_text()
    sets = [
        name for name in re.search(r"^sets=\((.*?)^\)", script, re.M | re.S)[1].split()
        if not name.startswith(("other_", "clips_", "chores_", "escooter_"))]
    before, after = m.numbers(
        r"^10 +\d+ +([\d.]+) % +([\d.]+) %", "benchmark", "score", "corrections", "--dataset", *sets)
    return f"{before} / {after} %"


def costs(m):
    """README's table of costs by this machine; the size of an import is that of peers/dependent.sh."""
    with tempfile.NamedTemporaryFile() as file:
        m.run("benchmark", "--filter", "Locomotion/", "--json", file.name)
        rows = {row["name"]: row for row in json.load(file)["benchmarks"]}
    ingest = [
        rows[f"Locomotion/LocomotionPipeline.ingest {how}"]
        for how in ("resting", "moving", "with gyroscope")]
    day = [rows[f"Locomotion/day/{how}"]["real_time"] / 1e9 for how in ("replay", "batch")]
    one, many = (
        rows[f"Locomotion/side by side/{count} pipelines"]["held_bytes"] for count in (1, 10000))
    # An iteration is a minute.
    print("one second of data:", " / ".join(f"{row['real_time'] / 6e4:.0f}" for row in ingest), "µs")
    print("a day:", " / ".join(f"{seconds:.2f}" for seconds in day), "s")
    print("allocations:", max(row["allocations_per_iteration"] for row in ingest))
    print(f"heap per pipeline: {(many - one) / 9999:,.0f} bytes")


# What README's rows begin with, how they are measured, and whether that takes minutes.
ROWS = [
    ("location, live / smoothed", location, False),
    ("truth inside the radius", lambda m: mean_of(
        m, "insideRadiusMoving", (DRIVES, HOUSES, DAYS), 0), False),
    ("lengths within 3 %", lengths, False),
    ("runs / walks / rides named", names, True),
    ("moving state wrong", lambda m: mean_of(m, "movingStateError", (DRIVES, DAYS), 1), False),
    ("stays of 5 min", stays, False),
    ("cadence over 10 s", steps, False),
    ("activity, live / in hindsight", activity, False),
    ("windows wrong before / after", corrections, True),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=pathlib.Path)
    parser.add_argument("--datasets", type=pathlib.Path, default=pathlib.Path(
        os.environ.get("LOCOMOTION_DATASETS", ROOT.parent / "shared/datasets")))
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    readme = ROOT / "README.md"
    text = readme.read_text()
    table = re.search(r"^## Accuracy.*?\n\n(\| quantity.*?)\n\n", text, re.M | re.S)[1]
    rows = [line.strip("|").split(" | ") for line in table.splitlines()[2:]]
    known = [row for row in rows if any(row[0].strip().startswith(name) for name, _, _ in ROWS)]
    if len(known) != len(rows) or len(rows) != len(ROWS):
        sys.exit("readme: README has rows that nothing here measures, or the other way round")
    if not options.datasets.is_dir():
        print(f"readme: skipped: no data sets at {options.datasets}")
        return
    m = Measurement(options.programs.resolve(), options.datasets.resolve())
    differences = 0
    for (name, measure, is_long), row in zip(ROWS, rows):
        if options.short and (is_long or measure is lengths and not find_spec("pyproj")):
            print(f"left out: {name}")
            continue
        measured, said = measure(m), row[2].strip()
        print(f"{name}: {measured}" + ("" if measured == said else f"; README says {said}"))
        if measured != said:
            differences += 1
            text = text.replace(f"| {row[1]} | {said} |", f"| {row[1]} | {measured} |")
    if not options.short:
        costs(m)
    if options.write:
        readme.write_text(text)
    elif differences:
        sys.exit(1)


if __name__ == "__main__":
    main()
