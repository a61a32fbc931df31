// Holds the page to the command, in a headless Chromium: its live answers on a recording that is
// replayed through simulated sensors, and its reports, which are those of `analyze`.
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
import { Chromium } from './chromium.mjs';

const [address, command, path, secondsText, screenshots] = process.argv.slice(2);
const seconds = Number(secondsText ?? 45);
const gps = path.replace(/\.csv$/, '.gps.csv');

/** The rows of a tidy table, by the names of its columns; `t` is in nanoseconds. */
function rowsOf(path) {
  const [header, ...lines] = readFileSync(path, 'utf8').trim().split('\n').map(line => line.split(','));
  return lines.map(fields => Object.fromEntries(header.map((name, index) =>
    [name, name === 't' ? BigInt(Math.round(fields[index] * 1e9)) : parseFloat(fields[index])])));
}
const samples = rowsOf(path);
const fixes = existsSync(gps) ? rowsOf(gps) : [];

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
  const controls = await page.evaluate(`[...document.querySelectorAll('button, .button, label.drop, summary, .switch, .field')]
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
const chosenTab = (page) =>
  page.evaluate(`document.querySelector('[role=tab][aria-selected=true]').id`);
expect(await chosenTab(page) === 'tab-file', 'without a motion sensor the recordings come first');
const override = (type, reading) =>
  page.send('Emulation.setSensorOverrideReadings', { type, reading: { xyz: reading } });
for (const type of ['accelerometer', 'linear-acceleration', 'gyroscope']) {
  await page.send('Emulation.setSensorOverrideEnabled', {
    enabled: true, type, metadata: { available: true, minimumFrequency: 1, maximumFrequency: 100 },
  });
}
await override('accelerometer', { x: 0, y: 0, z: 9.8 });
await override('linear-acceleration', { x: 0, y: 0, z: 0 });
await override('gyroscope', { x: 0, y: 0, z: 0 });
await page.send('Page.reload');
for (let round = 0, tab; round < 40 && tab !== 'tab-live'; round += 1) {
  await new Promise((resolve) => setTimeout(resolve, 250));
  tab = await chosenTab(page).catch(() => '');
}
expect(await chosenTab(page) === 'tab-live', 'with a motion sensor what is live comes first');
let place = 0;
const at = (sensor, time) => {
  while (place + 1 < samples.length && samples[place + 1].t <= time) place += 1;
  const [x, y, z] = ['x', 'y', 'z'].map((axis) => samples[place][sensor + axis]);
  return { x, y, z };
};
const first = samples[0].t;
const began = performance.now();
await override('accelerometer', at('a', first));
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
  await override('accelerometer', at('a', time));
  if ('gx' in samples[0]) await override('gyroscope', at('g', time));
  while (fix < fixes.length && fixes[fix].t <= time) {
    const { lat: latitude, lon: longitude, hacc: accuracy, speed } = fixes[fix];
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

await new Promise((resolve) => setTimeout(resolve, 1000));
const summary = await page.evaluate(
  `document.querySelector('#live-report iframe').contentDocument.querySelector('.lede').textContent`);
expect(/^From \d/.test(summary), `the report on what was live says "${summary}"`);

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

// ---- Recordings ----

const zone = 'Europe/Berlin';
const folder = mkdtempSync(join(tmpdir(), 'page-'));

/** A page whose last report is kept in `lastReport`. */
async function openForReports() {
  const page = await open();
  await page.send('Emulation.setTimezoneOverride', { timezoneId: zone });
  await page.evaluate(`{
    const original = URL.createObjectURL;
    URL.createObjectURL = (blob) => {
      globalThis.lastReport = blob;
      return original.call(URL, blob);
    };
  }`);
  return page;
}

/** Gives files to the page. */
async function choose(page, files) {
  await page.send('DOM.enable');
  const { root } = await page.send('DOM.getDocument');
  const { nodeId } = await page.send(
    'DOM.querySelector', { nodeId: root.nodeId, selector: '#choose' });
  await page.send('DOM.setFileInputFiles', { nodeId, files });
}

/** The report that the page makes next, as HTML. */
async function nextReport(page) {
  for (let round = 0; round < 240; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    const html = await page.evaluate(`globalThis.lastReport?.text()`);
    if (html) {
      await page.evaluate(`delete globalThis.lastReport`);
      return html;
    }
  }
  return page.evaluate(`document.getElementById('progress').textContent`);
}

/** Expects the report of `analyze`; the last bits of its coordinates may differ. */
function expectReport(html, recording) {
  const out = join(folder, 'report');
  execFileSync(
    command, ['analyze', recording, '--time-zone', zone, '--out', out], { stdio: 'ignore' });
  const [found, expected] = [html, readFileSync(join(out, 'report.html'), 'utf8')].map(
    (text) => text.split(/(-?\d+(?:\.\d+)?)/));
  const place = expected.findIndex((part, index) => index % 2 === 0
    ? part !== found[index] : !(Math.abs(part - found[index]) < 0.11));
  const around = (parts) => parts.slice(Math.max(place - 5, 0), place + 5).join('');
  expect(
    place < 0 && found.length === expected.length,
    `the report on ${recording} is "${around(found)}", that of the command "${around(expected)}"`);
  rmSync(out, { recursive: true });
}

const other = await openForReports();
await choose(other, existsSync(gps) ? [path, gps] : [path]);
expectReport(await nextReport(other), path);
await new Promise((resolve) => setTimeout(resolve, 1000));
const frame = await other.evaluate(`(() => {
  const frame = document.querySelector('#report iframe');
  const { documentElement: root } = frame.contentDocument;
  return {
    height: frame.clientHeight, needed: root.getBoundingClientRect().height,
    isWide: root.scrollWidth > root.clientWidth, maps: root.querySelectorAll('svg.plan').length,
    tools: root.querySelectorAll('.tools').length, font: getComputedStyle(root.querySelector('h1')).fontSize,
  };
})()`);
expect(Math.abs(frame.height - frame.needed) <= 1, 'the frame is as high as the report');
expect(!frame.isWide, 'the report fits into the page');
expect(frame.font !== '32px', 'the report has its style sheet');
// Those of the list, of the map and of the curves.
expect(!existsSync(gps) || frame.maps === 1 && frame.tools === 3, 'its script runs');
await checkControls(other);
await draw(other, 'file');

await other.evaluate(`document.getElementById('example').click()`);
const example = await nextReport(other);
for (const name of ['example.csv.gz', 'example.gps.csv.gz']) {
  writeFileSync(join(folder, name), Buffer.from(await (await fetch(new URL(name, address))).arrayBuffer()));
}
expectReport(example, join(folder, 'example.csv.gz'));
expect(/train/.test(example) && /walking/.test(example), 'the example has legs');

// A track that the command has written, with what GPX itself has no element for. Its name tells no
// activity: what a file states of itself is evidence for the command, and the page reads none of it.
if (existsSync(gps)) {
  const track = join(folder, 'track.gpx');
  execFileSync(command, ['convert', gps, track], { stdio: 'ignore' });
  const text = readFileSync(track, 'utf8');
  expect(/<loco:hacc>/.test(text), 'the track has accuracies');
  writeFileSync(track, text.replace(/<name>[^<]*<\/name>/, '<name>unnamed</name>'));
  await choose(other, [track]);
  expectReport(await nextReport(other), track);
}

// Two rides of a day, each of which ends with its track.
const rides = join(folder, 'rides.gpx');
writeFileSync(rides, `<gpx version="1.1">${[0, 28_800].map(start =>
  `<trk><trkseg>${Array.from({ length: 720 }, (_, index) => {
    const time = new Date(1_777_852_800_000 + 1000 * (start + 5 * index)).toISOString();
    const latitude = 47.3 + 25 / 3.6 * (5 * index + start / 100) / 111_200;
    return `<trkpt lat="${latitude}" lon="8.1"><time>${time}</time></trkpt>`;
  }).join('')}</trkseg></trk>`).join('')}</gpx>`);
await choose(other, [rides]);
const rode = await nextReport(other);
expectReport(rode, rides);
expect((rode.match(/cycling/g) ?? []).length > 1, 'the rides are some');

const foreign = join(folder, 'foreign.csv');
writeFileSync(foreign, 'timestamp,acc_x,acc_y,acc_z\n0.00,0.1,0.2,9.8\n');
await choose(other, [foreign]);
await new Promise((resolve) => setTimeout(resolve, 1000));
const refusal = await other.evaluate(`document.getElementById('progress').textContent`);
expect(
  /^foreign\.csv:1: expected the columns t,ax,ay,az/.test(refusal)
    && refusal.includes('found "timestamp,acc_x'),
  `a foreign header is refused by "${refusal}"`);
rmSync(folder, { recursive: true });

expect(complaints.length === 0, `the browser complains: ${[...new Set(complaints)].join('; ')}`);
await browser.close();
console.log(
  `the page on ${seconds} s: ${found} as the command, ${counted} steps (${steps.toFixed(1)}), `
    + `${script.toFixed(1)} ms of script per second; its reports are the command's`);
process.exitCode = failures ? 1 : 0;
