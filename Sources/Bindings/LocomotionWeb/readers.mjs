/**
 * Recordings from files that people have: tidy CSV, Sensor Logger's exports, GPX.
 *
 * The command reads many more forms and says what it left out; this is what a page needs to show a
 * file without sending it anywhere.
 */

const gravity = 9.80665;

/** A number of seconds as nanoseconds, exactly; undefined when it is none. */
export function nanoseconds(text) {
  const match = /^\s*([+-]?)(\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d+))?\s*$/.exec(text);
  if (!match || !(match[2] || match[3])) return undefined;
  if (match[4]) {
    const value = Number(text) * 1e9;
    return Math.abs(value) < 2 ** 62 ? BigInt(Math.round(value)) : undefined;
  }
  const part = (match[3] ?? "").padEnd(10, "0");
  let value = BigInt((match[2] ?? "") + part.slice(0, 9));
  if (part[9] >= "5") value += 1n;
  return value >= 2n ** 62n ? undefined : match[1] === "-" ? -value : value;
}

/** A growing array of one number type. */
class Column {
  constructor(Type) {
    this.values = new Type(1024);
    this.count = 0;
  }

  push(value) {
    if (this.count === this.values.length) {
      const grown = new this.values.constructor(2 * this.count);
      grown.set(this.values);
      this.values = grown;
    }
    this.values[this.count++] = value;
  }

  get all() { return this.values.subarray(0, this.count); }
}

/** Times, and x, y, z, x, y, z, … */
class Series {
  constructor() {
    this.times = new Column(BigInt64Array);
    this.xyz = new Column(Float32Array);
  }

  push(time, x, y, z) {
    this.times.push(time);
    this.xyz.push(x);
    this.xyz.push(y);
    this.xyz.push(z);
  }

  get count() { return this.times.count; }

  /** The samples of these indices. */
  part(first, end) {
    return { times: this.times.all.subarray(first, end), xyz: this.xyz.all.subarray(3 * first, 3 * end) };
  }
}

/** What was recorded: accelerations in m/s², rotation rates in rad/s, fixes. */
export class Recording {
  constructor() {
    this.accelerations = new Series();
    this.rotationRates = new Series();
    this.fixes = [];
    this.notes = [];
  }

  get isEmpty() { return this.accelerations.count === 0 && this.fixes.length === 0; }

  /** The first and the last time of all, nanoseconds. */
  get span() {
    const times = this.accelerations.times.all;
    const all = [
      ...times.subarray(0, 1), ...times.subarray(-1), ...this.fixes.map(({ time }) => time),
    ];
    return [false, true].map(isLast =>
      all.reduce((edge, time) => (time > edge === isLast ? time : edge), all[0] ?? 0n));
  }

  /** The recording in order of time, in pieces of so many accelerations. */
  *batches(size) {
    const { accelerations, rotationRates, fixes } = this;
    const times = accelerations.times.all;
    let [rate, fix] = [0, 0];
    for (let first = 0; first === 0 || first < times.length; first += size) {
      const end = Math.min(times.length, first + size);
      const isDue = time => end === times.length || time <= times[end - 1];
      const [firstRate, firstFix] = [rate, fix];
      // A fix comes before the first acceleration that is not earlier than it.
      while (fix < fixes.length && isDue(fixes[fix].time)) fix++;
      while (rate < rotationRates.count && isDue(rotationRates.times.values[rate])) rate++;
      yield {
        accelerations: accelerations.part(first, end),
        rotationRates: rotationRates.part(firstRate, rate), fixes: fixes.slice(firstFix, fix),
      };
    }
  }
}

/** The columns of the tidy form: those that a table must have, and those that it may. */
const tidyForms = [
  { needed: ["t", "ax", "ay", "az"], further: "gx,gy,gz" },
  { needed: ["t", "lat", "lon"], further: "alt,hacc,speed,course" },
];

/** The names of a table's columns in lower case. */
const columnsOf = text => [...rows(text.slice(0, 20_000), () => {}).keys()];

/** What the header of a table lacks, in the command's words. */
function headerError(name, text) {
  const columns = columnsOf(text);
  const missing = tidyForms.map(({ needed }) =>
    needed.filter(column => !columns.includes(column)).join(", ")).join(" or ");
  const expected = tidyForms.map(({ needed, further }) => `${needed.join(",")}[,${further}]`);
  return new Error(
    `${name}:1: expected the columns ${expected.join(" or ")}; missing: ${missing}; found `
      + `"${columns.join(",").slice(0, 200)}". `
      + "The command takes other names: locomotion analyze FILE --column t=…,ax=…");
}

/**
 * The rows of a table: calls `each` with a function that gives a field by its column's name, and
 * with the names and fields of the row. The result are the places of the columns by their names.
 */
