"""Assigns every person of the described, labelled data sets to one of five folds, once and for all.

    python3 Datasets/split.py FOLDER...                 # the assignment, as it is made
    python3 Datasets/split.py --check FOLDER...         # whether it is that of Splits/people-1.csv
    python3 Datasets/split.py --folds OUT FOLDER...     # the folds as five data sets

Each FOLDER is a data set in the tidy form whose name has a description. No person is in two folds.
Where the description states fewer people than labels.csv has subjects, or none, the subjects are
phones or trips that may share a person, and the whole set is in one fold.

The folds are alike in the people of each data set and in the minutes of each activity, of which a
person's first 20 count: those with accelerations and those without, each for itself. The largest
groups are placed first, each where the sum of the squared shares grows least, and then moved or
exchanged while that makes the sum smaller. Nothing is random.

--folds writes OUT/fold1 to OUT/fold5 with links to the recordings that have accelerations, their
labels as the descriptions map them, and subjects that are named SET/SUBJECT. What leaves data sets
out in turn then leaves folds out.
"""

import argparse
import csv
import itertools
import json
import sys
from collections import defaultdict
from pathlib import Path

DATASETS = Path(__file__).resolve().parent
SPLIT = DATASETS / "Splits" / "people-1.csv"
FOLDS = 5
#: The seconds of one activity beyond which a person adds little that is new.
ENOUGH = 20 * 60


