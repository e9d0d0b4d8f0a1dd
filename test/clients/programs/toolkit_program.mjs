// druid-query-toolkit, with which the web console reads, changes and runs queries.
import { createRequire } from 'node:module';

const require = createRequire(`${process.env.CLIENTS_MODULES}/`);
const { C, F, QueryRunner, SqlExpression, SqlQuery, T } = require('druid-query-toolkit');

const source = process.env.CLIENTS_DATASOURCE;
const runner = new QueryRunner({
  executor: async ({ payload, isSql }) => {
    const reply = await fetch(`${process.env.DRUID_URL}/druid/v2${isSql ? '/sql' : ''}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload),
    });
    const data = await reply.json();
    if (!reply.ok)
      throw Object.assign(new Error(data.errorMessage ?? data.error), { name: data.error });
    return { data, headers: Object.fromEntries(reply.headers) };
  },
});

const reply = async (name, query, options = {}) => {
  try {
    const result = await runner.runQuery({ query, ...options });
    const columns = result.header.map(({ name, nativeType, sqlType }) => [
      name,
      nativeType,
      sqlType,
    ]);
    console.log(JSON.stringify({ name, reply: { columns, rows: result.rows } }));
  } catch (error) {
    console.log(
      JSON.stringify({ name, error: error.name, message: String(error.message).slice(0, 500) }),
    );
  }
};

const edits = F.count().as('edits');
const from = SqlQuery.from(T(source));
const outer = { extraQueryContext: { sqlOuterLimit: 5 } };

await reply(
  'text',
  `SELECT channel, COUNT(*) AS "edits" FROM "${source}" GROUP BY 1 ORDER BY 2 DESC`,
  outer,
);
await reply('comments', `/* edits */ SELECT 1337 -- the console's first\n;`);
await reply(
  'a group',
  from
    .addSelect(C('channel'), { addToGroupBy: 'end' })
    .addSelect(edits, { addToOrderBy: 'end', direction: 'DESC' })
    .changeLimitValue(5),
);
await reply(
  'hours',
  from
    .addSelect(F.timeFloor(C('__time'), 'PT6H').as('t'), {
      addToGroupBy: 'end',
      addToOrderBy: 'end',
      direction: 'ASC',
    })
    .addSelect(F.sum(C('added')).as('added')),
);
await reply(
  'filters',
  from
    .addSelect(edits)
    .addWhere(C('channel').in(['#en.wikipedia', '#fr.wikipedia']))
    .addWhere(C('cityName').isNotNull())
    .addWhere(C('added').between(10, 1000))
    .addWhere(C('page').like('%a%')),
);
await reply(
  'filtered measure',
  from.addSelect(SqlExpression.parse(`COUNT(*) FILTER (WHERE isRobot = 'true')`).as('robots')),
);
await reply('distinct', from.addSelect(F.countDistinct(C('countryName')).as('countries')), {
  extraQueryContext: { useApproximateCountDistinct: false },
});
await reply('parameters', `SELECT COUNT(*) AS n FROM "${source}" WHERE channel = ? AND added > ?`, {
  queryParameters: [
    { type: 'VARCHAR', value: '#de.wikipedia' },
    { type: 'INTEGER', value: 50 },
  ],
});
for (const resultFormat of ['object', 'array'])
  await reply(`as ${resultFormat}`, {
    query: `SELECT FLOOR(__time TO DAY) AS d, COUNT(*) AS n FROM "${source}" GROUP BY 1`,
    resultFormat,
  });
await reply(
  'a column',
  `SELECT "countryName" AS v, COUNT(*) AS c FROM "${source}" WHERE "countryName" IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 7`,
);
await reply(
  'in a table',
  `WITH t AS (SELECT channel, SUM(delta) AS d FROM "${source}" GROUP BY 1) SELECT MAX(d) AS a, MIN(d) AS b FROM t`,
);
await reply(
  'samples',
  `SELECT * FROM (SELECT page, added FROM "${source}" ORDER BY __time LIMIT 3)`,
);
await reply('without rows', `SELECT page, added FROM "${source}" WHERE channel = 'none'`);
await reply('columns', {
  query: `SELECT COLUMN_NAME, DATA_TYPE FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'druid' AND TABLE_NAME = '${source}' ORDER BY 1`,
});
await reply('an error', `SELECT nothing FROM "${source}"`);
await reply('a syntax error', 'SELECT FROM WHERE');
const native = {
  dataSource: source,
  intervals: ['2015-09-12/2015-09-13'],
  granularity: 'all',
  aggregations: [{ type: 'count', name: 'n' }],
};
await reply('native timeseries', {
  queryType: 'timeseries',
  ...native,
  granularity: { type: 'period', period: 'PT6H' },
});
await reply('native topN', {
  queryType: 'topN',
  ...native,
  dimension: 'channel',
  metric: 'n',
  threshold: 3,
});
await reply('native groupBy', {
  queryType: 'groupBy',
  ...native,
  dimensions: ['namespace'],
  limitSpec: { type: 'default', limit: 3, columns: [{ dimension: 'n', direction: 'descending' }] },
});
await reply('native scan', {
  queryType: 'scan',
  dataSource: source,
  intervals: native.intervals,
  columns: ['__time', 'page'],
  order: 'ascending',
  limit: 2,
});
await reply('native scan of lists', {
  queryType: 'scan',
  dataSource: source,
  intervals: native.intervals,
  columns: ['page'],
  order: 'ascending',
  limit: 2,
  resultFormat: 'compactedList',
});
await reply('native timeBoundary', { queryType: 'timeBoundary', dataSource: source });
await reply('native search', {
  queryType: 'search',
  dataSource: source,
  intervals: native.intervals,
  searchDimensions: ['channel'],
  query: { type: 'insensitive_contains', value: 'fr' },
});
