// Rows on their way from a topic into segments.
import { describe, expect, test } from 'vitest';
import { broker, hasBroker, newName, reading } from './streams.ts';

const row = (n: number, more: Record<string, unknown> = {}) => ({
  value: JSON.stringify({
    time: `2024-05-01T00:00:${String(n % 60).padStart(2, '0')}Z`,
    n,
    ...more,
  }),
});
const numbered = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => row(from + index));

describe.skipIf(!hasBroker)('a stream task', () => {
  test('shows rows as they come, and then has them in segments, never twice', async () => {
    const kafka = broker();
    const { submit, rowsIn, sql, selected, until, ended, log, report } = await reading(
      kafka.address,
    );
    const topic = newName('rows');
    await kafka.createTopic(topic);
    const task = await submit({ topic, dataSource: topic, start: { 0: 0 }, end: { 0: 300 } });
    await kafka.produce(topic, numbered(100));
    await until(async () => (await rowsIn(topic)) === 100);
    expect(
      await sql(
        `SELECT is_realtime, is_published, is_available, num_rows FROM sys.segments WHERE datasource = '${topic}'`,
      ),
    ).toEqual([{ is_realtime: 1, is_published: 0, is_available: 1, num_rows: 100 }]);
    const counted = `SELECT COUNT(*) AS n FROM "${topic}"`;
    expect(await selected(counted)).toEqual([[0]]);
    expect(await selected(counted, { includeSegmentSource: 'REALTIME' })).toEqual([[100]]);
    await kafka.produce(topic, numbered(200, 100));
    const seen: number[] = [];
    await until(async () => {
      seen.push(await rowsIn(topic));
      return (await ended(task)).statusCode !== 'RUNNING';
    });
    expect(await ended(task), await log(task)).toMatchObject({ statusCode: 'SUCCESS' });
    expect(Math.max(...seen)).toBeLessThanOrEqual(300);
    expect(await sql(`SELECT COUNT(*) AS n, COUNT(DISTINCT n) AS d FROM "${topic}"`)).toEqual([
      { n: 300, d: 300 },
    ]);
    expect(
      await sql(
        `SELECT is_realtime, is_published, num_rows FROM sys.segments WHERE datasource = '${topic}'`,
      ),
    ).toEqual([{ is_realtime: 0, is_published: 1, num_rows: 300 }]);
    expect(await report(task)).toMatchObject({
      ingestionState: 'COMPLETED',
      rowStats: { buildSegments: { processed: 300, unparseable: 0, thrownAway: 0 } },
      recordsProcessed: { 0: 300 },
    });
  });
});
