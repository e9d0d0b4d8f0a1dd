// Joins as the multi-stage engine runs them: by broadcast or by sorting and merging, in stages of
// their own, within its limits.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'joins-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { get, post, ended } = api(await startService({ allowedFolders: [folder], ...settings }));
  const task = async (query: string, context: object = {}) => {
    const { body } = await post('/svc/v2/sql/task', { query, context });
    const status = await ended(body.taskId);
    const { payload } = (await get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body
      .multiStageQuery;
    return { status, payload };
  };
  return {
    task,
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    /** A file with rows of a key and a text, as a table of a statement. */
    async table(name: string, rows: readonly (readonly [string, string])[]) {
      const file = join(folder, `${name}.csv`);
      await writeFile(file, rows.map(([k, text]) => `${k},${text}\n`).join(''));
      const source = JSON.stringify({ type: 'local', files: [file] });
      return `TABLE(EXTERN('${source}', '{"type":"csv","columns":["k","text"]}')) EXTEND ("k" VARCHAR, "text" VARCHAR)`;
    },
  };
}

const stagesOf = (payload: {
  stages: { definition: Record<string, unknown> & { processor: { type: string } } }[];
}) =>
  payload.stages.map(({ definition: { processor, input, broadcast } }) => ({
    processor: processor.type,
    input: (input as { type: string; stage?: number }[]).map(({ type, stage }) =>
      stage === undefined ? type : stage,
    ),
    ...(broadcast !== undefined && { broadcast }),
  }));

const cities = [
  ['a', 'Aachen'],
  ['b', 'Bonn'],
] as const;
const visits = [
  ['a', 'x'],
  ['a', 'y'],
  ['c', 'z'],
] as const;

test('a join by broadcast reads its right side first, and gives it to all that read the left', async () => {
  const { task, table, rows } = await started();
  const query = `INSERT INTO "joined" SELECT TIMESTAMP '2024-05-01' AS "__time", v."text" AS "visit", c."text" AS "city" FROM ${await table('visits', visits)} AS v
    LEFT JOIN ${await table('cities', cities)} AS c ON v."k" = c."k" PARTITIONED BY DAY`;
  const { status, payload } = await task(query);
  expect(status).toMatchObject({ statusCode: 'SUCCESS' });
  expect(stagesOf(payload)).toEqual([
    { processor: 'scan', input: ['external'] },
    { processor: 'scan', input: ['external', 0], broadcast: [1] },
    { processor: 'segmentGenerator', input: [1] },
  ]);
  expect(payload.stages[0].definition.signature).toEqual([
    { name: 'k', type: 'STRING' },
    { name: 'text', type: 'STRING' },
  ]);
  expect(payload.counters[0][0]).toMatchObject({ input0: { rows: [2] }, output: { rows: [2] } });
  expect(payload.counters[1][0]).toMatchObject({ input0: { rows: [3] }, output: { rows: [3] } });
  expect((await rows('SELECT "visit", "city" FROM "joined"')).sort()).toEqual([
    ['x', 'Aachen'],
    ['y', 'Aachen'],
    ['z', null],
  ]);
});

test('a join by sorting shuffles both sides by their keys, whatever the key is, and yields the same rows', async () => {
  const { task, table } = await started();
  const [v, c] = [await table('visits', visits), await table('cities', cities)];
  const joins = [
    `FROM ${v} AS v JOIN ${c} AS c ON c."k" = v."k"`,
    `FROM ${v} AS v JOIN ${c} AS c USING ("k")`,
  ];
  for (const from of joins) {
    const { status, payload } = await task(`SELECT v."text", c."text" AS "city" ${from}`, {
      sqlJoinAlgorithm: 'sortMerge',
      maxNumTasks: 3,
    });
    expect(status).toMatchObject({ statusCode: 'SUCCESS' });
    expect(stagesOf(payload)).toEqual([
      { processor: 'scan', input: ['external'] },
      { processor: 'scan', input: ['external'] },
      { processor: 'sortMergeJoin', input: [0, 1] },
      { processor: 'scan', input: [2] },
    ]);
    expect(payload.stages[0]).toMatchObject({
      sort: true,
      shuffle: 'hashLocalSort',
      definition: {
        shuffleSpec: {
          type: 'hash',
          clusterBy: { columns: [{ columnName: 'k', order: 'ASCENDING' }] },
          partitions: 2,
        },
      },
    });
    expect(payload.stages.map(({ phase }: { phase: string }) => phase)).toEqual([
      'RESULTS_COMPLETE',
      'RESULTS_COMPLETE',
      'RESULTS_COMPLETE',
      'RESULTS_COMPLETE',
    ]);
    expect(payload.results.results.sort()).toEqual([
      ['x', 'Aachen'],
      ['y', 'Aachen'],
    ]);
  }
});

