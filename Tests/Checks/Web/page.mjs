// Holds the page to the command, in a headless Chromium: its live answers on a recording that is
// replayed through simulated sensors, and its report on a file.
//
// Usage: node Tests/Checks/Web/page.mjs ADDRESS COMMAND RECORDING [SECONDS [SCREENSHOTS]]
//
// The recording is X.csv in the tidy form, with X.gps.csv beside it if it has fixes. It is replayed in
// real time for so many seconds (45) from its start. With a folder for SCREENSHOTS the page is drawn
// there at the size of a phone, light and dark. The last seconds are uploaded with the token in
// LOCOMOTION_TOKEN, if there is one.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tidy } from '../../../Sources/Bindings/LocomotionWeb/readers.mjs';
import { Chromium } from './chromium.mjs';

const [address, command, path, secondsText, screenshots] = process.argv.slice(2);
const seconds = Number(secondsText ?? 45);
const gps = path.replace(/\.csv$/, '.gps.csv');
const recording = tidy(
  readFileSync(path, 'utf8'), existsSync(gps) ? readFileSync(gps, 'utf8') : '');

setTimeout(() => {
  console.error(`no answer of the browser in ${seconds + 180} s`);
  process.exit(1);
}, (seconds + 180) * 1000).unref();

const token = process.env.LOCOMOTION_TOKEN;
/** Seconds of the replay that are uploaded. */
const uploaded = 6;
/** The seconds in which its script is measured: a quarter to a half of the replay. */
const measured = { from: Math.round(seconds / 4), to: Math.round(seconds / 2) };
let failures = 0;
function expect(condition, what) {
  if (!condition) {
    failures += 1;
    console.error(`failed: ${what}`);
  }
}

const browser = await Chromium.launch();
const complaints = [];
browser.on(({ method, params }) => {
  if (method === 'Runtime.exceptionThrown') complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
  if (method === 'Log.entryAdded' && params.entry.level === 'error') complaints.push(params.entry.text);
});
await browser.send('Browser.grantPermissions', {
  origin: new URL(address).origin, permissions: ['geolocation', 'sensors'],
});

async function open() {
  const page = await browser.page(address);
  await page.send('Emulation.setDeviceMetricsOverride', {
    width: 390, height: 844, deviceScaleFactor: 2, mobile: true,
  });
  return page;
}

async function draw(page, name) {
  if (!screenshots) return;
  for (const scheme of ['light', 'dark']) {
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: scheme }],
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    const { data } = await page.send('Page.captureScreenshot', {
      format: 'png', captureBeyondViewport: true,
    });
    writeFileSync(join(screenshots, `${name}-${scheme}.png`), Buffer.from(data, 'base64'));
  }
}

/** Whether everything that is touched is large enough, named, and reads well. */
async function checkControls(page) {
  const controls = await page.evaluate(`[...document.querySelectorAll('button, label.drop, summary, .switch, .field')]
    .filter(control => control.getClientRects().length)
    .map(control => ({ name: control.textContent.trim(), height: control.getBoundingClientRect().height }))`);
  expect(controls.length >= 3, 'there are controls');
  for (const { name, height } of controls) {
    expect(height >= 44, `${name}: ${height} px high, expected 44`);
    expect(name, 'every control has a name');
  }
  const width = await page.evaluate('document.documentElement.scrollWidth');
  expect(width <= 390, `the page is ${width} px wide on a phone of 390`);
}

/** Switches the upload on, as a person does. */
async function switchUpload(page) {
  await page.evaluate(`(() => {
    document.getElementById('upload').open = true;
    document.getElementById('token').value = ${JSON.stringify(token)};
    document.getElementById('send').click();
  })()`);
  const promise = await page.evaluate(`document.getElementById('promise').textContent`);
  expect(/also sent/.test(promise), 'the page says that it sends');
}

// ---- Live ----

const page = await open();
const override = (type, reading) =>
  page.send('Emulation.setSensorOverrideReadings', { type, reading: { xyz: reading } });
for (const type of ['accelerometer', 'linear-acceleration', 'gyroscope']) {
  await page.send('Emulation.setSensorOverrideEnabled', {
    enabled: true, type, metadata: { available: true, minimumFrequency: 1, maximumFrequency: 100 },
  });
}
const at = (series, time) => {
  let index = series.place ?? 0;
  while (index + 1 < series.count && series.times.values[index + 1] <= time) index += 1;
  series.place = index;
  const [x, y, z] = [0, 1, 2].map((axis) => series.xyz.values[3 * index + axis]);
  return { x, y, z };
};
const first = recording.accelerations.times.values[0];
const began = performance.now();
await override('accelerometer', at(recording.accelerations, first));
await override('linear-acceleration', { x: 0, y: 0, z: 0 });
await override('gyroscope', { x: 0, y: 0, z: 0 });
await page.evaluate(`document.getElementById('start').click()`);
let fix = 0;
const answers = [];
const metric = async (name) =>
  (await page.send('Performance.getMetrics')).metrics.find((entry) => entry.name === name).value;
