// Words of a caller that neither DuckDB nor HTTP can hold as they are: each is answered or refused,
// and none is an internal error.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

async function asking() {
  const service = await startService();
  const { post, ended } = api(service);
  return {
    service,
    rows: async (query: string, context: object = {}) =>
      (await post('/svc/v2/sql', { query, context, resultFormat: 'array' })).body,
    refusal: async (query: string) => (await post('/svc/v2/sql', { query })).body.errorMessage,
    task: async (query: string) => ended((await post('/svc/v2/sql/task', { query })).body.taskId),
    native: async (query: object) => (await post('/svc/v2', query)).body,
    sampled: async (filter: unknown) =>
      post('/svc/indexer/v1/sampler', {
        type: 'index',
        spec: {
          type: 'index',
          ioConfig: {
            type: 'index',
            inputSource: { type: 'inline', data: '{"t":1}' },
            inputFormat: { type: 'json' },
          },
          dataSchema: {
            dataSource: 'd',
            timestampSpec: { column: 't', format: 'auto' },
            dimensionsSpec: {},
            transformSpec: { filter },
          },
        },
      }),
  };
}

test('an offset is a zone of a statement and of its functions', async () => {
  const { rows } = await asking();
  const noon = "TIMESTAMP '2024-05-01 12:00:00'";
  const parts = (time: string) =>
    `SELECT TIME_EXTRACT(${time}, 'HOUR', '-08:00'), EXTRACT(HOUR FROM ${time}), CAST(TIME_FLOOR(${time}, 'P1D') AS VARCHAR), EXTRACT(DOY FROM ${time})`;
  const column = `FROM (VALUES (${noon}), (${noon})) AS v(t) LIMIT 1`;
  for (const zone of ['+05:30', '+0530']) {
    expect(await rows(parts(noon), { sqlTimeZone: zone })).toEqual([
      [22, 12, '2024-05-01 00:00:00', 122],
    ]);
    expect(await rows(`${parts('t')} ${column}`, { sqlTimeZone: zone })).toEqual([
      [22, 12, '2024-05-01 00:00:00', 122],
    ]);
    expect(
      await rows(`SELECT t + INTERVAL '1' MONTH, FLOOR(t TO MONTH) ${column}`, {
        sqlTimeZone: zone,
      }),
    ).toEqual([['2024-06-01T12:00:00.000+05:30', '2024-05-01T00:00:00.000+05:30']]);
  }
  expect(await rows(`SELECT t ${column}`, { sqlTimeZone: 'Nowhere' })).toEqual([
    ['2024-05-01T12:00:00.000Z'],
  ]);
});

test('names may hold NUL, and be empty in native queries', async () => {
  const { service, rows, native } = await asking();
  expect(await rows('SELECT 1 AS ""')).toMatchObject({
    category: 'INVALID_INPUT',
    errorCode: 'invalidInput',
  });
  expect(await rows('SELECT "x\0", "x" FROM (SELECT 1 AS "x\0", 2 AS "x") AS "t\0"')).toEqual([
    [1, 2],
  ]);
  expect(
    await rows(
      'WITH "q\0" AS (SELECT 1 AS "\0") SELECT "\0", COUNT(*) FROM "q\0" GROUP BY "\0", "\0" || \'x\' ORDER BY 1',
    ),
  ).toEqual([[1, 1]]);
  const scan = {
    queryType: 'scan',
    dataSource: {
      type: 'inline',
      columnNames: ['a\0b', ''],
      columnTypes: ['LONG', 'LONG'],
      rows: [[1, 2]],
    },
    intervals: '1900/2100',
  };
  expect(await native({ ...scan, resultFormat: 'compactedList' })).toMatchObject([
    { columns: ['a\0b', ''], events: [[1, 2]] },
  ]);
  const inner = { ...scan, dataSource: 'none', columns: ['', 'c\0'] };
  expect(
    await native({
      queryType: 'timeseries',
      dataSource: { type: 'query', query: inner },
      intervals: '2000/2001',
      granularity: 'all',
    }),
  ).toEqual([{ timestamp: '2000-01-01T00:00:00.000Z', result: {} }]);
  const reply = await fetch(`${service.url}/svc/v2/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: 'SELECT 1', context: { sqlQueryId: 'a\r\nx-forged: 1\0é日' } }),
  });
  expect(reply.status).toBe(200);
  expect(reply.headers.get('x-svc-sql-query-id')).toBe('a  x-forged: 1 é ');
  expect(reply.headers.has('x-forged')).toBe(false);
});

test('a text that looks like a file of segments is a text', async () => {
  const { task, rows } = await asking();
  const made = (name: string, where: string) =>
    task(
      `REPLACE INTO "${name}" OVERWRITE ALL SELECT TIMESTAMP '2024-05-01 00:00:00' AS "__time", f FROM (VALUES ('a.parquet'), ('b')) AS v(f) ${where} PARTITIONED BY ALL`,
    );
  expect(await made('files', '')).toMatchObject({ statusCode: 'SUCCESS' });
  expect(
    await task(
      `REPLACE INTO "found" OVERWRITE ALL SELECT __time, f FROM "files" WHERE f = 'a.parquet' PARTITIONED BY ALL`,
    ),
  ).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT f FROM "found"')).toEqual([['a.parquet']]);
});

test('what cannot be computed is refused in the planner, not by the engine', async () => {
  const { refusal, rows, sampled } = await asking();
  expect(await refusal('SELECT ROW(1, 2)')).toContain("SQL query requires 'ROW' operator");
  expect(await refusal("SELECT TIME_FORMAT(CURRENT_TIMESTAMP, 'Q')")).toContain(
    'Illegal pattern component: Q',
  );
  expect(await refusal("SELECT DS_TUPLE_DOUBLES('a', 1.5)")).toContain(
    'without a metric merges sketches',
  );
  expect((await sampled({ type: 'nothing' })).status).toBe(400);
  const values =
    "FROM (SELECT STRING_TO_MV('a,b', ',') AS mv, ARRAY[1, NULL] AS nums FROM (VALUES (1)) AS v(x))";
  for (const items of [
    "LPAD(mv, 3, 'x'), MV_APPEND('z', mv), ARRAY['s', mv]",
    'BIT_OR(LENGTH(mv)) OVER ()',
  ])
    expect(await rows(`SELECT ${items} ${values}`)).toHaveLength(1);
  expect(await refusal(`SELECT SCALAR_IN_ARRAY(mv, ARRAY['a']) ${values}`)).toContain(
    'Cannot coerce field [v0] from type [java.util.ArrayList]',
  );
  expect(
    await rows(
      `SELECT x FROM (VALUES (1)) AS v(x) WHERE ARRAY[x, 2] BETWEEN ARRAY[1, 1] AND ARRAY[1, 3]`,
    ),
  ).toEqual([[1]]);
});
