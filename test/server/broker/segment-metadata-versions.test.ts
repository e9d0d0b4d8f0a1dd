// segmentMetadata in versions of the engine, and its default interval.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

test.each([
  [33, 400],
  [39, 200],
] as const)(
  'version %i knows projections as an analysis, or does not',
  async (engineVersion, wanted) => {
    const { post } = api(await startService({ engineVersion }));
    const { status, body } = await post('/svc/v2', {
      queryType: 'segmentMetadata',
      dataSource: 'nothing',
      analysisTypes: ['projections'],
    });
    expect(status).toBe(wanted);
    if (wanted === 400) expect(body.errorMessage).toContain('Unknown analysis type [projections]');
  },
);

test('the default interval may be requested although an interval is given', async () => {
  const { post, ended } = api(await startService());
  const rows = ['2024-01-01', '2024-01-20', '2024-01-22'].map((t) => JSON.stringify({ t, a: 'x' }));
  const { body: sent } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'days',
        timestampSpec: { column: 't' },
        dimensionsSpec: { dimensions: ['a'] },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  await ended(sent.task);
  const segments = async (usingDefaultInterval: boolean) =>
    (
      await post('/svc/v2', {
        queryType: 'segmentMetadata',
        dataSource: 'days',
        intervals: ['2024-01-01/2024-02-01'],
        usingDefaultInterval,
      })
    ).body;
  expect(await segments(false)).toHaveLength(3);
  expect(await segments(true)).toHaveLength(2);
});
