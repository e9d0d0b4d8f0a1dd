// A supervisor whose service is killed again and again while a producer writes: every row is there
// in the end, none of them twice.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { randomFrom } from '../support/random.ts';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import { broker, hasBroker, newName } from './streams.ts';

const kills = Number(process.env.KAFKA_KILLS ?? 200);
const seed = Number(process.env.SEED ?? Date.now() % 100_000);
const partitions = 3;

describe.skipIf(!hasBroker)('a supervisor', () => {
  test(`has every row once after ${kills} kills at random (seed ${seed})`, {
    timeout: 120_000 + kills * 6000,
  }, async () => {
    const random = randomFrom(seed);
    const kafka = broker();
    const topic = newName('killed');
    await kafka.createTopic(topic, { partitions });
    const dataDir = await temporaryFolder();
    let service = await started(dataDir);
    await post(`${service.url}/svc/indexer/v1/supervisor`, supervisor(kafka.address, topic));

    let produced = 0;
    let producing = true;
    const producer = (async () => {
      for (; producing; await sleep(50)) {
        const batch = Array.from(
          { length: 1 + Math.floor(random() * 20) },
          (_, index) => produced + index,
        );
        const records = batch.map((n) => ({
          value: JSON.stringify({ time: `2024-05-0${1 + (n % 3)}T00:00:00Z`, n }),
          partition: n % partitions,
        }));
        await kafka.produce(topic, records);
        produced += batch.length;
      }
    })();

    const startedMs = Date.now();
    let most = 0;
    for (let kill = 0; kill < kills; kill++) {
      // Mostly at any moment, and now and then soon after something was published, however slow the
      // machine is.
      if (kill % 5 === 4)
        await until(
          async () =>
            ((await countsIn(service.url, topic).catch(() => undefined))?.published ?? 0) > most,
        );
      await sleep(random() * (kill % 5 === 4 ? 100 : 700));
      // It may have just begun
      const counts = await countsIn(service.url, topic).catch(() => undefined);
      if (counts) {
        expect(counts.rows, 'rows are seen twice').toBe(counts.distinct);
        most = Math.max(most, counts.published);
      }
      service.kill();
      await service.ended;
      service = await started(dataDir);
      if (kill % 20 === 19)
        console.log(
          `${kill + 1} kills: ${produced} rows written, ${most} published (${Date.now() - startedMs} ms)`,
        );
    }
    producing = false;
    await producer;
    expect(most, 'nothing was ever published between two kills').toBeGreaterThan(0);
    await until(
      async () => (await countsIn(service.url, topic).catch(() => undefined))?.rows === produced,
    );
    await post(`${service.url}/svc/indexer/v1/supervisor/${topic}/terminate`, {});
    await until(async () => (await countsIn(service.url, topic)).published === produced);
    const { rows, distinct } = await countsIn(service.url, topic);
    console.log(
      `seed ${seed}: ${kills} kills, ${produced} rows written, ${produced - distinct} lost, ${rows - distinct} doubled`,
    );
    expect({ rows, distinct }).toEqual({ rows: produced, distinct: produced });
  });
});

const supervisor = (address: string, topic: string) => ({
  type: 'kafka',
  spec: {
    dataSchema: {
      dataSource: topic,
      timestampSpec: { column: 'time', format: 'iso' },
      dimensionsSpec: { dimensions: [{ type: 'long', name: 'n' }] },
      granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false },
    },
    ioConfig: {
      topic,
      inputFormat: { type: 'json' },
      consumerProperties: { 'bootstrap.servers': address },
      useEarliestOffset: true,
      taskCount: 2,
      taskDuration: 'PT2S',
      startDelay: 'PT0S',
      period: 'PT1S',
    },
    tuningConfig: { type: 'kafka', maxRowsPerSegment: 500 }, // so that segments are published on the way, too
  },
});

async function started(dataDir: string) {
  const service = await startServed(['--data-dir', dataDir, '--worker-capacity', '6']);
  onTestFinished(() => void service.kill());
  return service;
}

async function countsIn(
  url: string,
  dataSource: string,
): Promise<{ rows: number; distinct: number; published: number }> {
  const [counts] = await post(`${url}/svc/v2/sql`, {
    query: `SELECT COUNT(*) AS "rows", COUNT(DISTINCT "n") AS "distinct" FROM "${dataSource}"`,
    context: { useApproximateCountDistinct: false },
  });
  const query = `SELECT COALESCE(SUM(num_rows), 0) AS published FROM sys.segments WHERE datasource = '${dataSource}' AND is_published = 1 AND is_overshadowed = 0`;
  const [{ published } = { published: 0 }] = await post(`${url}/svc/v2/sql`, { query });
  return {
    rows: Number(counts?.rows),
    distinct: Number(counts?.distinct),
    published: Number(published),
  };
}

async function post(url: string, body: unknown): Promise<readonly Record<string, unknown>[]> {
  const reply = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
  const value: unknown = await reply.json();
  return Array.isArray(value) ? value : [];
}

async function until(holds: () => Promise<boolean>, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; !(await holds()); await sleep(100)) {
    if (Date.now() > end) throw new Error('This did not happen in time');
  }
}
