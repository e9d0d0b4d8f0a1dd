// EXPLAIN output on a terminal, in the shell, and for plans of a real engine.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { planOutline } from '../../src/commands/shared/sql/plan-outline.ts';
import { type Service, startServer } from '../../src/server/server.ts';
import { lines, runCli, whenListening } from '../support/cli.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
});
afterAll(() => service.close());

const onTerminal = {
  tty: true,
  cols: 60,
  env: { TERM: 'xterm', NO_COLOR: '1', SVCCTL_PAGER: 'cat' },
};
const joined =
  'SELECT a.n FROM (VALUES (1)) a(n) JOIN (SELECT n, COUNT(*) AS c FROM (VALUES (1)) b(n) GROUP BY 1) b ON a.n = b.n LIMIT 3';
const outline = [
  'scan',
  '  intervals  all time',
  '  limit      3',
  '  columns    EXPR$0',
  '  output     n = EXPR$0',
  '  -> INNER join',
];

test('on a terminal a plan is an outline of what is read, and every other format is what the service says', async () => {
  const { stdout, code } = await runCli(service, `sql explain "${joined}"`, onTerminal);
  expect({ code, said: lines(stdout).slice(0, outline.length) }).toEqual({
    code: 0,
    said: outline,
  });
  expect(stdout).toMatch(
    /\n {7}-> groupBy\n {12}intervals +all time\n {12}dimensions +EXPR\$0 AS d0 LONG\n/,
  );
  expect((await runCli(service, `sql "EXPLAIN PLAN FOR ${joined}"`, onTerminal)).stdout).toBe(
    stdout,
  );
  expect((await runCli(service, `sql explain "${joined}" -o wide`)).stdout).toContain(
    '-> INNER join',
  );

  const [row] = JSON.parse(
    (await runCli(service, `sql explain "${joined}" -o json`, onTerminal)).stdout,
  );
  expect(Object.keys(row)).toEqual(['PLAN', 'RESOURCES', 'ATTRIBUTES']);
  expect(JSON.parse(row.PLAN)[0].query.dataSource.joinType).toBe('INNER');
  expect(lines((await runCli(service, `sql explain "${joined}"`)).stdout)[0]).toBe(
    'PLAN\tRESOURCES\tATTRIBUTES',
  );
  expect(
    lines(
      (await runCli(service, `sql explain "${joined}" --columns RESOURCES`, onTerminal)).stdout,
    ),
  ).toEqual(['RESOURCES', '[]']);
});

test('INSERT and REPLACE are explained and do not run, and SET stays in front', async () => {
  const statement =
    "SET sqlTimeZone = 'UTC'; REPLACE INTO t OVERWRITE ALL SELECT CURRENT_TIMESTAMP AS __time, 1 AS n PARTITIONED BY DAY CLUSTERED BY n";
  const { stdout, code } = await runCli(service, `sql explain "${statement}"`, onTerminal);
  expect({ code, said: lines(stdout).slice(0, 5) }).toEqual({
    code: 0,
    said: [
      'REPLACE into t',
      '  time chunks     all',
      '  partitioned by  DAY',
      '  clustered by    n',
      '  -> scan',
    ],
  });
  expect(
    JSON.parse((await runCli(service, `sql explain "${statement}" -o json`)).stdout),
  ).toMatchObject([{ ATTRIBUTES: expect.stringContaining('"targetDataSource":"t"') }]);
  expect((await runCli(service, 'tasks list -o json')).stdout).toBe('[]\n');
});

test('in the shell a plan is an outline, and \\x shows it as the service says it', async () => {
  const { stdout } = await runCli(service, 'sql', {
    ...onTerminal,
    types: [
      ['\\q leaves', `EXPLAIN PLAN FOR ${joined};\r`, whenListening],
      ['aggregations', '\\x\r', whenListening],
      ['display is on', 'EXPLAIN PLAN FOR SELECT 1;\r', whenListening],
      ['ATTRIBUTES', '\x04', whenListening],
    ],
  });
  expect(stdout).toContain(outline.join('\n'));
  expect(stdout).toContain('PLAN        [{"query":{"queryType":"scan"');
});

const said = (
  query: object,
  columnMappings: object[] = [],
  attributes: object = { statementType: 'SELECT' },
) =>
  planOutline(
    JSON.stringify([{ query, signature: [], columnMappings }]),
    JSON.stringify(attributes),
    80,
  );

