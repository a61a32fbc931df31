"""Golden geodesics for Geodesic, by Karney's own implementation.

Run with Python 3.11 and geographiclib 2.0:  python3 geodesic_golden.py > geodesic.csv

Courses are 0 to 360; where a way has no length they are written as -1.
"""
import random

from geographiclib.geodesic import Geodesic

random.seed(2013)
pairs = []
# By hand: equator, meridians, poles, antimeridian, coincident and opposite points.
pairs += [(0, 0, 0, 1), (0, 0, 0, 90), (0, 0, 0, 179), (0, 0, 0, 179.3), (0, 0, 0, 179.4), (0, 0, 0, 179.5), (0, 0, 0, 180)]
pairs += [(0, 0, 0.5, 179.5), (0, 0, 0.5, 179.7), (0, 0, -0.5, 179.7), (0, 0, 1e-9, 179.9), (30, 0, -30, 179.9), (30, 0, -30, 180)]
pairs += [(30, 0, -29.9, 179.8), (-30.12345, 0, 30.12344, 179.98), (89.9, 0, -89.9, 179.99), (60, 10, -60, -169.5)]
pairs += [(90, 0, 90, 0), (90, 0, -90, 0), (90, 0, 89, 40), (-90, 0, 10, -100), (45, 30, 90, 77), (-89.999999, 12, -89.999999, -167)]
pairs += [(90, 30, 0, 80), (0, -60, 90, 0), (89.99999999, 0, 89.99999999, 179)]
pairs += [(10, 179.9, 10, -179.9), (-17.5, -179.99, -17.5, 179.99), (66, 180, 67, -180), (-45, -180, 45, 0)]
pairs += [(48.137, 11.575, 48.137, 11.575), (0, 0, 0, 0), (60, 10, 60, 10.000001), (60, 10, 60.000001, 10), (60, 10, 60, 10.1)]
pairs += [(60, 10, 60, 40), (60, 10, 60.1, 10.1), (-60, 10, -60.1, 10.1), (48.137, 11.575, 60.170, 24.941), (40.6, -73.8, 1.36, 103.99)]
pairs += [(50.1, 8.7, 50.1, 8.7 + 1e-12), (1e-200, 0, 0, 1e-200), (36.493, 0, -36.493, 179.617), (36.4930, 0, -36.4929, 179.6174)]
# Drawn: anywhere; within metres to kilometres; nearly opposite; near the poles.
for _ in range(100):
    pairs.append((random.uniform(-90, 90), random.uniform(-180, 180), random.uniform(-90, 90), random.uniform(-180, 180)))
for _ in range(100):
    lat, lon, size = random.uniform(-89, 89), random.uniform(-180, 180), 10 ** random.uniform(-8, 0)
    pairs.append((lat, lon, lat + random.uniform(-1, 1) * size, lon + random.uniform(-1, 1) * size))
for _ in range(80):
    lat, lon, size = random.uniform(-90, 90), random.uniform(-180, 0), 10 ** random.uniform(-6, 0)
    pairs.append((lat, lon, max(-90, min(90, -lat + random.uniform(-1, 1) * size)), lon + 180 + random.uniform(-1, 1) * size))
for _ in range(40):
    size = 10 ** random.uniform(-9, 0)
    pairs.append((90 - size * random.random(), random.uniform(-180, 180), random.choice((1, -1)) * (90 - size * random.random()), random.uniform(-180, 180)))

print("# latitude 1, longitude 1, latitude 2, longitude 2 (degrees), distance (metres), initial and final course (degrees)")
for pair in pairs:
    way = Geodesic.WGS84.Inverse(*pair)
    courses = [(way[key] % 360) if way["s12"] > 0 else -1 for key in ("azi1", "azi2")]
    print(",".join(repr(float(value)) for value in pair) + f",{way['s12']!r}," + ",".join(f"{c:.12f}" for c in courses))
