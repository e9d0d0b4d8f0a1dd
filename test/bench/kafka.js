// Kafka ingestion: rows per second, memory, and latency of a single row.
import { setTimeout as sleep } from 'node:timers/promises';
import { brokerSupport } from '../support/broker.js';
import { startServed } from '../support/served.js';
import { median, residentMb, send } from './measure.js';

export async function kafka({ quick }) {
  const { kafkaIsMissing, startKafka } = await brokerSupport();
  const reason = kafkaIsMissing();
  if (reason !== undefined) {
    console.warn(`SKIPPED: the Kafka benchmark needs a broker, and ${reason}`);
    return [];
  }
  const broker = await startKafka();
  const service = await startServed(['--ephemeral']);
  try {
    const count = quick ? 20_000 : 1_000_000;
    await broker.createTopic('many', { partitions: 2 });
    for (let first = 0; first < count; first += 50_000) {
      const rows = Array.from({ length: Math.min(50_000, count - first) }, (_, index) =>
        rowOf(first + index),
      );
      for (const partition of [0, 1])
        await broker.produce(
          'many',
          rows.filter((_, index) => index % 2 === partition).map((value) => ({ value, partition })),
        );
    }
    let peakMb = 0;
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, residentMb(service.pid));
    }, 50);
    const started = performance.now();
    const { task } = await send(
      `${service.url}/svc/indexer/v1/task`,
      readAll(broker.address, 'many', count / 2),
    );
    const seen = async (name) => {
      const [row] = await send(`${service.url}/svc/v2/sql`, {
        query: `SELECT COUNT(*) AS n FROM "${name}"`,
      }).catch(() => []);
      return Number(row?.n ?? 0);
    };
    while ((await seen('many')) < count) {
      await failing(service, task);
      await sleep(100); // asking costs, too
    }
    const readMs = performance.now() - started;
    await ended(service, task);
    const publishedMs = performance.now() - started;
    clearInterval(watch);
    if ((await seen('many')) !== count) throw new Error('Rows were lost or doubled');

    await broker.createTopic('few');
    const reader = await send(
      `${service.url}/svc/indexer/v1/task`,
      readAll(broker.address, 'few', undefined),
    );
    const latencies = [];
    for (let number = 1; number <= (quick ? 3 : 30); number++) {
      const sent = performance.now();
      await broker.produce('few', [{ value: rowOf(number) }]);
      while ((await seen('few')) < number) await failing(service, reader.task);
      // The first one waits for the client to load
      if (number > 1) latencies.push(performance.now() - sent);
      await sleep(100);
    }
    return [
      {
        what: `${count} rows from Kafka, seen by queries`,
        value: count / (readMs / 1000),
        unit: 'rows/s',
        atLeast: 50_000,
      },
      {
        what: `${count} rows from Kafka, published`,
        value: count / (publishedMs / 1000),
        unit: 'rows/s',
        atLeast: 50_000,
      },
      { what: 'most memory while reading', value: peakMb, unit: 'MB' },
      { what: 'from written to seen, median', value: median(latencies), unit: 'ms', atMost: 1000 },
      {
        what: 'from written to seen, slowest',
        value: Math.max(...latencies),
        unit: 'ms',
        atMost: 1000,
      },
    ];
  } finally {
    await service.stop();
    await broker.stop();
  }
}

const pages = Array.from({ length: 1000 }, (_, index) => `Page number ${index}`);
const rowOf = (number) =>
  JSON.stringify({
    time: new Date(Date.UTC(2024, 4, 1) + number * 50).toISOString(),
    page: pages[(number * 7) % 1000],
    user: `user-${number % 5000}`,
    added: number % 997,
    deleted: number % 31,
    ratio: number / 7,
  });

const readAll = (address, topic, end) => ({
  type: 'index_kafka',
  dataSchema: {
    dataSource: topic,
    timestampSpec: { column: 'time', format: 'iso' },
    dimensionsSpec: {
      dimensions: [
        'page',
        'user',
        { type: 'long', name: 'added' },
        { type: 'long', name: 'deleted' },
        { type: 'double', name: 'ratio' },
      ],
    },
    granularitySpec: { segmentGranularity: 'DAY', rollup: false },
  },
  ioConfig: {
    type: 'kafka',
    startSequenceNumbers: {
      type: 'start',
      stream: topic,
      partitionOffsetMap: end ? { 0: 0, 1: 0 } : { 0: 0 },
    },
    ...(end && {
      endSequenceNumbers: { type: 'end', stream: topic, partitionOffsetMap: { 0: end, 1: end } },
    }),
    consumerProperties: { 'bootstrap.servers': address },
    inputFormat: { type: 'json' },
  },
});

const statusOf = async ({ url }, task) =>
  (await send(`${url}/svc/indexer/v1/task/${task}/status`, undefined, 'GET')).status;

async function failing(service, task) {
  await sleep(20);
  const { statusCode, errorMsg } = await statusOf(service, task);
  if (statusCode === 'FAILED') throw new Error(errorMsg);
}

async function ended(service, task) {
  while ((await statusOf(service, task)).statusCode === 'RUNNING') await sleep(10);
  await failing(service, task);
}
