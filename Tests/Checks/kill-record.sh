#!/usr/bin/env bash
#
# Kills `locomotion record` a thousand times at random moments, and checks each time that nothing
# that was acknowledged is lost and no batch is torn; then flips ten thousand bits in a journal.
#
# Usage: Tests/Checks/kill-record.sh [KILLS [BIT_FLIPS [SEED]]]

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

export LOCOMOTION_KILLS=${1:-1000}
export LOCOMOTION_BIT_FLIPS=${2:-10000}
export LOCOMOTION_SEED=${3:-1}
exec swift test -c release --filter 'RecordKillTests|noFlippedBitIsReadAsAnotherSample'
