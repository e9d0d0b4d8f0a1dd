import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';

const rules = (period: string) => JSON.stringify([{ type: 'loadByPeriod', period }]);

async function withHistory(service: 'druid' | 'svc') {
  const clock = { now: Date.parse('2024-05-01T00:00:00Z') };
  const { url } = await startService({ service, now: () => clock.now });
  const base = `${url}/${service}/coordinator/v1/rules`;
  for (const period of ['P1D', 'P2D', 'P3D']) {
    clock.now += 3_600_000;
    const headers = { 'content-type': 'application/json', [`x-${service}-author`]: period };
    await fetch(`${base}/w`, { method: 'POST', headers, body: rules(period) });
  }
  return {
    clock,
    async ask(query: string) {
      const reply = await fetch(`${base}/${query}`);
      const text = await reply.text();
      if (reply.status !== 200) return [reply.status, text];
      return JSON.parse(text).map((entry: { auditInfo: { author: string } }) => entry.auditInfo.author);
    },
  };
}

test('a history tells of the last week, of an interval, or of the last changes', async () => {
  const { ask, clock } = await withHistory('svc');
  expect(await ask('w/history')).toEqual(['P1D', 'P2D', 'P3D']);
  expect(await ask('history?interval=2024-05-01T02:00/2024-05-01T03:00')).toEqual(['P2D']);
  expect(await ask('w/history?count=2')).toEqual(['P3D', 'P2D']);
  expect(await ask('other/history')).toEqual([]);
  clock.now += 8 * 24 * 3_600_000;
  expect(await ask('w/history')).toEqual([]);
});

test('what cannot be asked of a history is refused in the dialect', async () => {
  const [specified, druid] = [await withHistory('svc'), await withHistory('druid')];
  const both = 'w/history?count=1&interval=2024-05-01T02:00/2024-05-01T03:00';
  expect(await specified.ask(both)).toEqual([400, '{"error":"Use either [interval] or [count], not both"}']);
  expect(await druid.ask(both)).toEqual(['P2D']);
  expect(await specified.ask('w/history?count=4')).toEqual([404, '']);
  expect(await druid.ask('w/history?count=4')).toEqual(['P3D', 'P2D', 'P1D']);
  for (const { ask } of [specified, druid]) {
    expect(await ask('w/history?count=0')).toEqual([400, '{"error":"Limit must be greater than zero!"}']);
    expect(await ask('w/history?count=99999999999')).toEqual([404, '']);
  }
});

test('rules show their intervals in full, and malformed times in them are refused', async () => {
  const { url } = await startService();
  const path = `${url}/svc/coordinator/v1/rules/w`;
  const set = (interval: string) =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([{ type: 'dropByInterval', interval }]),
    });
  const refused = await set('2021/2020');
  expect([refused.status, await refused.text()]).toEqual([
    400,
    '{"error":"Invalid [interval] in a rule of type [dropByInterval]: The end instant must be greater than the start instant"}',
  ]);
  expect((await set('2010/2011')).status).toBe(200);
  expect(await (await fetch(path)).json()).toEqual([
    { interval: '2010-01-01T00:00:00.000Z/2011-01-01T00:00:00.000Z', type: 'dropByInterval' },
  ]);
});
