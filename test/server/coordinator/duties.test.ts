import { expect, test } from 'vitest';
import { cluster } from '../../../src/contract/cluster.ts';
import { config } from '../../../src/contract/config.ts';
import { metadata } from '../../../src/contract/metadata.ts';
import { rules } from '../../../src/contract/rules.ts';
import { status } from '../../../src/contract/status.ts';
import { dialectOf } from '../../../src/model/dialect.ts';
import { RetentionRules } from '../../../src/server/configuration/retention-rules.ts';
import { Duties, type Duty } from '../../../src/server/coordinator/duties.ts';
import { markOvershadowed, runRules } from '../../../src/server/coordinator/retention-duties.ts';
import { Clock } from '../../../src/server/process/clock.ts';
import { ServedSegments } from '../../../src/server/segments/served-segments.ts';
import { startServer } from '../../../src/server/server.ts';
import { parseProperties } from '../../../src/server/settings/properties.ts';
import type { Storage } from '../../../src/server/storage/storage.ts';
import { callsTo } from '../../support/calls.ts';
import { startService } from '../../support/service.ts';
import { engineFor, staged, temporaryStorage } from '../../support/storage.ts';
import { api } from '../../support/wire.ts';

const dayMs = 86_400_000;

async function started(properties: Record<string, string> = {}) {
  const clock = { now: Date.parse('2024-05-01T00:00:00Z') };
  const service = await startService({ now: () => clock.now, dutyTickMs: 10, properties });
  const { post, ended, until, get } = api(service);
  return {
    clock,
    call: callsTo(service),
    until,
    get,
    sql: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    async replace(day: string, number = 1) {
      const next = new Date(Date.parse(day) + dayMs).toISOString().slice(0, 10);
      const { body } = await post('/svc/v2/sql/task', {
        query: `REPLACE INTO "w" OVERWRITE WHERE "__time" >= TIMESTAMP '${day} 00:00:00' AND "__time" < TIMESTAMP '${next} 00:00:00'
          SELECT TIMESTAMP '${day} 00:00:00' AS "__time", ${number} AS "n" PARTITIONED BY DAY`,
      });
      expect(await ended(body.taskId)).toMatchObject({ errorMsg: null });
    },
  };
}

test('what a drop rule matches becomes unused, and stays so when the rule is gone', async () => {
  const { call, until, clock, replace } = await started();
  await replace('2024-04-01');
  await replace('2024-04-30');
  const used = () => call(metadata.segmentsOf, { params: { dataSource: 'w' }, body: null });
  await call(rules.set, {
    params: { dataSource: 'w' },
    body: [{ type: 'dropBeforeByPeriod', period: 'P7D' }],
  });
  clock.now += 10_000;
  await until(async () => (await used()).length === 1);
  clock.now += 8 * dayMs;
  await until(async () => (await call(metadata.datasources)).length === 0);
  await call(rules.set, { params: { dataSource: 'w' }, body: [] });
  clock.now += 10_000;
  expect((await call(metadata.unusedSegments, { params: { dataSource: 'w' } })).length).toBe(2);
});

const nobody = { author: '', comment: '', ip: '' };

/** Three days, each in two versions, and a rule that drops them all. */
async function threeDaysTwice(storage: Storage) {
  const engine = engineFor(storage);
  const days = [1, 2, 3].map((day) => ({ start: day * dayMs, end: (day + 1) * dayMs }));
  for (const version of ['v1', 'v2'])
    await storage.segments.publish(
      await Promise.all(
        days.map((interval) =>
          staged(storage, engine, 'SELECT 0 AS "__time", 1 AS "page"', {
            interval,
            version,
            partitionNum: 0,
          }),
        ),
      ),
    );
  const kept = new RetentionRules({
    metadata: storage.metadata,
    dialect: dialectOf('druid'),
    now: () => 0,
    historyMs: 0,
  });
  kept.set('wiki', [{ type: 'dropForever' }], nobody);
  const left = () => storage.segments.listUsed('wiki').length;
  /** How many are used after each step of a run, and what happens between them. */
  const leftAfterSteps = (duty: Duty, meanwhile: () => unknown = () => undefined) => {
    const counts: number[] = [];
    for (const _ of duty.run(1) ?? []) {
      counts.push(left());
      meanwhile();
    }
    return [...counts, left()];
  };
  return { kept, leftAfterSteps };
}

