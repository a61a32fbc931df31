"""Stays and trips that other libraries find in days as recorders keep them.

Usage: days.py FOLDER PROGRAM…, the folder that `benchmark score days --write` has written.

Writes FOLDER/RULE/DAY.PROGRAM.items.csv for each thinned day, FOLDER/RULE/DAY.gps.csv;
`benchmark score days --beside FOLDER` scores them as it scores its own timelines. Parameters
are the libraries' defaults; where there are none (movingpandas), those of its tutorial and the
shortest stay that is scored.
"""

import csv
import datetime
import pathlib
import sys
import warnings

import pandas as pd
import pyproj

ELLIPSOID = pyproj.Geod(ellps="WGS84")


def read(path):
    fixes = pd.read_csv(path)
    fixes["time"] = pd.to_datetime(fixes.t, unit="s", utc=True)
    return fixes


def length(longitudes, latitudes):
    return ELLIPSOID.line_length(longitudes, latitudes) if len(longitudes) > 1 else 0.0


def stay(start, end, longitude, latitude):
    return "stay", start, end, latitude, longitude, ""


def trip(start, end, metres):
    return "trip", start, end, "", "", metres


def points(fixes):
    """A geographic frame of the fixes."""
    import geopandas

    return geopandas.GeoDataFrame(
        fixes, geometry=geopandas.points_from_xy(fixes.lon, fixes.lat), crs=4326)


def trackintel(fixes):
    """Staypoints by a sliding window (100 m, 5 min, gaps of 15 min), triplegs between them."""
    import trackintel as ti

    frame = points(fixes).rename(columns={"time": "tracked_at", "geometry": "geom"})
    frame = frame.set_geometry("geom")[["tracked_at", "geom"]].assign(user_id=0)
    positions, stays = ti.Positionfixes(frame).generate_staypoints()
    if stays.empty:
        return []  # Its triplegs are what lies between staypoints.
    _, legs = positions.generate_triplegs(stays)
    return [stay(s.started_at, s.finished_at, s.geom.x, s.geom.y) for s in stays.itertuples()] + [
        trip(leg.started_at, leg.finished_at, ELLIPSOID.geometry_length(leg.geom))
        for leg in legs.itertuples()]


def movingpandas(fixes):
    """Stops within 100 m for 5 minutes, and the trajectories between them."""
    import movingpandas as mpd

    limits = {"max_diameter": 100, "min_duration": datetime.timedelta(minutes=5)}
    frame = points(fixes.drop_duplicates("time")).set_index("time")
    frame.index = frame.index.tz_localize(None)
    trajectory = mpd.Trajectory(frame[["geometry"]], 1)
    stops = mpd.TrajectoryStopDetector(trajectory).get_stop_segments(**limits)
    between = mpd.StopSplitter(trajectory).split(**limits)
    items = []
    for stop in stops:
        centre = stop.df.geometry.union_all().centroid
        items.append(stay(stop.get_start_time(), stop.get_end_time(), centre.x, centre.y))
    for way in between:
        items.append(trip(way.get_start_time(), way.get_end_time(), way.get_length()))
    return items


def skmob(fixes):
    """Stay locations within 200 m for 20 minutes; trips are what is between them."""
    import skmob as sm
    from skmob.preprocessing import detection

    frame = pd.DataFrame({
        "lat": fixes.lat, "lng": fixes.lon, "datetime": fixes.time.dt.tz_localize(None), "uid": 0})
    stays = detection.stay_locations(sm.TrajDataFrame(frame))
    items = [stay(s.datetime, s.leaving_datetime, s.lng, s.lat) for s in stays.itertuples()]
    ends = [fixes.time.iloc[0].tz_localize(None)] + list(stays.leaving_datetime)
    starts = list(stays.datetime) + [fixes.time.iloc[-1].tz_localize(None)]
    for begin, end in zip(ends, starts):
        part = frame[(frame.datetime >= begin) & (frame.datetime <= end)]
        if begin < end:
            items.append(trip(begin, end, length(list(part.lng), list(part.lat))))
    return items


def main():
    folder, programs = pathlib.Path(sys.argv[1]), sys.argv[2:]
    known = {"trackintel": trackintel, "movingpandas": movingpandas, "scikit-mobility": skmob}
    warnings.simplefilter("ignore")
    for path in sorted(folder.glob("*/*.gps.csv")):
        fixes = read(path)
        for program in programs:
            items = []
            try:
                items = known[program](fixes)
            except ImportError:
                raise
            except Exception as error:
                # A day that a library can't take is a day without stays.
                reason = " ".join(str(error).split())
                print(f"{program}: {path.parent.name}/{path.name}: {reason}", file=sys.stderr)
            out = path.with_name(path.name.removesuffix("gps.csv") + f"{program}.items.csv")
            with open(out, "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(["kind", "start", "end", "lat", "lon", "distance"])
                for kind, start, end, *rest in items:
                    times = [f"{pd.Timestamp(time).timestamp():.3f}" for time in (start, end)]
                    writer.writerow([kind, *times, *rest])


main()
