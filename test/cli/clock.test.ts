// Somebody sets the clock while svcctl waits: waits are as long as was asked, no shorter and no
// longer.
import { afterEach, expect, test, vi } from 'vitest';
import { connectTo } from '../../src/client/transport.ts';
import { poll } from '../../src/commands/shared/waiting/poll.ts';
import { standIn } from '../support/stand-in.ts';

afterEach(() => vi.restoreAllMocks());

const context = { signal: new AbortController().signal, out: { note: () => {} } as never };

test('a clock that jumps a day ahead at every look ends no wait', async () => {
  let day = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => ++day * 86_400_000);
  let seen = 0;
  for await (const _ of poll(async () => 0, context, {
    what: 'Task [a] has not ended',
    maxWait: 60,
  }))
    if (++seen === 3) break;
  expect(seen).toBe(3);
});

test('a clock that goes back at every look prolongs no wait', async () => {
  let day = 20_000;
  vi.spyOn(Date, 'now').mockImplementation(() => --day * 86_400_000);
  let seen = 0;
  const waiting = async () => {
    for await (const _ of poll(async () => 0, context, {
      what: 'Task [a] has not ended',
      maxWait: 0.2,
    }))
      if (++seen > 50) break;
  };
  await expect(waiting()).rejects.toThrow('Task [a] has not ended after 0.2s');
});

test('a clock that is set between two sendings neither hurries nor holds up a request', async () => {
  let day = 20_000;
  vi.spyOn(Date, 'now').mockImplementation(() => --day * 86_400_000);
  let sent = 0;
  const service = await standIn((response) => response.writeHead(++sent < 3 ? 503 : 200).end('{}'));
  const reply = await connectTo(service.url, { timeoutMs: 20_000 })({
    method: 'GET',
    path: '/status',
    headers: [],
  });
  expect({ status: reply.status, sent }).toEqual({ status: 200, sent: 3 });
});
