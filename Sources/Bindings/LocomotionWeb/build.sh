#!/usr/bin/env bash
#
# Builds the C library as a WebAssembly module without imports, by Embedded Swift, and the page that
# uses it: a folder of static files for any server, also `locomotion-server serve --page`.
#
# Usage: Sources/Bindings/LocomotionWeb/build.sh [FOLDER]
#
# Leaves the page, locomotion.mjs and locomotion.wasm in FOLDER, without one in
# .build/locomotion-web; prints the module's path, and its size on stderr. Installs Debian's wasi-libc,
# libclang-rt-14-dev-wasm32 and binaryen where they are missing, unless WASI_LIBRARIES (the folder of
# libc.a and libm.a), WASI_INCLUDES and WASM_BUILTINS (the file) name others.

set -euo pipefail

root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../.." && pwd)
folder=${1:-$root/.build/locomotion-web}
scratch=$root/.build/locomotion-web/build
libraries=${WASI_LIBRARIES:-/usr/lib/wasm32-wasi}
includes=${WASI_INCLUDES:-/usr/include/wasm32-wasi}
builtins=${WASM_BUILTINS:-/usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a}
header=$root/Sources/Bindings/CLocomotion/include/locomotion.h
triple=wasm32-unknown-none-wasm
[ -n "${WASI_LIBRARIES:-}" ] || "$root/Tests/setup.sh" --web
for file in "$libraries/libc.a" "$builtins"; do
  if [ ! -f "$file" ]; then
    echo "$file is missing: apt-get install wasi-libc libclang-rt-14-dev-wasm32" >&2
    exit 1
  fi
done
mkdir -p "$folder" "$scratch"

# Swift takes the features of the processor from C's options.
cat > "$scratch/toolset.json" <<JSON
{
  "schemaVersion": "1.0",
  "swiftCompiler": { "extraCLIOptions": [
    "-enable-experimental-feature", "Embedded", "-wmo", "-Osize", "-Xfrontend", "-disable-stack-protector",
    "-Xcc", "-msimd128", "-Xcc", "-isystem", "-Xcc", "$includes"
  ] },
  "cCompiler": { "extraCLIOptions": [
    "-DLOCOMOTION_SMALL", "-msimd128", "-isystem", "$includes", "-D__wasi__", "-fno-stack-protector"
  ] }
}
JSON

cd -- "$root"
# Objects of files that are gone would be linked, too.
sources=$(find Sources -name '*.swift' -not -path 'Sources/Server/*' | sort)
[ "$(cat "$scratch/sources" 2> /dev/null)" = "$sources" ] || rm -rf "${scratch:?}/$triple"
printf '%s\n' "$sources" > "$scratch/sources"
LOCOMOTION_WEB_MODULE=1 swift build -c release --target LocomotionWeb --triple "$triple" \
  --scratch-path "$scratch" --toolset "$scratch/toolset.json" 1>&2
objects=$(find "$scratch/$triple/release" -name '*.o' | sort)
resources=$(swift -print-target-info | sed -nE 's/.*"runtimeResourcePath" *: *"(.*)".*/\1/p')
# A page saves recordings, not states, whose code is a tenth of the module.
exports=$(sed -nE 's/^(const char \*|int32_t )(locomotion_[a-z_0-9]+)\(.*/--export=\2/p' "$header" \
  | grep -vE '_(save|restore)$')
for name in report file read; do exports="$exports --export=locomotion_page_$name"; done
# The memory of the caller comes from the module's own heap.
# shellcheck disable=SC2086
wasm-ld --no-entry --strip-all --gc-sections -O2 $exports --export=malloc --export=free \
  -z stack-size=1048576 --stack-first $objects \
  "$resources/embedded/$triple/libswiftUnicodeDataTables.a" \
  -L "$libraries" -lc -lm "$builtins" -o "$folder/locomotion.wasm"

# Binaryen takes a sixth off; the answers are the same without.
if command -v wasm-opt > /dev/null; then
  wasm-opt -Oz --flatten --rereloop -Oz -Oz --enable-simd --enable-bulk-memory \
    --enable-nontrapping-float-to-int --enable-sign-ext --enable-mutable-globals \
    "$folder/locomotion.wasm" -o "$folder/optimized.wasm"
  mv "$folder/optimized.wasm" "$folder/locomotion.wasm"
else
  echo 'wasm-opt is missing (Debian: binaryen): the module is a sixth larger than need be' >&2
fi

for file in page.css page.mjs files.mjs report.mjs upload.mjs locomotion.mjs \
  service-worker.js manifest.webmanifest icon.svg; do
  cp "$root/Sources/Bindings/LocomotionWeb/$file" "$folder/"
done

python3 "$root/Sources/Bindings/schema.py" --javascript > "$folder/layout.mjs"

# The page admits the style sheet and the script of the report, which it shows in a frame, by their
# hashes.
hash_in() {
  sed -nE "/enum $1 /,/^}/s/.*static let hash = \"(sha256-[^\"]+)\".*/\1/p" \
    "$root/Sources/Recordings/LocomotionReport/Page/PageFiles.swift"
}
sed -e "s|REPORT_STYLE|$(hash_in ReportStyle)|" -e "s|REPORT_SCRIPT|$(hash_in PageScript)|" \
  "$root/Sources/Bindings/LocomotionWeb/index.html" > "$folder/index.html"

# The example is a morning of the third of the simulated people, who takes a train.
programs=$(bash "$root/Tests/Setup/build.sh" --product demo-recording)
"$programs/demo-recording" --out "$scratch/example" --people 3 --days 1 --rate 20
for ending in csv.gz gps.csv.gz; do
  cp "$scratch/example/person-003/2026-05-11.$ending" "$folder/example.$ending"
done

echo "$(stat -c %s "$folder/locomotion.wasm") bytes," \
  "$(gzip -9 -c "$folder/locomotion.wasm" | wc -c) compressed" >&2
echo "$folder/locomotion.wasm"
