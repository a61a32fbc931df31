#!/usr/bin/env bash
#
# Prints the rows of `locomotion classify|locate|cadence` for a recording by the C library, which is
# built first, and a program in C.
#
# Usage: Tests/Checks/c-rows.sh classify|locate|cadence RECORDING [ROWS [live|settled|smoothed]]
#
# ROWS is the number of rows that are handed over at once. A RECORDING that is not X.csv or X.csv.gz
# in the tidy form is converted by the command first. CC names the compiler.

set -euo pipefail
[ $# -ge 2 ] || { sed -nE 's/^# (Usage: .*)/\1/p' "$0" >&2; exit 2; }
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
what=$1
recording=$2
shift 2
[ -e "$recording" ] || { echo "$recording: no such file" >&2; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! bash "$root/Sources/Bindings/LocomotionC/build.sh" > "$work/library" 2> "$work/log"; then
  cat "$work/log" >&2
  exit 1
fi
library=$(dirname "$(cat "$work/library")")
${CC:-cc} -std=c11 -Wall -Wextra -Werror -O2 "$root/Tests/Checks/CLibrary/rows.c" -o "$work/rows" \
  -I "$library/../include" -L "$library" -llocomotion-c -lm -Wl,-rpath,"$library"

# The file and the one of fixes beside it, without compression.
open() { case $1 in *.gz) gzip -dc -- "$1" ;; *) cat -- "$1" ;; esac; }
is_tidy() {
  [ -f "$1" ] && case $1 in *.csv | *.csv.gz) ;; *) return 1 ;; esac \
    && { open "$1" || true; } 2> /dev/null | head -n 1 | grep -qE '^t,(ax|lat)'
}
if ! is_tidy "$recording"; then
  swift build --package-path "$root" -c release --enable-all-traits --product locomotion >&2
  "$root/.build/release/locomotion" convert "$recording" "$work/converted" >&2
  found=$(find "$work/converted" -name '*.csv.gz' | sed -E 's/(\.gps)?\.csv\.gz$//' | sort -u)
  if [ "$(wc -l <<< "$found")" -ne 1 ]; then
    echo "$recording holds several recordings: locomotion convert it, and name one" >&2
    exit 3
  fi
  recording=$found.csv.gz
  if [ ! -f "$recording" ]; then recording=$found.gps.csv.gz; fi
fi
open "$recording" > "$work/recording.csv"
stem=${recording%.gz}
stem=${stem%.csv}
for fixes in "$stem.gps.csv" "$stem.gps.csv.gz"; do
  if [ -f "$fixes" ]; then open "$fixes" > "$work/recording.gps.csv"; fi
done
"$work/rows" "$what" "$work/recording.csv" "$@"
