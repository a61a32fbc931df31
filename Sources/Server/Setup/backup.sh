#!/usr/bin/env bash
#
# Copies an archive, also while a collector runs: the database first, then the objects.
#
# Usage: backup.sh FOLDER
#
# Makes FOLDER/TIME, which holds everything of everybody, for its owner alone, and keeps the newest
# 14 of these; objects are links to those of the last one, as they never change. The environment:
#
#   LOCOMOTION_DATABASE_ADMIN    the connection string of a superuser: others see no rows
#   LOCOMOTION_OBJECTS           the folder of the objects; a bucket is copied by its own means
#   LOCOMOTION_BACKUPS           how many to keep, instead of 14
#
# In this order, because `archive check --repair` makes a row for an object that came after the copy
# of the database, and nothing makes an object for a row.

set -euo pipefail
umask 077
folder=${1:?usage: backup.sh FOLDER}
new=$folder/$(date -u +%Y%m%dT%H%M%SZ)
earlier() { find "$folder" -mindepth 1 -maxdepth 1 -name '2*Z' | sort; }

mkdir -p "$folder"
exec 9< "$folder"
flock --nonblock 9 # another one is at work
rm -rf "$folder"/*.part
last=$(earlier | tail -n 1)
mkdir "$new.part"
pg_dump --format=custom --file="$new.part/database" "$LOCOMOTION_DATABASE_ADMIN"
if [[ $LOCOMOTION_OBJECTS != s3://* ]]; then
  # Without what is being written. That files vanish meanwhile, 24, is no failure.
  rsync --archive --exclude='.*.part' ${last:+--link-dest="$(realpath "$last")/objects"} \
    "$LOCOMOTION_OBJECTS/" "$new.part/objects/" || [ $? -eq 24 ]
fi
sync --file-system "$new.part"
mv "$new.part" "$new"
earlier | head -n "-${LOCOMOTION_BACKUPS:-14}" | xargs --no-run-if-empty -d '\n' rm -rf --
echo "$new"
