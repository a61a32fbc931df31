#!/usr/bin/env bash
# Builds the package in release, and prints the folder of the programs.
#
# Usage: Tests/Setup/build.sh [ARGUMENTS OF swift build, such as --product locomotion]

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)

options=(--package-path "$root" -c release)
# Other packages are built in the same folder: a plan of an earlier build may be theirs.
rm -f "$root"/.build/*.yaml
swift build "${options[@]}" "$@" >&2
swift build "${options[@]}" --show-bin-path
