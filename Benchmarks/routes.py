"""How right routes on a map are: tracks with a known way, at several rates of fixes.

Usage: routes.py PROGRAM [--dataset DIR] [--rates 1,10,30,60] [--holes] [--all]

PROGRAM is the `locomotion` command, DIR has `map_tracks` (../shared/datasets). For each rate, for the
tracks with odd numbers, by which figures were chosen, and for the others, it prints the way off by more
than 20 m (of the true way from ours and of ours from it, by the true length), and the error of the
length with and without the map. --holes takes a road away every 9 km; --all prints each track.
"""

import argparse
import concurrent.futures
import csv
import gzip
import json
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy.spatial import cKDTree

# The tracks lie at the equator: metres per degree there.
EAST, NORTH = 111_319.5, 110_574.4
OFF = 20.0


def plane(points):
    """Latitudes and longitudes as metres east and north."""
    points = np.asarray(points, float)
    return np.stack([points[:, 1] * EAST, points[:, 0] * NORTH], 1)


def resampled(line, step):
    """A line with a point in each step, metres."""
    lengths = np.r_[0, np.cumsum(np.hypot(*np.diff(line, axis=0).T))]
    at = np.linspace(0, lengths[-1], max(int(lengths[-1] / step), 1) + 1)
    return np.stack([np.interp(at, lengths, line[:, 0]), np.interp(at, lengths, line[:, 1])], 1)


def clipped(way, first, last):
    """The way from its first pass by one place to its last pass by another."""
    fine = resampled(way, 1.0)

    def foot(place, index):
        away = np.hypot(*(fine - place).T)
        near = np.where(away <= max(20, away.min() + 10))[0]
        own = np.split(near, np.where(np.diff(near) > 50)[0] + 1)[index]
        return own[np.argmin(away[own])]

    begin, end = foot(first, 0), foot(last, -1)
    return fine[begin:end + 1] if begin < end else fine


def network(path, way, target, holes):
    """Write the lines of a network, without those that are the way for 30 m in every 9 km."""
    fine = resampled(way, 10)
    along = 10.0 * np.arange(len(fine)) % 9_000
    missing = fine[(along > 4_500) & (along < 4_530)] if holes else np.zeros((0, 2))
    with gzip.open(path, "rt") as source, open(target, "w") as file:
        for line in source:
            points = json.loads(line)["geometry"]["coordinates"]
            own = plane([(point[1], point[0]) for point in points])
            if len(missing):
                away = cKDTree(resampled(own, 5)).query(missing)[0]
                if away.min() < 3:
                    continue
            file.write(line)


def lines_of(features):
    """Our route of each leg, or else its line."""
    for feature in features:
        shape = feature["properties"].get("route") or feature["geometry"]
        if feature["properties"]["type"] != "trip" or not shape:
            continue
        parts = shape["coordinates"] if shape["type"] == "MultiLineString" else [shape["coordinates"]]
        yield from (plane([(point[1], point[0]) for point in part]) for part in parts if len(part) > 1)


def prepare(folder, base, name, rate, holes):
    """Write a track with a fix in `rate` seconds and its network; return the fixes and the true way."""
    with gzip.open(folder / f"{name}.gps.csv.gz", "rt") as file:
        fixes = list(csv.DictReader(file))
    with gzip.open(folder / "network" / f"{name}.route.csv.gz", "rt") as file:
        way = plane([(row["lat"], row["lon"]) for row in csv.DictReader(file)])
    kept = fixes[:1]
    for fix in fixes[1:]:
        if float(fix["t"]) - float(kept[-1]["t"]) >= rate:
            kept.append(fix)
    base.mkdir()
    with open(base / "track.gps.csv", "w") as file:
        file.write("t,lat,lon\n")
        file.writelines(f"{fix['t']},{fix['lat']},{fix['lon']}\n" for fix in kept)
    network(folder / "network" / f"{name}.geojsonl.gz", way, base / "lines.geojsonl", holes)
    ends = plane([(kept[index]["lat"], kept[index]["lon"]) for index in (0, -1)])
    return kept, clipped(way, *ends)


def metres_off(lines, truth):
    """Metres of the lines that are off the true way, and of it that are off the lines."""
    if not lines:
        return len(truth) - 1.0
    fine = np.concatenate([resampled(line, 2) for line in lines])
    away = cKDTree(truth).query(fine)[0], cKDTree(fine).query(truth)[0]
    return 2.0 * (away[0] > OFF).sum() + (away[1] > OFF).sum()


def score(program, folder, work, name, rate, holes):
    """Metres off, the true length, and the errors of ours with and without the map, percent."""
    base = work / f"{name}-{rate}"
    _, truth = prepare(folder, base, name, rate, holes)

    def run(*words):
        subprocess.run([program, *words], check=True, capture_output=True)

    run("map", base / "lines.geojsonl", "--out", base / "roads.map")
    run("analyze", base / "track.gps.csv", "--out", base / "out", "--map", base / "roads.map")
    items = json.loads((base / "out" / "timeline.json").read_text())["items"]
    trips = [item for item in items if item["type"] == "trip"]
    length = len(truth) - 1.0
    ours = list(lines_of(json.loads((base / "out" / "track.geojson").read_text())["features"]))
    errors = [
        100 * abs(sum(trip.get(key) or trip["distance"] or 0 for trip in trips) / length - 1)
        for key in ("distance_network", "distance")]
    return metres_off(ours, truth), length, *errors


def summary(rate, title, rows):
    """A line on tracks: metres off, the true length, the errors of the length with and without a map."""
    rows = np.array(rows)
    line = (
        f"{rate:4.0f} s, {title:9}  off {100 * rows[:, 0].sum() / rows[:, 1].sum():.2f} %"
        f"  length, median {np.median(rows[:, 2]):.2f} %, 90 % {np.quantile(rows[:, 2], .9):.1f} %")
    return line + (f"  without map {np.median(rows[:, 3]):.2f} %" if rows.shape[1] > 3 else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--dataset", type=pathlib.Path, default="../shared/datasets")
    parser.add_argument("--rates", default="1,10,30,60")
    parser.add_argument("--holes", action="store_true")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    folder = options.dataset / "map_tracks"
    names = sorted(path.name[:2] for path in folder.glob("*.gps.csv.gz"))
    with concurrent.futures.ThreadPoolExecutor() as pool, tempfile.TemporaryDirectory() as work:
        for rate in map(float, options.rates.split(",")):
            rows = dict(zip(names, pool.map(lambda name: score(  # noqa: B023
                options.program, folder, pathlib.Path(work), name, rate, options.holes), names)))
            halves = ("chosen by", lambda name: int(name) % 2), ("others", lambda name: not int(name) % 2)
            for title, belongs in *halves, ("all", lambda name: True):
                print(summary(rate, title, [row for name, row in rows.items() if belongs(name)]))
            if options.all:
                for name, (off, length, error, other) in rows.items():
                    print(f"    {name}  {100 * off / length:6.2f} %  {error:.2f} % ({other:.2f} %)")


if __name__ == "__main__":
    main()
