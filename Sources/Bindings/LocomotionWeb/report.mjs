/** The report that `locomotion analyze` writes, made by the module, in a frame of its own. */

/** Clocks change at full quarters of an hour; they are looked at for ten years at most. */
const quarter = 900;
const mostQuarters = 10 * 366 * 96;

/**
 * This device's time zone: its name, and from which second of the Unix clock on there is which
 * offset to UTC, between the days before and after two seconds.
 */
function timeZone(first, last) {
  const start = Math.floor(first / quarter) * quarter - 86_400;
  const end = Math.min(last + 86_400, start + mostQuarters * quarter);
  const offsets = [];
  for (let second = start; second <= end; second += quarter) {
    const offset = -60 * new Date(1000 * second).getTimezoneOffset();
    if (offset !== offsets.at(-1)?.[1]) offsets.push([second, offset]);
  }
  return { name: Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC", offsets };
}

/** Takes away a report, and frees what it was shown from. */
export function removeReport(place) {
  const frame = place.querySelector("iframe");
  if (frame) URL.revokeObjectURL(frame.src);
  place.replaceChildren();
}

/**
 * Shows the report on what a pipeline keeps, between two times in nanoseconds, within `place`, as
 * high as it is, with a button that saves it.
 */
export function showReport(place, pipeline, name, [first, last]) {
  removeReport(place);
  const zone = timeZone(...[first, last].map(time => Number(time / 1_000_000_000n)));
  const html = pipeline.report(name, zone.name, zone.offsets);
  const address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  const save = document.createElement("a");
  save.className = "button";
  save.href = address;
  save.download = `${name.replace(/\.(csv|gpx|zip|gz)/gi, "")}.html`;
  save.textContent = "Save the report";
  const actions = document.createElement("p");
  actions.className = "actions";
  actions.append(save);
  const frame = document.createElement("iframe");
  frame.title = `The report on ${name}`;
  frame.src = address;
  frame.addEventListener("load", () => {
    const { documentElement: root } = frame.contentDocument;
    const fit = () => {
      frame.style.height = `${Math.ceil(root.getBoundingClientRect().height)}px`;
    };
    new ResizeObserver(fit).observe(root);
    fit();
  });
  place.replaceChildren(actions, frame);
}
