#!/usr/bin/env bash
# Builds the package in release, and prints a folder with `locomotion-server` and, for phones,
# `locomotion` of the package around it.
#
# Usage: Sources/Server/Tests/Setup/build.sh [ARGUMENTS OF swift build, such as --build-tests]

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd)
"$root/Sources/Server/Tests/setup.sh"
options=(--package-path "$root/Sources/Server" -c release)
swift build "${options[@]}" "$@" >&2
folder=$root/Sources/Server/.build/programs
mkdir -p "$folder"
ln -sf "$(swift build "${options[@]}" --show-bin-path)/locomotion-server" "$folder"
ln -sf "$(bash "$root/Tests/Setup/build.sh" --product locomotion)/locomotion" "$folder"
echo "$folder"
