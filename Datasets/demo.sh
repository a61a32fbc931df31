#!/usr/bin/env bash
#
# Shows what the package makes of a recording: the summary, the report, and the first lines of
# each result.
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
  -h | --help)
    echo "$usage"
    exit
    ;;
  -*)
    echo "$usage" >&2
    exit 2
    ;;
esac
recording=${1:-}
if [ -n "$recording" ] && [ ! -e "$recording" ]; then
  echo "${0##*/}: $recording: no such file" >&2
  exit 74
fi

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
"$root/Tests/setup.sh"

build() {
  swift build --package-path "$root" -c release "$@"
}
build --product locomotion >&2
programs=$(build --show-bin-path)
demo="$root/.build/demo"
mkdir -p "$demo"

if [ -z "$recording" ]; then
  build --product demo-recording >&2
  "$programs/demo-recording" --out "$demo/recording" --seed 1
  recording="$demo/recording/demo.csv.gz"
fi

report="$demo/report"
"$programs/locomotion" analyze "$recording" --out "$report"
echo
echo "The report and all results are in $report:"
ls "$report"

# first SUBCOMMAND: the first lines of its output. sed reads on to the end, so that no broken pipe
# is mistaken for a failure.
first() {
  echo
  echo "locomotion $1 $recording"
  "$programs/locomotion" "$1" "$recording" | sed -n '1,6p'
}
first locate
first cadence
first classify
first timeline
