// Replica tasks and a real broker: each row is there once, whichever task publishes it and
// whichever one is stopped.
import { describe, expect, test } from 'vitest';
import { supervisors } from '../../src/contract/supervisors.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { listedTasks } from '../support/listed-tasks.ts';
import { startService } from '../support/service.ts';
import { about, broker, hasBroker, newName } from './streams.ts';

const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => ({
    value: JSON.stringify({ time: '2024-05-01T00:00:00Z', page: 'Oslo', added: from + index }),
  }));

describe.skipIf(!hasBroker)('replicas of a task', () => {
  test('read the same rows, which are seen and published once, also while they are handed off and one of them is stopped', async () => {
    const kafka = broker();
    const name = newName('replicas');
    await kafka.createTopic(name, { partitions: 2 });
    const { apply, call, params, until, status, counts, published } = about(
      await startService(),
      name,
      kafka.address,
    );
    await kafka.produce(name, rows(300));
    await apply({ ioConfig: { replicas: 2 }, tuningConfig: { maxRowsPerSegment: 100 } });
    const seen: unknown[] = [];
    const seesAll = async (count: number) => {
      const found = await counts();
      if (found.n !== found.d) seen.push(found);
      return found.n === count;
    };
    await until(() => seesAll(300));
    await until(async () => (await status()).activeTasks?.length === 2);
    const [first, second] = listedTasks((await status()).activeTasks);
    expect([first?.startingOffsets, first?.id === second?.id]).toEqual([
      second?.startingOffsets,
      false,
    ]);
    await kafka.produce(name, rows(300, 300));
    await until(() => seesAll(600));
    await until(async () => (await published()) > 0);
    await call(tasks.shutdown, { params: { taskId: first?.id ?? '' } });
    await kafka.produce(name, rows(50, 600));
    await until(() => seesAll(650));
    await until(async () => {
      const ids = listedTasks((await status()).activeTasks).map(({ id }) => id);
      return ids.length === 2 && !ids.includes(first?.id ?? '') && ids.includes(second?.id ?? '');
    });
    await kafka.produce(name, rows(50, 650));
    await until(() => seesAll(700));
    await call(supervisors.suspend, { params });
    await until(async () => (await seesAll(700)) && (await published()) === 700);
    await until(async () => (await status()).publishingTasks?.length === 0);
    expect([await counts(), seen]).toEqual([{ n: 700, d: 700 }, []]);
    const ended = await call(tasks.list, { query: { datasource: name } });
    expect(ended.map(({ status }) => status).sort()).toEqual(['FAILED', 'SUCCESS', 'SUCCESS']);
  });
});