test('many segments are marked in steps, and others have their turn in between', async () => {
  const storage = await temporaryStorage();
  const { kept, leftAfterSteps } = await threeDaysTwice(storage);
  const hiding = markOvershadowed(
    storage,
    new ServedSegments(storage, kept, () => 0),
    0,
    () => 0,
    2,
  );
  expect(leftAfterSteps(hiding)).toEqual([6, 4, 3]);
  expect(leftAfterSteps(hiding)).toEqual([3]);
  const dropping = runRules(storage, kept, 2);
  expect(leftAfterSteps(dropping)).toEqual([3, 1, 0]);
  expect(leftAfterSteps(dropping)).toEqual([0]);
});

test('rules that change between two steps hold at once: what is left of the old ones is not done', async () => {
  const storage = await temporaryStorage();
  const { kept, leftAfterSteps } = await threeDaysTwice(storage);
  const dropping = runRules(storage, kept, 1);
  const [atFirst, afterOne] = leftAfterSteps(
    dropping,
    () => storage.segments.listUsed('wiki').length < 6 && kept.set('wiki', [], nobody),
  );
  expect([atFirst, afterOne]).toEqual([6, 5]);
  expect(leftAfterSteps(dropping)).toEqual([5]);
});

test('while a group is between two steps nobody starts it again, and closing ends it', async () => {
  const done: string[] = [];
  const slow = {
    name: 'slow',
    *run() {
      for (const step of ['one', 'two', 'three']) {
        done.push(step);
        yield;
      }
    },
  };
  const after = { name: 'after', run: () => void done.push('after') };
  const clock = { now: 0 };
  const duties = new Duties({
    groups: [{ name: 'a', periodMs: 10, duties: [slow, after] }],
    isPaused: () => false,
    clock: new Clock(() => clock.now),
    tickMs: 1,
  });
  duties.tick();
  clock.now = 10;
  duties.tick();
  await expect.poll(() => done).toContain('after');
  expect(done).toEqual(['one', 'two', 'three', 'after']);
  expect(duties.list()).toMatchObject([
    { lastRunStart: '1970-01-01T00:00:00.000Z', lastRunEnd: '1970-01-01T00:00:00.010Z' },
  ]);
  duties.tick();
  duties.close();
  await new Promise((wake) => setImmediate(() => setImmediate(wake)));
  expect(done.slice(4)).toEqual(['one']);
});

test('what newer segments hide becomes unused once the Coordinator has led for a while; paused, it does nothing', async () => {
  const { call, until, clock, replace } = await started();
  await replace('2024-04-30', 1);
  clock.now += 1000;
  await replace('2024-04-30', 2);
  const unused = async () =>
    (await call(metadata.unusedSegments, { params: { dataSource: 'w' } })).length;
  const ran = async () => (await call(cluster.duties)).dutyGroups[0]?.lastRunStart;
  await call(config.set, { body: { millisToWaitBeforeDeleting: 60_000 } });
  clock.now += 10_000;
  await until(async () => (await ran()) === new Date(clock.now).toISOString());
  expect(await unused()).toBe(0);
  await call(config.set, { body: { pauseCoordination: true } });
  clock.now += 100_000;
  await new Promise((wake) => setTimeout(wake, 100));
  expect(await ran()).not.toBe(new Date(clock.now).toISOString());
  expect(await unused()).toBe(0);
  await call(config.set, { body: { pauseCoordination: false } });
  await until(async () => (await unused()) === 1);
});

test('unused segments are killed where that is switched on, after their buffer, and only of the datasources named', async () => {
  const properties = {
    'svc.coordinator.kill.on': 'true',
    'svc.coordinator.kill.bufferPeriod': 'PT1H',
    'svc.coordinator.kill.durationToRetain': 'P1D',
  };
  const { call, until, clock, replace } = await started(properties);
  await replace('2024-04-01');
  await call(config.set, { body: { killDataSourceWhitelist: ['other'] } });
  await call(rules.set, { params: { dataSource: 'w' }, body: [{ type: 'dropForever' }] });
  clock.now += 10_000;
  const unused = async () =>
    (await call(metadata.unusedSegments, { params: { dataSource: 'w' } })).length;
  await until(async () => (await unused()) === 1);
  clock.now += 7_200_000;
  const ran = async () => (await call(cluster.duties)).dutyGroups[1]?.lastRunStart;
  await until(async () => (await ran()) === new Date(clock.now).toISOString());
  expect(await unused()).toBe(1);
  await call(config.set, { body: { killDataSourceWhitelist: [] } });
  clock.now += 7_200_000;
  await until(async () => (await unused()) === 0);
});

