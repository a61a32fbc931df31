#!/usr/bin/env bash
#
# Kills phones' commands, the collector and PostgreSQL's processes at random moments while 20 users
# with two devices each record, edit and send through a proxy that commits every fault of a network;
# then compares what the archive holds with what the devices hold, bit for bit.
#
# Usage: Sources/Server/Tests/Checks/archive-storm.sh [KILLS [SEED]]      (default: 40 kills; the long form has 500)

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd)
cd -- "$root"

programs=$(bash Sources/Server/Tests/Setup/build.sh)
python3 Sources/Server/Tests/Checks/archive_tools_tests.py "$programs/locomotion"
exec python3 Sources/Server/Tests/Checks/archive_storm.py "$programs/locomotion" --kills "${1:-40}" --seed "${2:-1}"
