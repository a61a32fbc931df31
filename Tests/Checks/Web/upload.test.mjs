// Holds the page's upload to its promise: a second stays in the queue until it is stored.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Upload } from '../../../Sources/Bindings/LocomotionWeb/upload.mjs';

const second = (time) => ({
  times: [BigInt(time) * 1_000_000_000n], xyz: [0.5, 0, 9.75], rateTimes: [], rates: [], fixes: [],
});
const answer = (status, body = '{"result":"ok"}', headers = {}) =>
  new Response(body, { status, headers });

/** An upload against a server that answers in turn with `answers`; an error is no connection. */
function upload(answers) {
  const server = { requests: [] };
  server.upload = new Upload('secret', (text) => { server.text = text; }, {
    fetch: async (address, request) => {
      server.requests.push({ address, ...request });
      const next = answers.shift();
      if (next instanceof Error) throw next;
      return next;
    },
  });
  return server;
}

test('a stored message leaves the queue, and carries token, times and values exactly', async () => {
  const server = upload([answer(200)]);
  server.upload.add({
    ...second(1_700_000_000), times: [1_700_000_000_123_456_789n], rateTimes: [7n],
    rates: [0.1, 0.2, 0.3],
    fixes: [{ time: 5n, latitude: 1.5, longitude: -2, horizontal_accuracy: 4, speed: NaN }],
  });
  await server.upload.send();
  assert.equal(server.upload.waiting, 0);
  const [{ headers, body }] = server.requests;
  assert.equal(headers.Authorization, 'Bearer secret');
  assert.match(body, /"time":1700000000123456789,"values":\{"x":0.5,"y":0,"z":9.75\}/);
  assert.deepEqual(JSON.parse(body).payload.map(({ name }) => name),
    ['totalacceleration', 'gyroscope', 'location']);
  assert.deepEqual(JSON.parse(body).payload[2].values,
    { latitude: 1.5, longitude: -2, horizontalAccuracy: 4 });
});

test('what was not stored is sent again, the oldest first, and not before the pause is over', async () => {
  const failures = [new TypeError('no network'), answer(503, '', { 'Retry-After': '30' }), answer(429, ''),
    answer(200, '<html>sign in</html>'), answer(200, '{"result":"no"}')];
  const server = upload([...failures, answer(200), answer(200)]);
  for (let time = 0; time < 25; time += 1) server.upload.add(second(time));
  let now = 0;
  for (const _ of failures) {
    await server.upload.send(now);
    assert.equal(server.upload.waiting, 25);
    const sent = server.requests.length;
    await server.upload.send(now);
    assert.equal(server.requests.length, sent, 'no second request at once');
    now += 100_000;
  }
  await server.upload.send(now);
  await server.upload.send(now + 1);
  assert.equal(server.upload.waiting, 0);
  const times = server.requests.slice(-2)
    .flatMap(({ body }) => JSON.parse(body).payload.map(({ time }) => time / 1e9));
  assert.deepEqual(times, Array.from({ length: 25 }, (_, index) => index));
  assert.match(server.text, /stored/);
});

test('Retry-After is kept', async () => {
  const server = upload([answer(503, '', { 'Retry-After': '30' }), answer(200)]);
  server.upload.add(second(1));
  await server.upload.send(0);
  await server.upload.send(29_000);
  assert.equal(server.requests.length, 1);
  await server.upload.send(31_000);
  assert.equal(server.upload.waiting, 0);
});

for (const status of [400, 401, 403, 404, 405, 413, 422]) {
  test(`${status} ends the upload, says why and keeps what waits`, async () => {
    const server = upload([answer(status, '')]);
    server.upload.add(second(1));
    await server.upload.send(0);
    await server.upload.send(1e9);
    assert.equal(server.requests.length, 1);
    assert.equal(server.upload.waiting, 1);
    assert.match(server.text, /^Not sent: .*save the recording/);
  });
}

test('a batch that is added while a message is on its way stays', async () => {
  const server = upload([answer(200)]);
  server.upload.add(second(1));
  const sending = server.upload.send();
  server.upload.add(second(2));
  await sending;
  assert.equal(server.upload.waiting, 1);
});
