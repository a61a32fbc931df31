#!/usr/bin/env bash
#
# Holds the archive's database to its promises, on a PostgreSQL server of its own: the calls of
# Swift, with hostile texts, lost connections, migrations and erasing; and, from the outside, every
# table, view and function of the catalogue as somebody else, as nobody and as the analyst, the
# smallest cell that the analyst sees, and the answers and plans of the questions that people ask.
#
# Usage: Sources/Server/Tests/Checks/database.sh

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd)
work=$(mktemp -d)
environment=$(mktemp -d)
stop() {
  "$root/Sources/Server/Tests/Setup/server.sh" --stop "$work" || true
  rm -rf "$work" "$environment"
}
trap stop EXIT

quietly() { "$@" > "$environment/log" 2>&1 || { cat "$environment/log" >&2; exit 1; }; }
"$root/Sources/Server/Tests/Setup/server.sh" "$work" > /dev/null
set -a
# shellcheck disable=SC1091
. "$work/connections.env"
set +a

quietly python3 -m venv "$environment/python"
quietly "$environment/python/bin/python" -m pip install 'psycopg[binary]' pytest

# The tests in Swift migrate the database, which those in Python then find.
programs=$(bash "$root/Sources/Server/Tests/Setup/build.sh" --build-tests)
"$programs/locomotion-serverPackageTests.xctest" --testing-library swift-testing \
  --filter CollectorTests

cd "$root/Sources/Server/Tests/Checks/DatabaseTests"
PYTHONDONTWRITEBYTECODE=1 "$environment/python/bin/python" -m pytest -q -rs --no-header \
  -p no:cacheprovider .
