#!/usr/bin/env bash
#
# Shows what the package makes of a recording: the summary, and where the report and the tables are.
#
# Usage: Datasets/demo.sh [RECORDING]
#
# RECORDING is X.csv or X.csv.gz, see Datasets/README.md. Without it a day is simulated, the same
# one at every run. Everything is written below .build/demo in the package.

set -euo pipefail

usage="usage: ${0##*/} [RECORDING]"
if [ "$#" -gt 1 ]; then
  echo "$usage" >&2
  exit 2
fi
case ${1:-} in
  -h | --help) echo "$usage"; exit ;;
  -*) echo "$usage" >&2; exit 2 ;;
esac
recording=${1:-}
if [ -n "$recording" ] && [ ! -e "$recording" ]; then
  echo "${0##*/}: $recording: no such file" >&2
  exit 74
fi

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
"$root/Tests/setup.sh" --build

if [ ! -x "$root/.build/release/locomotion" ]; then
  echo "compiling, once: some seven minutes of processor time, four on two cores" >&2
fi
# As the tests are built, so that neither compiles anew what the other did.
programs=$(bash "$root/Tests/Setup/build.sh" --product locomotion)
demo="$root/.build/demo"
mkdir -p "$demo"

if [ -z "$recording" ]; then
  bash "$root/Tests/Setup/build.sh" --product demo-recording > /dev/null
  "$programs/demo-recording" --out "$demo/recording" --seed 1
  recording="$demo/recording/demo.csv.gz"
fi

report="$demo/report"
"$programs/locomotion" analyze "$recording" --out "$report"
echo
echo "All results are in $report:"
ls -C "$report"
echo "Open $report/report.html in a browser; 'locomotion help' lists what else there is:"
echo "  $programs/locomotion help"
