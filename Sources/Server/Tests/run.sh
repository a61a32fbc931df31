#!/usr/bin/env bash
#
# Builds the server's package and runs all its tests and checks: Swift, with a PostgreSQL of its own;
# `serve` with real requests; `collect` and `archive` with the journals of phones; a storm of kills.
#
# Usage: Sources/Server/Tests/run.sh [--short]  (--short: a storm of 15 kills, 6 users instead of 40, 20)

set -euo pipefail
storm=(40)
case ${1:-} in
  --short) storm=(15 1 6) ;;
  '') ;;
  *) echo "usage: ${0##*/} [--short]" >&2; exit 2 ;;
esac
cd "$(dirname "${BASH_SOURCE[0]}")"
programs=$(bash Setup/build.sh --build-tests)
"$programs/locomotion-serverPackageTests.xctest" --testing-library swift-testing --filter ServingTests
bash Checks/database.sh
python3 Checks/serve-requests.py "$programs/locomotion"
bash Checks/collector.sh
bash Checks/archive-storm.sh "${storm[@]}"
