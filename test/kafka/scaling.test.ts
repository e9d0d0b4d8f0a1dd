// A supervisor that scales, and a real broker: rows are there once, while tasks give their
// partitions to others.
import { describe, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { about, broker, hasBroker, newName } from './streams.ts';

const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    value: JSON.stringify({ time: '2024-05-01T00:00:00Z', page: 'Oslo', added: from + index }),
  }));

describe.skipIf(!hasBroker)('a supervisor that scales', () => {
  test('has fewer tasks when all is read, and what they had read is published once', async () => {
    const kafka = broker();
    const name = newName('scaling');
    await kafka.createTopic(name, { partitions: 4 });
    const { apply, until, status, counts, published, get } = about(
      await startService(),
      name,
      kafka.address,
    );
    await kafka.produce(name, rows(400));
    const autoScalerConfig = {
      enableTaskAutoScaler: true,
      taskCountMax: 4,
      taskCountMin: 1,
      taskCountStart: 3,
      lagCollectionIntervalMillis: 500,
      lagCollectionRangeMillis: 2000,
      scaleActionStartDelayMillis: 2000,
      scaleActionPeriodMillis: 500,
      minTriggerScaleActionFrequencyMillis: 600_000,
      scaleInThreshold: 0,
      scaleInStep: 2,
    };
    await apply({ ioConfig: { autoScalerConfig, taskCount: 2 } });
    await until(async () => (await status()).activeTasks?.length === 3);
    await until(async () => (await counts()).n === 400);
    await until(async () => (await published()) === 400);
    await until(async () => (await status()).activeTasks?.length === 1);
    await kafka.produce(name, rows(100, 400));
    await until(async () => (await counts()).n === 500);
    expect(await counts()).toEqual({ n: 500, d: 500 });
    expect((await get(`/svc/indexer/v1/supervisor/${name}`)).body.spec.ioConfig.taskCount).toBe(1);
  });
});
