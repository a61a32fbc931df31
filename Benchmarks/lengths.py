"""How right lengths are: on ways of known length, and on activities with a device's total.

Usage: lengths.py PROGRAM [--draws N] [--kinds run,hike] [--rules '1 s;60 s'] [--dataset DIR]
                  [--leave-people-out]

PROGRAM is the `locomotion` command. For every kind of way and rule of recording it prints the mean
and the largest error of N draws (20), in percent: of the timeline (with how many of the draws lie
within its ±, and how many trips it makes), of the sum of chords, of the chords of the smoothed
line, and of movingpandas where that is installed. Then the same of the activities of `sport_tracks`
in DIR (../shared/datasets), whole and from times and positions alone; those whose moving time
exceeds the span of the file by 2 % are left out: their devices counted steps where there is no fix.
With --leave-people-out the names are those by the built-in model whose evidence from fixes is trained
anew without each person.
"""

import argparse
import concurrent.futures
import csv
import gzip
import json
import pathlib
import re
import subprocess
import tempfile

import numpy as np
import pyproj

import ways

ROOT = pathlib.Path(__file__).resolve().parent.parent
ELLIPSOID = pyproj.Geod(ellps="WGS84")


def metres(latitudes, longitudes):
    """The sum of the geodesics between positions in degrees, metres."""
    return ELLIPSOID.line_length(longitudes, latitudes)


def run(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def smoothed(program, path):
    rows = csv.DictReader(run(program, "locate", "--mode", "smoothed", path).splitlines())
    places = np.array([[float(row["lat"]), float(row["lon"])] for row in rows if row["lat"]])
    return metres(places[:, 0], places[:, 1])


def moving_pandas(path):
    """The length of movingpandas' trajectory; nan where it is not installed."""
    try:
        import movingpandas
        import pandas
    except ImportError:
        return float("nan")
    frame = pandas.read_csv(path)
    frame["time"] = pandas.to_datetime(frame.t, unit="s")
    trajectory = movingpandas.Trajectory(
        frame, traj_id=1, t="time", x="lon", y="lat", crs="epsg:4326")
    return trajectory.get_length()


def timeline(program, path, *options):
    """The length of the trips, its standard deviation, their number and their longest activity."""
    trips = [
        item for item in json.loads(run(program, "timeline", "--json", *options, path))["items"]
        if item["type"] == "trip"]
    deviation = sum((trip["distance_sd"] or 0) ** 2 for trip in trips) ** 0.5
    seconds = {}
    for trip in trips:
        for leg in trip["legs"]:
            name = leg["activity"]
            seconds[name] = seconds.get(name, 0) + leg["end"] - leg["start"]
    activity = max(seconds, key=seconds.get) if seconds else ""
    return sum(trip["distance"] or 0 for trip in trips), deviation, len(trips), activity


def known(program, kind, rule, draw, folder):
    keep, pauses = ways.rule(rule)
    way = ways.Way(kind, draw, pauses)
    kept = keep(way)
    path = str(folder / f"{kind}-{rule}-{draw}.gps.csv".replace(" ", "_").replace(",", ""))
    way.write(path, kept)
    length, deviation, trips, _ = timeline(program, path)
    lengths = [length, way.chords(kept), smoothed(program, path), moving_pandas(path)]
    errors = [100 * (own / way.length - 1) for own in lengths]
    return errors, abs(length - way.length) <= deviation, trips


def print_known(program, kinds, rules, draws, pool, folder):
    print("Errors in %: mean (largest). In: within the ±. Trips.")
    print(f"{'way':9}{'rule':17}{'timeline':>16}{'in':>6}{'trips':>7}"
          f"{'chords':>16}{'smoothed':>16}{'movingpandas':>16}")
    for kind in kinds:
        for rule in rules:
            results = list(pool.map(
                lambda draw: known(program, kind, rule, draw, folder), range(draws)))
            errors = np.array([result[0] for result in results])
            cells = [
                f"{own.mean():+.1f} ({np.abs(own).max():.1f})" if np.isfinite(own).all() else "-"
                for own in errors.T]
            held = np.mean([result[1] for result in results])
            trips = np.mean([result[2] for result in results])
            print(f"{kind:9}{rule:17}{cells[0]:>16}{held:>6.0%}{trips:>7.1f}"
                  f"{cells[1]:>16}{cells[2]:>16}{cells[3]:>16}", flush=True)


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(file))


