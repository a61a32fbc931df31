/** The page: this phone's sensors live, and recordings from files. The core decides everything. */
import { Activity } from "./layout.mjs";
import { unpacked } from "./files.mjs";
import { Library } from "./locomotion.mjs";
import { removeReport, showReport } from "./report.mjs";
import { Upload } from "./upload.mjs";

const $ = id => document.getElementById(id);
const library = fetch("locomotion.wasm").then(async answer => Library.load(await answer.arrayBuffer()));
const activities = Object.keys(Activity).filter(name => Activity[name] >= 0);

// ---- Text ----

const formats = [0, 1].map(decimals => new Intl.NumberFormat(
  "en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals }));
const number = (value, decimals = 0) => formats[decimals].format(value);

const metres = value =>
  !Number.isFinite(value) ? "–" : value < 1000 ? `${number(value)} m` : `${number(value / 1000, 1)} km`;

const stopwatch = seconds =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

function element(name, attributes = {}, ...children) {
  const isDrawing = ["path", "circle", "text"].includes(name);
  const made = isDrawing
    ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

// ---- Tabs ----

const tabs = [...document.querySelectorAll("[role=tab]")];
function select(tab) {
  for (const other of tabs) {
    const isChosen = other === tab;
    other.setAttribute("aria-selected", String(isChosen));
    other.tabIndex = isChosen ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !isChosen;
  }
}

/**
 * Live first where there is a motion sensor: on a phone that asks before it gives any, or where an
 * event has values. A computer fires none, or one without. Until then a touch screen is the guess.
 */
let isTabChosen = false;
function openBySensor(hasMotion) {
  if (!isTabChosen) select($(hasMotion ? "tab-live" : "tab-file"));
}
openBySensor("DeviceMotionEvent" in globalThis && matchMedia("(pointer: coarse)").matches);
addEventListener("devicemotion", function sense({ accelerationIncludingGravity: force }) {
  const hasMotion = typeof force?.x === "number";
  openBySensor(hasMotion);
  if (hasMotion || isTabChosen) removeEventListener("devicemotion", sense);
});

for (const [index, tab] of tabs.entries()) {
  tab.addEventListener("click", () => {
    isTabChosen = true;
    select(tab);
  });
  tab.addEventListener("keydown", event => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(index + step + tabs.length) % tabs.length];
    isTabChosen = true;
    select(next);
    next.focus();
  });
}

// ---- The track ----

/** Draws a track and the circle about its last place, with a bar that tells the scale. */
function drawTrack(svg, track) {
  const here = track.at(-1);
  // Metres east and south of the last place; good enough for a drawing.
  const east = 111_320 * Math.cos((here.latitude * Math.PI) / 180);
  const places = track.map(({ latitude, longitude }) =>
    [(longitude - here.longitude) * east, (here.latitude - latitude) * 111_132]);
  const reach = Math.max(here.radius68, 20);
  const [[left, right], [top, bottom]] = [0, 1].map(axis => {
    const values = places.map(place => place[axis]);
    return [Math.min(...values) - reach, Math.max(...values) + reach];
  });
  const scale = Math.min(680 / (right - left), 440 / (bottom - top));
  const put = ([x, y]) => [
    360 + (x - (left + right) / 2) * scale, 240 + (y - (top + bottom) / 2) * scale,
  ].map(value => Math.round(value * 10) / 10);
  const [cx, cy] = put(places.at(-1));
  const decade = 10 ** Math.floor(Math.log10(160 / scale));
  const bar = [5, 2, 1].map(step => step * decade).find(length => length * scale <= 160);
  svg.replaceChildren(
    element("path", { class: "leg", d: `M${places.map(put).join("L")}` }),
    element("circle", { class: "radius", cx, cy, r: Math.max(8, here.radius68 * scale) }),
    element("circle", { class: "here", cx, cy, r: 7 }),
    element("path", { class: "scale", d: `M16 458v6h${bar * scale}v-6` }),
    element("text", { x: 22, y: 452 }, metres(bar)));
}

// ---- Live ----

const live = {
  pipeline: undefined, lines: [], began: 0, steps: 0, count: 0, track: [], signal: [],
  batch: undefined, latest: undefined, missing: new Map(), upload: undefined,
};

/** iOS measures with the opposite sign, and is the one that asks for permission. */
const isApple = typeof globalThis.DeviceMotionEvent?.requestPermission === "function";

const emptyBatch = () => ({ times: [], xyz: [], rateTimes: [], rates: [], fixes: [] });

/** What the sensors do not give, by the sensor. */
function missing(sensor, text) {
  if (text) live.missing.set(sensor, text);
  else live.missing.delete(sensor);
  const lines = [...live.missing.values()].map(line => element("li", {}, line));
  if (lines.length !== $("missing").childElementCount || text) $("missing").replaceChildren(...lines);
}

/** Times of events on the clock of day, in nanoseconds: to a quarter of a microsecond. */
const timesOf = stamps =>
  BigInt64Array.from(stamps, stamp => BigInt(Math.round((performance.timeOrigin + stamp) * 1e6)));

function takeMotion(event) {
  const { accelerationIncludingGravity: force, rotationRate: rate } = event;
  const { batch } = live;
  const time = event.timeStamp;
  if (force && force.x !== null) {
    if (live.missing.has("motion")) missing("motion");
    const sign = isApple ? -1 : 1;
    batch.times.push(time);
    batch.xyz.push(sign * force.x, sign * force.y, sign * force.z);
    live.count++;
    live.signal.push({ time, value: Math.hypot(force.x, force.y, force.z) });
  }
  if (rate && rate.alpha !== null) {
    const radians = Math.PI / 180;
    batch.rateTimes.push(time);
    batch.rates.push(rate.alpha * radians, rate.beta * radians, rate.gamma * radians);
  }
}

function takePosition({ coords, timestamp }) {
  missing("position");
  const now = Date.now();
  live.batch.fixes.push({
    // A receiver's clock that is minutes off would put its fixes at other steps.
    time: BigInt(Math.round(Math.abs(timestamp - now) < 60_000 ? timestamp : now)) * 1_000_000n,
    latitude: coords.latitude, longitude: coords.longitude,
    horizontal_accuracy: coords.accuracy, altitude: coords.altitude ?? NaN,
    vertical_accuracy: coords.altitudeAccuracy ?? NaN, speed: coords.speed ?? NaN,
    course: coords.heading ?? NaN,
  });
}

const decimalSeconds = time => {
  const digits = String(time).padStart(10, "0");
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`;
};

/** One line of the recording, as `locomotion record` reads it. */
function line({ times, xyz, rateTimes, rates, fixes }) {
  const columns = (prefix, values) => ["x", "y", "z"].map((axis, index) =>
    `"${prefix}${axis}":[${values.filter((_, place) => place % 3 === index)
      .map(value => Math.fround(value)).join(",")}]`);
  const parts = [`"t":[${Array.from(times, decimalSeconds).join(",")}]`, ...columns("a", xyz)];
  if (rateTimes.length === times.length && times.length) parts.push(...columns("g", rates));
  if (fixes.length) {
    const names = [["latitude", "lat"], ["longitude", "lon"], ["altitude", "alt"],
      ["horizontal_accuracy", "hacc"], ["speed", "speed"], ["course", "course"]];
    parts.push(`"fixes":[${fixes.map(fix => `{"t":${decimalSeconds(fix.time)},${names
      .filter(([field]) => Number.isFinite(fix[field]))
      .map(([field, name]) => `"${name}":${fix[field]}`).join(",")}}`).join(",")}]`);
  }
  return `{${parts.join(",")}}`;
}

/** Once a second: what came in goes to the core, what it found out to the page. */
function step() {
  const { batch, pipeline } = live;
  live.batch = emptyBatch();
  batch.times = timesOf(batch.times);
  batch.rateTimes = timesOf(batch.rateTimes);
  if (batch.times.length || batch.fixes.length) live.lines.push(line(batch));
  live.upload?.add(batch);
  live.upload?.send();
  pipeline.appendAccelerations(batch.times, Float32Array.from(batch.xyz));
  pipeline.appendRotationRates(batch.rateTimes, Float32Array.from(batch.rates));
  pipeline.appendFixes(batch.fixes);
  pipeline.process();
  for (const sample of pipeline.pollSamples()) {
    live.latest = sample;
    live.steps += sample.steps;
    if (Number.isFinite(sample.latitude)) live.track.push(sample);
  }
  pipeline.pollFixes();
  if (document.visibilityState === "visible") drawLive();
}

/** Shows a text where another one is. */
function setText(id, text) {
  if ($(id).textContent !== text) $(id).textContent = text;
}

function drawLive() {
  const sample = live.latest;
  setText("recorded", stopwatch((performance.now() - live.began) / 1000));
  if (sample) {
    setText("activity", activities[sample.activity] ?? "unknown");
    const probability = Math.max(...sample.probabilities);
    setText("sure", sample.activity < 0 ? "" : `${number(100 * probability)} % sure`);
    setText("moving", ["no", "yes"][sample.moving] ?? "?");
    setText(
      "cadence", Number.isNaN(sample.cadence) ? "–" : `${number(sample.cadence)} / min`);
    setText("steps", number(live.steps));
    setText("speed", Number.isNaN(sample.speed) ? "–" : `${number(3.6 * sample.speed, 1)} km/h`);
    setText("radius", metres(sample.radius68));
    drawBars(sample);
  }
  drawSignal();
  const last = live.track.at(-1);
  if (last) {
    const every = Math.ceil(live.track.length / 300);
    const points = live.track.filter((_, index) => index % every === 0);
    drawTrack($("track"), [...points, last]);
  }
}

function drawBars(sample) {
  $("bars").replaceChildren(...activities.map((name, index) => {
    const probability = sample.probabilities[index];
    const bar = element("b", { class: name });
    bar.style.transform = `scaleX(${probability.toFixed(3)})`;
    const share = element("span", {}, `${number(100 * probability)} %`);
    return element(
      "div", { class: "bar" }, element("span", {}, name), element("i", {}, bar), share);
  }));
}

/** The magnitudes of the last minute, and a line at that of gravity. */
function drawSignal() {
  const canvas = $("signals");
  const drawing = canvas.getContext("2d");
  const { width, height } = canvas;
  const now = performance.now();
  live.signal = live.signal.filter(({ time }) => time > now - 60_000);
  const largest = live.signal.reduce((most, { value }) => Math.max(most, value), 15);
  const y = value => height - 8 - (value / largest) * (height - 16);
  const style = getComputedStyle(document.documentElement);
  drawing.clearRect(0, 0, width, height);
  drawing.fillStyle = style.getPropertyValue("--soft");
  drawing.font = "20px system-ui";
  drawing.fillRect(0, y(9.80665), width, 1);
  drawing.fillText("9.8", 6, y(9.80665) - 6);
  drawing.strokeStyle = style.getPropertyValue("--accent");
  drawing.lineWidth = 2;
  drawing.beginPath();
  for (const { time, value } of live.signal) {
    drawing.lineTo(width * (1 - (now - time) / 60_000), y(value));
  }
  drawing.stroke();
}

async function start() {
  for (const sensor of ["page", "motion", "position"]) missing(sensor);
  if (!isSecureContext) {
    missing(
      "page", "Browsers give sensors to secure pages only: open this one over https or on localhost.");
  }
  if (isApple && (await DeviceMotionEvent.requestPermission().catch(() => "denied")) !== "granted") {
    missing(
      "motion", "Motion is not allowed: allow it in the settings of the browser, and load the page anew.");
  }
  removeReport($("live-report"));
  live.pipeline?.destroy();
  Object.assign(live, {
    pipeline: (await library).create({ keepsRecording: true }), lines: [],
    began: performance.now(), steps: 0, count: 0,
    track: [], signal: [], batch: emptyBatch(), latest: undefined,
  });
  addEventListener("devicemotion", takeMotion);
  if (navigator.geolocation) {
    live.watch = navigator.geolocation.watchPosition(
      takePosition,
      error => missing(
        "position", error.code === 1
          ? "Position is not allowed: allow it for this page." : "No position comes yet."),
      { enableHighAccuracy: true });
  } else {
    missing("position", "This browser has no position.");
  }
  live.timer = setInterval(step, 1000);
  warmUp();
  await stayAwake();
  $("now").hidden = false;
  $("save").hidden = false;
  $("start").textContent = "Stop";
  setTimeout(() => {
    if (!live.count && live.timer && !live.missing.has("motion")) {
      missing("motion", "No accelerations come: this device has no accelerometer, or hides it.");
    }
  }, 3000);
}

function stop() {
  removeEventListener("devicemotion", takeMotion);
  navigator.geolocation?.clearWatch(live.watch);
  clearInterval(live.timer);
  live.timer = undefined;
  step();
  sendRest();
  live.lock?.release();
  $("start").textContent = "Start";
  if (!live.latest) return;
  try {
    live.pipeline.finish();
    const began = BigInt(Math.round(performance.timeOrigin + live.began)) * 1_000_000n;
    showReport($("live-report"), live.pipeline, fileName(), [began, live.latest.end]);
  } catch (error) {
    // Of hours of data it may not fit into the memory.
    $("live-report").textContent = error.message;
  }
}

/**
 * Lets the browser compile well what runs once a second only: it does so for code that ran for long.
 * A simulated walk of minutes does, in portions that leave frames alone.
 */
async function warmUp() {
  const pipeline = (await library).create();
  const seconds = 20;
  for (let portion = 0; portion < 15; portion++) {
    const stamps = Array.from({ length: 100 * seconds }, (_, index) => index + 100 * seconds * portion);
    const xyz = stamps.flatMap(stamp => {
      const phase = 0.12 * stamp;
      return [2 * Math.sin(phase / 2), 0.3 * Math.sin(phase / 3), 9.8 + 3 * Math.cos(phase)];
    });
    const times = BigInt64Array.from(stamps, stamp => BigInt(stamp) * 10_000_000n);
    pipeline.appendAccelerations(times, Float32Array.from(xyz));
    pipeline.appendRotationRates(times, Float32Array.from(xyz, value => value / 20));
    pipeline.appendFixes(Array.from({ length: seconds }, (_, second) => ({
      time: times[100 * second], latitude: 50 + 1e-5 * (second + seconds * portion), longitude: 8,
      horizontal_accuracy: 5, speed: 1.2,
    })));
    pipeline.process();
    pipeline.pollSamples();
    pipeline.pollFixes();
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  pipeline.destroy();
}

/** What is recorded from now on is also sent, if the switch is on and there is a token. */
function chooseUpload() {
  const token = $("token").value.trim();
  const isWanted = $("send").checked;
  if (live.upload && isWanted && live.upload.token === token && !live.upload.refusal) return;
  const tell = text => setText("sent", text);
  live.upload = isWanted && token ? new Upload(token, tell) : undefined;
  tell(isWanted && !token ? "Enter the token of the server's user." : "");
  setText("promise", live.upload
    ? "All is computed in this page. What is recorded is also sent to its server."
    : "All is computed in this page. Nothing leaves the device.");
}
$("send").addEventListener("change", chooseUpload);
$("token").addEventListener("change", chooseUpload);

/** Sends what waits once more, after the recording has ended. */
function sendRest() {
  if (live.timer || !live.upload?.waiting || live.upload.refusal) return;
  live.upload.send();
  setTimeout(sendRest, 1000);
}

/** The name of what is recorded, by its beginning. */
function fileName() {
  const stamp = new Date(performance.timeOrigin + live.began).toISOString().slice(0, 16);
  return `locomotion-${stamp.replaceAll(":", "")}`;
}

async function stayAwake() {
  live.lock = await navigator.wakeLock?.request("screen").catch(() => undefined);
}

document.addEventListener("visibilitychange", () => {
  if (live.timer && document.visibilityState === "visible") stayAwake();
});
$("start").addEventListener("click", () => (live.timer ? stop() : start()));
$("save").addEventListener("click", () => {
  const address = URL.createObjectURL(
    new Blob(live.lines.map(text => text + "\n"), { type: "application/x-ndjson" }));
  const link = element("a", { href: address, download: `${fileName()}.ndjson` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
});

// ---- A recording ----

/** Shows the report on files, or on those that a promise has. */
async function show(files) {
  if (files.length === 0) return;
  removeReport($("report"));
  const core = await library;
  let given = [];
  try {
    $("progress").textContent = "reading …";
    given = (await Promise.all([...(await files)].map(unpacked))).flat();
    for (const [path, bytes] of given) core.file(path, bytes);
    // Fixes belong to a recording, and a map of `locomotion map` goes beside it.
    const recordings = given.filter(([path]) => !/\.map$/i.test(path));
    const isFixes = path => /\.gps\.csv$/i.test(path);
    const [name] = (recordings.find(([path]) => !isFixes(path)) ?? recordings[0])[0].split("/");
    const pipeline = core.create({ keepsRecording: true });
    let [span, done, shown] = [[], 0, 0];
    let part = pipeline.read(name);
    for (; part.count; part = pipeline.read()) {
      pipeline.process();
      const times = [...span, part.first, part.last];
      span = [true, false].map(isFirst =>
        times.reduce((edge, time) => ((time < edge) === isFirst ? time : edge)));
      done += part.count;
      if (done - shown < 100_000) continue;
      shown = done;
      $("progress").textContent = `computing … ${number(done)} measurements`;
      await new Promise(resolve => setTimeout(resolve));
    }
    pipeline.finish();
    showReport($("report"), pipeline, name, span);
    pipeline.destroy();
    $("progress").textContent = part.notes;
  } catch (error) {
    $("progress").textContent = error.message;
  }
  for (const [path] of given) core.file(path);
}

/** The example that the page's folder has: a simulated morning, as `demo-recording` writes it. */
function showExample() {
  show(Promise.all(["example.csv.gz", "example.gps.csv.gz"].map(async name => {
    const answer = await fetch(name);
    if (!answer.ok) throw new Error(`${name} is missing in the page's folder`);
    return new File([await answer.blob()], name);
  })));
}

$("example").addEventListener("click", showExample);
$("choose").addEventListener("change", event => show(event.target.files));
$("drop").addEventListener("dragover", event => {
  event.preventDefault();
  $("drop").classList.add("over");
});
$("drop").addEventListener("dragleave", () => $("drop").classList.remove("over"));
$("drop").addEventListener("drop", event => {
  event.preventDefault();
  $("drop").classList.remove("over");
  show(event.dataTransfer.files);
});

if ("serviceWorker" in navigator && isSecureContext) {
  navigator.serviceWorker.register("service-worker.js").catch(() => {});
}
