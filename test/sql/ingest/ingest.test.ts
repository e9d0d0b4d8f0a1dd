import { expect, test } from 'vitest';
import { dayMs, ingest, newYear, refusal, translated } from '../statements-over-tables.ts';

const msq = { engine: 'msq-task' } as const;

test('REPLACE knows what it writes, where, and which time it overwrites', () => {
  const statement = ingest(
    "REPLACE INTO copy OVERWRITE WHERE __time >= TIMESTAMP '2024-01-01' AND __time < TIMESTAMP '2024-01-03' SELECT __time, page FROM edits PARTITIONED BY DAY CLUSTERED BY page",
  );
  expect(statement).toMatchObject({
    kind: 'replace',
    target: { kind: 'datasource', name: 'copy' },
    partitionedBy: 'P1D',
    clusteredBy: [{ column: 'page', descending: false }],
    overwrite: [{ startMs: newYear, endMs: newYear + 2n * dayMs }],
    resources: [
      { type: 'DATASOURCE', name: 'edits', action: 'READ' },
      { type: 'DATASOURCE', name: 'copy', action: 'WRITE' },
    ],
  });
  expect(statement.query.columns.map(({ name }) => name)).toEqual(['__time', 'page']);
});

test.each([
  ['ALL', 'ALL'],
  ['ALL TIME', 'ALL'],
  ['HOUR', 'PT1H'],
  ["'P1M'", 'P1M'],
  ["'week'", 'P1W'],
  ["TIME_FLOOR(__time, 'PT15M')", 'PT15M'],
  ['FLOOR(__time TO QUARTER)', 'P3M'],
])('PARTITIONED BY %s', (written, partitionedBy) => {
  expect(
    ingest(`INSERT INTO copy SELECT __time, page FROM edits PARTITIONED BY ${written}`)
      .partitionedBy,
  ).toBe(partitionedBy);
});

test.each([
  [
    'INSERT INTO copy SELECT __time, page FROM edits',
    'Operation [INSERT] requires a PARTITIONED BY to be explicitly defined, but none was found.',
  ],
  [
    'REPLACE INTO copy SELECT __time, page FROM edits PARTITIONED BY DAY',
    'Missing time chunk information in OVERWRITE clause for REPLACE.',
  ],
  [
    'REPLACE INTO copy OVERWRITE SELECT __time, page FROM edits PARTITIONED BY DAY',
    'Missing time chunk information in OVERWRITE clause for REPLACE.',
  ],
  [
    'INSERT INTO copy SELECT __time, page FROM edits ORDER BY page PARTITIONED BY DAY',
    'Cannot use an ORDER BY clause on a Query of type [INSERT], use CLUSTERED BY instead',
  ],
  [
    'INSERT INTO copy SELECT __time, page FROM edits LIMIT 1 PARTITIONED BY DAY',
    'INSERT and REPLACE queries cannot have a LIMIT unless PARTITIONED BY "ALL".',
  ],
  [
    'INSERT INTO copy (page) SELECT page FROM edits PARTITIONED BY ALL',
    'Operation [INSERT] cannot be run with a target column list, given [copy (`page`)]',
  ],
  [
    "INSERT INTO copy SELECT __time, page FROM edits PARTITIONED BY 'nothing'",
    "Invalid granularity['nothing'] specified after PARTITIONED BY clause.",
  ],
  [
    "INSERT INTO copy SELECT __time, page FROM edits PARTITIONED BY 'P2D'",
    "Invalid granularity['P2D'] specified after PARTITIONED BY clause.",
  ],
  [
    'INSERT INTO copy SELECT page FROM edits PARTITIONED BY DAY',
    'requires the query to have a [__time] column',
  ],
  [
    'INSERT INTO copy SELECT page AS __time FROM edits PARTITIONED BY DAY',
    'Field [__time] was the wrong type [VARCHAR], expected TIMESTAMP',
  ],
  [
    'INSERT INTO copy SELECT __time, added + 1 FROM edits PARTITIONED BY DAY',
    'Insertion requires columns to be named.',
  ],
  [
    'INSERT INTO copy SELECT __time, page, page FROM edits PARTITIONED BY DAY',
    'Duplicate field in SELECT: [page]',
  ],
  [
    'INSERT INTO copy SELECT __time, page FROM edits PARTITIONED BY DAY CLUSTERED BY page DESC',
    'cannot sort in descending order.',
  ],
  [
    'INSERT INTO "a/b" SELECT __time FROM edits PARTITIONED BY ALL',
    "Value [a/b] cannot contain '/'.",
  ],
  [
    'INSERT INTO sys.segments SELECT __time FROM edits PARTITIONED BY ALL',
    'Table [sys.segments] does not support operation [INSERT] because it is not a Druid datasource',
  ],
  [
    "REPLACE INTO copy OVERWRITE WHERE __time > TIMESTAMP '2024-01-01 05:00:00' SELECT __time FROM edits PARTITIONED BY DAY",
    'which is not aligned with PARTITIONED BY granularity [{type=period, period=P1D, timeZone=UTC, origin=null}]',
  ],
  [
    'REPLACE INTO copy OVERWRITE WHERE added > 1 SELECT __time FROM edits PARTITIONED BY DAY',
    'Cannot get a timestamp from sql expression in OVERWRITE WHERE clause',
  ],
  [
    "REPLACE INTO copy OVERWRITE WHERE __time < TIMESTAMP '2024-01-01' AND __time >= TIMESTAMP '2024-01-02' SELECT __time FROM edits PARTITIONED BY DAY",
    'produced no time intervals',
  ],
])('%s is refused', (statement, message) => {
  expect(refusal(statement, msq)).toContain(message);
});

