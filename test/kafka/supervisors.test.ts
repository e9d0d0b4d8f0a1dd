// A supervisor and a real broker, from the first row to the last.
import { describe, expect, test } from 'vitest';
import { supervisors } from '../../src/contract/supervisors.ts';
import { startServer } from '../../src/server/server.ts';
import { runCli } from '../support/cli.ts';
import { listedTasks } from '../support/listed-tasks.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { about, broker, hasBroker, newName } from './streams.ts';

const row = (added: number) => ({
  value: JSON.stringify({
    time: `2024-05-01T00:00:${String(added % 60).padStart(2, '0')}Z`,
    page: 'Oslo',
    added,
  }),
});
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => row(from + index));

describe.skipIf(!hasBroker)('a supervisor', () => {
  test('reads all partitions, shows its lag and its numbers, and publishes when it is suspended', async () => {
    const kafka = broker();
    const name = newName('edits');
    await kafka.createTopic(name, { partitions: 3 });
    const { apply, call, params, until, status, counts, published } = about(
      await startService(),
      name,
      kafka.address,
    );
    await kafka.produce(name, rows(300));
    await apply({ ioConfig: { taskCount: 2 } });
    await until(async () => (await counts()).n === 300);
    await until(async () => (await status()).aggregateLag === 0);
    expect(await status()).toMatchObject({
      state: 'RUNNING',
      healthy: true,
      partitions: 3,
      activeTasks: [{ type: 'ACTIVE' }, { type: 'ACTIVE' }],
    });
    expect(Object.keys((await status()).latestOffsets ?? {})).toEqual(['0', '1', '2']);
    const stats = Object.values(await call(supervisors.stats, { params })).flatMap((group) =>
      Object.values(group),
    );
    expect(stats).toMatchObject([
      {
        totals: { buildSegments: { unparseable: 0 } },
        movingAverages: { buildSegments: { '1m': {} } },
      },
      {},
    ]);
    expect(await call(supervisors.health, { params })).toEqual({ healthy: true });
    await call(supervisors.suspend, { params });
    await until(async () => (await published()) === 300);
    await until(async () => (await status()).state === 'SUSPENDED');
    expect(await counts()).toEqual({ n: 300, d: 300 });
    await kafka.produce(name, rows(10, 300));
    await until(async () => (await status()).aggregateLag === 10);
    await call(supervisors.resume, { params });
    await until(async () => (await counts()).n === 310);
    expect(await counts()).toEqual({ n: 310, d: 310 });
  });

  test('tasks take turns while rows come; none is lost, none is there twice, none is seen twice', async () => {
    const kafka = broker();
    const name = newName('turns');
    await kafka.createTopic(name, { partitions: 2 });
    const { apply, until, counts, get } = about(
      await startService({ workerCapacity: 8 }),
      name,
      kafka.address,
    );
    await apply({ ioConfig: { taskDuration: 'PT1S', period: 'PT0.2S' } });
    for (let from = 0; from < 2000; from += 100) {
      await kafka.produce(name, rows(100, from));
      const { n, d } = await counts();
      expect(n).toBe(d);
      await new Promise((wake) => setTimeout(wake, 150));
    }
    await until(async () => (await counts()).n === 2000);
    expect(await counts()).toEqual({ n: 2000, d: 2000 });
    const { body } = await get(`/svc/indexer/v1/tasks?datasource=${name}&state=complete`);
    expect(body.length).toBeGreaterThan(1);
    expect(body.map(({ status }: { status: string }) => status)).not.toContain('FAILED');
  });

  test('rows come while compaction replaces the time chunk they go to; none is lost, none is there twice, none is seen twice', async () => {
    const kafka = broker();
    const name = newName('compacted');
    await kafka.createTopic(name, { partitions: 2 });
    const { apply, call, params, until, counts, published, post, ended, get, sql } = about(
      await startService({ workerCapacity: 8 }),
      name,
      kafka.address,
    );
    const context = { useConcurrentLocks: true };
    await apply({
      context,
      tuningConfig: { maxRowsPerSegment: 100 },
      ioConfig: { taskDuration: 'PT2S', period: 'PT0.2S' },
    });
    const total = 3000;
    const producing = (async () => {
      for (let from = 0; from < total; from += 50) {
        await kafka.produce(name, rows(50, from));
        await new Promise((wake) => setTimeout(wake, 100));
      }
    })();
    await until(async () => (await published()) > 0);
    const ioConfig = {
      type: 'compact',
      inputSpec: { type: 'interval', interval: '2024-05-01/2024-05-02' },
    };
    let compactions = 0;
    let joined = 0; // replacements that were not alone in their version
    for (let produced = false; !produced; compactions++) {
      const before = (await counts()).n;
      const { body } = await post('/svc/indexer/v1/task', {
        type: 'compact',
        dataSource: name,
        ioConfig,
        context,
      });
      const status = await ended(body.task);
      expect(status).toMatchObject({ statusCode: 'SUCCESS' });
      const { n, d } = await counts();
      expect(n).toBe(d);
      // What was to be seen is not hidden by what replaces its neighbours
      expect(n).toBeGreaterThanOrEqual(before);
      const log = (await get(`/svc/indexer/v1/task/${body.task}/log`)).text;
      const [, version] = log.match(/Published a segment of .*version \[(.*?)\]/) ?? [];
      const [, own] = log.match(/with \[(\d+)\] rows/) ?? [];
      const inVersion = await sql(
        `SELECT SUM(num_rows) AS n FROM sys.segments WHERE datasource = '${name}' AND version = '${version}'`,
      );
      if (Number(inVersion[0]?.n) > Number(own)) joined++;
      produced = await Promise.race([
        producing.then(() => true),
        new Promise<boolean>((go) => setTimeout(() => go(false), 10)),
      ]);
    }
    await until(async () => (await counts()).n === total);
    await call(supervisors.suspend, { params });
    await until(
      async () =>
        (await counts()).n === total &&
        (await call(supervisors.status, { params })).payload.state === 'SUSPENDED',
    );
    expect(await counts()).toEqual({ n: total, d: total });
    const visible = `SELECT SUM(num_rows) AS n FROM sys.segments WHERE datasource = '${name}' AND is_published = 1 AND is_overshadowed = 0`;
    // What the last tasks read is published a moment after the suspension
    await until(async () => (await sql(visible))[0]?.n === total);
    expect(compactions).toBeGreaterThan(1);
    expect(joined, 'nothing was ever published beside a compaction').toBeGreaterThan(0);
    const { body } = await get(`/svc/indexer/v1/tasks?datasource=${name}&state=complete`);
    expect(body.map(({ status }: { status: string }) => status)).not.toContain('FAILED');
  });

  test('goes on after a restart where it had published, and reads again what it had not', async () => {
    const kafka = broker();
    const name = newName('restart');
    await kafka.createTopic(name);
    const dataDir = await temporaryFolder();
    const first = await startServer({ port: 0, dataDir });
    const before = about(first, name, kafka.address);
    await kafka.produce(name, rows(100));
    await before.apply();
    await before.until(async () => (await before.counts()).n === 100);
    await before.call(supervisors.handOff, { params: before.params, body: { taskGroupIds: [0] } });
    await before.until(async () => (await before.published()) === 100);
    await kafka.produce(name, rows(50, 100));
    await before.until(async () => (await before.counts()).n === 150);
    await first.close();
    const after = about(await startService({ dataDir }), name, kafka.address);
    await after.until(async () => (await after.counts()).n === 150);
    expect(await after.counts()).toEqual({ n: 150, d: 150 });
    const [task] = listedTasks((await after.status()).activeTasks);
    expect(task?.startingOffsets).toEqual({ 0: 100 });
  });

  test('reads again what a reset lets it, and only the partitions whose offsets were set', async () => {
    const kafka = broker();
    const name = newName('reset');
    await kafka.createTopic(name);
    const { apply, call, params, until, counts } = about(await startService(), name, kafka.address);
    await kafka.produce(name, rows(20));
    await apply();
    await until(async () => (await counts()).n === 20);
    await call(supervisors.handOff, { params, body: { taskGroupIds: [0] } });
    await until(async () => (await counts()).n === 20);
    await call(supervisors.resetOffsets, {
      params,
      body: {
        type: 'kafka',
        partitions: { type: 'end', stream: name, partitionOffsetMap: { 0: 15 } },
      },
    });
    await until(async () => (await counts()).n >= 25 || (await counts()).n === 5);
    await call(supervisors.reset, { params });
    await until(async () => (await counts()).d === 20);
  });

  test('a row that nobody can read is counted and shown', async () => {
    const kafka = broker();
    const name = newName('broken');
    await kafka.createTopic(name);
    const { apply, call, params, until, counts } = about(await startService(), name, kafka.address);
    await kafka.produce(name, [...rows(5), { value: 'no JSON at all' }]);
    await apply({ tuningConfig: { maxSavedParseExceptions: 5 } });
    await until(async () => (await counts()).n === 5);
    await until(async () => (await call(supervisors.parseErrors, { params })).length === 1);
    expect(JSON.stringify(await call(supervisors.parseErrors, { params }))).toContain(
      'no JSON at all',
    );
  });

  test('a topic that is not there is waited for', async () => {
    const kafka = broker();
    const name = newName('later');
    const { apply, until, status, counts } = about(await startService(), name, kafka.address);
    await apply();
    await until(async () => (await status()).recentErrors?.length === 3);
    expect(await status()).toMatchObject({
      state: 'UNHEALTHY_SUPERVISOR',
      detailedState: 'UNABLE_TO_CONNECT_TO_STREAM',
    });
    await kafka.createTopic(name);
    await kafka.produce(name, rows(3));
    await until(async () => (await counts()).n === 3);
    await until(async () => (await status()).state === 'RUNNING');
  });

  test('from a shell: applied, waited for until nothing is left to read, set to the latest data with a backfill', async () => {
    const kafka = broker();
    const name = newName('shell');
    await kafka.createTopic(name);
    await kafka.produce(name, rows(30));
    const service = await startService();
    const { apply, until, counts } = about(service, name, kafka.address);
    await apply({ context: { useConcurrentLocks: true }, ioConfig: { useEarliestOffset: false } });
    expect(
      await runCli(service, `supervisors wait ${name} --max-lag 0 --max-wait 30`),
    ).toMatchObject({ code: 0 });
    await kafka.produce(name, rows(10, 30));
    const { stdout, code } = await runCli(
      service,
      `supervisors reset-to-latest ${name} --yes -o json`,
    );
    expect([code, JSON.parse(stdout).id]).toEqual([0, name]);
    await kafka.produce(name, rows(10, 40));
    await until(async () => (await counts()).d === 20);
    expect((await runCli(service, `supervisors tasks ${name} -o csv`)).stdout).toContain(
      `index_kafka_${name}`,
    );
  });
});
