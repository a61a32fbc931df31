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
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$folder"

"$root/Tests/setup.sh"
# The linker looks first in this folder, where archives alone are; that of bz2 has no
# position-independent code.
for name in openblas z sqlite3 archive nettle lzma zstd stdc++ gfortran quadmath; do
  file=$(gcc -print-file-name="lib$name.a")
  if [ ! -f "$file" ]; then
    echo "lib$name.a is missing: install the development files of $name" >&2
    exit 1
  fi
  ln -s "$file" "$work/lib$name.a"
done

# The same functions as those of glibc 2.35, for systems that have an older one.
gcc -O2 -fPIC -x c -c -o "$work/hypot.o" - <<'C'
double hypot_2_2_5(double x, double y);
float hypotf_2_2_5(float x, float y);
__asm__(".symver hypot_2_2_5, hypot@GLIBC_2.2.5");
__asm__(".symver hypotf_2_2_5, hypotf@GLIBC_2.2.5");
double hypot(double x, double y) { return hypot_2_2_5(x, y); }
float hypotf(float x, float y) { return hypotf_2_2_5(x, y); }
C

library=$folder/liblocomotion-python.so
# What the runtime's Foundation consists of, the linker learns from a module compiled for it.
echo 'import Foundation' > "$work/foundation.swift"
bash "$root/Sources/Bindings/link.sh" locomotion-python "$library" 'locomotion_*;' \
  "$work/foundation.swift" "$work/hypot.o" -L "$work" -lnettle -lbz2 -llzma -lzstd -lgfortran \
  -lquadmath -Xlinker --disable-new-dtags -Xlinker -rpath -Xlinker '$ORIGIN/lib' >&2

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
