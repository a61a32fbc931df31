#!/usr/bin/env bash
#
# Builds and runs all tests in release, then checks that the device's code allocates nothing.
#
# Usage: Tests/run.sh [--quick] [ARGUMENTS OF swift test]
#        Tests/run.sh --filter GaitTests
#
# --quick builds and runs the tests of the modules on the device alone, in a third of the time.
#
# Tests on real recordings look for them where LOCOMOTION_DATASETS points, or else in
# ../shared/datasets beside the package, and are skipped when there are none.

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
# With all traits, so that everything is tested.
programs=$(bash Tests/Setup/build.sh --build-tests)
swift test -c release --enable-all-traits --skip-build "$@"
"$programs/benchmark" --check-allocations
