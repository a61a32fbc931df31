#!/usr/bin/env bash
#
# Builds the Python package's shared library: the C interface, the command and the trainer in one
# file, which needs neither the Swift runtime nor OpenBLAS, SQLite, zlib or libarchive on its machine.
#
# Usage: Sources/Bindings/LocomotionPython/build.sh [FOLDER]
#
# Leaves FOLDER/liblocomotion-python.so and, beside it, the libraries that it loads, with the
# notices of all that is inside; without a FOLDER in .build/locomotion-python. Prints the library's
# path, and its size on stderr. A first build takes some minutes.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
folder=${1:-$root/.build/locomotion-python}
# Beside the C library, which has the same modules.
scratch=$root/.build/static
rm -rf "$scratch/archives"
mkdir -p "$folder" "$scratch/archives"

"$root/Tests/setup.sh"
# In this folder are archives alone (that of bz2 has no position-independent code), and by these descriptions the linker looks there first.
for name in openblas z sqlite3 archive nettle lzma zstd stdc++ gfortran quadmath; do
  file=$(gcc -print-file-name="lib$name.a")
  if [ ! -f "$file" ]; then
    echo "lib$name.a is missing: install the development files of $name" >&2
    exit 1
  fi
  ln -sf "$file" "$scratch/archives/lib$name.a"
done
describe() { # MODULE LIBRARY
  printf 'Name: %s\nDescription: %s\nVersion: 0\nLibs: -L%s %s\nCflags: %s\n' \
    "$1" "$1" "$scratch/archives" "$2" "$(pkg-config --cflags "$1")" > "$scratch/archives/$1.pc"
}
describe libcurl -lcurl
describe nettle -lnettle
describe openblas -lopenblas
describe zlib -lz
describe sqlite3 -lsqlite3
describe libarchive -larchive
export PKG_CONFIG_PATH=$scratch/archives

# The same functions as those of glibc 2.35, for systems that have an older one.
gcc -O2 -fPIC -x c -c -o "$scratch/hypot.o" - <<'C'
double hypot_2_2_5(double x, double y);
float hypotf_2_2_5(float x, float y);
__asm__(".symver hypot_2_2_5, hypot@GLIBC_2.2.5");
__asm__(".symver hypotf_2_2_5, hypotf@GLIBC_2.2.5");
double hypot(double x, double y) { return hypot_2_2_5(x, y); }
float hypotf(float x, float y) { return hypotf_2_2_5(x, y); }
C

echo 'LOCOMOTION_1 { global: locomotion_*; local: *; };' > "$scratch/locomotion-python.map"
# In a toolset and not in Package.swift: packages with unsafe flags cannot be depended on. By LLVM's
# linker: gold leaves local symbols in the table of the dynamic ones.
cat > "$scratch/locomotion-python.json" <<JSON
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": ["-static-stdlib", "-use-ld=lld"] },
  "cCompiler": { "extraCLIOptions": ["-O2"] },
  "linker": { "extraCLIOptions": [
    "--version-script=$scratch/locomotion-python.map", "--gc-sections", "-z", "defs", "-s",
    "--disable-new-dtags", "-rpath", "\$ORIGIN/lib",
    "$scratch/hypot.o", "-lnettle", "-lbz2", "-llzma", "-lzstd", "-lgfortran", "-lquadmath"
  ] }
}
JSON

cd -- "$root"
build() {
  swift build -c release --product locomotion-python --scratch-path "$scratch" \
    --toolset "$scratch/locomotion-python.json" "$@"
}
# A plan of an earlier build knows nothing of another toolset.
rm -f "$scratch"/*.yaml
build 1>&2
library=$folder/liblocomotion-python.so
cp "$(build --show-bin-path)/liblocomotion-python.so" "$library"

# What it needs beside the libraries that every such system has, with its licences.
rm -rf "$folder/lib"
mkdir -p "$folder/lib/licences"
ldd "$library" | awk '$2 == "=>" { print $1, $3 }' | while read -r name path; do
  case $name in
    libc.so.* | libm.so.* | libresolv.so.* | libstdc++.so.* | libgcc_s.so.* | libz.so.*) continue ;;
  esac
  cp -L "$path" "$folder/lib/$name"
  package=$(dpkg-query -S "$(basename "$(readlink -f "$path")")" | sed 's/[:,].*//' | head -n 1)
  cp "/usr/share/doc/$package/copyright" "$folder/lib/licences/$package"
done
for package in libopenblas-dev zlib1g-dev libsqlite3-dev libarchive-dev nettle-dev liblzma-dev \
  libzstd-dev "libgfortran-$(gcc -dumpversion)-dev"; do
  cp "/usr/share/doc/$package/copyright" "$folder/lib/licences/$package"
done

python3 -c 'import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_NOW)' "$library"
printf '%s bytes, needs %s\n' "$(stat -c %s "$library")" \
  "$(readelf -d "$library" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]/\1/p' | paste -sd' ')" >&2
echo "$library"
