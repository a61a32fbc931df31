#!/usr/bin/env bash
#
# Builds a program that depends on `Locomotion`, and holds it to loading neither
# Foundation nor a library of the system that the journal, the server or training need.
#
# Usage: Tests/Checks/linkage.sh     takes a minute; on Linux

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program=$(bash "$root/Benchmarks/peers/dependent.sh" "$work" 2> "$work/log")/with || {
  cat "$work/log" >&2
  exit 1
}
libraries=$(readelf -d "$program" | grep NEEDED && ldd "$program")
grep -q 'libc\.so' <<< "$libraries"
if grep -E 'Foundation|openblas|lapack|sqlite|curl|microhttpd|libz\.|icu' <<< "$libraries"; then
  echo "linkage: a dependent of Locomotion loads these" >&2
  exit 1
fi
[ "$("$program")" = 0 ] || {
  echo "linkage: the program printed $("$program") instead of 0" >&2
  exit 1
}
echo "linkage: $(wc -l <<< "$libraries") lines, no library beyond the standard ones"
