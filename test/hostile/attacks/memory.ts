// Queries whose results, joins, sorts and lists would take all memory and all time.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  failed,
  list,
  refused,
  timedOut,
  tooMuch,
  value,
} from '../attack.ts';
import { nativeOn } from './bodies.ts';

const cut: Ending = { kind: 'refused', statuses: [0] }; // rows had begun to flow
const count = answered(/^\[\[\d+/);

const statements: readonly [name: string, sql: string, ...right: Ending[]][] = [
  [
    'a cross join of three',
    "SELECT COUNT(*) FROM wikipedia a CROSS JOIN wikipedia b CROSS JOIN wikipedia c WHERE a.page || b.page || c.page LIKE '%\t'",
  ],
  [
    'a cross join with long conditions',
    "SELECT COUNT(*) FROM wikipedia a, wikipedia b WHERE CONTAINS_STRING(a.comment || b.comment, 'zzzz\t')",
  ],
  [
    'a join on a constant',
    "SELECT COUNT(*) FROM wikipedia a JOIN wikipedia b ON a.isNew = b.isNew WHERE a.comment || b.comment LIKE '%\t'",
  ],
  [
    'a join whose rows are all returned',
    'SELECT a.comment, b.comment FROM wikipedia a JOIN wikipedia b ON a.isNew = b.isNew',
  ],
  [
    'a join that is sorted',
    'SELECT a.comment, b.comment FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel ORDER BY 1, 2 DESC',
  ],
  [
    'a join that is grouped',
    'SELECT COUNT(*) FROM (SELECT a.comment || b.comment FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel GROUP BY 1)',
  ],
  [
    'a join whose texts are distinct',
    'SELECT COUNT(DISTINCT a.comment || b.comment) FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel',
  ],
  [
    'a join with a list of everything',
    'SELECT ARRAY_LENGTH(ARRAY_AGG(a.comment || b.comment, 2000000000)) FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel',
  ],
  [
    'a join with a text of everything',
    "SELECT CHAR_LENGTH(LISTAGG(a.comment || b.comment, ',', 2000000000)) FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel",
  ],
  [
    'a list of each group of a join',
    'SELECT MAX(ARRAY_LENGTH(x)) FROM (SELECT a.page, ARRAY_AGG(DISTINCT b.comment || a.comment, 2000000000) AS x FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel GROUP BY 1)',
  ],
  [
    'a full join',
    'SELECT COUNT(*) FROM wikipedia a FULL JOIN wikipedia b ON a.isRobot = b.isRobot AND a.isNew = b.isNew',
    value(709_874_700),
  ],
  [
    'a join of two hundred tables on one value',
    `SELECT COUNT(*) FROM ${list(200, (at) => `wikipedia t${at}`, ', ')} WHERE ${list(199, (at) => `t${at}.added = t${at + 1}.added`, ' AND ')}`,
  ],
  [
    'a window over everything',
    'SELECT MAX(x) FROM (SELECT SUM(CHAR_LENGTH(page)) OVER (ORDER BY comment ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS x FROM wikipedia)',
    count,
  ],
  [
    'a window over a join',
    'SELECT MAX(x) FROM (SELECT ROW_NUMBER() OVER (ORDER BY a.comment || b.comment) AS x FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel)',
  ],
  [
    'LAG of a million',
    'SELECT COUNT(x) FROM (SELECT LAG(page, 1000000) OVER (ORDER BY __time) AS x FROM wikipedia)',
    value(0),
  ],
  [
    'NTILE of 2^31',
    'SELECT MAX(x) FROM (SELECT NTILE(2147483647) OVER (ORDER BY __time) AS x FROM wikipedia)',
    count,
  ],
  [
    'UNNEST of UNNEST',
    `SELECT COUNT(*) FROM wikipedia ${list(6, (at) => `CROSS JOIN UNNEST(ARRAY[${list(50, String)}]) AS u${at}(v${at})`, ' ')}`,
  ],
  [
    'UNNEST of a long list',
    "SELECT COUNT(*) FROM UNNEST(STRING_TO_ARRAY(REPEAT('a,', 20000000), ',')) AS u (v)",
    count,
  ],
  [
    'UNNEST of a list of each row',
    "SELECT COUNT(*) FROM wikipedia CROSS JOIN UNNEST(STRING_TO_ARRAY(REPEAT(page || ',', 10000), ',')) AS u (v)",
  ],
  [
    'a large OFFSET',
    'SELECT page FROM wikipedia ORDER BY comment LIMIT 1 OFFSET 9223372036854775807',
    answered(/^\[\]/),
  ],
  ['an OFFSET beyond numbers', 'SELECT page FROM wikipedia OFFSET 99999999999999999999999999'],
  [
    'a large LIMIT',
    'SELECT page FROM wikipedia ORDER BY comment LIMIT 9223372036854775807',
    answered(),
  ],
  [
    'a fetch beyond numbers',
    'SELECT page FROM wikipedia FETCH FIRST 99999999999999999999 ROWS ONLY',
  ],
  [
    'exact counts of everything',
    `SELECT ${list(40, (at) => `COUNT(DISTINCT comment || page || '${at}')`)} FROM wikipedia`,
    count,
  ],
  [
    'a hundred million distinct',
    'SELECT COUNT(*) FROM (SELECT a.added * 100000 + b.deleted, a.page, b.page FROM wikipedia a, wikipedia b GROUP BY 1, 2, 3)',
  ],
  [
    'a VALUES times itself eight times',
    `SELECT COUNT(*) FROM ${list(8, (at) => `(VALUES ${list(100, (row) => `(${row})`, ',')}) AS t${at} (c${at})`)}`,
  ],
  [
    'an IN of a large subquery',
    'SELECT COUNT(*) FROM wikipedia WHERE comment || page IN (SELECT a.comment || b.page FROM wikipedia a, wikipedia b)',
  ],
  [
    'a scalar subquery of each row',
    'SELECT COUNT(*) FROM wikipedia a WHERE a.added > (SELECT AVG(b.added) FROM wikipedia b WHERE CHAR_LENGTH(b.comment) <> CHAR_LENGTH(a.comment))',
    refused(),
    count,
  ],
  [
    'APPROX_COUNT_DISTINCT of a cross join',
    'SELECT APPROX_COUNT_DISTINCT(a.page || b.page) FROM wikipedia a, wikipedia b',
  ],
  [
    'sys.segments times itself',
    `SELECT COUNT(*) FROM ${list(7, (at) => `INFORMATION_SCHEMA.COLUMNS c${at}`)}`,
  ],
  [
    'INFORMATION_SCHEMA.ROUTINES times itself',
    `SELECT COUNT(*) FROM ${list(4, (at) => `INFORMATION_SCHEMA.ROUTINES r${at}`)} WHERE CONTAINS_STRING(r0.ROUTINE_NAME || r1.ROUTINE_NAME || r2.ROUTINE_NAME || r3.ROUTINE_NAME, '\t')`,
  ],
];

const natives: readonly [name: string, query: object][] = [
  [
    'a cross join',
    {
      queryType: 'timeseries',
      granularity: 'all',
      dataSource: {
        type: 'join',
        left: 'wikipedia',
        right: { type: 'query', query: nativeOn({ queryType: 'scan', columns: ['comment'] }) },
        rightPrefix: 'r.',
        condition: '1 == 1',
        joinType: 'INNER',
      },
      aggregations: [{ type: 'count', name: 'n' }],
      filter: { type: 'expression', expression: 'strlen(concat(comment, "r.comment")) < 0' },
    },
  ],
  [
    'a group of all columns of a join',
    {
      queryType: 'groupBy',
      granularity: 'all',
      dataSource: {
        type: 'join',
        left: 'wikipedia',
        right: {
          type: 'query',
          query: nativeOn({ queryType: 'scan', columns: ['comment', 'channel'] }),
        },
        rightPrefix: 'r.',
        condition: 'channel == "r.channel"',
        joinType: 'INNER',
      },
      dimensions: ['comment', 'r.comment', 'page'],
      aggregations: [{ type: 'count', name: 'n' }],
    },
  ],
  [
    'an unnest of lists',
    {
      queryType: 'timeseries',
      granularity: 'all',
      dataSource: {
        type: 'unnest',
        base: { type: 'table', name: 'wikipedia' },
        virtualColumn: {
          type: 'expression',
          name: 'u',
          expression: "string_to_array(repeat(concat(page, ','), 10000), ',')",
          outputType: 'ARRAY<STRING>',
        },
      },
      aggregations: [{ type: 'count', name: 'n' }],
    },
  ],
  [
    'an expression aggregator that grows',
    {
      queryType: 'timeseries',
      granularity: 'all',
      aggregations: [
        {
          type: 'expression',
          name: 'e',
          fields: ['page'],
          initialValue: "''",
          fold: 'concat(__acc, page, __acc)',
          maxSizeBytes: 2000000000,
        },
      ],
    },
  ],
  [
    'stringFirst of 2^31 bytes',
    {
      queryType: 'timeseries',
      granularity: 'all',
      virtualColumns: [
        {
          type: 'expression',
          name: 'v',
          expression: 'repeat(page, 1000000)',
          outputType: 'STRING',
        },
      ],
      aggregations: [{ type: 'stringLast', name: 's', fieldName: 'v', maxStringBytes: 2147483647 }],
    },
  ],
];

export const memory: AttackClass = {
  name: 'memory',
  attacks: [
    ...statements.map(
      ([name, sql, ...right], at): Attack => ({
        name,
        as: 'anyone',
        asks: { sql, context: { timeout: 6000 } },
        expects: [refused(), tooMuch, timedOut, cut, ...right],
        withinMs: 10_000,
        ...(at < 9 && {
          stopsBy: [
            'timeout',
            'cancel',
            'gone',
            ...(at < 3 ? (['sigterm'] as const) : []),
          ] as const,
        }),
      }),
    ),
    ...natives.map(
      ([name, query], at): Attack => ({
        name: `native: ${name}`,
        as: 'anyone',
        asks: { native: nativeOn({ context: { timeout: 6000 }, ...query }) },
        expects: [refused(), tooMuch, timedOut, answered()],
        withinMs: 10_000,
        ...(at === 0 && { stopsBy: ['timeout', 'cancel', 'gone'] as const }),
      }),
    ),
    {
      name: 'a join as a statement',
      as: 'anyone',
      asks: {
        statement:
          'SELECT a.comment || b.comment FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel',
        context: { timeout: 8000 },
      },
      expects: [failed(), tooMuch],
      withinMs: 20_000,
    },
    {
      name: 'a join as a task',
      as: 'anyone',
      asks: {
        sqlTask:
          'REPLACE INTO "growth" OVERWRITE ALL SELECT a.__time, a.comment || b.comment AS c FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel PARTITIONED BY ALL',
        context: { timeout: 8000 },
      },
      expects: [failed(), tooMuch, { kind: 'held' }],
      withinMs: 15_000,
    },
    {
      name: 'second partitions of a task over a thousand years',
      as: 'anyone',
      asks: {
        sqlTask: `REPLACE INTO "growth" OVERWRITE ALL SELECT TIMESTAMPADD(SECOND, CAST(added AS INTEGER) * 1000, __time) AS __time, page FROM wikipedia PARTITIONED BY 'PT1S'`,
      },
      expects: [failed(), refused(), answered(/SUCCESS/), { kind: 'held' }],
      withinMs: 20_000,
    },
    {
      name: 'a result that is not read',
      as: 'anyone',
      asks: {
        raw: () => {
          const body = JSON.stringify({
            query:
              'SELECT a.comment, b.comment FROM wikipedia a JOIN wikipedia b ON a.channel = b.channel',
          });
          return [
            `POST /svc/v2/sql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
          ];
        },
      },
      expects: [{ kind: 'held' }, answered(), refused()],
      withinMs: 4000,
    },
  ],
};
