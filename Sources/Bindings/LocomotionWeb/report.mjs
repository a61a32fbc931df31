/** The report that `locomotion analyze` writes, made by the module, in a frame of its own. */

const halfDay = 43_200;
/** Changes of the clocks are looked for in so many half days. */
const mostSteps = 8000;

/**
 * This device's time zone: its name, and from which second of the Unix clock on there is which
 * offset to UTC, between two seconds.
 */
function timeZone(first, last) {
  const offset = second => -60 * new Date(1000 * second).getTimezoneOffset();
  const offsets = [[first - 2 * halfDay, offset(first - 2 * halfDay)]];
  for (let step = 0; step < mostSteps; step++) {
    let low = first + (step - 2) * halfDay;
    if (low > last + 2 * halfDay) break;
    let high = low + halfDay;
    const next = offset(high);
    if (next === offsets.at(-1)[1]) continue;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offset(middle) === next) high = middle;
      else low = middle;
    }
    offsets.push([high, next]);
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
