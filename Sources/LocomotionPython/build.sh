#!/usr/bin/env bash
#
# Builds the Python package's shared library: the C interface, the command and the trainer in one
# file, which needs neither the Swift runtime nor OpenBLAS, SQLite, zlib or libarchive on its machine.
#
# Usage: Sources/LocomotionPython/build.sh [FOLDER]
#
# Leaves FOLDER/liblocomotion-python.so and, beside it, the libraries of `locomotion serve` with the
# notices of all that is inside; without a FOLDER in .build/locomotion-python. Prints the library's
# path, and its size on stderr. A first build takes some minutes.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
folder=${1:-$root/.build/locomotion-python}
scratch=$root/.build/locomotion-python/build
mkdir -p "$folder" "$scratch/static"

"$root/Tests/setup.sh"
gfortran=$(gcc -print-file-name=libgfortran.a)
if [ ! -f "$gfortran" ]; then
  apt-get install --yes --no-install-recommends "libgfortran-$(gcc -dumpversion)-dev" >&2
  gfortran=$(gcc -print-file-name=libgfortran.a)
fi

# The linker looks in this folder first, where it finds archives alone.
system=$(gcc -print-file-name=libz.a)
for name in openblas z sqlite3 archive nettle bz2 lzma; do
  file=$(gcc -print-file-name=lib$name.a)
  if [ ! -f "$file" ]; then
    echo "lib$name.a is missing beside $system" >&2
    exit 1
  fi
  ln -sf "$file" "$scratch/static/lib$name.a"
done
ln -sf "$gfortran" "$scratch/static/libgfortran.a"
ln -sf "$(gcc -print-file-name=libquadmath.a)" "$scratch/static/libquadmath.a"

echo 'LOCOMOTION_1 { global: locomotion_*; local: *; };' > "$scratch/exported.map"
# In a toolset and not in Package.swift: packages with unsafe flags cannot be depended on. By LLVM's
# linker: gold leaves local symbols in the table of the dynamic ones.
cat > "$scratch/toolset.json" <<JSON
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": ["-static-stdlib", "-use-ld=lld", "-L$scratch/static"] },
  "cCompiler": { "extraCLIOptions": ["-O2"] },
  "linker": { "extraCLIOptions": [
    "--version-script=$scratch/exported.map", "--gc-sections", "-z", "defs", "-s",
    "--disable-new-dtags", "-rpath", "\$ORIGIN",
    "-lnettle", "-lbz2", "-llzma", "-lgfortran", "-lquadmath"
  ] }
}
JSON

cd -- "$root"
build() {
  swift build -c release --product locomotion-python --scratch-path "$scratch" \
    --toolset "$scratch/toolset.json" "$@"
}
build 1>&2
library=$folder/liblocomotion-python.so
cp "$(build --show-bin-path)/liblocomotion-python.so" "$library"
printf '%s bytes, needs %s\n' "$(stat -c %s "$library")" \
  "$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | paste -sd' ')" >&2
echo "$library"
