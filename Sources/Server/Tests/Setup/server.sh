#!/usr/bin/env bash
#
# Makes a PostgreSQL cluster of its own for an archive, with PostGIS and the archive's roles, and
# starts it on a free port of the loopback interface.
#
# Usage: Sources/Server/Tests/Setup/server.sh [FOLDER]         makes and starts it; again: starts it
#        Sources/Server/Tests/Setup/server.sh --stop FOLDER    stops it; the folder may be deleted then
#        Sources/Server/Tests/Setup/server.sh --install        only installs what is missing
#
# Without FOLDER it is a new one in the folder for temporary files. It prints the path of
# FOLDER/connections.env, which has lines of NAME='CONNECTION STRING' for the shell to read:
#
#   LOCOMOTION_DATABASE_OWNER    migrates, lists users
#   LOCOMOTION_DATABASE          what `locomotion-server collect` connects as
#   LOCOMOTION_DATABASE_ANALYST  what is published, only
#   LOCOMOTION_DATABASE_ADMIN    the superuser
#   LOCOMOTION_POSTGRES_BIN      the folder of PostgreSQL's programs
#
# Each role has a random password (SCRAM), since on the loopback interface every user of the machine
# can connect. They stand in that file, which only its owner can read (mode 0600), and are on no
# command line. The server writes nothing outside FOLDER and listens on no other interface and on no
# socket in the file system.
#
# On Debian and its relatives, what is missing of PostgreSQL 15 or later, PostGIS 3 and libpq is
# installed with apt-get; nothing happens when nothing is missing. That alone needs root. PostgreSQL
# does not run as root: started by root, the cluster belongs to the user `postgres`.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../../.." && pwd)
database=locomotion

fail() {
  echo "server: $1" >&2
  exit 1
}

# The folder of PostgreSQL's programs, the newest version's; nothing if there is none.
programs() {
  local newest
  newest=$(find /usr/lib/postgresql -mindepth 3 -maxdepth 3 -path '*/bin/initdb' 2> /dev/null |
    sort -V | tail -n 1) || true
  if [ -n "$newest" ]; then
    dirname "$newest"
  elif command -v initdb > /dev/null; then
    dirname "$(command -v initdb)"
  fi
}

has_postgis() {
  local bin
  bin=$(programs)
  [ -n "$bin" ] && [ -e "$("$bin/pg_config" --sharedir)/extension/postgis.control" ] &&
    [ -e "$("$bin/pg_config" --sharedir)/extension/btree_gist.control" ]
}

install_missing() {
  local missing=()
  has_postgis || missing+=(postgresql "postgresql-$(debian_version)-postgis-3")
  command -v psql > /dev/null || missing+=(postgresql-client)
  { command -v pkg-config > /dev/null && pkg-config --exists libpq; } ||
    [ -e /usr/include/postgresql/libpq-fe.h ] || missing+=(libpq-dev)
  [ "${#missing[@]}" -gt 0 ] || return 0
  if command -v apt-get > /dev/null; then
    # No cluster of the system's own, which would start at once.
    as_root mkdir -p /etc/postgresql-common/createcluster.d
    echo 'create_main_cluster = false' |
      as_root tee /etc/postgresql-common/createcluster.d/locomotion.conf > /dev/null
  fi
  "$root/Tests/setup.sh" --install "${missing[@]}"
  has_postgis || fail "PostGIS is missing for the PostgreSQL in $(programs)"
}

# The version of PostgreSQL that the distribution has.
debian_version() {
  apt-cache depends postgresql 2> /dev/null |
    sed -n 's/.*Depends: postgresql-\([0-9]*\)$/\1/p' | head -n 1 | grep . || echo 15
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    fail "missing the right to run: $*"
  fi
}

# Runs a program as whoever owns the cluster.
as_server() {
  if [ "$(id -u)" -eq 0 ]; then
    setpriv --reuid postgres --regid postgres --init-groups \
      env -i PATH="$PATH" LC_ALL=C HOME="$folder" "$@"
  else
    env LC_ALL=C "$@"
  fi
}

