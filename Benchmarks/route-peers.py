"""How right Valhalla's and OSRM's routes are on the tracks and networks of `routes.py`.

Usage: route-peers.py [--dataset DIR] [--rates 1,10,30,60] [--all]

For each rate it prints what `routes.py` prints of ours: the way off by more than 20 m of the true length,
and the median error of the length. Needs Python 3.12 with pyvalhalla, osrm-bindings, osmium, numpy and
scipy. Both peers get all roads as `secondary` and look for them within 60 m: of OSRM that is three times
the deviation that it is given.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import osmium
import osrm
import valhalla
from routes import metres_off, plane, prepare, summary

OSRM, VALHALLA = (pathlib.Path(module.__file__).parent for module in (osrm, valhalla))


def write_osm(lines, target):
    """Write the lines of a network as a file of OpenStreetMap, with a node for each place."""
    nodes, ways = {}, []
    for text in open(lines):
        feature = json.loads(text)
        points = [tuple(point) for point in feature["geometry"]["coordinates"]]
        ways.append(([nodes.setdefault(point, len(nodes) + 1) for point in points], feature["properties"]))
    with osmium.SimpleWriter(str(target), overwrite=True) as writer:
        for place, number in nodes.items():
            writer.add_node(osmium.osm.mutable.Node(location=place, id=number, version=1))
        for number, (way, tags) in enumerate(ways, 1):
            writer.add_way(osmium.osm.mutable.Way(nodes=way, tags=tags, id=number, version=1))


def valhalla_lines(base, kept):
    """The lines that Valhalla matches; none where it refuses the track."""
    tiles = base / "tiles"
    tiles.mkdir()
    config = valhalla.get_config(tile_extract="", tile_dir=str(tiles), verbose=False)
    config["meili"]["default"]["breakage_distance"] = 20_000
    config["service_limits"]["trace"] |= {"max_distance": 1e6, "max_shape": 100_000}
    path = base / "valhalla.json"
    path.write_text(json.dumps(config))
    subprocess.run(
        [VALHALLA / "bin" / "valhalla_build_tiles", "-c", path, base / "map.osm.pbf"],
        check=True, capture_output=True)
    shape = [
        {"lat": float(fix["lat"]), "lon": float(fix["lon"]), "time": float(fix["t"])} for fix in kept]
    try:
        found = valhalla.Actor(str(path)).trace_route({
            "shape": shape, "costing": "auto", "shape_match": "map_snap",
            "trace_options": {"search_radius": 60, "gps_accuracy": 8}})
    except Exception as error:
        print(f"    {base.name}: Valhalla: {error}", file=sys.stderr)
        return []
    trips = [found["trip"], *(other["trip"] for other in found.get("alternates", []))]
    return [plane(decoded(leg["shape"])) for trip in trips for leg in trip["legs"]]


def decoded(text):
    """The places of a polyline of six decimals."""
    values, value, shift = [], 0, 0
    for byte in text.encode():
        value |= (byte - 63 & 31) << shift
        shift += 5
        if byte < 95:
            values.append(~(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    return np.cumsum(np.reshape(values, (-1, 2)), axis=0) / 1e6


def osrm_lines(base, kept):
    """The lines that OSRM matches; none where it refuses the track."""
    file = base / "map.osm.pbf"
    graph = base / "map.osrm"
    for words in (["extract", file, "-p", OSRM / "share/profiles/car.lua"], ["contract", graph]):
        subprocess.run(
            [OSRM / "bin" / f"osrm-{words[0]}", *words[1:]], check=True, capture_output=True)
    engine = osrm.OSRM(
        algorithm="CH", storage_config=str(graph), max_locations_map_matching=100_000,
        use_shared_memory=False)
    try:
        found = engine.Match(osrm.MatchParameters(
            coordinates=[(float(fix["lon"]), float(fix["lat"])) for fix in kept],
            timestamps=[int(float(fix["t"])) for fix in kept], radiuses=[20.0] * len(kept),
            overview="full", geometries="geojson", gaps="ignore", tidy=True))
    except Exception as error:
        print(f"    {base.name}: OSRM: {error}", file=sys.stderr)
        return []
    lines = [matching["geometry"]["coordinates"] for matching in found["matchings"]]
    return [plane([(point[1], point[0]) for point in line]) for line in lines]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--dataset", type=pathlib.Path, default="../shared/datasets")
    parser.add_argument("--rates", default="1,10,30,60")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    folder = options.dataset / "map_tracks"
    names = sorted(path.name[:2] for path in folder.glob("*.gps.csv.gz"))
    for rate in map(float, options.rates.split(",")):
        rows = {"Valhalla": [], "OSRM": []}
        with tempfile.TemporaryDirectory() as work:
            for name in names:
                base = pathlib.Path(work) / name
                kept, truth = prepare(folder, base, name, rate, holes=False)
                write_osm(base / "lines.geojsonl", base / "map.osm.pbf")
                length = len(truth) - 1.0
                for peer, match in ("Valhalla", valhalla_lines), ("OSRM", osrm_lines):
                    lines = match(base, kept)
                    way = sum(np.hypot(*np.diff(line, axis=0).T).sum() for line in lines)
                    rows[peer].append((metres_off(lines, truth), length, 100 * abs(way / length - 1)))
                    if options.all:
                        off, _, error = rows[peer][-1]
                        print(f"    {name}  {peer:8}  {100 * off / length:6.2f} %  {error:.2f} %")
        for peer, own in rows.items():
            print(summary(rate, peer, own))


if __name__ == "__main__":
    main()
