import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../../src/client/message.ts';
import type { Observed } from '../../src/client/observe.ts';
import { type RetryClock, retryAfterMs } from '../../src/client/retry.ts';
import { connectTo, type TransportSettings } from '../../src/client/transport.ts';
import { freePort, standIn } from '../support/stand-in.ts';

const read: Message = { method: 'GET', path: '/svc/indexer/v1/tasks', headers: [] };
const write: Message = { method: 'POST', path: '/svc/indexer/v1/task', headers: [], body: '{}' };

// Time passes only by waiting.
function steppedClock(random = 0.5) {
  const delays: number[] = [];
  let now = Date.UTC(2024, 4, 1);
  const clock: RetryClock = {
    now: () => now,
    random: () => random,
    sleep: async (ms) => {
      delays.push(ms);
      now += ms;
    },
  };
  return { clock, delays };
}

const busyTimes = (times: number, status = 503, headers = {}) =>
  standIn((response, _, count) =>
    response.writeHead(count <= times ? status : 200, headers).end(count <= times ? 'busy' : '[]'),
  );

test.each([429, 502, 503, 504])(
  'a read is sent again after %i, each time after a longer while',
  async (status) => {
    const service = await busyTimes(3, status);
    const { clock, delays } = steppedClock();
    const reply = await connectTo(service.url, { clock })(read);
    expect(await reply.text()).toBe('[]');
    expect(delays).toEqual([100, 200, 400]);
  },
);

test('a query that the service itself gave up is not asked again', async () => {
  const late = await busyTimes(1, 504, { 'x-svc-sql-query-id': 'q1' });
  expect((await connectTo(late.url, steppedClock())(read)).status).toBe(504);
  expect(late.requests).toHaveLength(1);
});

test('the fourth bad answer is handed over', async () => {
  const service = await busyTimes(9);
  const { clock } = steppedClock();
  const reply = await connectTo(service.url, { clock })(read);
  expect([reply.status, await reply.text()]).toEqual([503, 'busy']);
  expect(service.requests).toHaveLength(4);
});

test.each([400, 404, 500, 501])('a read is not sent again after %i', async (status) => {
  const service = await busyTimes(1, status);
  expect((await connectTo(service.url, steppedClock())(read)).status).toBe(status);
  expect(service.requests).toHaveLength(1);
});

test('a write is sent once, unless sending it twice does no harm', async () => {
  const service = await busyTimes(1);
  expect((await connectTo(service.url, steppedClock())(write)).status).toBe(503);
  expect(service.requests).toHaveLength(1);
  const again = await busyTimes(1);
  expect((await connectTo(again.url, steppedClock())({ ...write, idempotent: true })).status).toBe(
    200,
  );
  expect(again.requests.map(({ body }) => body)).toEqual(['{}', '{}']);
});

test('a write whose connection breaks is not sent again, a read is', async () => {
  const service = await standIn((response, _, count) =>
    count === 2 ? response.end('[]') : response.destroy(),
  );
  await expect(connectTo(service.url, steppedClock())(write)).rejects.toMatchObject({
    kind: 'reset',
  });
  expect(service.requests).toHaveLength(1);
  service.requests.length = 0;
  expect((await connectTo(service.url, steppedClock())(read)).status).toBe(200);
  expect(service.requests).toHaveLength(2);
});

test('where nobody listens, a write is tried again too: nothing was sent', async () => {
  const { clock, delays } = steppedClock();
  const nobody = `http://127.0.0.1:${await freePort()}`;
  await expect(connectTo(nobody, { clock })(write)).rejects.toMatchObject({
    kind: 'refused',
    message: `No service listens at [${nobody}]`,
  });
  expect(delays).toHaveLength(3);
});

test('a status the endpoint counts among its answers is one', async () => {
  const service = await busyTimes(1);
  expect((await connectTo(service.url, steppedClock())({ ...read, expected: [503] })).status).toBe(
    503,
  );
});

test.each([
  ['seconds', '7', 7000],
  ['a date', 'Wed, 01 May 2024 00:00:20 GMT', 20_000],
  ['nonsense', 'soon', 100],
])('Retry-After in %s is obeyed', async (_, value, delay) => {
  const service = await busyTimes(1, 429, { 'retry-after': value });
  const { clock, delays } = steppedClock();
  await connectTo(service.url, { clock })(read);
  expect(delays).toEqual([delay]);
});

test('nobody waits for longer than half a minute, or than the call may take', async () => {
  const service = await busyTimes(9, 503, { 'retry-after': '20' });
  const { clock, delays } = steppedClock();
  expect((await connectTo(service.url, { clock })(read)).status).toBe(503);
  expect(delays).toEqual([20_000]);
  const short = steppedClock();
  expect((await connectTo(service.url, { ...short, timeoutMs: 15_000 })(read)).status).toBe(503);
  expect(short.delays).toEqual([]);
});

test('the wait is told to those who watch, and ends when the caller leaves', async () => {
  const service = await busyTimes(9);
  const leaving = new AbortController();
  const events: Observed[] = [];
  const observe: TransportSettings['observe'] = (event) => {
    events.push(event);
    if (event.kind === 'retry') leaving.abort();
  };
  await expect(connectTo(service.url, { observe, signal: leaving.signal })(read)).rejects.toThrow(
    'Interrupted',
  );
  expect(events.at(-1)).toMatchObject({
    kind: 'retry',
    reason: '503 Service Unavailable',
    attempt: 1,
  });
});

test('Retry-After never asks for a negative wait', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer(), (value, now) => {
      expect(retryAfterMs(value, now) ?? 0).toBeGreaterThanOrEqual(0);
    }),
  );
});
