#!/usr/bin/env bash
# Builds the package in release, and prints a folder with `locomotion-server` and, for phones,
# `locomotion` of the package around it.
#
# Usage: Sources/Server/Tests/Setup/build.sh [ARGUMENTS OF swift build, such as --build-tests]

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd)
"$root/Sources/Server/Tests/setup.sh"
bash "$root/Tests/Setup/build.sh" --product locomotion > /dev/null
# Beside the package around it, whose modules are compiled once.
options=(--package-path "$root/Sources/Server" --scratch-path "$root/.build" -c release)
rm -f "$root"/.build/*.yaml
swift build "${options[@]}" "$@" >&2
swift build "${options[@]}" --show-bin-path
