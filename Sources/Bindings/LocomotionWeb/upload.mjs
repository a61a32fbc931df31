/**
 * Sends what a page records to the journal behind `locomotion-server serve`, as messages of the app Sensor
 * Logger. A message stays in the queue until the server has said that it is stored; the server
 * knows a repeated one.
 */

/** Up to this many batches, of a second each, go into one message. */
const batchesPerMessage = 20;
const longestPause = 60_000;

export class Upload {
  #queue = [];
  #isSending = false;
  #failures = 0;
  #notBefore = 0;

  /**
   * `token` is the user's secret, `report` takes a text about each change, and `fetch` can be
   * another one in tests.
   */
  constructor(token, report, { address = "sensorlogger", fetch = globalThis.fetch } = {}) {
    Object.assign(this, { token, report, address, fetch, session: crypto.randomUUID() });
    /** Why nothing more is sent; until then undefined. */
    this.refusal = undefined;
  }

  get waiting() {
    return this.#queue.length;
  }

  /** Queues a batch of the page, its times in nanoseconds. */
  add(batch) {
    if (batch.times.length || batch.rateTimes.length || batch.fixes.length) this.#queue.push(batch);
  }

  /** Sends what waits, unless a message is on its way or the last one failed just now. */
  async send(now = performance.now()) {
    if (this.#isSending || this.refusal || !this.#queue.length || now < this.#notBefore) return;
    this.#isSending = true;
    const part = this.#queue.slice(0, batchesPerMessage);
    try {
      const answer = await this.fetch.call(undefined, this.address, {
        method: "POST",
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${this.token}` },
        body: message(this.session, part),
      });
      await this.#take(answer, part, now);
    } catch {
      this.#wait(now);
    }
    this.#isSending = false;
    this.#tell();
  }

  async #take(answer, part, now) {
    const { status } = answer;
    // Another server answers with a page of its own.
    const isStored = status === 200
      && await answer.json().then(({ result }) => result === "ok", () => false);
    if (isStored) {
      this.#queue.splice(0, part.length);
      this.#failures = 0;
    } else if (status === 401) {
      this.refusal = "the server does not know this token";
    } else if (status === 404 || status === 405) {
      this.refusal = "this server takes no recordings";
    } else if (status >= 400 && status < 500 && ![408, 425, 429].includes(status)) {
      this.refusal = `the server refuses the recording (${status})`;
    } else {
      this.#wait(now, Number(answer.headers.get("Retry-After")) * 1000);
    }
  }

  #wait(now, asked = 0) {
    this.#failures++;
    const pause = Math.min(longestPause, 1000 * 2 ** Math.min(this.#failures, 6));
    this.#notBefore = now + Math.max(pause, asked || 0);
  }

  #tell() {
    const left = this.#queue.length;
    const seconds = left === 1 ? "1 second waits" : `${left} seconds wait`;
    if (this.refusal) this.report(`Not sent: ${this.refusal}. ${seconds}; save the recording.`);
    else if (!left) this.report("Everything is stored by the server.");
    else if (this.#failures) this.report(`The server does not answer; ${seconds} to be sent.`);
    else this.report(`${seconds} to be sent.`);
  }
}

/** A message of Sensor Logger: one measurement per sample, in any order. */
function message(session, batches) {
  const payload = batches.flatMap(batch => [
    ...vectors("totalacceleration", batch.times, batch.xyz),
    ...vectors("gyroscope", batch.rateTimes, batch.rates),
    ...batch.fixes.map(location),
  ]);
  return `{"sessionId":"${session}","payload":[${payload.join(",")}]}`;
}

function vectors(name, times, values) {
  return Array.from(times, (time, index) => {
    const [x, y, z] = values.slice(3 * index, 3 * index + 3).map(Math.fround);
    return `{"name":"${name}","time":${time},"values":{"x":${x},"y":${y},"z":${z}}}`;
  });
}

function location(fix) {
  const names = [["latitude", "latitude"], ["longitude", "longitude"], ["altitude", "altitude"],
    ["horizontal_accuracy", "horizontalAccuracy"], ["vertical_accuracy", "verticalAccuracy"],
    ["speed", "speed"], ["course", "bearing"]];
  const values = names.filter(([field]) => Number.isFinite(fix[field]))
    .map(([field, name]) => `"${name}":${fix[field]}`);
  return `{"name":"location","time":${fix.time},"values":{${values.join(",")}}}`;
}
