// Compares what the WebAssembly module says of measurements with the answers of the Swift modules,
// and exits 1 where they differ.
//
// Usage: node answers.mjs MEASUREMENTS ANSWERS [HOW MANY AT ONCE]
// Tests/Support/StructReference says what the files hold. LOCOMOTION_WEB is the folder of the module.
//
// Times, counts and cases are the same. Of other numbers the last bits may differ: the module has the
// elementary functions of another C library.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const { LOCOMOTION_WEB: source } = process.env;
const { Form, Library, Struct } = await import(join(source, 'locomotion.mjs'));
const [input, folder, sizeText = '4096'] = process.argv.slice(2);
const library = await Library.load(readFileSync(join(source, 'locomotion.wasm')));
const pipeline = library.create({ keepsRecording: true });

const bytesOf = (file) => new DataView(file.buffer, file.byteOffset, file.byteLength);

/** Whether two values are the same but for the rounding of floating-point numbers. */
function isSame(one, other) {
  if (typeof one === 'object') return Object.keys(one).every((key) => isSame(one[key], other?.[key]));
  if (Object.is(one, other)) return true;
  if (typeof one !== 'number' || typeof other !== 'number') return false;
  const isSingle = Math.fround(one) === one && Math.fround(other) === other;
  return Math.abs(one - other) <= (isSingle ? 1e-6 : 1e-9) * Math.max(1, Math.abs(one));
}

function compare(name, type, values) {
  const struct = new Struct(type);
  const file = readFileSync(join(folder, name));
  const expected = Array.from({ length: file.length / struct.size }, (_, index) =>
    struct.read(bytesOf(file), index * struct.size));
  const place = expected.findIndex((value, index) => !isSame(value, values[index] ?? {}));
  if (place < 0 && values.length === expected.length) return;
  const field = Object.keys(expected[place] ?? {}).find(
    (key) => !isSame(expected[place][key], values[place]?.[key]));
  console.error(`${name}: ${values.length} of ${expected.length}; of ${place} the field ${field} differs`);
  process.exitCode = 1;
}

const fix = new Struct('locomotion_fix');
const file = readFileSync(input);
const measurements = bytesOf(file);

/** Hands over the measurements from one place of the file to another. */
function take(start, end) {
  const series = [0, 1, 2].map(() => ({ times: [], values: [] }));
  const fixes = [];
  for (let place = start; place < end; place += 8 + fix.size) {
    const sensor = Number(measurements.getBigInt64(place, true));
    const values = fix.read(measurements, place + 8);
    if (sensor === 3) fixes.push(values);
    else {
      series[sensor].times.push(values.time);
      series[sensor].values.push(
        ...[values.latitude, values.longitude, values.altitude].slice(0, sensor === 2 ? 1 : 3));
    }
  }
  const [accelerations, rates, pressures] = series.map(({ times, values }) =>
    [BigInt64Array.from(times), Float32Array.from(values)]);
  pipeline.appendAccelerations(...accelerations);
  pipeline.appendRotationRates(...rates);
  pipeline.appendPressures(...pressures);
  pipeline.appendFixes(fixes);
  pipeline.process();
}

const samples = [];
const reports = [];
function poll() {
  samples.push(...pipeline.pollSamples());
  reports.push(...pipeline.pollFixes());
}

const step = Number(sizeText) * (8 + fix.size);
for (let start = 0; start < file.length; start += step) {
  take(start, Math.min(start + step, file.length));
  poll();
}
pipeline.finish();
poll();
compare('live.samples', 'locomotion_sample', samples);
compare('live.fixes', 'locomotion_fix_report', reports);
for (const [name, form] of Object.entries(Form)) {
  // The name of 'lagged' in version 0.1.
  if (name === 'settled') continue;
  if (form !== Form.live) {
    compare(`${name}.samples`, 'locomotion_sample', pipeline.recordingSamples(form));
    compare(`${name}.fixes`, 'locomotion_fix_report', pipeline.recordingFixes(form));
  }
  compare(`${name}.items`, 'locomotion_timeline_item', pipeline.timeline(form));
}
compare('counts', 'locomotion_counts', [pipeline.counts()]);
pipeline.destroy();