def options_without(program, dataset, work, person, labels, people):
    """The options by which a command uses a model that is trained without a person's fixes."""
    folder, model = work / person / "sport_tracks", work / person / "model"
    folder.mkdir(parents=True)
    for path in (dataset / "sport_tracks").glob("*.gz"):
        (folder / path.name).symlink_to(path)
    with open(folder / "labels.csv", "w") as file:
        writer = csv.DictWriter(file, labels[0])
        writer.writeheader()
        writer.writerows(row for row in labels if people[row["recording"]] != person)
    script = (ROOT / "Datasets/train-default.sh").read_text()
    sets = re.search(r"^fixes=\((.*?)^\)", script, re.M | re.S)[1].split()
    folders = [str(dataset / name) for name in sets if name != "sport_tracks"] + [str(folder)]
    run(program, "train", "--dataset", *folders, "--fixes", *folders, "--fixes-only",
        "--base", str(ROOT / "Sources/Device/CLocomotionModel/default.model"), "--out", str(model))
    return ["--model", str(model)]


def activity(program, folder, work, name, total, bare, options=()):
    with gzip.open(folder / f"{name}.gps.csv.gz", "rt") as file:
        fixes = list(csv.DictReader(file))
    span = float(fixes[-1]["t"]) - float(fixes[0]["t"])
    if total["moving_s"] and float(total["moving_s"]) > 1.02 * span:
        return None
    path = work / f"{name}.gps.csv"
    with open(path, "w") as file:
        file.write("t,lat,lon,alt,hacc,speed,course\n")
        for fix in fixes:
            rest = ",,," if bare else ",".join(
                fix[key] or "" for key in ("alt", "hacc", "speed", "course"))
            file.write(f"{fix['t']},{fix['lat']},{fix['lon']},{rest}\n")
    length, deviation, trips, named = timeline(program, str(path), *options)
    places = np.array([[float(fix["lat"]), float(fix["lon"])] for fix in fixes])
    stated = float(total["distance_m"])
    lengths = [
        length, metres(places[:, 0], places[:, 1]), smoothed(program, str(path)),
        moving_pandas(str(path))]
    return [100 * (own / stated - 1) for own in lengths], trips, named


def print_activities(program, dataset, pool, work, without_people):
    folder = pathlib.Path(dataset) / "sport_tracks"
    if not folder.exists():
        print(f"{folder} is not there: no activities")
        return
    totals = {row["recording"]: row for row in rows(folder / "totals.csv")}
    stated = rows(folder / "labels.csv")
    labels = {row["recording"]: row["label"] for row in stated}
    people = {row["recording"]: row["person"] for row in rows(folder / "meta.csv")}
    options = {
        person: options_without(
            program, pathlib.Path(dataset).resolve(), work, person, stated, people)
        if without_people else [] for person in sorted(set(people.values()))}
    for bare in False, True:
        found = pool.map(
            lambda name: activity(
                program, folder, work, name, totals[name], bare, options[people[name]]), totals)
        results = {name: result for name, result in zip(totals, found) if result}
        print(f"\nActivities, {'times and positions alone' if bare else 'whole'}: {len(results)}")
        names = ["timeline", "chords", "smoothed", "movingpandas"]
        for column, name in enumerate(names):
            errors = np.array([result[0][column] for result in results.values()])
            if np.isnan(errors).all():
                continue
            print(f"  {name:13} off: median {np.median(np.abs(errors)):.1f} %, 90 % "
                  f"{np.quantile(np.abs(errors), 0.9):.1f} %, mean {errors.mean():+.1f} %; "
                  f"within 3 %: {np.mean(np.abs(errors) <= 3):.0%}")
        one = np.mean([result[1] == 1 for result in results.values()])
        print(f"  one trip: {one:.0%}")
        for label in sorted(set(labels.values())):
            own = [result[2] == label for name, result in results.items() if labels[name] == label]
            print(f"  {label} named so: {np.mean(own):.2f} of {len(own)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--kinds", default=",".join(ways.KINDS))
    parser.add_argument(
        "--rules", default=";".join(ways.RULES), help="separated by ';'; also any 'N s'")
    parser.add_argument("--dataset", default="../shared/datasets")
    parser.add_argument("--leave-people-out", action="store_true")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor() as pool, \
            tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        if options.draws > 0:
            print_known(
                options.program, options.kinds.split(","), options.rules.split(";"),
                options.draws, pool, work)
        print_activities(
            options.program, options.dataset, pool, work, options.leave_people_out)


if __name__ == "__main__":
    main()
