#!/usr/bin/env bash
#
# Holds the WebAssembly module and the page to the Swift modules: builds them, compares the structs of
# answers.mjs with Swift's field by field, and drives the page in a headless Chromium with simulated
# sensors; its reports are compared with those of `locomotion analyze`. Installs Node, Chromium and the
# libraries of WebAssembly by apt-get where they are missing.
#
# Usage: Tests/Checks/web.sh [--all [FOLDER]...]
#
# The short form takes the simulated recordings of Tests/Support/ChangeIndicator. --all compares every
# recording of each FOLDER as well: by default of the data sets ml4qs_mika and ml4qs_siberia where
# LOCOMOTION_DATASETS points, or else in ../shared/datasets beside the package.

set -euo pipefail
root=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2> /dev/null || true; rm -rf "$work"' EXIT

"$root/Tests/setup.sh" --web
bash "$root/Sources/Bindings/LocomotionWeb/build.sh" "$work/web" > /dev/null 2> "$work/log" \
  || { cat "$work/log" >&2; exit 1; }
grep bytes "$work/log"
programs=$(bash "$root/Sources/Server/Tests/Setup/build.sh")
cp "$programs/locomotion" "$programs/locomotion-server" "$work"
programs=$(bash "$root/Tests/Setup/build.sh" --product struct-reference)
cp "$programs/struct-reference" "$work/struct-reference"
export LOCOMOTION_WEB=$work/web
python3 "$root/Sources/Bindings/schema.py" --check

for file in "$LOCOMOTION_WEB"/*; do
  name=${file##*/}
  [ -d "$file" ] || [ "$name" = service-worker.js ] \
    || grep -q "\"$name\"" "$LOCOMOTION_WEB/service-worker.js" \
    || { echo "$name is not kept for use without a network" >&2; exit 1; }
done

printf '%s\n' '{"type": "Feature", "properties": {"highway": "primary"}, "geometry": {"type": "LineString",
  "coordinates": [[11.001, 48.001], [11.019, 48.001]]}}' \
  | tr -d '\n' | "$work/locomotion" map - --out "$work/road.map" > /dev/null
MAP=$work/road.map node --input-type=module - <<'JS'
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
walk.appendAccelerations(times.subarray(12000), xyz.subarray(36000));
walk.finish();
const samples = walk.pollSamples();
const last = samples[238];
expect(library.activityName(last.activity) === 'walking', `a walk is ${last.activity}`);
expect(Math.abs(last.cadence - 114) < 3, `a cadence of ${last.cadence}`);
expect(Number(walk.counts().accelerations.kept) === count, 'loses accelerations');
expect(walk.timeline(2).length > 0, 'has no timeline');
walk.destroy();
// A drive along a road of a map, and a map whose length is too long for 32 bits.
const drive = library.create({ keepsRecording: true });
drive.appendFixes(Array.from({ length: 80 }, (_, i) => ({
  time: BigInt(i) * 1000000000n, latitude: 48.001, longitude: 11.002 + i * 2e-4,
  horizontal_accuracy: 5, speed: 15, course: 90,
})));
drive.finish();
const map = new Uint8Array(readFileSync(process.env.MAP));
const onMap = (bytes) => library.functions.locomotion_timeline_on_map(
  drive.handle, 2, library.put('map', bytes), BigInt(bytes.length), library.buffer('items', 4000),
  library.buffer('distances', 160), 20n, library.buffer('count', 8));
expect(onMap(map) === 0, `a drive on a map is ${onMap(map)}`);
map[8] = 0xff;
expect(onMap(map) === 16, `a damaged map is ${onMap(map)}`);
drive.destroy();
let text = '';
try { walk.process(); } catch (error) { text = error.message; }
expect(/destroyed/.test(text), `a destroyed pipeline says "${text}"`);
JS

node --test "$root/Tests/Checks/Web/upload.test.mjs" > "$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

differing=0
compared=0
compare() { # RECORDING [HOW MANY AT ONCE]
  rm -rf "$work/answers"
  "$work/struct-reference" "$1" "$work"
  compared=$((compared + $(cat "$work"/answers/* | wc -c)))
  if ! node "$root/Tests/Checks/Web/answers.mjs" "$work/measurements" "$work/answers" "${@:2}"; then
    differing=$((differing + 1))
    echo "differs: $*" >&2
  fi
}
for recording in "$root"/Tests/Support/ChangeIndicator/Recordings/*.csv.gz; do
  case $recording in *.gps.csv.gz) continue ;; esac
  compare "$recording"
  compare "$recording" 61
done
if [ "${1:-}" = --all ]; then
  shift
  datasets=${LOCOMOTION_DATASETS:-$root/../shared/datasets}
  [ $# -gt 0 ] || set -- "$datasets/ml4qs_mika" "$datasets/ml4qs_siberia"
  for folder in "$@"; do
    for recording in "$folder"/*.csv.gz; do
      case $recording in *.gps.csv.gz | *.truth.csv.gz) continue ;; esac
      compare "$recording"
    done
    echo "$folder: $compared bytes so far, $differing comparisons differ" >&2
  done
fi
echo "the module: $compared bytes of structs compared with Swift's, $differing comparisons differ"

# A walk and its fixes.
walk=$root/Tests/Support/ChangeIndicator/Recordings/walk-with-pauses.csv.gz
gzip -dc "$walk" > "$work/walk.csv"
gzip -dc "${walk%.csv.gz}.gps.csv.gz" > "$work/walk.gps.csv"
mkfifo "$work/address"
LOCOMOTION_TOKEN=$(head -c 16 /dev/urandom | od -An -tx1 | tr -d ' \n')
export LOCOMOTION_TOKEN
"$work/locomotion-server" serve --page "$work/web" --store "$work/journal" --user ada \
  --token "$LOCOMOTION_TOKEN" --port 0 > "$work/address" 2> "$work/served" &
server=$!
{ read -r _ _ address && read -r _ _ _ _ page; } < "$work/address"
[ "$page" = "$address" ] || { echo "the page is said to be at '$page'" >&2; exit 1; }
node "$root/Tests/Checks/Web/page.mjs" "$address" "$work/locomotion" "$work/walk.csv" 60
kill "$server"
wait "$server" || true
server=
stored=$("$work/locomotion" journal export --store "$work/journal" --user ada --format csv | wc -l)
fixes=$("$work/locomotion" journal export --store "$work/journal" --user ada --format ndjson \
  | grep -c '"lat"' || true)
echo "the page's upload: $stored rows and $fixes lines of fixes in the journal"
# Six seconds at the 60 events per second of a browser, or fewer on a busy machine.
[ "$stored" -gt 120 ] && [ "$fixes" -gt 0 ]
[ "$differing" = 0 ]