test('old entries of the history are forgotten', async () => {
  const { call, until, clock } = await started();
  await call(config.set, { body: { replicantLifetime: 3 } });
  clock.now += 89 * dayMs;
  expect(
    (await call(config.history, { query: { interval: '2024-01-01/2025-01-01' } })).length,
  ).toBe(1);
  await call(config.set, { body: { replicantLifetime: 4 } });
  clock.now += 2 * dayMs;
  await until(
    async () =>
      (await call(config.history, { query: { interval: '2024-01-01/2025-01-01' } })).length === 1,
  );
});

test('duties run when their period is over by the clock; one that fails does not keep the others from running', () => {
  const done: string[] = [];
  const clock = { now: 0 };
  const fails = {
    name: 'fails',
    run() {
      throw new Error('on purpose');
    },
  };
  const groups = [
    { name: 'often', periodMs: 10, duties: [fails, { name: 'a', run: () => void done.push('a') }] },
    { name: 'seldom', periodMs: 100, duties: [{ name: 'b', run: () => void done.push('b') }] },
  ];
  const duties = new Duties({
    groups,
    isPaused: () => false,
    clock: new Clock(() => clock.now),
    tickMs: 1,
  });
  const said = console.error;
  console.error = () => undefined;
  for (clock.now = 0; clock.now <= 20; clock.now += 5) duties.tick();
  console.error = said;
  expect(done).toEqual(['a', 'b', 'a', 'a']);
  expect(duties.list()).toMatchObject([
    { name: 'often', period: 'PT0.010S', dutyNames: ['fails', 'a'], avgRunGapMillis: 10 },
    { name: 'seldom', lastRunStart: '1970-01-01T00:00:00.000Z', avgRunGapMillis: 0 },
  ]);
});

test('properties are shown without those that hold secrets', async () => {
  const properties = parseProperties(
    '# a comment\nsvc.a=1\n svc.b : two words \nsvc.some.Password=x\nsvc.apiKey=y\nsvc.long=a,\\\n  b\n',
  );
  const { call } = await started(properties);
  expect(await call(status.properties)).toMatchObject({
    'svc.a': '1',
    'svc.b': 'two words',
    'svc.long': 'a,b',
  });
  expect(
    Object.keys(await call(status.properties)).filter((name) => /password|key/i.test(name)),
  ).toEqual([]);
  const own = await started({
    'svc.server.hiddenProperties': '["apple"]',
    'svc.pineApple': '1',
    'svc.password': 'shown',
  });
  const shown = await own.call(status.properties);
  expect(shown).toMatchObject({ 'svc.password': '<masked>' }); // its name is no longer hidden, its value always is
  expect(shown).not.toHaveProperty('svc.pineApple');
});

test('a service whose properties cannot be read does not start, and says which', async () => {
  await expect(
    startServer({ port: 0, properties: { 'svc.coordinator.period': 'often' } }),
  ).rejects.toThrow('Property [svc.coordinator.period] is [often], which is not an ISO period');
});

test('a Historical that is decommissioned keeps what it has and gets nothing new, until it is taken back', async () => {
  const { call, until, clock, replace, sql } = await started();
  await replace('2024-04-01', 1);
  const [server] = (await call(cluster.servers)).map(String);
  if (!server) throw new Error('There is no Historical');
  clock.now += 1000;
  await call(config.set, {
    body: { decommissioningNodes: [server], millisToWaitBeforeDeleting: 0 },
  });
  clock.now += 10_000;
  await replace('2024-04-01', 2); // hides the first, once somebody has it
  await replace('2024-04-30', 3);
  const ran = async () => (await call(cluster.duties)).dutyGroups[0]?.lastRunStart;
  const wait = async () => {
    clock.now += 10_000;
    await until(async () => (await ran()) === new Date(clock.now).toISOString());
  };
  await wait();
  const rows = () => sql('SELECT "n" FROM "w" ORDER BY "__time"');
  const unavailable = async () => (await call(cluster.loadStatus, { query: { simple: true } })).w;
  expect(await rows()).toEqual([[1]]);
  expect(await unavailable()).toBe(2);
  await call(config.set, { body: { decommissioningNodes: [] } });
  expect(await rows()).toEqual([[2], [3]]);
  expect(await unavailable()).toBe(0);
  const unused = async () =>
    (await call(metadata.unusedSegments, { params: { dataSource: 'w' } })).length;
  expect(await unused()).toBe(0); // what was queried was in use
  await wait();
  await until(async () => (await unused()) === 1);
});
