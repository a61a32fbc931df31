"""How often legs of trips have the right activity, by how probable their timeline says it is.

Usage: legs.py PROGRAM [--datasets DIR]

PROGRAM is the `locomotion` command. Every labelled recording in DIR (../shared/datasets) is told as
a timeline, with its accelerations and from its fixes alone; a leg counts where one of the six
activities is stated of most of it. Prints, in joint bins of 150 legs and more, the mean probability
and the part that is right: as told, and by a logistic recalibration that is fitted anew without
each person; and its two coefficients for all legs.
"""

import argparse
import concurrent.futures
import csv
import gzip
import json
import pathlib
import subprocess

import numpy as np

TRUTHS = {
    "bus": "automotive", "car": "automotive", "metro": "train", "tram": "train", "stairs": "walking",
    "standing": "stationary", "sitting": "stationary", "elevator": "stationary",
} | {name: name for name in ("stationary", "walking", "running", "cycling", "automotive", "train")}
# What Trip.Leg.probability makes of a mean probability.
OFFSET, SLOPE = -0.90, 1.36


def stated(folder):
    """The stated intervals of each recording: start, end, label, person."""
    found = {}
    for path in sorted(folder.glob("*.truth.csv.gz")) if folder.name == "days" else ():
        name = path.name.removesuffix(".truth.csv.gz")
        with gzip.open(path, "rt") as file:
            found[name] = [
                (float(row["t"]), float(row["t"]) + 1, row["activity"], name)
                for row in csv.DictReader(file)]
    if (folder / "labels.csv").exists():
        for row in csv.DictReader((folder / "labels.csv").open()):
            person = row.get("subject") or row["recording"].split("_")[0]
            found.setdefault(row["recording"], []).append(
                (float(row["start"]), float(row["end"]), row["label"], person))
    return found


def legs(program, path, intervals):
    """The person, probability and rightness of each leg of a recording."""
    told = subprocess.run([program, "timeline", path, "--json"], capture_output=True, text=True)
    found = []
    for item in json.loads(told.stdout)["items"] if told.returncode == 0 else ():
        for leg in item.get("legs", ()):
            length = leg["end"] - leg["start"]
            times = dict.fromkeys(["other"], 0.0)
            for start, end, label, _ in intervals:
                name = TRUTHS.get(label, "other")
                common = min(end, leg["end"]) - max(start, leg["start"])
                times[name] = times.get(name, 0) + max(common, 0)
            truth = max(times, key=times.get)
            is_told = leg["probability"] is not None and truth != "other"
            if is_told and sum(times.values()) > 0.6 * length:
                found.append((intervals[0][3], leg["probability"], leg["activity"] == truth))
    return found


def fitted(logits, right):
    """Offset and slope of the logistic regression, by Newton's method with a weak prior."""
    design, weights = np.c_[np.ones_like(logits), logits], np.array([0.0, 1.0])
    for _ in range(50):
        found = 1 / (1 + np.exp(-design @ weights))
        gradient = design.T @ (found - right) + weights - [0, 1]
        hessian = (design.T * (found * (1 - found))) @ design + np.eye(2)
        weights = weights - np.linalg.solve(hessian, gradient)
    return weights


def show(name, told, right):
    """Print bins; a bin that is off by more than 5 points and two standard errors has a mark."""
    order = np.argsort(told)
    print(name)
    for part in np.array_split(order, max(1, len(order) // 150)):
        mean, share = told[part].mean(), right[part].mean()
        limit = max(0.05, 2 * np.sqrt(share * (1 - share) / len(part)))
        mark = "" if abs(mean - share) <= limit else "  off"
        print(f"  {len(part):5} legs: told {mean:.3f}, right {share:.3f}{mark}")


parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("program")
parser.add_argument("--datasets", default="../shared/datasets", type=pathlib.Path)
options = parser.parse_args()
jobs = [
    (options.program, path, intervals)
    for folder in sorted(options.datasets.iterdir()) if folder.is_dir()
    for name, intervals in stated(folder).items()
    for path in (folder / f"{name}.csv.gz", folder / f"{name}.gps.csv.gz") if path.exists()]
with concurrent.futures.ThreadPoolExecutor() as pool:
    rows = [row for part in pool.map(lambda job: legs(*job), jobs) for row in part]
people = np.array([f"{row[0]}" for row in rows])
told, right = (np.array([float(row[index]) for row in rows]) for index in (1, 2))
show("as told", told, right)
bounded = np.clip(told, 0.001, 0.999)
logits = (np.log(bounded / (1 - bounded)) - OFFSET) / SLOPE
anew = np.empty_like(told)
for person in np.unique(people):
    own = people == person
    offset, slope = fitted(logits[~own], right[~own])
    anew[own] = 1 / (1 + np.exp(-offset - slope * logits[own]))
show("with each person left out", anew, right)
print("offset {:.2f}, slope {:.2f}".format(*fitted(logits, right)))
sure, perhaps = told > 0.97, told < 0.6
print(f"sure {sure.sum()}: right {right[sure].mean():.3f}; perhaps {perhaps.sum()}: {right[perhaps].mean():.3f}")
