// A disk that fills up while a stream is read: nothing is lost, and nothing is read twice once
// there is room again.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { mounts, startOnSmallDisk } from '../support/small-disk.ts';
import { streamSpec } from '../support/supervisors.ts';
import { api } from '../support/wire.ts';
import { broker, hasBroker, newName } from './streams.ts';

test.skipIf(!hasBroker || !mounts)(
  'a stream task that finds no room has failed, and its successor reads each row once when there is some',
  async () => {
    const kafka = broker();
    const { service, fill, empty, files } = await startOnSmallDisk('32m');
    const { post, get, until } = api(service);
    const topic = newName('full');
    await kafka.createTopic(topic);
    // Texts that cannot be compressed: 20,000 of them take five times the room that is left.
    const text = (n: number) =>
      createHash('shake256', { outputLength: 256 }).update(String(n)).digest('base64');
    const rows = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, at) => ({
        value: JSON.stringify({ time: '2024-05-01', page: text(from + at), added: from + at }),
      }));
    const count = async () =>
      (
        await post('/svc/v2/sql', {
          query: `SELECT COUNT(*), COUNT(DISTINCT added) FROM "${topic}"`,
          resultFormat: 'array',
          context: { useApproximateCountDistinct: false },
        })
      ).body;
    const tasks = async (
      state: string,
    ): Promise<{ id: string; statusCode: string; errorMsg: string }[]> =>
      (await get(`/svc/indexer/v1/tasks?type=index_kafka&state=${state}`)).body;
    const spec = streamSpec({ dataSource: topic, servers: kafka.address });
    expect((await post('/svc/indexer/v1/supervisor', spec)).status).toBe(200);
    await kafka.produce(topic, rows(0, 100));
    await until(async () => String(await count()) === '100,100', 60);
    await fill(1_000_000);
    for (let from = 100; from < 20_100; from += 2000)
      await kafka.produce(topic, rows(from, from + 2000));
    await until(
      async () => (await tasks('complete')).some(({ statusCode }) => statusCode === 'FAILED'),
      60,
    );
    const [failed] = await tasks('complete');
    expect(failed?.errorMsg).toMatch(
      /^The disk is full: the service cannot write to \[(staging|spill|metadata\.sqlite)\] of the data folder/,
    );
    expect((await get('/status/health')).body).toBe(true);
    expect(files('segments')).toEqual([]);
    await empty();
    await until(async () => String(await count()) === '20100,20100', 60);
    expect((await post(`/svc/indexer/v1/supervisor/${topic}/suspend`, {})).status).toBe(200);
    await until(async () => (await tasks('running')).length === 0, 60);
    expect(await count()).toEqual([[20_100, 20_100]]);
    expect(
      files('staging').filter((name) => !/^(batch|joined)-\d+\.parquet$|^segment/.test(name)),
    ).toEqual([]); // what queries may still be reading stays for a while
  },
);
