/** The files that a person chose or dropped, as the module reads them: unpacked, and by name. */

async function inflated(bytes, form) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The tables of a zip archive: pairs of a path and bytes. */
async function unzipped(bytes) {
  const view = new DataView(bytes.buffer);
  const text = (place, length) => new TextDecoder().decode(bytes.subarray(place, place + length));
  let end = bytes.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) throw new Error("the archive is cut: it has no directory");
  const files = [];
  let place = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count--) {
    if (view.getUint32(place, true) !== 0x02014b50) throw new Error("the archive is damaged");
    const [packed, size, local] = [20, 24, 42].map(at => view.getUint32(place + at, true));
    const [method, length, extra, comment] = [10, 28, 30, 32].map(at => view.getUint16(place + at, true));
    const name = text(place + 46, length);
    place += 46 + length + extra + comment;
    if (!/\.(csv|gpx)$/i.test(name) || /(^|\/)(__MACOSX|\.)/.test(name)) continue;
    if (size > 2 ** 30) throw new Error(`${name} is larger than a page can hold`);
    const start = local + 30 + view.getUint16(local + 26, true) + view.getUint16(local + 28, true);
    const content = bytes.subarray(start, start + packed);
    files.push([name, method === 0 ? content : await inflated(content, "deflate-raw")]);
  }
  return files;
}

/** A file's name and bytes; an archive is a folder of that name, unless it has one table. */
export async function unpacked(file) {
  let bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) bytes = await inflated(bytes, "gzip");
  if (bytes[0] !== 0x50 || bytes[1] !== 0x4b) return [[file.name, bytes]];
  const files = await unzipped(bytes);
  const isAlone = files.filter(([name]) => !/\.gps\.csv$/i.test(name)).length <= 1;
  return files.map(([name, content]) =>
    [isAlone ? name.split("/").at(-1) : `${file.name}/${name}`, content]);
}
