// segmentMetadata as versions of the engine answer it.
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
