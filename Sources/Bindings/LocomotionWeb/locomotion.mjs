// The C library in JavaScript: what `locomotion.h` describes, as objects and typed arrays.
//
//     import { Library } from './locomotion.mjs';
//     const library = await Library.load(await (await fetch('locomotion.wasm')).arrayBuffer());
//     const pipeline = library.create();
//     pipeline.appendAccelerations(times, xyz);
//     pipeline.process();
//     for (const sample of pipeline.pollSamples()) console.log(sample.activity, sample.cadence);
//     pipeline.destroy();
//
// Times are BigInts of nanoseconds, unknown numbers NaN; units and constants are those of the header.
// An error of the library is thrown with its text.

import { structs } from './layout.mjs';

export { Form } from './layout.mjs';

const numbers = {
  int64_t: ['BigInt64', 8], double: ['Float64', 8], int32_t: ['Int32', 4], float: ['Float32', 4],
};

/** A struct of the header: its size, and how to read and write one. */
export class Struct {
  constructor(name) {
    this.size = structs[name].size;
    this.fields = structs[name].fields.map(([field, type, at, count]) => {
      if (!numbers[type]) return { field, at, struct: new Struct(type) };
      const [kind, size] = numbers[type];
      const [get, set] = [`get${kind}`, `set${kind}`];
      return {
        field, at, count, size,
        get: (view, place) => view[get](place, true),
        set: (view, place, value) => view[set](place, value, true),
      };
    });
  }

  read(view, start) {
    const value = {};
    for (const { field, at, count, size, struct, get } of this.fields) {
      const place = start + at;
      if (struct) value[field] = struct.read(view, place);
      else if (count === 1) value[field] = get(view, place);
      else value[field] = Array.from({ length: count }, (_, i) => get(view, place + i * size));
    }
    return value;
  }

  /** Writes a struct of numbers; one that is missing is NaN. */
  write(view, start, value) {
    for (const { field, at, set } of this.fields) set(view, start + at, value[field] ?? NaN);
  }
}

const fix = new Struct('locomotion_fix');
const sample = new Struct('locomotion_sample');
const report = new Struct('locomotion_fix_report');
const item = new Struct('locomotion_timeline_item');
const counts = new Struct('locomotion_counts');

/** A module that was loaded. */
export class Library {
  #buffers = new Map();

  constructor(instance) {
    this.functions = instance.exports;
  }

  /** Compiles the bytes of `locomotion.wasm`. */
  static async load(bytes) {
    const { instance } = await WebAssembly.instantiate(bytes, {});
    return new Library(instance);
  }

  /** A pipeline; `model` is a Uint8Array with a model file, without it the built-in model. */
  create({ model = new Uint8Array(0), keepsRecording = false } = {}) {
    const result = this.buffer('result', 8);
    this.check(this.functions.locomotion_create(
      this.put('model', model), BigInt(model.length), keepsRecording ? 1 : 0, result));
    return new Pipeline(this, this.view.getBigUint64(result, true));
  }

  activityName(activity) {
    return this.text(this.functions.locomotion_activity_name(activity));
  }

  // Memory. It moves when it grows: views are made anew after every call.

  get view() {
    return new DataView(this.functions.memory.buffer);
  }

  /** Memory of at least `size` bytes for one purpose, which is used again. */
  buffer(purpose, size) {
    const old = this.#buffers.get(purpose);
    if (old && old.size >= size) return old.address;
    if (old) this.functions.free(old.address);
    const room = Math.max(64, 2 * size);
    const address = this.functions.malloc(room) >>> 0;
    if (!address) throw new Error('out of memory');
    this.#buffers.set(purpose, { address, size: room });
    return address;
  }

