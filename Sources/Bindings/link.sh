#!/usr/bin/env bash
#
# Builds a product, and links its objects into a shared library that has the Swift runtime inside:
# the modules are those of the package's own build, which links them to the runtime's libraries.
#
# Usage: Sources/Bindings/link.sh PRODUCT LIBRARY SYMBOLS [ARGUMENTS OF swiftc]
#
# SYMBOLS is what is visible from outside, as in a version script of the linker.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
product=$1 library=$2 symbols=$3
shift 3

programs=$(bash "$root/Tests/Setup/build.sh" --product "$product")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "LOCOMOTION_1 { global: $symbols local: *; };" > "$work/map"
# By LLVM's linker: gold leaves local symbols in the table of the dynamic ones.
swiftc -emit-library -static-stdlib -use-ld=lld -o "$library" \
  "@$programs/$product.product/Objects.LinkFileList" "$@" -Xlinker "--version-script=$work/map" \
  -Xlinker --gc-sections -Xlinker -z -Xlinker defs -Xlinker -s
