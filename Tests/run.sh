#!/usr/bin/env bash
#
# Builds and runs all tests in release, then checks that the device's code allocates nothing.
#
# Usage: Tests/run.sh [ARGUMENTS OF swift test]
#        Tests/run.sh --filter GaitTests
#
# Tests on real recordings look for them where LOCOMOTION_DATASETS points, or else in
# ../shared/datasets beside the package, and are skipped when there are none.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
"$root/Tests/setup.sh"
cd -- "$root"

# With all traits, so that everything is tested.
programs=$(bash Tests/Setup/build.sh --build-tests)
swift test -c release --enable-all-traits --skip-build "$@"
"$programs/benchmark" --check-allocations