def description(name):
    """The description of a data set, or nothing."""
    path = DATASETS / "Descriptions" / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def labels(folder):
    """The rows of labels.csv, with the activity that each stands for, and whether it is scored.

    The activity is empty where the label is ignored.
    """
    described = description(folder.name)
    scored, training = described.get("labels", {}), described.get("trainingLabels", {})
    with open(folder / "labels.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            label = row["label"].lower()
            if label not in scored:
                sys.exit(f"{folder}/labels.csv: the description does not say what {label!r} is")
            activity = scored[label] if scored[label] != "ignore" else ""
            yield row, activity or training.get(label, ""), bool(activity)


def people(folders):
    """The people by data set, and the seconds of each by activity."""
    result = {}
    for folder in folders:
        result[folder.name] = seconds = defaultdict(lambda: defaultdict(float))
        for row, activity, is_scored in labels(folder):
            person = seconds[row.get("subject", "person")]
            if is_scored:
                person[activity] += float(row["end"]) - float(row["start"])
    return result


def assign(found):
    """The fold of each (data set, person)."""
    groups, shares, totals = [], [], defaultdict(float)
    for name in sorted(found):
        stated = description(name).get("people", 0)
        members = [(name, person) for person in sorted(found[name])]
        groups += [[member] for member in members] if len(members) <= stated else [members]
    for group in groups:
        share = defaultdict(float)
        for name, person in group:
            share[name] += 1
            is_felt = "accelerometer" in description(name).get("sensors", [])
            for activity, seconds in found[name][person].items():
                share[f"{activity}, {is_felt}"] += min(seconds, ENOUGH)
        shares.append(share)
        for column, value in share.items():
            totals[column] += value
    columns = sorted(totals)
    rows = [[share[column] / totals[column] for column in columns] for share in shares]
    fold = [None] * len(groups)
    sums = [[0.0] * len(columns) for _ in range(FOLDS)]

    def put(group, target, sign=1):
        for index, value in enumerate(rows[group]):
            sums[target][index] += sign * value
        fold[group] = target if sign > 0 else None

    def cost():
        # Rounded, so that the order of additions decides nothing.
        return round(sum(value * value for row in sums for value in row), 9)

    def cost_at(group, target):
        put(group, target)
        result = cost()
        put(group, target, -1)
        return result

    for group in sorted(range(len(groups)), key=lambda i: (-round(sum(rows[i]), 9), groups[i])):
        put(group, min(range(FOLDS), key=lambda target: cost_at(group, target)))
    improves = True
    while improves:
        improves = False
        for a in range(len(groups)):
            before, start = cost(), fold[a]
            put(a, start, -1)
            put(a, min(range(FOLDS), key=lambda target: (cost_at(a, target), target != start)))
            improves |= cost() < before
        for a, b in itertools.combinations(range(len(groups)), 2):
            if fold[a] == fold[b]:
                continue
            before, one, other = cost(), fold[a], fold[b]
            for group, old, new in ((a, one, other), (b, other, one)):
                put(group, old, -1)
                put(group, new)
            if cost() < before:
                improves = True
            else:
                for group, old, new in ((a, other, one), (b, one, other)):
                    put(group, old, -1)
                    put(group, new)
    # The folds are named in the order of the people.
    names = {}
    result = {}
    for member, target in sorted((m, fold[i]) for i, group in enumerate(groups) for m in group):
        result[member] = names.setdefault(target, len(names) + 1)
    return result


def read(path=SPLIT):
    """The fold of each (data set, person) in a file."""
    with open(path, encoding="utf-8", newline="") as file:
        return {(row["dataset"], row["person"]): int(row["fold"]) for row in csv.DictReader(file)}


def check(folders):
    """Whether the people of these sets, and their folds when all sets are here, are the frozen."""
    frozen = read()
    known = {name for name, _ in frozen}
    found = people([folder for folder in folders if folder.name in known])
    here = {(name, person) for name, members in found.items() for person in members}
    expected = {member for member in frozen if member[0] in found}
    problems = [f"{'/'.join(member)} is not in the data" for member in sorted(expected - here)]
    problems += [f"{'/'.join(member)} is not in the split" for member in sorted(here - expected)]
    missing = sorted(known - set(found))
    if not missing and not problems:
        made = assign(found)
        problems += [
            f"{'/'.join(member)} is in fold {frozen[member]}, and would be in {made[member]}"
            for member in sorted(made) if made[member] != frozen[member]]
    for problem in problems:
        print(f"{SPLIT.name}: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    note = f"; not made again without {len(missing)} others" if missing else ", made again"
    print(f"{SPLIT.name}: {len(here)} people of {len(found)} data sets as in the file{note}")


def lay_out(folders, out):
    """Write the five data sets."""
    frozen = read()
    tables = {fold: [] for fold in range(1, FOLDS + 1)}
    for folder in folders:
        for row, activity, is_scored in labels(folder):
            member = (folder.name, row.get("subject", "person"))
            if member not in frozen:
                sys.exit(f"{'/'.join(member)} is not in {SPLIT.name}")
            fold = out / f"fold{frozen[member]}"
            files = [
                path for part in ("", ".gps") for end in ("", ".gz")
                if (path := folder / f"{row['recording']}{part}.csv{end}").exists()]
            if not activity or not files or ".gps." in files[0].name:
                continue
            fold.mkdir(parents=True, exist_ok=True)
            for path in files:
                link = fold / f"{folder.name}-{path.name}"
                if not link.exists():
                    link.symlink_to(path.resolve())
            tables[frozen[member]].append([
                f"{folder.name}-{row['recording']}", "/".join(member), row["start"], row["end"],
                activity if is_scored else f"roughly {activity}"])
    for fold, rows in tables.items():
        if not rows:
            sys.exit(f"fold {fold} has nobody of these data sets")
        target = out / f"fold{fold}"
        with open(target / "labels.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["recording", "subject", "start", "end", "label"])
            writer.writerows(rows)
        activities = sorted({row[4] for row in rows})
        (target / "dataset.json").write_text(json.dumps({
            "name": target.name,
            "source": {"title": f"Fold {fold} of {SPLIT.stem}: see Datasets/README.md", "url": ""},
            "licence": "those of the data sets it is made of: local use only",
            "labels": {name: name for name in activities if not name.startswith("roughly ")},
            "trainingLabels": {
                name: name.removeprefix("roughly ")
                for name in activities if name.startswith("roughly ")},
        }, indent=2) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--folds", type=Path, metavar="OUT")
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    arguments = parser.parse_args()
    folders = [
        folder for folder in arguments.folders
        if description(folder.name) and (folder / "labels.csv").exists()]
    if not folders:
        parser.error("none of these folders has labels.csv and a description")
    if arguments.check:
        check(folders)
    elif arguments.folds:
        lay_out(folders, arguments.folds)
    else:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(["dataset", "person", "fold"])
        writer.writerows([*member, fold] for member, fold in assign(people(folders)).items())


if __name__ == "__main__":
    main()
