// Prints the rows of `locomotion classify|locate|cadence` for a tidy recording, by the WebAssembly
// module that build.sh leaves in .build/locomotion-web.
//
// Usage: node rows.mjs classify|locate|cadence X.csv[.gz] [ROWS [live|settled|smoothed]]
//
// X.gps.csv[.gz] beside it is read, too, when it is there. A recording in another form is converted by
// the command first: LOCOMOTION names it, .build/release/locomotion without.

import { execFileSync } from 'node:child_process';
import {
  existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { nanoseconds } from '../../../Sources/Bindings/LocomotionWeb/readers.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const folder = process.env.LOCOMOTION_WEB ?? join(root, '.build', 'locomotion-web');
const { Form, Library } = await import(join(folder, 'locomotion.mjs'));

const [what, path, rowsText, mode] = process.argv.slice(2);
if (!['classify', 'locate', 'cadence'].includes(what) || !path) {
  console.error('usage: node rows.mjs classify|locate|cadence X.csv [ROWS [live|settled|smoothed]]');
  process.exit(2);
}
if (!existsSync(path)) {
  console.error(`${path}: no such file`);
  process.exit(3);
}

function readText(name) {
  const bytes = readFileSync(name);
  return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
}

/** The rows with a time, as objects by column. */
function* readRows(text) {
  const end = text.indexOf('\n');
  const columns = text.slice(0, end).trim().toLowerCase().split(',');
  for (let start = end + 1; start < text.length;) {
    let stop = text.indexOf('\n', start);
    if (stop < 0) stop = text.length;
    const fields = text.slice(start, stop).trim().split(',');
    start = stop + 1;
    const row = {};
    columns.forEach((column, index) => {
      row[column] = column === 't' ? nanoseconds(fields[index] ?? '') : number(fields[index]);
    });
    if (row.t !== undefined) yield row;
  }
}

function number(field) {
  const value = field ? Number(field) : NaN;
  return Number.isFinite(value) ? value : NaN;
}

/** An iterator with a look at the next two. */
class Ahead {
  constructor(iterator) {
    this.iterator = iterator;
    this.rows = [];
    this.fill();
  }
  fill() {
    while (this.rows.length < 2) {
      const next = this.iterator.next();
      if (next.done) break;
      this.rows.push(next.value);
    }
  }
  /** When the next takes its turn: not later than the one behind it. */
  get due() {
    const [first, second] = this.rows;
    return first && second && second.t < first.t ? second.t : first?.t;
  }
  take() {
    const row = this.rows.shift();
    this.fill();
    return row;
  }
}

function openRecording(name) {
  let text = /\.csv(\.gz)?$/.test(name) ? readText(name) : '';
  let fixes = '';
  if (/^t,lat/i.test(text)) {
    [text, fixes] = ['', text];
  } else if (/^t,ax/i.test(text)) {
    const stem = name.replace(/\.csv(\.gz)?$/, '.gps.csv');
    const other = [stem, `${stem}.gz`].find(existsSync);
    if (other) fixes = readText(other);
  } else {
    const work = mkdtempSync(join(tmpdir(), 'locomotion-'));
    const command = process.env.LOCOMOTION ?? join(root, '.build', 'release', 'locomotion');
    try {
      execFileSync(command, ['convert', name, work], { stdio: ['ignore', 'ignore', 'inherit'] });
      const files = readdirSync(work).filter((file) => file.endsWith('.csv.gz'));
      const stems = new Set(files.map((file) => file.replace(/(\.gps)?\.csv\.gz$/, '')));
      if (stems.size !== 1) {
        console.error(`${name} holds ${stems.size} recordings: locomotion convert it, and name one`);
        process.exit(3);
      }
      const [stem] = stems;
      [text, fixes] = [`${stem}.csv.gz`, `${stem}.gps.csv.gz`].map((file) =>
        files.includes(file) ? readText(join(work, file)) : '');
    } catch (error) {
      if (error.status === undefined || error.status === null) throw error;
      process.exit(error.status);
    } finally {
      rmSync(work, { recursive: true });
    }
  }
  return [new Ahead(readRows(text)), new Ahead(readRows(fixes))];
}

// The numbers as the command prints them.

function fixed(value, decimals) {
  if (!Number.isFinite(value)) return '';
  const scaled = value * 10 ** decimals;
  const digits = BigInt(Math.round(Math.abs(scaled))).toString().padStart(decimals + 1, '0');
  const sign = scaled < 0 && /[1-9]/.test(digits) ? '-' : '';
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

function seconds(time) {
  const digits = (time < 0n ? -time : time).toString().padStart(10, '0');
  const text = `${digits.slice(0, -9)}.${digits.slice(-9)}`.replace(/\.?0+$/, '');
  return (time < 0n ? '-' : '') + text;
}

const library = await Library.load(readFileSync(join(folder, 'locomotion.wasm')));
const lines = [];
function print(line) {
  lines.push(line);
  if (lines.length >= 1000) flush();
}
function flush() {
  let bytes = Buffer.from(lines.length ? `${lines.join('\n')}\n` : '');
  lines.length = 0;
  while (bytes.length) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function printSample(sample) {
  if (!sample.has_accelerations) return;
  const answer = what === 'cadence'
    ? [fixed(sample.cadence, 2), fixed(sample.cadence_confidence, 4), fixed(sample.steps, 3)]
    : [library.activityName(sample.activity), ...sample.probabilities.map((p) => fixed(p, 5))];
  print([seconds(sample.start), seconds(sample.end), ...answer].join(','));
}

function printFix(fix) {
  const course = Number.isNaN(fix.course) ? NaN : fix.course < 359.95 ? fix.course : 0;
  print([
    seconds(fix.fix.time), fixed(fix.latitude, 8), fixed(fix.longitude, 8), fixed(fix.radius68, 2),
    fixed(fix.speed, 3), fixed(fix.speed_deviation, 3), fixed(course, 1),
    fixed(1 - fix.moving_probability, 4), ['0', '1', ''][fix.moving],
    ['used', 'relocated', 'rejected'][fix.status],
  ].join(','));
}

const form = Form[mode ?? (what === 'cadence' ? 'settled' : 'live')];
const limit = Number(rowsText ?? 4096);
const [rows, fixes] = openRecording(path);
const pipeline = library.create({ keepsRecording: form !== Form.live });

function answer() {
  const [samples, reports] = [pipeline.pollSamples(), pipeline.pollFixes()];
  if (form !== Form.live) return;
  if (what === 'locate') reports.forEach(printFix);
  else samples.forEach(printSample);
}

/** Hands over the next rows, a fix before the first acceleration that is not earlier. */
function takeBatch() {
  const [times, xyz, rateTimes, rates, pressureTimes, pressures, locations] =
    [[], [], [], [], [], [], []];
  let taken = 0;
  for (; taken < limit && (rows.due !== undefined || fixes.due !== undefined); taken++) {
    if (fixes.due !== undefined && (rows.due === undefined || fixes.due <= rows.due)) {
      const row = fixes.take();
      locations.push({
        time: row.t, latitude: row.lat, longitude: row.lon, altitude: row.alt,
        horizontal_accuracy: row.hacc, speed: row.speed, course: row.course,
      });
      continue;
    }
    const { t, ax, ay, az, gx = NaN, gy = NaN, gz = NaN, pressure = NaN } = rows.take();
    const hasRate = !(Number.isNaN(gx) && Number.isNaN(gy) && Number.isNaN(gz));
    const isAny = !(Number.isNaN(ax) && Number.isNaN(ay) && Number.isNaN(az));
    if (isAny || hasRate || Number.isNaN(pressure)) {
      times.push(t);
      xyz.push(ax, ay, az);
    }
    if (hasRate) {
      rateTimes.push(t);
      rates.push(gx, gy, gz);
    }
    if (!Number.isNaN(pressure)) {
      pressureTimes.push(t);
      pressures.push(pressure);
    }
  }
  pipeline.appendAccelerations(BigInt64Array.from(times), Float32Array.from(xyz));
  pipeline.appendRotationRates(BigInt64Array.from(rateTimes), Float32Array.from(rates));
  pipeline.appendPressures(BigInt64Array.from(pressureTimes), Float32Array.from(pressures));
  pipeline.appendFixes(locations);
  return taken > 0;
}

print({
  classify:
    't_start,t_end,activity,p_stationary,p_walking,p_running,p_cycling,p_automotive,p_train',
  locate: 't,lat,lon,radius68,speed,speed_sd,course,p_stationary,moving,status',
  cadence: 't_start,t_end,cadence,confidence,steps',
}[what]);
while (takeBatch()) {
  pipeline.process();
  answer();
}
pipeline.finish();
answer();
if (form !== Form.live) {
  if (what === 'locate') pipeline.recordingFixes(form).forEach(printFix);
  else pipeline.recordingSamples(form).forEach(printSample);
}
pipeline.destroy();
flush();