let [before, script, isUploading] = [undefined, undefined, false];
for (let next = 0; next < seconds; ) {
  const elapsed = (performance.now() - began) / 1000;
  const time = first + BigInt(Math.round(elapsed * 1e9));
  await override('accelerometer', at(recording.accelerations, time));
  if (recording.rotationRates.count) await override('gyroscope', at(recording.rotationRates, time));
  while (fix < recording.fixes.length && recording.fixes[fix].time <= time) {
    const { latitude, longitude, horizontal_accuracy: accuracy, speed } = recording.fixes[fix];
    fix += 1;
    await page.send('Emulation.setGeolocationOverride', {
      latitude, longitude, accuracy: accuracy >= 0 ? accuracy : 10, ...(speed >= 0 ? { speed } : {}),
    });
  }
  if (elapsed >= next + 1) {
    next = Math.floor(elapsed);
    if (next >= measured.from) before ??= { value: await metric('ScriptDuration'), at: elapsed };
    // Questions are script of the page's, too: none while it is measured.
    if (next >= measured.to && script === undefined) {
      script = ((await metric('ScriptDuration')) - before.value) * 1000 / (elapsed - before.at);
    }
    if (script !== undefined) {
      answers.push(await page.evaluate(`({
        activity: document.getElementById('activity').textContent,
        steps: Number(document.getElementById('steps').textContent.replaceAll(',', '')),
      })`));
    }
    if (next >= seconds - uploaded && token && !isUploading) {
      isUploading = true;
      await switchUpload(page);
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 8));
}
await checkControls(page);
// A drawing waits until it is in sight.
await page.evaluate(`document.getElementById('track').scrollIntoView()`);
await new Promise((resolve) => setTimeout(resolve, 500));
expect(
  await page.evaluate(`document.querySelectorAll('#track path.leg, #track circle.here').length`) === 2,
  'the map shows the track and the place');
await page.evaluate('scrollTo(0, 0)');
await draw(page, 'live');
await page.evaluate(`document.getElementById('start').click()`);
if (token) {
  let sent;
  for (let round = 0; round < 120; round += 1) {
    sent = await page.evaluate(`document.getElementById('sent').textContent`);
    if (/stored/.test(sent)) break;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(/Everything is stored/.test(sent), `the upload says "${sent}"`);
}

// What the command says of the same seconds.
const rows = (name) => execFileSync(command, [name, path], { maxBuffer: 1 << 30 }).toString()
  .trim().split('\n').slice(1).map((row) => row.split(','));
const start = Number(first) / 1e9;
const known = rows('classify').filter(([begin]) => begin - start < seconds)
  .map((row) => row[2]);
const steps = rows('cadence').filter(([begin]) => begin - start < seconds)
  .reduce((sum, row) => sum + Number(row[4]), 0);
const most = (list) => [...new Set(list)].sort((a, b) =>
  list.filter((name) => name === b).length - list.filter((name) => name === a).length)[0];
// Of the last seconds: at a change of the activity the page is a second or two behind.
const settled = (list) => list.slice(-10);
const [found, expected] = [answers.map(({ activity }) => activity), known].map(settled).map(most);
expect(found === expected, `the page says ${found}, the command ${expected}`);
const counted = answers.at(-1).steps;
expect(
  // A busy machine replays unevenly, and the last steps are not recognised yet.
  Math.abs(counted - steps) <= Math.max(8, 0.2 * steps),
  `the page counts ${counted} steps, the command ${steps.toFixed(1)}`);

// ---- A file ----

const other = await open();
await other.evaluate(`document.getElementById('tab-file').click()`);
await other.send('DOM.enable');
const { root } = await other.send('DOM.getDocument');
const { nodeId } = await other.send('DOM.querySelector', { nodeId: root.nodeId, selector: '#choose' });
await other.send('DOM.setFileInputFiles', {
  nodeId, files: existsSync(gps) ? [path, gps] : [path],
});
let text = '';
for (let round = 0; round < 240 && !text; round += 1) {
  await new Promise((resolve) => setTimeout(resolve, 250));
  text = await other.evaluate(`document.getElementById('report').innerText`);
}
const items = JSON.parse(execFileSync(command, ['timeline', '--json', path])).items;
const listed = await other.evaluate(`document.querySelectorAll('.story > li').length`);
expect(listed === items.length, `the report lists ${listed} items, the command ${items.length}`);
for (const leg of items.flatMap((item) => item.legs ?? [])) {
  expect(text.includes(leg.activity), `the report names ${leg.activity}`);
}
await checkControls(other);
await draw(other, 'file');

// ---- A track that the command has exported: the page reads what was measured ----

if (existsSync(gps)) {
  const folder = mkdtempSync(join(tmpdir(), 'track-'));
  execFileSync(command, ['convert', gps, join(folder, 'track.gpx')], { stdio: 'ignore' });
  const track = readFileSync(join(folder, 'track.gpx'), 'utf8');
  rmSync(folder, { recursive: true });
  const fixes = JSON.parse(await other.evaluate(`import('./readers.mjs')
    .then(({ readBytes }) => readBytes('track.gpx', new TextEncoder().encode(${JSON.stringify(track)})))
    .then(({ fixes }) => JSON.stringify(fixes.map(fix => ({ ...fix, time: String(fix.time) }))))`));
  expect(fixes.length === recording.fixes.length, `${fixes.length} fixes are read of the track`);
  const isLike = (found, given) => Object.entries(given).every(([name, value]) =>
    name === 'time' ? BigInt(found.time) === value
      : Number.isFinite(value ?? NaN) ? Math.abs(found[name] - value) < 1e-6
        : !Number.isFinite(found[name] ?? NaN));
  const wrong = fixes.findIndex((fix, index) => !isLike(fix, recording.fixes[index] ?? {}));
  expect(wrong < 0, `fix ${wrong} of the track is read as ${JSON.stringify(fixes[wrong])}`);
}

expect(complaints.length === 0, `the browser complains: ${[...new Set(complaints)].join('; ')}`);
await browser.close();
console.log(
  `the page on ${seconds} s: ${found} as the command, ${counted} steps (${steps.toFixed(1)}), `
    + `${script.toFixed(1)} ms of script per second; its report has ${listed} items as the command's`);
process.exitCode = failures ? 1 : 0;
