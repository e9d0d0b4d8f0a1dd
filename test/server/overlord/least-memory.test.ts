// Every kind of task at exactly the least memory that the service takes, with a day of edits of
// Wikipedia.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { leastMemoryBytes } from '../../../src/model/memory.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/storage.ts';
import { api } from '../../support/wire.ts';

const sample = 'wikiticker-2015-09-12-sampled.json.gz';

const partitions = [
  { type: 'dynamic', maxRowsPerSegment: 10_000 },
  { type: 'hashed', targetRowsPerSegment: 10_000 },
  { type: 'single_dim', partitionDimension: 'page', targetRowsPerSegment: 10_000 },
  { type: 'range', partitionDimensions: ['page', 'user'], targetRowsPerSegment: 10_000 },
];
const perfect = (partitionsSpec: object) => ({
  tuningConfig: { type: 'index_parallel', partitionsSpec, forceGuaranteedRollup: true },
});
const tuned = (partitionsSpec: { readonly type: string }) =>
  partitionsSpec.type === 'dynamic' ? {} : perfect(partitionsSpec);

const load = (
  dataSource: string,
  inputSource: object,
  rollup: boolean,
  partitionsSpec: { readonly type: string },
) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource,
      timestampSpec: { column: 'time' },
      dimensionsSpec: { dimensions: ['page', 'user', 'channel'] },
      ...(rollup && { metricsSpec: [{ type: 'count', name: 'n' }] }),
      granularitySpec: {
        segmentGranularity: 'DAY',
        queryGranularity: rollup ? 'HOUR' : 'NONE',
        rollup,
      },
    },
    ioConfig: { type: 'index_parallel', inputSource, inputFormat: { type: 'json' } },
    ...tuned(partitionsSpec),
  },
});

test('every kind of task and query has room in the least memory', {
  timeout: 300_000,
}, async () => {
  const folder = await temporaryFolder();
  copyFileSync(join('src/demo', sample), join(folder, sample));
  const { post, ended } = api(
    await startService({ memoryBytes: leastMemoryBytes, allowedFolders: [folder] }),
  );
  const wiki = { type: 'local', baseDir: folder, filter: sample };
  const one = { type: 'inline', data: '{"time":"2015-09-12","page":"a","user":"b","channel":"c"}' };
  const succeeds = async (what: unknown, path: string, body: object) => {
    const { body: reply, text } = await post(path, body);
    const id = reply?.task ?? reply?.taskId;
    expect({ what, text: id ? '' : text }).toEqual({ what, text: '' });
    const { statusCode, errorMsg } = await ended(id, 'svc', 240);
    expect({ what, statusCode, errorMsg }).toEqual({ what, statusCode: 'SUCCESS', errorMsg: null });
  };
  const task = (body: object) => succeeds(body, '/svc/indexer/v1/task', body);
  const sql = (query: string, context = {}) =>
    succeeds(query, '/svc/v2/sql/task', { query, context: { rowsPerSegment: 10_000, ...context } });

  await task(load('one', one, true, { type: 'dynamic' }));
  for (const spec of partitions) {
    for (const rollup of [false, true]) await task(load(`wiki_${spec.type}`, wiki, rollup, spec));
    const inputSpec = { type: 'interval', interval: '2015-01-01/2016-01-01' };
    await task({
      type: 'compact',
      dataSource: `wiki_${spec.type}`,
      ioConfig: { type: 'compact', inputSpec },
      ...tuned(spec),
    });
  }
  const from = 'FROM wiki_hashed';
  const extern = `TABLE(EXTERN('${JSON.stringify(wiki)}', '{"type":"json"}')) EXTEND ("time" VARCHAR, page VARCHAR, "user" VARCHAR)`;
  await sql(
    `REPLACE INTO s OVERWRITE ALL SELECT TIME_PARSE("time") AS __time, page, "user" FROM ${extern} PARTITIONED BY DAY CLUSTERED BY page`,
  );
  await sql(`INSERT INTO s SELECT __time, page, "user" ${from} PARTITIONED BY DAY`);
  await sql(
    `REPLACE INTO r OVERWRITE ALL SELECT __time, page, COUNT(*) AS n ${from} GROUP BY 1, 2 PARTITIONED BY DAY`,
    {
      finalizeAggregations: false,
    },
  );
  await sql(`SELECT * ${from} ORDER BY page`, { selectDestination: 'durableStorage' });
  await task({ type: 'kill', dataSource: 'wiki_dynamic', interval: '2015-01-01/2016-01-01' });
  const groups = `SELECT page, "user", COUNT(*) ${from} GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 10`;
  expect((await post('/svc/v2/sql', { query: groups })).status).toBe(200);
});
