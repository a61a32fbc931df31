#!/usr/bin/env bash
#
# Builds the C library: one file that needs nothing but the system's C library.
#
# Usage: Sources/Bindings/LocomotionC/build.sh [--small] [FOLDER]
#
# Leaves FOLDER/lib/liblocomotion-c.so, FOLDER/include/locomotion.h and a description for pkg-config in
# FOLDER/lib/pkgconfig; without a FOLDER in
# .build/locomotion-c, or .build/locomotion-c-small. Prints the library's path, and its size on
# stderr. --small builds by Embedded Swift: a quarter of the size, and no library of C++.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
form=locomotion-c
if [ "${1:-}" = --small ]; then
  form=locomotion-c-small
  shift
fi
folder=${1:-$root/.build/$form}
header=$root/Sources/Bindings/CLocomotion/include/locomotion.h
library=$folder/lib/liblocomotion-c.so
mkdir -p "$folder/lib" "$folder/include"

# The functions that the header declares, and nothing else, are visible from outside.
names=$(sed -nE 's/^(const char \*|int32_t )(locomotion_[a-z_0-9]+)\(.*/\2/p' "$header")
symbols=$(printf '%s; ' $names)
if [ "$form" = locomotion-c ]; then
  bash "$root/Sources/Bindings/link.sh" locomotion-c "$library" "$symbols" 1>&2
else
  scratch=$root/.build/$form/build
  mkdir -p "$scratch"
  echo "LOCOMOTION_1 { global: $symbols local: *; };" > "$scratch/map"
  information=$(swift -print-target-info)
  resources=$(sed -nE 's/.*"runtimeResourcePath" *: *"(.*)".*/\1/p' <<< "$information")
  triple=$(sed -nE 's/.*"unversionedTriple" *: *"(.*)".*/\1/p' <<< "$information" | head -n 1)
  # In a toolset and not in Package.swift: packages with unsafe flags cannot be depended on.
  cat > "$scratch/toolset.json" << JSON
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": [
    "-enable-experimental-feature", "Embedded", "-wmo", "-use-ld=lld"
  ] },
  "cCompiler": { "extraCLIOptions": ["-DLOCOMOTION_SMALL"] },
  "linker": { "extraCLIOptions": [
    "--version-script=$scratch/map", "--gc-sections", "-z", "defs", "-s",
    "$resources/embedded/$triple/libswiftUnicodeDataTables.a"
  ] }
}
JSON
  # A plan of an earlier build knows nothing of another toolset.
  rm -f "$scratch"/*.yaml
  options=(--package-path "$root" -c release --product locomotion-c --scratch-path "$scratch"
    --toolset "$scratch/toolset.json")
  swift build "${options[@]}" 1>&2
  cp "$(swift build "${options[@]}" --show-bin-path)/liblocomotion-c.so" "$library"
fi
cp "$header" "$folder/include/"
# Found from where it is, so that the folder can be moved.
mkdir -p "$folder/lib/pkgconfig"
cat > "$folder/lib/pkgconfig/locomotion.pc" << PC
prefix=\${pcfiledir}/../..
Name: locomotion
Description: A phone's sensors to position, cadence, activity, stays and trips
Version: $(bash "$root/Sources/Bindings/version.sh")
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -llocomotion-c -Wl,-rpath,\${prefix}/lib
PC

others=$(nm -D --defined-only "$library" | awk '{print $NF}' | sed 's/@.*//' \
  | grep -vxF "$names" | grep -v '^LOCOMOTION_1$' || true)
if [ -n "$others" ]; then
  printf 'symbols beside those of the header:\n%s\n' "$others" >&2
  exit 1
fi
printf '%s bytes, needs %s\n' "$(stat -c %s "$library")" \
  "$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | paste -sd' ')" >&2
echo "$library"
