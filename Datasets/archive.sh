#!/usr/bin/env bash
#
# From five phones to an archive, on this machine: a private PostgreSQL with PostGIS, a collector on
# a free port of the loopback, and five simulated phones that upload a day each. Then it says where
# the pages are, and stays until it is interrupted.
#
# Usage: Datasets/archive.sh [--check]
#
#   --check   compares what the archive holds with what the phones hold, tries to read as another
#             user and as nobody, stops everything and exits 0, or 1 when anything differs
#
# Everything is written below .build/archive in the package, and removed at the end. Several copies
# may run at the same time.

set -euo pipefail

case $*/$# in
  /0 | --check/1) ;;
  *) echo "usage: ${0##*/} [--check]" >&2; exit 2 ;;
esac

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
bash "$root/Tests/setup.sh"
bash "$root/Sources/Server/Tests/Setup/server.sh" --install

programs=$(bash "$root/Sources/Server/Tests/Setup/build.sh")
ln -sf "$(bash "$root/Tests/Setup/build.sh" --product demo-recording)/demo-recording" "$programs"

exec python3 "$root/Datasets/archive-fleet.py" "$programs" "$root/.build/archive" "$@"
