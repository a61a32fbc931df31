#!/usr/bin/env bash
#
# Runs the importers on mutated inputs for longer than the tests do.
#
# Usage: Tests/fuzz-formats.sh [RUNS PER IMPORTER [SEED]]     (default: 10000000 and 1)

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
cd -- "$root"
LOCOMOTION_FUZZ_RUNS=${1:-10000000} LOCOMOTION_FUZZ_SEED=${2:-1} \
  swift test -c release --filter 'HostileFormatTests.mutatedInputsNeverTrap'
