#!/usr/bin/env bash
#
# Makes a map of an extract of OpenStreetMap, by which trips have routes and trains are told from cars:
# 'locomotion analyze … --map FILE'.
#
# Usage: Datasets/map.sh EXTRACT.osm.pbf FILE [--rails]
#
# --rails takes the rails alone, of a country as well: a few megabytes. Osmium is installed by apt-get
# where it is missing. Extracts are to be had of Geofabrik and others, under the Open Database License;
# FILE says whose data they are.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
usage="usage: ${0##*/} EXTRACT.osm.pbf FILE [--rails]"
case ${1:-} in
  -h | --help) echo "$usage"; exit ;;
esac
if [ "$#" -lt 2 ] || [ "$#" -gt 3 ] || [ "${3:---rails}" != --rails ]; then
  echo "$usage" >&2
  exit 2
fi
command -v osmium > /dev/null || "$root/Tests/setup.sh" --install osmium-tool
programs=$(bash "$root/Tests/Setup/build.sh" --product locomotion)
filters=(w/railway)
if [ "$#" -eq 2 ]; then filters+=(w/highway w/waterway w/natural=water,coastline); fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
osmium tags-filter --no-progress "$1" "${filters[@]}" -o "$folder/lines.osm.pbf"
osmium export --no-progress --geometry-types=linestring,polygon -f geojsonseq \
  "$folder/lines.osm.pbf" | "$programs/locomotion" map - --out "$2"
