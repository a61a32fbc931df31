#!/usr/bin/env bash
#
# Builds both forms of the C library and prints their sizes, what they need, and how many samples per
# second they take in.
#
# Usage: Benchmarks/c-library.sh

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for form in '' --small; do
  # shellcheck disable=SC2086
  bash "$root/Sources/Bindings/LocomotionC/build.sh" $form "$work/c$form" > /dev/null 2> "$work/log" \
    || { cat "$work/log" >&2; exit 1; }
  ${CC:-cc} -std=gnu11 -O2 "$root/Benchmarks/CLibrary/throughput.c" -o "$work/throughput" \
    -I "$work/c$form/include" -L "$work/c$form/lib" -llocomotion-c -lm -Wl,-rpath,"$work/c$form/lib"
  library=$work/c$form/lib/liblocomotion-c.so
  echo "${form:-the usual form}: $(stat -c %s "$library") bytes," \
    "$(gzip -9 -c "$library" | wc -c) compressed, needs" \
    "$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | paste -sd' ')"
  "$work/throughput"
done
