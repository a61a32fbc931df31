#!/usr/bin/env bash
# Builds the package in release, and prints a folder with `locomotion-server` and, for phones,
# `locomotion` of the package around it.
#
# Usage: Sources/Server/Tests/Setup/build.sh [ARGUMENTS OF swift build, such as --build-tests]

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd)
"$root/Sources/Server/Tests/setup.sh"
bash "$root/Tests/Setup/build.sh" --product locomotion > /dev/null
bash "$root/Tests/Setup/build.sh" --package "$root/Sources/Server" "$@"