if [ "${1:-}" = --stop ]; then
  [ $# -eq 2 ] || fail "usage: server.sh --stop FOLDER"
  folder=$(CDPATH='' cd -- "$2" && pwd) || fail "$2: no such folder"
  [ -e "$folder/data/postmaster.pid" ] || exit 0
  bin=$(programs)
  # Fast: it does not wait for those who are connected. Immediate when that fails: a server that is
  # told to stop while it recovers from a crash may wait for ever.
  as_server "$bin/pg_ctl" stop --silent --pgdata "$folder/data" --mode fast --timeout 30 ||
    as_server "$bin/pg_ctl" stop --silent --pgdata "$folder/data" --mode immediate
  exit 0
fi
usage="usage: server.sh [FOLDER] | --stop FOLDER | --install"
[ $# -le 1 ] || fail "$usage"
case ${1:-} in
  --install)
    install_missing
    exit 0
    ;;
  -*) fail "$usage" ;;
esac

install_missing
bin=$(programs)
if [ $# -eq 1 ]; then
  mkdir -p -- "$1"
  folder=$(CDPATH='' cd -- "$1" && pwd)
else
  folder=$(mktemp -d)
fi

# The server must reach its folder, and nobody else look into it.
chmod 711 "$folder"
connections=$folder/connections.env

start() {
  as_server "$bin/pg_ctl" start --silent --wait --pgdata "$folder/data" --log "$folder/data/log" \
    > /dev/null
}

if [ -e "$connections" ]; then
  as_server "$bin/pg_ctl" status --pgdata "$folder/data" > /dev/null || start ||
    fail "it does not start, see $folder/data/log"
  echo "$connections"
  exit 0
fi
[ ! -e "$folder/data" ] || fail "$folder/data is there, but not $connections"

# 32 hexadecimal digits: they mean nothing to a shell, in SQL and in a connection string.
secret() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }
admin=$(secret) owner=$(secret) collector=$(secret) analyst=$(secret)

umask 077
mkdir "$folder/data"
[ "$(id -u)" -ne 0 ] || chown postgres: "$folder/data"
as_server test -w "$folder/data" || fail "the user postgres cannot enter $folder or one above it"
# The password through a pipe that belongs to the user who reads it.
# shellcheck disable=SC2016
as_server bash -c '
  exec "$0" --pgdata "$1" --username admin --encoding UTF8 --locale C --auth scram-sha-256 \
    --pwfile <(cat) --no-instructions' \
  "$bin/initdb" "$folder/data" <<< "$admin" > /dev/null || fail "initdb failed"
as_server tee -a "$folder/data/postgresql.conf" > /dev/null <<'END'
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
password_encryption = 'scram-sha-256'
lc_messages = 'C'
max_connections = 60
shared_buffers = 128MB
END

# Another program may take a free port before the server does: then another one.
for attempt in 1 2 3 4 5; do
  port=$((20000 + 0x$(secret | head -c 6) % 30000))
  as_server tee "$folder/data/postgresql.auto.conf" <<< "port = $port" > /dev/null
  start && break
  [ "$attempt" -lt 5 ] || fail "it does not start, see $folder/data/log"
done

# By standard input and the environment, as the words of a command are seen by all.
sql() {
  PGPASSWORD=$admin psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --host 127.0.0.1 \
    --port "$port" --username admin "$@"
}
sql --dbname postgres <<END
CREATE DATABASE $database TEMPLATE template0 ENCODING 'UTF8';
-- From another database one sees locks and statistics of all.
REVOKE CONNECT, TEMPORARY ON DATABASE postgres, template1 FROM PUBLIC;
END
sql --dbname "$database" < "$root/Sources/Server/LocomotionServer/Database/Schema/roles.sql"
sql --dbname "$database" <<END
ALTER ROLE locomotion_owner PASSWORD '$owner';
ALTER ROLE locomotion_collector PASSWORD '$collector';
ALTER ROLE locomotion_analyst PASSWORD '$analyst';
END

# At last, since it says that all is there.
address="host=127.0.0.1 port=$port dbname=$database"
cat > "$connections.new" <<END
LOCOMOTION_DATABASE_OWNER='$address user=locomotion_owner password=$owner'
LOCOMOTION_DATABASE='$address user=locomotion_collector password=$collector'
LOCOMOTION_DATABASE_ANALYST='$address user=locomotion_analyst password=$analyst'
LOCOMOTION_DATABASE_ADMIN='$address user=admin password=$admin'
LOCOMOTION_POSTGRES_BIN='$bin'
END
mv "$connections.new" "$connections"
echo "$connections"
