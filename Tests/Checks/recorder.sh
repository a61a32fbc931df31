#!/usr/bin/env bash
#
# Builds the recorder of the article "Build a recorder" as its text has it, in a package of its own,
# and replays a recording with it: of the phone's sensors only the types are checked, by
# Tests/Checks/apple-branches.sh.
#
# Usage: Tests/Checks/recorder.sh [RECORDING]
#
# RECORDING is X.csv or X.csv.gz; without it a simulated day. The package is in .build/recorder, and
# built beside the package around it, whose modules are compiled once.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$root/.build/recorder
package=$work/recorder
mkdir -p "$work"

# Also what the article no longer has.
rm -rf "$package/Package.swift" "$package/Sources"
bash "$root/Examples/RecorderApp/article-files.sh" "$package"
# By the folder's own path: by another one all its modules are compiled again.
grep -qF '.package(path: "../swift-locomotion")' "$package/Package.swift"
sed -i "s|\.package(path: .*swift-locomotion\")|.package(name: \"swift-locomotion\", path: \"$root\")|" \
  "$package/Package.swift"
recording=${1:-}
if [ -z "$recording" ]; then
  programs=$(bash "$root/Tests/Setup/build.sh" --product demo-recording)
  "$programs/demo-recording" --out "$work/day" --seed 1 --rate 20 >&2
  recording=$work/day/demo.csv.gz
fi
rm -f "$work"/journal*
programs=$(bash "$root/Tests/Setup/build.sh" --package "$package" --product replay)
"$programs/replay" "$recording" "$work/journal" | tee "$work/days.txt"
# A day has stays and a walk.
grep -q ' stay at ' "$work/days.txt"
grep -q walking "$work/days.txt"
programs=$(bash "$root/Tests/Setup/build.sh" --product locomotion)
"$programs/locomotion" journal check --store "$work/journal"
