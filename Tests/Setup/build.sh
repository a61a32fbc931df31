#!/usr/bin/env bash
# Builds the package with all its traits, in release, and prints the folder of the programs.
#
# Usage: Tests/Setup/build.sh [ARGUMENTS OF swift build, such as --product locomotion]

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)

# The package manager gives the compiler the traits in the order of a set, which is another one in
# every process, and compiles everything anew when the order has changed. With deterministic hashing
# there is one order.
export SWIFT_DETERMINISTIC_HASHING=1
options=(--package-path "$root" -c release --enable-all-traits)
swift build "${options[@]}" "$@" >&2
swift build "${options[@]}" --show-bin-path