  /** The address of a copy of a typed array. */
  put(purpose, array) {
    const address = this.buffer(purpose, array.byteLength);
    new Uint8Array(this.functions.memory.buffer, address, array.byteLength).set(
      new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    return address;
  }

  text(address) {
    const bytes = new Uint8Array(this.functions.memory.buffer, address >>> 0);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  /** The text whose address and number of bytes stand at `place`; it is freed. */
  take(place) {
    const address = this.view.getUint32(place, true);
    const size = Number(this.view.getBigInt64(place + 8, true));
    const text = new TextDecoder().decode(
      new Uint8Array(this.functions.memory.buffer, address, size));
    this.functions.free(address);
    return text;
  }

  /** Gives the library the bytes of a file to read; without bytes it is forgotten. */
  file(path, bytes) {
    const address = bytes ? this.functions.malloc(bytes.length) >>> 0 : 0;
    if (bytes && !address) throw new Error('out of memory');
    if (bytes) new Uint8Array(this.functions.memory.buffer).set(bytes, address);
    this.functions.locomotion_page_file(
      this.put('name', new TextEncoder().encode(`${path}\0`)), address, BigInt(bytes?.length ?? 0));
    this.functions.free(address);
  }

  check(error) {
    if (error !== 0) throw new Error(this.text(this.functions.locomotion_error_text(error)));
  }
}

/** A pipeline; `destroy()` frees it. */
export class Pipeline {
  constructor(library, handle) {
    this.library = library;
    this.handle = handle;
  }

  /** A BigInt64Array of times, and a Float32Array of x, y, z, x, y, z, … in m/s². */
  appendAccelerations(times, xyz) {
    this.#appendVectors('locomotion_append_accelerations', times, xyz);
  }

  /** The same for rotation rates, rad/s. */
  appendRotationRates(times, xyz) {
    this.#appendVectors('locomotion_append_rotation_rates', times, xyz);
  }

  #appendVectors(name, times, xyz) {
    if (xyz.length < 3 * times.length) throw new Error('fewer values than times');
    const { library } = this;
    const at = library.put('times', times);
    const x = library.put('values', xyz);
    library.check(library.functions[name](
      this.handle, BigInt(times.length), at, x, x + 4, x + 8, 3n));
  }

  /** Pressures of the air, hPa, as a Float32Array. */
  appendPressures(times, hectopascals) {
    if (hectopascals.length < times.length) throw new Error('fewer values than times');
    const { library } = this;
    const at = library.put('times', times);
    library.check(library.functions.locomotion_append_pressures(
      this.handle, BigInt(times.length), at, library.put('values', hectopascals), 1n));
  }

  /** Fixes as objects with the fields of `locomotion_fix`, of which the unknown may be missing. */
  appendFixes(fixes) {
    const { library } = this;
    const address = library.buffer('values', fixes.length * fix.size);
    const view = library.view;
    fixes.forEach((value, index) => fix.write(view, address + index * fix.size, value));
    library.check(library.functions.locomotion_append_fixes(
      this.handle, BigInt(fixes.length), address));
  }

  process() {
    this.library.check(this.library.functions.locomotion_process(this.handle));
  }

  finish() {
    this.library.check(this.library.functions.locomotion_finish(this.handle));
  }

  reset() {
    this.library.check(this.library.functions.locomotion_reset(this.handle));
  }

  /** The seconds that are over and were not polled yet. */
  pollSamples() {
    return this.#poll('locomotion_poll_samples', sample);
  }

  /** The fixes that were processed and not polled yet. */
  pollFixes() {
    return this.#poll('locomotion_poll_fixes', report);
  }

  #poll(name, struct) {
    const all = [];
    for (;;) {
      const part = this.#list(struct, 256, (address, capacity, count) =>
        this.library.functions[name](this.handle, address, capacity, count));
      all.push(...part);
      if (part.length === 0) return all;
    }
  }

  /** All seconds so far, of a pipeline that keeps its recording. */
  recordingSamples(form) {
    return this.#all(sample, (...buffer) =>
      this.library.functions.locomotion_recording_samples(this.handle, form, ...buffer));
  }

  /** All fixes so far. */
  recordingFixes(form) {
    return this.#all(report, (...buffer) =>
      this.library.functions.locomotion_recording_fixes(this.handle, form, ...buffer));
  }

  /** The stays, trips, legs and gaps so far. */
  timeline(form) {
    return this.#all(item, (...buffer) =>
      this.library.functions.locomotion_timeline(this.handle, form, ...buffer));
  }

  /**
   * The report of `locomotion analyze` in HTML, of a pipeline that keeps its recording. `zone` is the
   * name of a time zone, and `offsets` are pairs: from which second of the Unix clock on there is
   * which offset to UTC.
   */
  report(name, zone = 'UTC', offsets = []) {
    const { library } = this;
    const text = (purpose, value) => library.put(purpose, new TextEncoder().encode(`${value}\0`));
    const result = library.buffer('result', 16);
    library.check(library.functions.locomotion_page_report(
      this.handle, text('name', name), text('zone', zone),
      library.put('values', BigInt64Array.from(offsets.flat(), BigInt)), BigInt(offsets.length),
      result, result + 8));
    return library.take(result);
  }

  /**
   * Appends the next events of a file or folder whose bytes the library has, as `locomotion analyze`
   * reads it; without a path those that follow. Gives their number, 0 at the end, with the first and
   * the last of their times, and at the end notes on what was read.
   */
  read(path) {
    const { library } = this;
    const result = library.buffer('result', 40);
    const error = library.functions.locomotion_page_read(
      this.handle, path ? library.put('name', new TextEncoder().encode(`${path}\0`)) : 0,
      result + 16, result, result + 8);
    if (error < 0) throw new Error(library.take(result));
    library.check(error);
    const [count, first, last] = [16, 24, 32].map(at => library.view.getBigInt64(result + at, true));
    return { count: Number(count), first, last, notes: count ? '' : library.take(result) };
  }

  counts() {
    const { library } = this;
    const address = library.buffer('structs', counts.size);
    library.check(library.functions.locomotion_counts_so_far(this.handle, address));
    return counts.read(library.view, address);
  }

  destroy() {
    this.library.check(this.library.functions.locomotion_destroy(this.handle));
  }

  /** Calls `body` with a buffer for `capacity` structs, and reads as many as it counts. */
  #list(struct, capacity, body) {
    const { library } = this;
    const address = library.buffer('structs', capacity * struct.size);
    const count = library.buffer('result', 8);
    library.check(body(address, BigInt(capacity), count));
    const view = library.view;
    const length = Number(view.getBigInt64(count, true));
    return Array.from({ length }, (_, index) => struct.read(view, address + index * struct.size));
  }

  #all(struct, body) {
    const count = this.library.buffer('result', 8);
    this.library.view.setBigInt64(count, 0n, true);
    body(0, 0n, count);
    return this.#list(struct, Number(this.library.view.getBigInt64(count, true)), body);
  }
}