function rows(text, each) {
  let start = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  let columns;
  let separator = ",";
  while (start < text.length) {
    let end = text.indexOf("\n", start);
    if (end < 0) end = text.length;
    let line = text.slice(start, end);
    start = end + 1;
    if (line.endsWith("\r")) line = line.slice(0, -1);
    if (!line.trim()) continue;
    if (!columns) {
      separator = line.includes(";") ? ";" : line.includes("\t") ? "\t" : ",";
      columns = new Map(
        fields(line, separator).map((name, index) => [name.trim().toLowerCase(), index]));
      continue;
    }
    let parts = fields(line, separator);
    // Where no comma divides fields, it is the decimal point.
    if (separator !== ",") parts = parts.map(part => part.replace(",", "."));
    each(name => parts[columns.get(name)] ?? "", columns, parts);
  }
  return columns ?? new Map();
}

function fields(line, separator) {
  if (!line.includes('"')) return line.split(separator);
  const result = [];
  for (const match of line.matchAll(
    new RegExp(`(?:^|${separator})(?:"((?:[^"]|"")*)"|([^${separator}]*))`, "g"))) {
    result.push(match[1] === undefined ? match[2] : match[1].replaceAll('""', '"'));
  }
  return result;
}

const number = text => (text.trim() === "" ? NaN : Number(text));

/** The quantities of a fix by the names that programs give them, as the command reads them. */
const quantities = {
  lat: "latitude", latitude: "latitude", lon: "longitude", longitude: "longitude",
  alt: "altitude", ele: "altitude", altitude: "altitude", speed: "speed", sacc: "speed_accuracy",
  speedaccuracy: "speed_accuracy", course: "course", bearing: "course", cacc: "course_accuracy",
  bearingaccuracy: "course_accuracy", hacc: "horizontal_accuracy", accuracy: "horizontal_accuracy",
  accuracy_horizontal: "horizontal_accuracy", horizontalaccuracy: "horizontal_accuracy",
  horizontal_accuracy: "horizontal_accuracy", vacc: "vertical_accuracy",
  accuracy_vertical: "vertical_accuracy", verticalaccuracy: "vertical_accuracy",
  vertical_accuracy: "vertical_accuracy",
};

/** A fix from pairs of a name in lower case and a text. */
function fixOf(time, pairs) {
  const fix = { time };
  for (const [name, text] of pairs) {
    const quantity = quantities[name];
    if (!quantity) continue;
    const value = number(text);
    // Of what cannot be negative, a negative number means unknown.
    const isKnown = value >= 0 || ["latitude", "longitude", "altitude"].includes(quantity);
    fix[quantity] = isKnown ? value : NaN;
  }
  return fix;
}

/** The fixes of a table; `timeOf` gives the time of a row, undefined for none. */
function fixesOf(text, timeOf) {
  const fixes = [];
  rows(text, (field, columns, parts) => {
    const time = timeOf(field);
    if (time === undefined) return;
    fixes.push(fixOf(time, [...columns].map(([name, place]) => [name, parts[place] ?? ""])));
  });
  return fixes;
}

/** The tidy form: `t,ax,ay,az[,gx,gy,gz]` and `t,lat,lon[,alt,hacc,speed,course]`. */
export function tidy(accelerations, fixes = "") {
  const recording = new Recording();
  let skipped = 0;
  const timeOf = field => {
    const time = nanoseconds(field("t")) ?? instant(field("t"));
    if (time === undefined) skipped++;
    return time;
  };
  rows(accelerations, (field, columns) => {
    const time = timeOf(field);
    if (time === undefined) return;
    if (field("ax") !== "" || !columns.has("pressure")) {
      recording.accelerations.push(
        time, number(field("ax")), number(field("ay")), number(field("az")));
    }
    if (field("gx") !== "") {
      recording.rotationRates.push(
        time, number(field("gx")), number(field("gy")), number(field("gz")));
    }
  });
  recording.fixes = fixesOf(fixes, timeOf);
  if (skipped) recording.notes.push(`${skipped} rows without a time are left out`);
  return recording;
}

/** A file that a person chose or dropped: its form is found by its name and content. */
export async function readFile(file) {
  let bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await inflated(bytes, "gzip");
  if (bytes[0] === 0x50 && bytes[1] === 0x4b) return folder(await unzipped(bytes));
  const text = new TextDecoder().decode(bytes);
  if (/<gpx[\s>]/i.test(text.slice(0, 2000))) return gpx(text);
  return folder(new Map([[file.name.replace(/\.gz$/i, ""), text]]));
}

async function inflated(bytes, form) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The tables of a zip archive, by their names without folders. */
async function unzipped(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error("the archive is cut: it has no directory");
  const files = new Map();
  let place = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    if (view.getUint32(place, true) !== 0x02014b50) throw new Error("the archive is damaged");
    const [method, packed, size] =
      [view.getUint16(place + 10, true), view.getUint32(place + 20, true),
        view.getUint32(place + 24, true)];
    const [nameLength, extra, comment] =
      [28, 30, 32].map(offset => view.getUint16(place + offset, true));
    const local = view.getUint32(place + 42, true);
    const name = new TextDecoder().decode(bytes.subarray(place + 46, place + 46 + nameLength));
    place += 46 + nameLength + extra + comment;
    if (!/\.csv$/i.test(name) || name.startsWith("__MACOSX/")) continue;
    if (size > 2 ** 30) throw new Error(`${name} is larger than a page can hold`);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = bytes.subarray(start, start + packed);
    files.set(
      name, new TextDecoder().decode(method === 0 ? content : await inflated(content, "deflate-raw")));
  }
  return files;
}

