#!/usr/bin/env bash
#
# Builds and runs all tests with the address sanitizer, then with the thread sanitizer.
#
# Usage: Tests/Checks/sanitize.sh [ARGUMENTS OF swift test]
#        Tests/Checks/sanitize.sh --filter JournalTests
#
# Tests on real recordings are left out unless LOCOMOTION_DATASETS points to some: they run the same
# code for a long time. LOCOMOTION_SANITIZERS names the sanitizers, "address thread" without it.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
cd -- "$root"
export LOCOMOTION_DATASETS=${LOCOMOTION_DATASETS:-$root/.build/no-datasets}
# Swift and Foundation keep some memory until the end on purpose.
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=0}
export TSAN_OPTIONS=${TSAN_OPTIONS:-halt_on_error=0 exitcode=66}

status=0
for sanitizer in ${LOCOMOTION_SANITIZERS:-address thread}; do
  echo "$sanitizer sanitizer"
  swift test -c release --sanitize="$sanitizer" \
    --scratch-path ".build/sanitize-$sanitizer" "$@" || status=1
done
exit $status
