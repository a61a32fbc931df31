// A headless Chromium that is driven by DevTools messages through a pipe.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export class Chromium {
  #next = 1;
  #waiting = new Map();
  #listeners = [];

  static async launch(program = 'chromium') {
    const browser = new Chromium();
    browser.folder = mkdtempSync(join(tmpdir(), 'chromium-'));
    browser.process = spawn(program, [
      '--headless', '--no-sandbox', '--disable-gpu', '--remote-debugging-pipe', '--hide-scrollbars',
      `--user-data-dir=${browser.folder}`, 'about:blank',
    ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    let rest = '';
    browser.process.stdio[4].on('data', (data) => {
      const parts = (rest + data).split('\0');
      rest = parts.pop();
      for (const part of parts) browser.#take(JSON.parse(part));
    });
    return browser;
  }

  #take(message) {
    const waiting = this.#waiting.get(message.id);
    if (waiting) {
      this.#waiting.delete(message.id);
      if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
      else waiting.resolve(message.result);
    } else {
      for (const listener of this.#listeners) listener(message);
    }
  }

  on(listener) { this.#listeners.push(listener); }

  send(method, params = {}, sessionId = undefined) {
    const id = this.#next++;
    this.process.stdio[3].write(JSON.stringify({ id, method, params, sessionId }) + '\0');
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, method }));
  }

  /** Opens a page; its function sends it a message. */
  async page(url) {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const send = (method, params) => this.send(method, params, sessionId);
    for (const domain of ['Page', 'Runtime', 'Log']) await send(`${domain}.enable`);
    // The time of the thread: other programs on the machine do not count.
    await send('Performance.enable', { timeDomain: 'threadTicks' });
    const loaded = new Promise((resolve) => this.on((message) => {
      if (message.sessionId === sessionId && message.method === 'Page.loadEventFired') resolve();
    }));
    await send('Page.navigate', { url });
    await loaded;
    return {
      send, sessionId,
      evaluate: async (expression) => {
        const { result, exceptionDetails } = await send(
          'Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true, userGesture: true });
        if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? 'failed');
        return result.value;
      },
    };
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise((resolve) => this.process.once('exit', resolve));
    rmSync(this.folder, { recursive: true, force: true });
  }
}
