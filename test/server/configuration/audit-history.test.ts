import { expect, test } from 'vitest';
import { startServer } from '../../../src/server/server.ts';
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
      return JSON.parse(text).map(
        (entry: { auditInfo: { author: string } }) => entry.auditInfo.author,
      );
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
  expect(await specified.ask(both)).toEqual([
    400,
    '{"error":"Use either [interval] or [count], not both"}',
  ]);
  expect(await druid.ask(both)).toEqual(['P2D']);
  const tooMany = (count: number) => [
    404,
    `{"error":"Parameter [count] is [${count}], and the history has [3] entries. Use a number up to that"}`,
  ];
  expect(await specified.ask('w/history?count=4')).toEqual(tooMany(4));
  expect(await specified.ask('history?count=99999999999')).toEqual(tooMany(99_999_999_999));
  expect(await druid.ask('w/history?count=4')).toEqual(['P3D', 'P2D', 'P1D']);
  for (const { ask } of [specified, druid]) {
    expect(await ask('w/history?count=0')).toEqual([
      400,
      '{"error":"Limit must be greater than zero!"}',
    ]);
  }
  expect(await druid.ask('w/history?count=99999999999')).toEqual([404, '']);
});

test('only the history of rules refuses a count of more changes than there are: others have the last ones', async () => {
  const { url } = await startService();
  const send = (path: string, body: object) =>
    fetch(`${url}/svc/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await send('coordinator/v1/config', { maxSegmentsToMove: 7 });
  await send('coordinator/v1/config/compaction', { dataSource: 'w' });
  await send('indexer/v1/worker', { selectStrategy: { type: 'fillCapacity' } });
  await send('coordinator/v1/broker/config', { queryBlocklist: [] });
  const histories = [
    'coordinator/v1/config',
    'coordinator/v1/config/compaction/w',
    'indexer/v1/worker',
    'coordinator/v1/broker/config',
  ];
  for (const path of histories) {
    for (const count of [1, 50, 99_999_999_999]) {
      const reply = await fetch(`${url}/svc/${path}/history?count=${count}`);
      expect([path, reply.status, await reply.json()]).toEqual([
        path,
        200,
        [expect.objectContaining({ auditInfo: expect.anything() })],
      ]);
    }
  }
});

test('property audit.manager.auditHistoryMillis says how far back every history goes', async () => {
  const clock = { now: Date.parse('2024-05-01T00:00:00Z') };
  const day = 24 * 3_600_000;
  const { url } = await startService({
    now: () => clock.now,
    properties: { 'svc.audit.manager.auditHistoryMillis': String(2 * day) },
  });
  const send = (path: string, body: object) =>
    fetch(`${url}/svc/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  await send('coordinator/v1/rules/w', [{ type: 'loadForever' }]);
  await send('coordinator/v1/config', { maxSegmentsToMove: 7 });
  await send('coordinator/v1/config/compaction', { dataSource: 'w' });
  await send('indexer/v1/worker', { selectStrategy: { type: 'fillCapacity' } });
  const histories = [
    'coordinator/v1/rules',
    'coordinator/v1/rules/w',
    'coordinator/v1/config',
    'coordinator/v1/config/compaction/w',
    'indexer/v1/worker',
  ];
  const lengths = () =>
    Promise.all(
      histories.map(
        async (path) =>
          ((await (await fetch(`${url}/svc/${path}/history`)).json()) as unknown[]).length,
      ),
    );
  expect(await lengths()).toEqual([1, 1, 1, 1, 1]);
  clock.now += 3 * day;
  expect(await lengths()).toEqual([0, 0, 0, 0, 0]);
  const wrong = startServer({
    port: 0,
    properties: { 'svc.audit.manager.auditHistoryMillis': '0' },
  });
  await expect(wrong).rejects.toThrow(
    '[svc.audit.manager.auditHistoryMillis] is [0], which is not between 1 and',
  );
});

test('rules show their times in full, and malformed times and counts in them are refused', async () => {
  const { url } = await startService();
  const path = `${url}/svc/coordinator/v1/rules/w`;
  const setRule = (rule: object) =>
    fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify([rule]),
    });
  const set = (interval: string) => setRule({ type: 'dropByInterval', interval });
  const copies = { _default_tier: 2_147_483_648 };
  expect((await setRule({ type: 'loadForever', tieredReplicants: copies })).status).toBe(400);
  expect((await setRule({ type: 'dropByPeriod', period: 'pt90m' })).status).toBe(200);
  expect(await (await fetch(path)).json()).toMatchObject([{ period: 'PT90M' }]);
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

test('old entries of histories are forgotten, unless coordinator.kill.audit.on is false', async () => {
  const at = async (on: boolean) => {
    const clock = { now: Date.parse('2024-05-01T00:00:00Z') };
    const properties = {
      'svc.coordinator.kill.audit.on': String(on),
      'svc.coordinator.kill.audit.durationToRetain': 'P2D',
    };
    const { url } = await startService({ now: () => clock.now, dutyTickMs: 10, properties });
    const headers = { 'content-type': 'application/json' };
    await fetch(`${url}/svc/coordinator/v1/rules/w`, {
      method: 'POST',
      headers,
      body: rules('P1D'),
    });
    const ask = async (path: string) => (await fetch(`${url}/svc/coordinator/v1/${path}`)).json();
    return {
      clock,
      entries: () => ask('rules/w/history?interval=2024/2025'),
      duties: async () => JSON.stringify(await ask('duties')),
    };
  };
  const on = await at(true);
  on.clock.now += 24 * 3_600_000;
  expect(await on.entries()).toHaveLength(1);
  on.clock.now += 48 * 3_600_000;
  await expect.poll(on.entries).toEqual([]);
  const off = await at(false);
  off.clock.now += 72 * 3_600_000;
  expect(await off.duties()).not.toContain('KillAuditLog');
  expect(await on.duties()).toContain('KillAuditLog');
  expect(await off.entries()).toHaveLength(1);
});