test('joins of joins, of common tables and of tables have a stage for each side', async () => {
  const { task, table } = await started();
  const c = await table('cities', cities);
  await task(
    `INSERT INTO "stored" SELECT TIMESTAMP '2024-05-01' AS "__time", "k", "text" FROM ${c} PARTITIONED BY DAY`,
  );
  const query = `WITH few AS (SELECT "k", "text" FROM "stored" WHERE "k" = 'a') SELECT v."text", s."text" AS "city", f."k" AS "few"
    FROM ${await table('visits', visits)} AS v JOIN "stored" AS s ON v."k" = s."k" LEFT JOIN few AS f ON f."k" = s."k" WHERE f."k" IN (SELECT "k" FROM "stored")`;
  for (const [sqlJoinAlgorithm, count] of [
    ['broadcast', 3],
    ['sortMerge', 6],
  ] as const) {
    const { status, payload } = await task(query, { sqlJoinAlgorithm });
    expect(status).toMatchObject({ statusCode: 'SUCCESS' });
    expect(stagesOf(payload)).toHaveLength(count);
    expect(payload.results.results.sort()).toEqual([
      ['x', 'Aachen', 'a'],
      ['y', 'Aachen', 'a'],
    ]);
  }
});

const wide = (key: (at: number) => string, count: number) =>
  Array.from({ length: count }, (_, at): [string, string] => [
    key(at),
    `${at}`.padStart(1000, 'x'),
  ]);

test('a right side that is more than the memory for broadcasts is refused, unless it is sorted; what has no equal keys cannot be', async () => {
  const { task, table } = await started({ memoryBytes: 100_000_000 });
  const [small, large] = [
    await table('cities', cities),
    await table(
      'large',
      wide((at) => `k${at}`, 31_000),
    ),
  ];
  const query = `SELECT COUNT(*) FROM ${small} AS s JOIN ${large} AS l ON s."k" = l."k" WHERE l."text" <> ''`;
  const { status, payload } = await task(query);
  expect(status).toMatchObject({
    statusCode: 'FAILED',
    errorMsg:
      'BroadcastTablesTooLarge: Size of broadcast tables in JOIN exceeds reserved memory limit (memory reserved for broadcast tables = [30,000,000] bytes). Increase available memory, or set [sqlJoinAlgorithm: sortMerge] in query context to use a shuffle-based join.',
  });
  expect(payload.status.errorReport.error).toMatchObject({
    errorCode: 'BroadcastTablesTooLarge',
    maxBroadcastTablesSize: 30_000_000,
    configuredJoinAlgorithm: 'broadcast',
  });
  const sorted = await task(query, { sqlJoinAlgorithm: 'sortMerge' });
  expect(sorted.status).toMatchObject({ statusCode: 'SUCCESS' });
  expect(sorted.payload.results.results).toEqual([[0]]);
  const unequal = await task(
    `SELECT COUNT(*) FROM ${small} AS s JOIN ${large} AS l ON s."k" = l."k" AND s."text" < l."text"`,
    {
      sqlJoinAlgorithm: 'sortMerge',
    },
  );
  expect(unequal.payload.status.errorReport.error).toMatchObject({
    errorCode: 'BroadcastTablesTooLarge',
    configuredJoinAlgorithm: 'sortMerge',
    errorMessage: expect.stringContaining('equalities only'),
  });
});

test('rows of one key that are too many on both sides cannot be merged; on one side they can', async () => {
  const { task, table } = await started();
  const [few, many, more] = [
    await table('few', cities),
    await table(
      'many',
      wide(() => 'a', 12_000),
    ),
    await table(
      'more',
      wide(() => 'a', 11_000),
    ),
  ];
  const join = (left: string, right: string) =>
    `SELECT COUNT(*) FROM ${left} AS l JOIN ${right} AS r ON l."k" = r."k" WHERE l."text" <> r."text" AND l."text" <> ''`;
  const context = { sqlJoinAlgorithm: 'sortMerge' };
  const { status, payload } = await task(join(many, more), context);
  expect(status).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringMatching(
      /^TooManyRowsWithSameKey: .*limit = \[10,000,000\]\)\. Key: \[a\]$/,
    ),
  });
  const { key, numBytes, maxBytes } = payload.status.errorReport.error;
  expect({ key, maxBytes }).toEqual({ key: ['a'], maxBytes: 10_000_000 });
  expect(numBytes).toBeGreaterThan(maxBytes);
  expect((await task(join(few, many), context)).payload.results.results).toEqual([[12_000]]);
});