test('the native engine writes nothing and reads nothing from outside', () => {
  expect(refusal('INSERT INTO copy SELECT __time FROM edits PARTITIONED BY ALL')).toBe(
    'INSERT operations are not supported by requested SQL engine [native], consider using MSQ.',
  );
  expect(
    refusal(
      `SELECT * FROM TABLE(EXTERN('{"type":"inline","data":"1"}', '{"type":"json"}', '[{"name":"a","type":"long"}]'))`,
    ),
  ).toContain('Cannot use [EXTERN] with SQL engine [native].');
});

test('external data has a source, a format and columns, however it is written', () => {
  const signature = [
    { name: 'a', type: 'STRING' },
    { name: 'n', type: 'LONG' },
  ];
  const externsOf = (from: string) => {
    const { statement } = translated(`SELECT a, n FROM TABLE(${from}`, msq);
    expect(statement.resources).toEqual([{ type: 'EXTERNAL', name: 'EXTERNAL', action: 'READ' }]);
    return statement.kind === 'select' ? statement.externs : [];
  };
  const csv = { type: 'csv', columns: ['a', 'n'] };
  expect(
    externsOf(
      `EXTERN('{"type":"inline","data":"x,1"}', '{"type":"csv","columns":["a","n"]}', '[{"name":"a","type":"string"},{"name":"n","type":"long"}]'))`,
    ),
  ).toEqual([
    {
      relation: 'extern_1',
      inputSource: { type: 'inline', data: 'x,1' },
      inputFormat: csv,
      signature,
    },
  ]);
  expect(
    externsOf(
      `EXTERN('{"type":"inline","data":"x,1"}', '{"type":"csv","columns":["a","n"]}')) EXTEND (a VARCHAR, n BIGINT)`,
    ),
  ).toMatchObject([{ signature }]);
  expect(externsOf(`INLINE(data => ARRAY['x,1'], format => 'csv')) (a VARCHAR, n BIGINT)`)).toEqual(
    [
      {
        relation: 'extern_1',
        inputSource: { type: 'inline', data: 'x,1\n' },
        inputFormat: csv,
        signature,
      },
    ],
  );
  expect(
    externsOf(`HTTP(uris => ARRAY['http://h/a'], format => 'json')) (a VARCHAR, n BIGINT)`),
  ).toMatchObject([
    { inputSource: { type: 'http', uris: ['http://h/a'] }, inputFormat: { type: 'json' } },
  ]);
  expect(
    externsOf(
      `LOCALFILES(baseDir => '/data', "filter" => '*.json', format => 'json')) (a VARCHAR, n BIGINT)`,
    ),
  ).toMatchObject([{ inputSource: { type: 'local', baseDir: '/data', filter: '*.json' } }]);
});

test('an export goes to files', () => {
  expect(
    ingest("INSERT INTO EXTERN(local(exportPath => '/exports/a')) AS CSV SELECT page FROM edits"),
  ).toMatchObject({
    target: {
      kind: 'export',
      destination: { type: 'local', exportPath: '/exports/a' },
      format: 'csv',
    },
    resources: [
      { type: 'DATASOURCE', name: 'edits', action: 'READ' },
      { type: 'EXTERNAL', name: 'local', action: 'WRITE' },
    ],
  });
});

test('groups that are stored are not sorted, and can be computed in parts', () => {
  const { query } = ingest(
    'REPLACE INTO copy OVERWRITE ALL SELECT page, COUNT(*) AS n FROM edits GROUP BY 1 PARTITIONED BY ALL',
  );
  expect(query.isDivisible).toBe(true);
  expect(query.duckdb).not.toContain('ORDER BY');
});

test.each([
  ['SELECT page, COUNT(*) AS n FROM edits GROUP BY 1 LIMIT 5'],
  ['SELECT COUNT(*) AS n FROM edits'],
  ['SELECT DISTINCT COUNT(*) AS n FROM edits GROUP BY page'],
  ['SELECT page, COUNT(*) AS n FROM edits GROUP BY GROUPING SETS ((1), ())'],
  ['SELECT page, SUM(COUNT(*)) OVER () AS n FROM edits GROUP BY 1'],
  [
    'SELECT page, COUNT(*) AS n FROM edits GROUP BY 1 UNION ALL SELECT page, COUNT(*) FROM edits GROUP BY 1',
  ],
  ['(SELECT page, COUNT(*) AS n FROM edits GROUP BY 1) LIMIT 5'],
])('not in parts: %s', (select) => {
  const { query } = ingest(`INSERT INTO copy ${select} PARTITIONED BY ALL`);
  expect(query.isDivisible).toBeUndefined();
});
