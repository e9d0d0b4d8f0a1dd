// The sampler of type kafka and a real broker.
import { describe, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { api } from '../support/wire.ts';
import { broker, hasBroker, newName } from './streams.ts';

const timestampMs = Date.parse('2024-05-01T00:00:00Z');
const record = (added: number) => ({
  value: JSON.stringify({ time: '2024-05-01T00:00:00Z', added }),
  key: `k${added}`,
  headers: { env: 'prod' },
  timestampMs,
});

describe.skipIf(!hasBroker)('the sampler', () => {
  const sampling = async (address: string, ioConfig: object, samplerConfig: object = {}) => {
    const http = api(await startService());
    return (config: object = {}) =>
      http.post('/svc/indexer/v1/sampler', {
        type: 'kafka',
        spec: {
          type: 'kafka',
          spec: {
            dataSchema: {
              dataSource: 'sample',
              timestampSpec: { column: 'time' },
              dimensionsSpec: { useSchemaDiscovery: true },
            },
            ioConfig: {
              consumerProperties: { 'bootstrap.servers': address },
              useEarliestOffset: true,
              ...ioConfig,
              ...config,
            },
          },
        },
        samplerConfig: { timeoutMs: 15_000, ...samplerConfig },
      });
  };

  test('shows the first records of a topic with their keys, headers, times and topic', async () => {
    const kafka = broker();
    const topic = newName('sampled');
    await kafka.createTopic(topic);
    const inputFormat = {
      type: 'kafka',
      valueFormat: { type: 'json' },
      keyFormat: { type: 'csv', columns: ['x'], findColumnsFromHeader: false },
      headerFormat: { type: 'string' },
    };
    const sample = await sampling(kafka.address, { topic, inputFormat }, { numRows: 3 });
    expect(await sample()).toMatchObject({ status: 200, body: { numRowsRead: 0, data: [] } });
    await kafka.produce(topic, [{ value: 'no JSON', timestampMs }, ...[1, 2, 3, 4].map(record)]);
    const { status, body } = await sample();
    expect([status, body.numRowsRead, body.numRowsIndexed]).toEqual([200, 3, 2]);
    const input = {
      time: '2024-05-01T00:00:00Z',
      added: 1,
      'kafka.timestamp': timestampMs,
      'kafka.topic': topic,
      'kafka.key': 'k1',
      'kafka.header.env': 'prod',
    };
    const { time: _, ...columns } = input;
    expect(body.data[1]).toEqual({ input, parsed: { __time: timestampMs, ...columns } });
    expect(body.data[0]).toMatchObject({ unparseable: true });
  });

  test('reads several topics, and waits no longer for new records than it may', async () => {
    const kafka = broker();
    const name = newName('patterned');
    await kafka.createTopic(`${name}.a`);
    await kafka.createTopic(`${name}.b`);
    await kafka.produce(`${name}.a`, [record(1)]);
    await kafka.produce(`${name}.b`, [record(2)]);
    const sample = await sampling(
      kafka.address,
      { topicPattern: `${name}\\..`, inputFormat: { type: 'json' } },
      { timeoutMs: 1500 },
    );
    const { body } = await sample();
    expect(body.data.map((row: { input: { added: number } }) => row.input.added).sort()).toEqual([
      1, 2,
    ]);
    expect(await sample({ useEarliestOffset: false })).toMatchObject({
      status: 200,
      body: { numRowsRead: 0 },
    });
    expect(await sample({ topicPattern: 'nothing-of-this-name' })).toMatchObject({
      status: 400,
      body: {
        error: expect.stringContaining('No partitions found for stream [nothing-of-this-name]'),
      },
    });
  });
});
