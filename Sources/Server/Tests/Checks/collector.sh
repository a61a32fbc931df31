#!/usr/bin/env bash
#
# Checks `locomotion-server collect` and `locomotion-server archive`: real phones' journals, a private PostgreSQL
# with PostGIS, a folder of objects, and a bucket of moto's S3 server, which checks signatures. What
# the archive tells of a day is compared byte for byte with what the phone tells.
#
# Usage: Sources/Server/Tests/Checks/collector.sh [CASE]...     (default: every case, in release)
#
# moto is installed from PyPI into .build/collector-python the first time; without it the case
# `bucket` is skipped. Everything else that runs is in a folder of its own and is stopped at the end.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd)
program=$(bash "$root/Sources/Server/Tests/Setup/build.sh")/locomotion

# Root's PostgreSQL runs as another user, who must be able to enter the folder.
scratch=$(mktemp -d)
chmod 755 "$scratch"
service=
finish() {
  if [ -n "$service" ]; then
    kill "$service" 2> /dev/null || true
    wait "$service" 2> /dev/null || true
  fi
  "$root/Sources/Server/Tests/Setup/server.sh" --stop "$scratch/postgresql" > /dev/null 2>&1 || true
  rm -rf "$scratch"
}
trap finish EXIT

python="$root/.build/collector-python"
if [ ! -x "$python/bin/moto_server" ]; then
  python3 -m venv "$python" && "$python/bin/pip" install --quiet 'moto[server]==5.2.5' >&2 ||
    echo "collector: moto cannot be installed; no bucket" >&2
fi

set -a
# shellcheck disable=SC1090
. "$("$root/Sources/Server/Tests/Setup/server.sh" "$scratch/postgresql")"
AWS_REGION=us-east-1 AWS_DEFAULT_REGION=us-east-1
set +a
"$program-server" archive migrate --database "$LOCOMOTION_DATABASE_OWNER"

interpreter=python3
if [ -x "$python/bin/moto_server" ]; then
  interpreter="$python/bin/python"
  port=$("$interpreter" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
  INITIAL_NO_AUTH_ACTION_COUNT=4 "$python/bin/moto_server" -H 127.0.0.1 -p "$port" \
    > "$scratch/service.log" 2>&1 &
  service=$!
  for _ in $(seq 100); do
    if (exec 3<> "/dev/tcp/127.0.0.1/$port") 2> /dev/null; then break; fi
    sleep 0.2
  done
  eval "$("$interpreter" "$root/Sources/Server/Tests/Checks/collector_bucket.py" "http://127.0.0.1:$port")"
fi

"$interpreter" "$root/Sources/Server/Tests/Checks/collector-requests.py" "$program" "$@"
