#!/usr/bin/env bash
#
# Makes an archive again of what backup.sh has copied, while no collector runs.
#
# Usage: restore.sh FOLDER/TIME
#
# The database is as before its first migration: empty, with the roles and their passwords. What
# there is in the folder of objects stays. The environment:
#
#   LOCOMOTION_DATABASE_ADMIN    the connection string of a superuser
#   LOCOMOTION_DATABASE_OWNER    that of locomotion_owner
#   LOCOMOTION_OBJECTS           the folder of the objects, or the bucket
#   LOCOMOTION_CACHE             the cache, whose journals are made anew

set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
backup=${1:?usage: restore.sh FOLDER/TIME}
roles=$here/roles.sql
[ -e "$roles" ] || roles=$here/../LocomotionServer/Database/Schema/roles.sql

# All of it or nothing, as into a database that is not empty.
pg_restore --exit-on-error --single-transaction --dbname="$LOCOMOTION_DATABASE_ADMIN" \
  "$backup/database"
# What a copy does not have: the rights on functions of the server.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --file="$roles" "$LOCOMOTION_DATABASE_ADMIN"
[ ! -d "$backup/objects" ] || rsync --archive "$backup/objects/" "$LOCOMOTION_OBJECTS/"
rm -rf -- "${LOCOMOTION_CACHE:?}/journals"
PATH=$here:$PATH locomotion-server archive check --repair \
  --database "$LOCOMOTION_DATABASE_OWNER" --objects "$LOCOMOTION_OBJECTS"
