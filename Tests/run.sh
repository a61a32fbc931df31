#!/usr/bin/env bash
#
# Builds and runs all tests in release, then checks that the device's code allocates nothing.
#
# Usage: Tests/run.sh [--quick [GROUP]] [ARGUMENTS OF swift test, such as --filter GaitTests]
#
# --quick builds and runs the tests of one folder of Sources alone: Device (the default), Recordings,
# Training, Journal or Command.
#
# Tests on real recordings look for them where LOCOMOTION_DATASETS points, or else in
# ../shared/datasets beside the package, and are skipped when there are none. LOCOMOTION_LONG_TESTS=1
# asks for the long form of tests of faults at each operation of the disk, of flipped bits and of
# mutated inputs: 10,000 of each format instead of 1,000.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
quick=
if [ "${1:-}" = --quick ]; then
  quick=1
  export LOCOMOTION_QUICK_TESTS=Device
  shift
  if [ -n "${1:-}" ] && [ -d "Sources/$1" ]; then
    LOCOMOTION_QUICK_TESTS=$1
    shift
  fi
  "$root/Tests/setup.sh" --build
  programs=$(bash Tests/Setup/build.sh --product swift-locomotionPackageTests)
else
  "$root/Tests/setup.sh"
  python3 .ci/lint
  programs=$(bash Tests/Setup/build.sh --build-tests)
fi

# The program itself where it is one: `swift test` would plan and look at all sources again.
tests=("$programs/swift-locomotionPackageTests.xctest" --testing-library swift-testing)
[ -f "${tests[0]}" ] || tests=(swift test -c release --skip-build)
if [ -n "$quick$*" ]; then
  "${tests[@]}" "$@"
else
  # One disk with faults serves one test at a time: beside all others, not after them.
  faults=$(mktemp)
  trap 'kill %1 2> /dev/null || true; rm -f "$faults"' EXIT
  "${tests[@]}" --filter FaultTests > "$faults" 2>&1 &
  "${tests[@]}" --skip FaultTests
  wait $! || {
    cat "$faults"
    exit 1
  }
  tail -n 1 "$faults"
fi
[ -n "$quick" ] || "$programs/benchmark" --check-allocations
