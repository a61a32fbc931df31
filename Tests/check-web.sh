#!/usr/bin/env bash
#
# Holds the WebAssembly module and the page to the command: builds them, compares the rows of
# rows.mjs with the command's byte for byte, and drives the page in a headless Chromium with simulated
# sensors. Installs Node, Chromium and the libraries of WebAssembly by apt-get where they are missing.
#
# Usage: Tests/check-web.sh [--all [FOLDER]...]
#
# The short form takes the simulated recordings of Tests/ChangeIndicator. --all compares every
# recording of each FOLDER as well: by default of the data sets ml4qs_mika and ml4qs_siberia where
# LOCOMOTION_DATASETS points, or else in ../shared/datasets beside the package.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT

packages=()
command -v node > /dev/null || packages+=(nodejs)
command -v chromium > /dev/null || packages+=(chromium)
command -v wasm-opt > /dev/null || packages+=(binaryen)
[ -f /usr/lib/wasm32-wasi/libc.a ] || packages+=(wasi-libc)
[ -d /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi ] || packages+=(libclang-rt-14-dev-wasm32)
if [ ${#packages[@]} -gt 0 ]; then
  { apt-get update -q && apt-get install -y -q --no-install-recommends "${packages[@]}"; } >&2
fi

bash "$root/Sources/LocomotionWeb/build.sh" "$work/web" > /dev/null 2> "$work/log" \
  || { cat "$work/log" >&2; exit 1; }
grep bytes "$work/log"
swift build --package-path "$root" -c release --enable-all-traits --product locomotion >&2
cp "$root/.build/release/locomotion" "$work/locomotion"
export LOCOMOTION_WEB=$work/web LOCOMOTION=$work/locomotion

node --input-type=module - <<'JS'
const { readFileSync } = await import('node:fs');
const folder = process.env.LOCOMOTION_WEB;
const { Library } = await import(`${folder}/locomotion.mjs`);
const bytes = readFileSync(`${folder}/locomotion.wasm`);
function expect(isTrue, what) {
  if (isTrue) return;
  console.error(`the module: ${what}`);
  process.exitCode = 1;
}
expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes)).length === 0, 'has imports');
const library = await Library.load(bytes);
const walk = library.create({ keepsRecording: true });
const count = 24000;
const times = BigInt64Array.from({ length: count }, (_, i) => BigInt(i) * 10000000n);
const xyz = new Float32Array(3 * count);
for (let i = 0; i < count; i++) {
  const phase = 2 * Math.PI * 1.9 * i / 100;
  xyz.set([2 * Math.sin(phase / 2), 0.3, 9.81 + 3 * Math.cos(phase)], 3 * i);
}
walk.appendAccelerations(times.subarray(0, 12000), xyz.subarray(0, 36000));
walk.process();
const restored = library.restore(walk.save());
for (const pipeline of [walk, restored]) {
  pipeline.appendAccelerations(times.subarray(12000), xyz.subarray(36000));
  pipeline.finish();
}
const answers = [walk, restored].map((pipeline) =>
  JSON.stringify(pipeline.pollSamples(), (_, value) =>
    typeof value === 'bigint' ? `${value}` : value));
expect(answers[0] === answers[1], 'a restored pipeline answers otherwise');
const last = JSON.parse(answers[0])[238];
expect(library.activityName(last.activity) === 'walking', `a walk is ${last.activity}`);
expect(Math.abs(last.cadence - 114) < 3, `a cadence of ${last.cadence}`);
expect(Number(walk.counts().accelerations.kept) === count, 'loses accelerations');
expect(walk.timeline(2).length > 0, 'has no timeline');
walk.destroy();
let text = '';
try { walk.process(); } catch (error) { text = error.message; }
expect(/destroyed/.test(text), `a destroyed pipeline says "${text}"`);
JS

differing=0
compared=0
compare() { # WHAT RECORDING [ROWS]
  "$work/locomotion" "$1" "$2" > "$work/expected"
  compared=$((compared + $(wc -l < "$work/expected") - 1))
  if ! node "$root/Sources/LocomotionWeb/rows.mjs" "$@" > "$work/found" \
    || ! cmp -s "$work/expected" "$work/found"; then
    differing=$((differing + 1))
    echo "differs: $*" >&2
  fi
}
for recording in "$root"/Tests/ChangeIndicator/Recordings/*.csv.gz; do
  case $recording in *.gps.csv.gz) continue ;; esac
  for what in classify locate cadence; do
    compare "$what" "$recording"
    compare "$what" "$recording" 61
  done
done
if [ "${1:-}" = --all ]; then
  shift
  datasets=${LOCOMOTION_DATASETS:-$root/../shared/datasets}
  [ $# -gt 0 ] || set -- "$datasets/ml4qs_mika" "$datasets/ml4qs_siberia"
  for folder in "$@"; do
    for recording in "$folder"/*.csv.gz; do
      case $recording in *.gps.csv.gz | *.truth.csv.gz) continue ;; esac
      for what in classify locate cadence; do compare "$what" "$recording"; done
    done
    echo "$folder: $compared rows so far, $differing comparisons differ" >&2
  done
fi
echo "the module: $compared rows compared with the command's, $differing comparisons differ"

# A walk and its fixes.
walk=$root/Tests/ChangeIndicator/Recordings/walk-with-pauses.csv.gz
gzip -dc "$walk" > "$work/walk.csv"
gzip -dc "${walk%.csv.gz}.gps.csv.gz" > "$work/walk.gps.csv"
mkfifo "$work/address"
"$work/locomotion" serve --page "$work/web" --store "$work/journal" --user ada --token \
  "$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')" --port 0 > "$work/address" 2> "$work/served" &
server=$!
read -r _ _ address < "$work/address"
node "$root/Tests/Web/page.mjs" "$address" "$work/locomotion" "$work/walk.csv" 40
[ "$differing" = 0 ]