test('filters, aggregations and orders of the real engine are said in the words of SQL', () => {
  const filter = {
    type: 'and',
    fields: [
      {
        type: 'range',
        column: '__time',
        matchValueType: 'LONG',
        lower: 1441929600000,
        upper: 1442016000000,
        upperOpen: true,
      },
      {
        type: 'not',
        field: { type: 'equals', column: 'channel', matchValueType: 'STRING', matchValue: "#it's" },
      },
      {
        type: 'or',
        fields: [
          { type: 'like', dimension: 'page', pattern: 'A%' },
          { type: 'null', column: 'my note' },
        ],
      },
      { type: 'in', dimension: 'user', values: ['a', 'b', null] },
      { type: 'not', field: { type: 'selector', dimension: 'city', value: null } },
      { type: 'spatial', dimension: 'place' },
    ],
  };
  const query = {
    queryType: 'groupBy',
    dataSource: { type: 'table', name: 'wikipedia' },
    intervals: {
      type: 'intervals',
      intervals: ['2015-09-11T00:00:00.000Z/2015-09-12T00:00:00.000Z'],
    },
    virtualColumns: [
      { type: 'expression', name: 'v0', expression: 'upper("page")', outputType: 'STRING' },
    ],
    filter,
    granularity: { type: 'all' },
    dimensions: [{ type: 'default', dimension: 'v0', outputName: 'd0', outputType: 'STRING' }],
    aggregations: [
      { type: 'count', name: 'a0' },
      {
        type: 'filtered',
        aggregator: { type: 'longSum', name: 'a1', fieldName: 'added' },
        filter: { type: 'equals', column: 'isRobot', matchValue: true },
      },
      { type: 'cardinality', name: 'a2', fields: [{ type: 'default', dimension: 'user' }] },
    ],
    postAggregations: [
      { type: 'expression', name: 'p0', expression: '("a1" / "a0")', outputType: 'LONG' },
    ],
    having: {
      type: 'filter',
      filter: { type: 'range', column: 'a0', matchValueType: 'LONG', lower: 3, lowerOpen: true },
    },
    limitSpec: {
      type: 'default',
      columns: [{ dimension: 'a0', direction: 'descending' }],
      limit: 5,
    },
    subtotalsSpec: [['d0'], []],
    context: { sqlQueryId: 'x' },
  };
  expect(
    said(query, [
      { queryColumn: 'd0', outputColumn: 'page' },
      { queryColumn: 'p0', outputColumn: 'per edit' },
    ]),
  ).toBe(
    `groupBy on wikipedia
  intervals      2015-09-11T00:00:00.000Z/2015-09-12T00:00:00.000Z
  filter         __time >= 2015-09-11T00:00:00.000Z AND __time < 2015-09-12T00:00:00.000Z
                 AND channel <> '#it''s'
                 AND (page LIKE 'A%' OR "my note" IS NULL)
                 AND user IN ('a', 'b', NULL)
                 AND city IS NOT NULL
                 AND {"type":"spatial","dimension":"place"}
  computed       v0 = upper("page") STRING
  dimensions     v0 AS d0 STRING
  aggregations   a0 = count
                 a1 = longSum(added) WHERE isRobot = true
                 a2 = cardinality(user)
  then computed  p0 = ("a1" / "a0") LONG
  having         a0 > 3
  order by       a0 descending
  limit          5
  subtotalsSpec  [["d0"],[]]
  output         page = d0, "per edit" = p0
`.replace(/^.{81,}$/gm, (long) => long.replace(/ (\S+)$/, `\n${' '.repeat(17)}$1`)),
  );
});

test('joins and subqueries stand below what reads them, and several queries below their union', () => {
  const right = {
    type: 'query',
    query: {
      queryType: 'topN',
      dataSource: 'edits',
      dimension: 'page',
      metric: { type: 'inverted', metric: { type: 'numeric', metric: 'a0' } },
      threshold: 4,
    },
  };
  const join = {
    type: 'join',
    left: { type: 'lookup', lookup: 'names' },
    right,
    rightPrefix: 'j0.',
    condition: '("k" == "j0.d0")',
    joinType: 'LEFT',
  };
  const window = {
    queryType: 'windowOperator',
    dataSource: join,
    operators: [{ type: 'naivePartition', partitionColumns: ['k'] }],
  };
  expect(
    said(window, [], { statementType: 'INSERT', targetDataSource: 'my t', partitionedBy: 'DAY' }),
  ).toBe(`INSERT into "my t"
  partitioned by  DAY
  -> windowOperator
       operators  [{"type":"naivePartition","partitionColumns":["k"]}]
       -> LEFT join
            on            ("k" == "j0.d0")
            right prefix  j0.
            -> lookup names
            -> topN on edits
                 dimensions  page
                 order by    a0 ascending
                 limit       4
`);
  const two = [
    { query: { queryType: 'scan', dataSource: 'a' } },
    { query: { queryType: 'timeseries', dataSource: 'b', granularity: 'DAY' } },
  ];
  expect(planOutline(JSON.stringify(two), '{}', 80)).toBe(
    'union all\n  -> scan on a\n  -> timeseries on b\n       granularity  DAY\n',
  );
});

test('what is not a native query stays as it is, and no name moves the cursor', () => {
  expect(planOutline('DruidQueryRel(query=[...])\n', '', 80)).toBe('DruidQueryRel(query=[...])\n');
  expect(said({ queryType: 'scan', dataSource: 'a\u001b[2J' })).toBe('scan on "a\\u001b[2J"\n');
});
