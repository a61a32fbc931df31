#!/usr/bin/env bash
#
# Builds and runs all tests in release, then checks that the device's code allocates nothing.
#
# Usage: Tests/run.sh [--quick] [ARGUMENTS OF swift test, such as --filter GaitTests]
#
# --quick builds and runs the tests of the modules on the device alone, in a third of the time.
#
# Tests on real recordings look for them where LOCOMOTION_DATASETS points, or else in
# ../shared/datasets beside the package, and are skipped when there are none. LOCOMOTION_LONG_TESTS=1
# asks for the long form of tests of faults at each operation of the disk, of flipped bits and of
# mutated inputs: 10,000 of each format instead of 1,000.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
if [ "${1:-}" = --quick ]; then
  shift
  "$root/Tests/setup.sh" --build
  export LOCOMOTION_QUICK_TESTS=1
  programs=$(bash Tests/Setup/build.sh --product swift-locomotionPackageTests)
  exec "$programs/swift-locomotionPackageTests.xctest" --testing-library swift-testing "$@"
fi

"$root/Tests/setup.sh"
python3 .ci/lint
programs=$(bash Tests/Setup/build.sh --build-tests)
tests=("$programs/swift-locomotionPackageTests.xctest" --testing-library swift-testing)
if [ $# -gt 0 ]; then
  "${tests[@]}" "$@"
else
  # One disk with faults serves one test at a time: beside all others, not after them.
  faults=$(mktemp)
  "${tests[@]}" --filter FaultTests > "$faults" 2>&1 &
  "${tests[@]}" --skip FaultTests
  wait $! || {
    cat "$faults"
    exit 1
  }
  tail -n 1 "$faults"
fi
"$programs/benchmark" --check-allocations
