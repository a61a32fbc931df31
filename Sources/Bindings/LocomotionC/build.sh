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
scratch=$root/.build/$form/build
# Beside the library of the Python package, which has the same modules.
[ "$form" = locomotion-c-small ] || scratch=$root/.build/static
mkdir -p "$folder/lib" "$folder/include" "$scratch"

# The functions that the header declares, and nothing else, are visible from outside.
names=$(sed -nE 's/^(const char \*|int32_t )(locomotion_[a-z_0-9]+)\(.*/\2/p' "$header")
{
  echo 'LOCOMOTION_1 { global:'
  for name in $names; do echo "  $name;"; done
  echo 'local: *; };'
} > "$scratch/$form.map"

# By LLVM's linker: gold leaves local symbols in the table of the dynamic ones.
swift='"-static-stdlib", "-use-ld=lld"'
c='"-O2"'
libraries=''
if [ "$form" = locomotion-c-small ]; then
  resources=$(swift -print-target-info \
    | sed -nE 's/.*"runtimeResourcePath" *: *"(.*)".*/\1/p')
  triple=$(swift -print-target-info | sed -nE 's/.*"unversionedTriple" *: *"(.*)".*/\1/p' | head -n 1)
  swift='"-enable-experimental-feature", "Embedded", "-wmo", "-use-ld=lld"'
  c='"-DLOCOMOTION_SMALL"'
  libraries=", \"$resources/embedded/$triple/libswiftUnicodeDataTables.a\""
fi
# In a toolset and not in Package.swift: packages with unsafe flags cannot be depended on.
cat > "$scratch/$form.json" <<JSON
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": [$swift] },
  "cCompiler": { "extraCLIOptions": [$c] },
  "linker": { "extraCLIOptions": [
    "--version-script=$scratch/$form.map", "--gc-sections", "-z", "defs", "-s"$libraries
  ] }
}
JSON

cd -- "$root"
# A plan of an earlier build knows nothing of another toolset.
rm -f "$scratch"/*.yaml
swift build -c release --product locomotion-c --scratch-path "$scratch" \
  --toolset "$scratch/$form.json" 1>&2
built=$(swift build -c release --product locomotion-c --scratch-path "$scratch" \
  --toolset "$scratch/$form.json" --show-bin-path)/liblocomotion-c.so
cp "$built" "$folder/lib/"
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

library=$folder/lib/liblocomotion-c.so
others=$(nm -D --defined-only "$library" | awk '{print $NF}' | sed 's/@.*//' \
  | grep -vxF "$names" | grep -v '^LOCOMOTION_1$' || true)
if [ -n "$others" ]; then
  printf 'symbols beside those of the header:\n%s\n' "$others" >&2
  exit 1
fi
printf '%s bytes, needs %s\n' "$(stat -c %s "$library")" \
  "$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | paste -sd' ')" >&2
echo "$library"
