// EXPLAIN PLAN FOR: the native query that answers a statement, and what that query answers when it
// is posted.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

interface Plan {
  readonly query: Readonly<Record<string, unknown>> & { readonly queryType: string };
  readonly signature: readonly { readonly name: string; readonly type: string }[];
  readonly columnMappings: readonly {
    readonly queryColumn: string;
    readonly outputColumn: string;
  }[];
}

const rows = Array.from({ length: 60 }, (_, index) => ({
  t: new Date(Date.UTC(2024, 0, 1) + index * 37 * 60_000).toISOString(),
  channel: ['#en', '#de', '#fr'][index % 3],
  page: `Page ${index % 7}`,
  city: index % 4 === 0 ? null : `City ${index % 5}`,
  tags: index % 6 === 0 ? ['a', 'b'] : ['c'],
  added: (index * 7) % 50,
  ratio: index / 8,
}));

async function edits() {
  const service = await startService({ service: 'druid' });
  const { post, ended, until } = api(service);
  const task = await post('/druid/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'edits',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {
          dimensions: [
            'channel',
            'page',
            'city',
            'tags',
            { type: 'long', name: 'added' },
            { type: 'float', name: 'ratio' },
          ],
        },
        granularitySpec: { segmentGranularity: 'day', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  expect(await ended(task.body.task, 'druid')).toMatchObject({ statusCode: 'SUCCESS' });
  const sql = async (query: string, context: Readonly<Record<string, unknown>> = {}) =>
    (await post('/druid/v2/sql', { query, resultFormat: 'array', context })).body;
  await until(async () => (await sql('SELECT COUNT(*) FROM edits'))[0]?.[0] === rows.length);
  return {
    sql,
    async explained(query: string, context?: Readonly<Record<string, unknown>>): Promise<Plan> {
      const [[plan]] = await sql(`EXPLAIN PLAN FOR ${query}`, context);
      return JSON.parse(plan)[0];
    },
    native: async (query: unknown) => (await post('/druid/v2', query)).body,
  };
}

const values: Readonly<
  Record<string, (reply: never) => readonly Readonly<Record<string, unknown>>[]>
> = {
  scan: (batches: readonly { columns: string[]; events: unknown[][] }[]) =>
    batches.flatMap(({ columns, events }) =>
      events.map((event) => Object.fromEntries(columns.map((name, index) => [name, event[index]]))),
    ),
  groupBy: (groups: readonly { event: Record<string, unknown> }[]) =>
    groups.map(({ event }) => event),
  topN: (buckets: readonly { result: Record<string, unknown>[] }[]) =>
    buckets.flatMap(({ result }) => result),
  timeseries: (buckets: readonly { result: Record<string, unknown> }[]) =>
    buckets.map(({ result }) => result),
};

// SQL writes times as texts.
const shown = (value: unknown) =>
  typeof value === 'string' && /^\d{4}-.*Z$/.test(value) ? Date.parse(value) : value;

test.each([
  ['timeseries', 'SELECT COUNT(*), SUM(added), AVG(added), COUNT(city) FROM edits'],
  [
    'timeseries',
    "SELECT TIME_FLOOR(__time, 'PT6H') AS t, MAX(added) FROM edits WHERE __time >= '2024-01-01T05:00:00' GROUP BY 1",
  ],
  [
    'timeseries',
    'SELECT FLOOR(__time TO DAY), COUNT(*) FROM edits GROUP BY 1 ORDER BY 1 DESC LIMIT 1',
  ],
  ['topN', 'SELECT channel, SUM(added) AS s FROM edits GROUP BY 1 ORDER BY s DESC LIMIT 2'],
  ['topN', 'SELECT page, SUM(added) * 1.0 / COUNT(*) FROM edits GROUP BY 1 ORDER BY 2 LIMIT 3'],
  ['topN', 'SELECT page, COUNT(*) FROM edits GROUP BY page ORDER BY page DESC LIMIT 3'],
  [
    'groupBy',
    "SELECT channel, page, COUNT(*) FILTER (WHERE city = 'City 1') FROM edits GROUP BY 1, 2",
  ],
  [
    'groupBy',
    'SELECT page, SUM(added) AS s FROM edits GROUP BY 1 HAVING SUM(added) > 150 ORDER BY s DESC, page',
  ],
  [
    'groupBy',
    "SELECT UPPER(COALESCE(city, 'none')) AS c, MIN(added), MAX(__time) FROM edits GROUP BY 1",
  ],
  ['groupBy', 'SELECT DISTINCT tags FROM edits'],
  [
    'groupBy',
    'SELECT channel, page, COUNT(*) FROM edits GROUP BY GROUPING SETS ((channel), (page), ())',
  ],
  [
    'groupBy',
    'SELECT AVG(c) FROM (SELECT page, COUNT(*) AS c FROM edits GROUP BY page) WHERE c > 8',
  ],
  [
    'groupBy',
    "SELECT CASE WHEN added > 20 THEN 'many' ELSE 'few' END, EXTRACT(HOUR FROM __time), COUNT(*) FROM edits GROUP BY 1, 2",
  ],
  [
    'scan',
    "SELECT page, added FROM edits WHERE city IS NULL AND added BETWEEN 5 AND 40 AND channel IN ('#en', '#de')",
  ],
  [
    'scan',
    "SELECT SUBSTRING(channel, 2, 2) || '/' || page FROM edits WHERE NOT (channel = '#en' OR page LIKE 'Page 1%') OR added + 1 < 4",
  ],
  ['scan', 'SELECT page FROM edits ORDER BY __time DESC LIMIT 5'],
  [
    'scan',
    "SELECT added FROM edits WHERE ratio = 0.125 OR tags = 'a' OR TIME_IN_INTERVAL(__time, '2024-01-01T03/PT1H')",
  ],
  ['scan', "SELECT 1 + 1, UPPER('x')"],
  [
    'groupBy',
    'SELECT x, COUNT(*) FROM edits CROSS JOIN UNNEST(MV_TO_ARRAY(tags)) AS u (x) GROUP BY 1',
  ],
  [
    'groupBy',
    'SELECT b.page, COUNT(*) FROM edits AS a INNER JOIN (SELECT page FROM edits GROUP BY page) AS b ON a.page = b.page GROUP BY 1',
  ],
])('%s: %s', async (queryType, statement) => {
  const { explained, sql, native } = await edits();
  const { query, columnMappings, signature } = await explained(statement);
  expect(query.queryType).toBe(queryType);
  const reply = values[queryType]?.((await native(query)) as never) ?? [];
  const found = reply.map((row) =>
    columnMappings.map(({ queryColumn }) => row[queryColumn] ?? null),
  );
  const answer: readonly (readonly unknown[])[] = await sql(statement);
  expect(found).toEqual(answer.map((row) => row.map(shown)));
  expect(new Set(signature.map(({ name }) => name))).toEqual(
    new Set(
      columnMappings
        .map(({ queryColumn }) => queryColumn)
        .concat(queryType === 'scan' ? signature.map(({ name }) => name) : []),
    ),
  );
});

test.each([
  'SELECT page, RANK() OVER (ORDER BY COUNT(*)) FROM edits GROUP BY page',
  'SELECT page, channel, COUNT(*), SUM(COUNT(*)) OVER (PARTITION BY page ORDER BY channel) FROM edits GROUP BY 1, 2',
  'SELECT page, city, ROW_NUMBER() OVER (PARTITION BY page ORDER BY city) AS n, DENSE_RANK() OVER (ORDER BY COUNT(*) DESC) AS r FROM edits GROUP BY 1, 2 ORDER BY r, page, city',
  'SELECT channel, SUM(added) AS s, LAG(SUM(added)) OVER (ORDER BY channel) FROM edits GROUP BY 1 ORDER BY s DESC LIMIT 2',
  "SELECT page, added, COUNT(city) OVER (PARTITION BY channel ORDER BY __time), FIRST_VALUE(UPPER(page)) OVER (PARTITION BY channel ORDER BY __time) FROM edits WHERE channel <> '#fr'",
  'SELECT page, MAX(added) OVER (ORDER BY __time ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM edits WHERE added > 10',
])('windowOperator: %s', async (statement) => {
  const { explained, sql, native } = await edits();
  const { query, columnMappings, signature } = await explained(statement);
  expect(query.queryType).toBe('windowOperator');
  const places = columnMappings.map(({ queryColumn }) =>
    signature.findIndex(({ name }) => name === queryColumn),
  );
  const reply: readonly (readonly unknown[])[] = await native(query);
  expect(reply.map((row) => places.map((place) => row[place]))).toEqual(await sql(statement));
});

// As a cluster of version 33 answers it.
test('the query is the one that the engine plans', async () => {
  const { explained } = await edits();
  const context = { timeout: 60000, sqlQueryId: 'the-statement' };
  const eternity = ['-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z'];
  expect(
    await explained(
      "SELECT channel, page, SUM(added) AS a FROM edits WHERE page LIKE 'A%' OR added > 100 GROUP BY 1, 2 HAVING SUM(added) > 10 ORDER BY a DESC LIMIT 5",
      context,
    ),
  ).toEqual({
    query: {
      queryType: 'groupBy',
      dataSource: { type: 'table', name: 'edits' },
      intervals: { type: 'intervals', intervals: eternity },
      filter: {
        type: 'or',
        fields: [
          { type: 'like', dimension: 'page', pattern: 'A%', escape: null, extractionFn: null },
          { type: 'range', column: 'added', matchValueType: 'LONG', lower: 100, lowerOpen: true },
        ],
      },
      granularity: { type: 'all' },
      dimensions: [
        { type: 'default', dimension: 'channel', outputName: 'd0', outputType: 'STRING' },
        { type: 'default', dimension: 'page', outputName: 'd1', outputType: 'STRING' },
      ],
      aggregations: [{ type: 'longSum', name: 'a0', fieldName: 'added' }],
      having: {
        type: 'filter',
        filter: { type: 'range', column: 'a0', matchValueType: 'LONG', lower: 10, lowerOpen: true },
        finalize: true,
      },
      limitSpec: {
        type: 'default',
        columns: [
          { dimension: 'a0', direction: 'descending', dimensionOrder: { type: 'numeric' } },
        ],
        limit: 5,
      },
      context: { queryId: 'the-statement', ...context },
    },
    signature: [
      { name: 'd0', type: 'STRING' },
      { name: 'd1', type: 'STRING' },
      { name: 'a0', type: 'LONG' },
    ],
    columnMappings: [
      { queryColumn: 'd0', outputColumn: 'channel' },
      { queryColumn: 'd1', outputColumn: 'page' },
      { queryColumn: 'a0', outputColumn: 'a' },
    ],
  });
});

// As a cluster of version 33 answers them.
test.each([
  [
    'CAST(added AS VARCHAR) AS k, COUNT(*)',
    'GROUP BY 1',
    {
      dimensions: [{ type: 'default', dimension: 'added', outputName: 'd0', outputType: 'STRING' }],
    },
  ],
  [
    'SUBSTRING(channel, 2) AS k, page, COUNT(*)',
    'GROUP BY 1, 2',
    {
      dimensions: [
        {
          type: 'extraction',
          dimension: 'channel',
          outputName: 'd0',
          outputType: 'STRING',
          extractionFn: { type: 'substring', index: 1, length: null },
        },
        { type: 'default', dimension: 'page', outputName: 'd1', outputType: 'STRING' },
      ],
    },
  ],
  [
    'SUM(added * 2), UPPER(channel)',
    "WHERE LOWER(page) = 'x' GROUP BY 2",
    {
      virtualColumns: [
        { type: 'expression', name: 'v0', expression: 'lower("page")', outputType: 'STRING' },
        { type: 'expression', name: 'v1', expression: 'upper("channel")', outputType: 'STRING' },
        { type: 'expression', name: 'v2', expression: '("added" * 2)', outputType: 'LONG' },
      ],
    },
  ],
  ['DISTINCT channel, page', '', { limitSpec: { type: 'NoopLimitSpec' } }],
  [
    "SUM(CASE WHEN city = 'x' THEN 1 ELSE 0 END)",
    '',
    {
      aggregations: [
        {
          type: 'filtered',
          aggregator: { type: 'count', name: 'a0' },
          filter: { type: 'equals', column: 'city', matchValueType: 'STRING', matchValue: 'x' },
          name: 'a0',
        },
      ],
    },
  ],
  [
    'APPROX_QUANTILE_DS(added, 0.5), APPROX_QUANTILE_DS(added, 0.95)',
    '',
    {
      aggregations: [
        {
          type: 'quantilesDoublesSketch',
          name: 'a0:agg',
          fieldName: 'added',
          k: 128,
          maxStreamLength: 1_000_000_000,
        },
      ],
      postAggregations: [0.5, 0.949999988079071].map((fraction, index) => ({
        type: 'quantilesDoublesSketchToQuantile',
        name: `a${index}`,
        field: { type: 'fieldAccess', name: 'a0:agg', fieldName: 'a0:agg' },
        fraction,
      })),
    },
  ],
])(
  'SELECT %s FROM edits %s is planned with the members of the engine',
  async (items, rest, members) => {
    const { explained } = await edits();
    const { query } = await explained(`SELECT ${items} FROM edits ${rest}`);
    expect(query).toMatchObject(members);
  },
);

test('a description of a statement that has no native query cannot be posted as one', async () => {
  const { explained, native } = await edits();
  const { query } = await explained(
    'SELECT page, COUNT(*) * 1.0 / SUM(COUNT(*)) OVER () FROM edits GROUP BY page',
  );
  expect((await native(query)).errorMessage).toMatch(/type|intervals/);
});

test('each arm of a union is a query, and earlier versions had a text', async () => {
  const { sql } = await edits();
  const union = 'EXPLAIN PLAN FOR SELECT page FROM edits UNION ALL SELECT city FROM edits';
  const [[plan]] = await sql(union);
  expect(JSON.parse(plan).map(({ query }: Plan) => query.columns)).toEqual([['page'], ['city']]);
  const [[text]] = await sql(union, { useNativeQueryExplain: false });
  expect(text).toMatch(
    /^DruidUnionRel\(limit=\[-1]\)\n {2}DruidQueryRel\(query=\[\{.*}], signature=\[\{page:STRING}]\)\n {2}DruidQueryRel\(/,
  );
});

// A broker of version 33 says by which dimension it could merge, and orders the members as here.
test('a groupBy names its only bucket of time, and each query the context of the statement', async () => {
  const { sql } = await edits();
  const context = { sqlQueryId: 'q', zone: { b: 1, a: 2 } };
  const [[plan]] = await sql(
    "EXPLAIN PLAN FOR SELECT page, TIME_FLOOR(__time, 'PT1H'), COUNT(*) FROM edits GROUP BY 1, 2",
    context,
  );
  expect(JSON.stringify(JSON.parse(plan)[0].query)).toContain(
    '"limitSpec":{"type":"NoopLimitSpec"},"context":{"queryId":"q","sqlQueryId":"q","timestampResultField":"d1",' +
      '"timestampResultFieldGranularity":"\\"HOUR\\"","timestampResultFieldInOriginalDimensions":1,"zone":{"b":1,"a":2}}',
  );
  const [[nested]] = await sql(
    'EXPLAIN PLAN FOR SELECT AVG(c) FROM (SELECT page, COUNT(*) AS c FROM edits GROUP BY 1)',
    context,
  );
  expect(JSON.parse(nested)[0].query.dataSource.query.context).toEqual({
    queryId: 'q',
    ...context,
  });
});

test('a condition on keys alone is a filter below the groups, unless WHERE has one', async () => {
  const { explained } = await edits();
  const german = { type: 'equals', column: 'channel', matchValueType: 'STRING', matchValue: '#de' };
  const groups = 'SELECT channel, COUNT(*) AS c FROM edits GROUP BY 1';
  const { query } = await explained(`${groups} HAVING channel = '#de'`);
  expect(query).toMatchObject({ queryType: 'groupBy', filter: german });
  expect(query).not.toHaveProperty('having');
  expect(
    (await explained(`${groups} HAVING channel > '#de' ORDER BY 2 DESC LIMIT 3`)).query,
  ).toMatchObject({ queryType: 'topN', filter: { type: 'range', lower: '#de' } });
  expect(
    (await explained(`${groups} HAVING channel = '#de' AND COUNT(*) > 1`)).query,
  ).toMatchObject({ filter: german, having: { filter: { column: 'a0' } } });
  const chosen = await explained(`SELECT c, channel FROM (${groups}) WHERE channel > '#de'`);
  expect(chosen.query).toMatchObject({
    queryType: 'groupBy',
    dataSource: { type: 'table' },
    filter: { type: 'range', lower: '#de' },
  });
  expect(chosen.signature.map(({ name }) => name)).toEqual(['a0', 'd0']);
  const above = await explained(`SELECT SUM(c) FROM (${groups}) WHERE channel = '#de'`);
  expect(above.query).toMatchObject({ dataSource: { query: { filter: german } } });
  expect(above.query).not.toHaveProperty('filter');
  const own = groups.replace(' GROUP', ' WHERE added > 1 GROUP');
  expect((await explained(`${own} HAVING channel = '#de'`)).query).toMatchObject({
    filter: { column: 'added' },
    having: { filter: { column: 'd0' } },
  });
});
