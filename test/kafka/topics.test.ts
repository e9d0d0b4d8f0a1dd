// Several topics of a real broker in one datasource: those whose names a pattern matches.
import { describe, expect, test } from 'vitest';
import { supervisors } from '../../src/contract/supervisors.ts';
import { startServer } from '../../src/server/server.ts';
import { runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { about, broker, hasBroker, newName } from './streams.ts';

const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    value: JSON.stringify({ time: '2024-05-01T00:00:00Z', page: 'Oslo', added: from + index }),
  }));

describe.skipIf(!hasBroker)('a supervisor with a topicPattern', () => {
  test('reads all topics that match as a whole, new ones too, and goes on after a restart; offsets are set by topic and partition', async () => {
    const kafka = broker();
    const name = newName('topics');
    const [a, b, c] = [`${name}.a`, `${name}.b`, `${name}.c`];
    await kafka.createTopic(a, { partitions: 2 });
    await kafka.createTopic(b);
    await kafka.createTopic(`${name}.a.other`);
    await kafka.produce(a, rows(40));
    await kafka.produce(b, rows(20, 40));
    await kafka.produce(`${name}.a.other`, rows(10, 1000));
    const dataDir = await temporaryFolder();
    const service = await startServer({ port: 0, dataDir });
    const before = about(service, name, kafka.address);
    const dataSchema = {
      dimensionsSpec: { dimensions: ['source', { type: 'long', name: 'added' }] },
    };
    const transformSpec = {
      transforms: [{ type: 'expression', name: 'source', expression: '"kafka.topic"' }],
    };
    const spec = {
      ioConfig: {
        topic: null,
        topicPattern: `${name}\\.[a-z]`,
        taskCount: 2,
        inputFormat: { type: 'kafka', valueFormat: { type: 'json' } },
      },
      dataSchema: { ...dataSchema, transformSpec },
    };
    await before.apply(spec);
    await before.until(async () => (await before.counts()).n === 60);
    const status = await before.status();
    expect(status).toMatchObject({ stream: `${name}\\.[a-z]`, partitions: 3 });
    expect(Object.keys(status.latestOffsets ?? {})).toEqual([`${a}:0`, `${a}:1`, `${b}:0`]);
    expect(
      await before.sql(`SELECT source, COUNT(*) AS n FROM "${name}" GROUP BY 1 ORDER BY 1`),
    ).toEqual([
      { source: a, n: 40 },
      { source: b, n: 20 },
    ]);
    await kafka.createTopic(c);
    await kafka.produce(c, rows(15, 60));
    await before.until(async () => (await before.counts()).n === 75);
    await before.call(supervisors.suspend, { params: before.params });
    await before.until(async () => (await before.published()) === 75);
    await service.close();

    const later = await startService({ dataDir });
    const { call, params, until, counts, post, published } = about(later, name, kafka.address);
    await kafka.produce(b, rows(5, 75));
    await call(supervisors.resume, { params });
    await until(async () => (await counts()).n === 80);
    expect(await counts()).toEqual({ n: 80, d: 80 });
    await call(supervisors.handOff, { params, body: { taskGroupIds: [0, 1] } });
    await until(async () => (await published()) === 80);
    const reset = (partitionOffsetMap: object) =>
      post(`/svc/indexer/v1/supervisor/${name}/resetOffsets`, {
        type: 'kafka',
        partitions: { type: 'end', stream: `${name}\\.[a-z]`, partitionOffsetMap },
      });
    expect(await reset({ 0: 5 })).toMatchObject({
      status: 400,
      body: { error: expect.stringContaining('Partition [0] is not a topic:number') },
    });
    expect((await runCli(later, `supervisors reset-offsets ${name} ${b}:0=22 --yes`)).code).toBe(0);
    await until(async () => (await counts()).n === 83);
    expect(await counts()).toEqual({ n: 83, d: 80 });
  });

  test('goes on where a supervisor of one of the topics has ended, and the other way round', async () => {
    const kafka = broker();
    const name = newName('switch');
    const other = `${name}-other`;
    await kafka.createTopic(name);
    await kafka.createTopic(other);
    const { apply, until, counts, status } = about(await startService(), name, kafka.address);
    await kafka.produce(name, rows(30));
    await apply();
    await until(async () => (await counts()).n === 30);
    await kafka.produce(other, rows(20, 30));
    await apply({ ioConfig: { topic: null, topicPattern: `${name}.*` } });
    await until(async () => (await counts()).n === 50);
    await kafka.produce(name, rows(10, 50));
    await until(async () => (await counts()).n === 60);
    await apply();
    await kafka.produce(name, rows(5, 60));
    await until(async () => (await counts()).n === 65);
    await until(async () => (await status()).publishingTasks?.length === 0);
    expect(await counts()).toEqual({ n: 65, d: 65 });
    expect((await status()).latestOffsets).toEqual({ 0: 45 });
  });
});
