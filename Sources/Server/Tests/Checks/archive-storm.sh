#!/usr/bin/env bash
#
# Kills phones' commands, the collector and PostgreSQL's processes at random moments while 20 users
# with two devices each record, edit and send through a proxy that commits every fault of a network;
# then compares what the archive holds with what the devices hold, bit for bit.
#
# Usage: Sources/Server/Tests/Checks/archive-storm.sh [KILLS [SEED [USERS]]]  (default: 40 1 20, two users at least; the long form has 500)

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

programs=$(bash ../Setup/build.sh)
python3 archive_tools_tests.py "$programs/locomotion"
exec python3 archive_storm.py "$programs/locomotion" \
  --kills "${1:-40}" --seed "${2:-1}" --users "${3:-20}"