/** The recording in the tables of one folder. */
function folder(files) {
  const find = name =>
    [...files].find(([path]) => path.split("/").at(-1).toLowerCase() === name)?.[1];
  const isSensorLogger = ["totalacceleration.csv", "accelerometer.csv", "location.csv"].some(name =>
    columnsOf(find(name) ?? "").some(column => ["time", "seconds_elapsed"].includes(column)));
  if (isSensorLogger) return sensorLogger(find);
  const gps = [...files].find(([name]) => /\.gps\.csv$/i.test(name));
  const [motion, place] = tidyForms.map(({ needed }) => [...files].find(([, text]) => {
    const columns = columnsOf(text);
    return needed.every(column => columns.includes(column));
  }));
  if (motion) return tidy(motion[1], gps?.[1] ?? "");
  if (gps || place) return tidy("", (gps ?? place)[1]);
  const [name, text] = [...files][0] ?? [];
  if (name === undefined) throw new Error("the archive has no table (CSV)");
  if (text.includes("\0")) throw new Error(`${name}: no text; expected CSV, GPX or a zip of CSV`);
  throw headerError(name, text);
}

function sensorLogger(find) {
  const recording = new Recording();
  let [isApple, isKnown] = [false, false];
  rows(find("metadata.csv") ?? "", field => {
    isKnown ||= field("platform") !== "";
    isApple ||= /^ios/i.test(field("platform")) && !/^true$/i.test(field("standardisation"));
  });
  if (!isKnown) recording.notes.push("no Metadata.csv with the platform: signs are Android's");
  const sign = isApple ? -1 : 1;
  const timeOf = field =>
    (field("time") === "" ? undefined : BigInt(field("time").split(".")[0]));
  const series = (text, scale) => {
    const result = new Series();
    rows(text ?? "", field => {
      const time = timeOf(field);
      if (time === undefined) return;
      result.push(time, ...["x", "y", "z"].map(axis => number(field(axis)) * scale));
    });
    return result;
  };
  const [total, linear, gravityFile, raw] = [
    "totalacceleration.csv", "accelerometer.csv", "gravity.csv", "accelerometeruncalibrated.csv",
  ].map(find);
  if (total) recording.accelerations = series(total, sign);
  else if (linear && gravityFile) {
    recording.accelerations = sum(series(linear, sign), series(gravityFile, sign));
  } else if (raw) recording.accelerations = series(raw, isApple ? -gravity : 1);
  else if (linear) recording.notes.push("Accelerometer.csv without Gravity.csv is left out");
  recording.rotationRates = series(
    find("gyroscope.csv") ?? find("gyroscopeuncalibrated.csv"), 1);
  recording.fixes = fixesOf(find("location.csv") ?? "", timeOf);
  return recording;
}

/** Each of `a` and the nearest in time of `b`, added. */
function sum(a, b) {
  const result = new Series();
  let near = 0;
  const distance = (index, time) => Math.abs(Number(b.times.values[index] - time));
  for (let index = 0; index < a.count; index++) {
    const time = a.times.values[index];
    while (near + 1 < b.count && distance(near + 1, time) <= distance(near, time)) near++;
    if (near >= b.count || distance(near, time) > 50_000_000) continue;
    result.push(
      time, ...[0, 1, 2].map(
        axis => a.xyz.values[3 * index + axis] + b.xyz.values[3 * near + axis]));
  }
  return result;
}

/** The instant of a text in ISO 8601, ns, in UTC without a zone; undefined when it is none. */
export function instant(text) {
  const form = /^\s*(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:[.,](\d+))?(Z|[+-]\d\d:?\d\d)?\s*$/i;
  const [, second, fraction = "", zone = "Z"] = form.exec(text) ?? [];
  const time = Date.parse(second + zone.replace(/(\d\d)(\d\d)$/, "$1:$2"));
  return Number.isNaN(time)
    ? undefined : BigInt(time) * 1_000_000n + BigInt(fraction.padEnd(9, "0").slice(0, 9));
}

/** The points of a track, segment by segment, in order of time. */
function gpx(text) {
  const recording = new Recording();
  const pages = new DOMParser().parseFromString(text, "application/xml");
  if (pages.querySelector("parsererror")) throw new Error("the GPX file is no XML");
  let skipped = 0;
  for (const point of pages.getElementsByTagNameNS("*", "trkpt")) {
    const pairs = [...point.attributes, ...point.getElementsByTagName("*")].map(node =>
      [node.localName.toLowerCase(), node.textContent]);
    const time = instant(Object.fromEntries(pairs).time ?? "");
    if (time === undefined) skipped++;
    else recording.fixes.push(fixOf(time, pairs));
  }
  if (skipped) recording.notes.push(`${skipped} points without a time are left out`);
  return recording;
}
