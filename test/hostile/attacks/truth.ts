// Texts that look like what the service itself writes, zones and values that few expect: right
// answers, or refusals that blame the request.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  failed,
  get,
  post,
  quoted,
  refused,
  refusedWith,
  rows,
  succeeded,
  value,
} from '../attack.ts';
import { externOf, nativeOn, sampled } from './bodies.ts';

// Words of the SQL that the service generates, of its files, and of its messages.
const imitations = [
  'IS DISTINCT',
  'IS NOT DISTINCT FROM',
  'a.parquet',
  '/segments/a.parquet',
  'read_parquet(',
  "'a.parquet'",
  '"__time"',
  'COALESCE(',
  ') IS TRUE',
  'EXPR$0',
  '__result',
  '$1',
  '?',
  '{}',
  '[]',
  'NULL',
  'null',
  'error(',
  '-- x',
  '/* x */',
  ';',
  "'; DROP TABLE x; --",
  '\\',
  '\\u0000',
  'Conversion Error: x',
  'Out of Memory Error: x',
  'max_temp_directory_size',
  'Unreachable',
  'Query timeout',
  '%',
  '_',
  '😀',
  '\u202e',
  '\u001b[31m',
  '\u009b31m',
  'é',
  '\u2028',
];

const texts = imitations.flatMap((text): Attack[] => [
  {
    name: `a comparison with ${JSON.stringify(text)}`,
    as: 'anyone',
    asks: {
      sql: `SELECT (f = ${quoted(text)}) IS TRUE, f IS DISTINCT FROM ${quoted(text)}, f = ${quoted(text)} FROM (VALUES ('a'), ('b')) AS t (f)`,
    },
    expects: [rows([false, true, false], [false, true, false])],
  },
  {
    name: `a filter of rows with ${JSON.stringify(text)}`,
    as: 'anyone',
    asks: {
      sql: `SELECT COUNT(*) FROM wikipedia WHERE page || 'x' = ${quoted(text)} OR page IN (${quoted(`${text}\t`)}, 'zzzz\t')`,
    },
    expects: [value(0)],
  },
]);

const elsewhere = imitations.slice(0, 14).flatMap((text): Attack[] => [
  {
    name: `a statement with ${JSON.stringify(text)}`,
    as: 'anyone',
    asks: { statement: `SELECT COUNT(*) AS n FROM wikipedia WHERE page <> ${quoted(`${text}\t`)}` },
    expects: [answered(/SUCCESS.*39244/s)],
  },
  {
    name: `a task with ${JSON.stringify(text)}`,
    as: 'anyone',
    asks: {
      sqlTask: `REPLACE INTO "truth" OVERWRITE ALL SELECT CURRENT_TIMESTAMP AS __time, "a" FROM ${externOf({ type: 'inline', data: 'a\nb' }, { type: 'csv', columns: ['a'] }, '"a" VARCHAR')} WHERE "a" <> ${quoted(text)} PARTITIONED BY ALL`,
    },
    expects: [succeeded],
    withinMs: 20_000,
  },
  {
    name: `a column named ${JSON.stringify(text)}`,
    as: 'anyone',
    asks: { sql: `SELECT "a" + 1 AS "${text.replaceAll('"', '""')}" FROM (VALUES (1)) AS t ("a")` },
    expects: [value(2), refused()],
  },
  {
    name: `a native selector of ${JSON.stringify(text)}`,
    as: 'anyone',
    asks: {
      native: nativeOn({
        queryType: 'timeseries',
        granularity: 'all',
        filter: { type: 'not', field: { type: 'selector', dimension: 'page', value: `${text}\t` } },
        aggregations: [{ type: 'count', name: text }],
      }),
    },
    expects: [answered(/39244/)],
  },
]);

const examples: readonly Attack[] = [
  {
    name: 'EXTRACT of the day of the year',
    as: 'anyone',
    asks: { sql: "SELECT EXTRACT(DOY FROM TIMESTAMP '2024-02-01 00:00:00')" },
    expects: [value(32)],
  },
  {
    name: 'POSITION in SUBSTRING',
    as: 'anyone',
    asks: { sql: "SELECT POSITION('b' IN SUBSTRING('abc', 2))" },
    expects: [value(1)],
  },
  {
    name: 'POSITION in SUBSTRING FROM',
    as: 'anyone',
    asks: { sql: "SELECT POSITION('c' IN SUBSTRING('abc' FROM 2 FOR 2))" },
    expects: [value(2)],
  },
  {
    name: 'POSITION of SUBSTRING',
    as: 'anyone',
    asks: { sql: "SELECT POSITION(SUBSTRING('abc', 2, 1) IN 'abc')" },
    expects: [value(2)],
  },
  {
    name: 'a group that is computed',
    as: 'anyone',
    asks: { sql: 'SELECT "x"+1 FROM (SELECT 1 AS "x") GROUP BY "x" ORDER BY 1' },
    expects: [value(2)],
  },
  {
    name: 'a group that is computed twice',
    as: 'anyone',
    asks: { sql: 'SELECT "x"+1, "x"*2 FROM (SELECT 1 AS "x") GROUP BY "x", "x"+1 ORDER BY 2' },
    expects: [rows([2, 2])],
  },
  {
    name: 'NUL in a table name',
    as: 'anyone',
    asks: { sql: 'SELECT * FROM "a\u0000b"' },
    expects: [refused()],
  },
  {
    name: 'NUL in a column name',
    as: 'anyone',
    asks: { sql: 'SELECT "a\u0000b" FROM wikipedia' },
    expects: [refused()],
  },
  {
    name: 'NUL in an alias',
    as: 'anyone',
    asks: { sql: 'SELECT 1 AS "a\u0000b"' },
    expects: [value(1), refused()],
  },
  {
    name: 'NUL in a text',
    as: 'anyone',
    asks: { sql: "SELECT CHAR_LENGTH('a\u0000b')" },
    expects: [value(3), refused()],
  },
  {
    name: 'NUL in a native dimension',
    as: 'anyone',
    asks: {
      native: nativeOn({
        queryType: 'groupBy',
        granularity: 'all',
        dimensions: ['a\u0000b'],
        aggregations: [],
      }),
    },
    expects: [answered(), refused()],
  },
  {
    name: 'NUL in a native datasource',
    as: 'anyone',
    asks: { native: { queryType: 'scan', dataSource: 'a\u0000b', intervals: ['2000/2001'] } },
    expects: [answered(), refused()],
  },
  {
    name: 'NUL in a new datasource',
    as: 'anyone',
    asks: {
      sqlTask: 'INSERT INTO "a\u0000b" SELECT CURRENT_TIMESTAMP AS __time PARTITIONED BY ALL',
    },
    expects: [refused(), failed()],
  },
  {
    name: 'a division by zero',
    as: 'anyone',
    asks: { sql: 'SELECT 1 / 0' },
    expects: [{ kind: 'refused', statuses: [400, 500], says: /by zero/ }],
  },
  {
    name: 'an overflow',
    as: 'anyone',
    asks: { sql: 'SELECT 9223372036854775807 + 1' },
    expects: [value('-9223372036854775808'), answered(/-9223372036854775808/), refused()],
  },
  {
    name: 'an overflow of a product',
    as: 'anyone',
    asks: { sql: 'SELECT MAX(added * 9223372036854775807 * 9223372036854775807) FROM wikipedia' },
    expects: [answered(), refused()],
  },
  {
    name: 'the smallest number',
    as: 'anyone',
    asks: { sql: 'SELECT -9223372036854775808, ABS(-9223372036854775807 - 1)' },
    expects: [answered(), refused()],
  },
  {
    name: 'the smallest number by -1',
    as: 'anyone',
    asks: { sql: 'SELECT (-9223372036854775807 - 1) / -1, MOD(-9223372036854775807 - 1, -1)' },
    expects: [answered(), refused()],
  },
  {
    name: 'ROUND to many places',
    as: 'anyone',
    asks: {
      sql: 'SELECT ROUND(1.5, 2147483647), ROUND(15, -2147483647), TRUNCATE(1.5, 999999999)',
    },
    expects: [answered(), refused()],
  },
  {
    name: 'a shift by many bits',
    as: 'anyone',
    asks: {
      sql: 'SELECT BITWISE_SHIFT_LEFT(1, 64), BITWISE_SHIFT_RIGHT(1, -1), BITWISE_SHIFT_LEFT(1, 9223372036854775807)',
    },
    expects: [answered(), refused()],
  },
  {
    name: 'SUBSTRING of odd places',
    as: 'anyone',
    asks: {
      sql: "SELECT SUBSTRING('abc', -9223372036854775808, 9223372036854775807), LEFT('abc', -1), RIGHT('abc', 2147483648)",
    },
    expects: [
      {
        kind: 'refused',
        statuses: [400, 500],
        says: /needs a positive integer as the second argument|encountered unknown exception/,
      },
    ], // 500 was measured
  },
  {
    name: 'a date out of all calendars',
    as: 'anyone',
    asks: {
      sql: 'SELECT MILLIS_TO_TIMESTAMP(9223372036854775807), MILLIS_TO_TIMESTAMP(-9223372036854775808)',
    },
    expects: [answered(), refused()],
  },
  {
    name: 'a timestamp of year 300 million',
    as: 'anyone',
    asks: {
      sql: "SELECT TIME_PARSE('292278994-08-17T07:12:55.807Z'), TIME_PARSE('-292275055-05-16'), TIMESTAMP '999999999-01-01'",
    },
    expects: [answered(), refused()],
  },
  {
    name: 'a floor of a date out of all calendars',
    as: 'anyone',
    asks: {
      sql: "SELECT TIME_FLOOR(MILLIS_TO_TIMESTAMP(9223372036854775807), 'P1Y'), TIME_CEIL(MILLIS_TO_TIMESTAMP(9223372036854775807), 'P1D')",
    },
    expects: [answered(), refused()],
  },
];

const zones = [
  '-08:00',
  '+23:59',
  '-23:59',
  '+24:00',
  '+99:99',
  '+14',
  'UTC+8',
  'GMT-08:00',
  'Etc/GMT+8',
  'Mars/Olympus',
  '',
  ' ',
  "'",
  'a'.repeat(100_000),
  '../../etc/passwd',
  'America/../UTC',
  'posixrules',
  'europe/paris',
  '\u0000',
  'PST8PDT',
  'Z',
  '+0530',
  '-00:00',
  '1',
];
const inZones = zones.flatMap((zone): Attack[] => {
  const named = JSON.stringify(zone.slice(0, 20));
  const any: Ending[] = [answered(/^\[/), refused()];
  const at = "TIMESTAMP '2024-01-01 00:00:00'";
  return [
    {
      name: `TIME_EXTRACT in ${named}`,
      as: 'anyone',
      asks: {
        sql: `SELECT TIME_EXTRACT(${at}, 'HOUR', ${quoted(zone)}), TIME_FLOOR(__time, 'P1D', NULL, ${quoted(zone)}), TIME_FORMAT(${at}, 'HH', ${quoted(zone)}), TIME_SHIFT(${at}, 'P1D', 1, ${quoted(zone)}), TIME_PARSE('2024', 'yyyy', ${quoted(zone)}), TIME_CEIL(__time, 'PT1H', NULL, ${quoted(zone)}) FROM wikipedia LIMIT 1`,
      },
      expects: any,
    },
    {
      name: `sqlTimeZone ${named}`,
      as: 'anyone',
      asks: {
        sql: "SELECT TIME_FLOOR(__time, 'P1D'), FLOOR(__time TO HOUR), EXTRACT(HOUR FROM __time), CURRENT_DATE FROM wikipedia LIMIT 1",
        context: { sqlTimeZone: zone },
      },
      expects: any,
    },
    {
      name: `a granularity in ${named}`,
      as: 'anyone',
      asks: {
        native: nativeOn({
          queryType: 'timeseries',
          granularity: { type: 'period', period: 'P1D', timeZone: zone },
          aggregations: [{ type: 'count', name: 'n' }],
        }),
      },
      expects: any,
    },
  ];
});

const ids = [
  'a\r\nX-Injected: 1',
  'a\nb',
  '\u0000',
  '\u001b]0;x\u0007',
  'é😀',
  'x'.repeat(100_000),
  '../../x',
  '%2e%2e%2f',
  '',
  ' ',
  '{"level":"error"}',
];
const inIds = ids.flatMap((id): Attack[] => {
  const named = JSON.stringify(id.slice(0, 20));
  return [
    {
      name: `the SQL query id ${named}`,
      as: 'anyone',
      asks: { sql: 'SELECT 1', context: { sqlQueryId: id } },
      expects: [value(1), refused()],
    },
    {
      name: `the native query id ${named}`,
      as: 'anyone',
      asks: { native: nativeOn({ queryType: 'timeBoundary', context: { queryId: id } }) },
      expects: [answered(/^\[/), refused()],
    },
    {
      name: `the statement id ${named}`,
      as: 'anyone',
      asks: { statement: 'SELECT 1', context: { sqlQueryId: id } },
      expects: [answered(/SUCCESS/), refused(), failed(), refusedWith(431, /(?:)/)],
    },
    {
      name: `the task id ${named}`,
      as: 'anyone',
      asks: { task: { type: 'noop', id, runTime: 1 } },
      expects: [succeeded, refused(), refusedWith([404, 431], /(?:)/)],
    },
  ];
});

const json = '/svc/indexer/v1/sampler';
const inSampler: readonly Attack[] = [
  ['nothing', {}],
  [
    'no dimensions',
    {
      type: 'index_parallel',
      spec: {
        dataSchema: { dataSource: 'x', timestampSpec: { column: 't', missingValue: '2024' } },
        ioConfig: {
          type: 'index_parallel',
          inputSource: { type: 'inline', data: '{"a":1}' },
          inputFormat: { type: 'json' },
        },
      },
    },
  ],
  [
    'a missing timestamp that is none',
    {
      type: 'index_parallel',
      spec: {
        dataSchema: {
          dataSource: 'x',
          timestampSpec: { column: 't', missingValue: 'x' },
          dimensionsSpec: {},
        },
        ioConfig: {
          type: 'index_parallel',
          inputSource: { type: 'inline', data: '{"a":1}' },
          inputFormat: { type: 'json' },
        },
      },
    },
  ],
  ['a list', []],
  ['a text', 'x'],
  ['a number', 7],
  ['null', null],
  ['no spec', { type: 'index_parallel' }],
  ['a spec of null', { type: 'index_parallel', spec: null }],
  ['a spec of a text', { type: 'index_parallel', spec: 'x' }],
  ['an unknown type', { type: 'nope', spec: {} }],
  ['numRows of -1', sampledWith({ numRows: -1 })],
  ['numRows of 2^53', sampledWith({ numRows: 9007199254740992 })],
  ['numRows of a text', sampledWith({ numRows: 'many' })],
  ['a timeout of -1', sampledWith({ timeoutMs: -1 })],
  ['a timeout of 2^53', sampledWith({ timeoutMs: 9007199254740992 })],
  ['maxBytesInMemory of -1', sampledWith({ maxBytesInMemory: -1, maxClientResponseBytes: -1 })],
  ['a cache key', sampledWith({ cacheKey: '../../x' })],
  ['no data', sampled('', { type: 'json' })],
  ['no input format', sampled('a', null as unknown as object)],
  ['an unknown input format', sampled('a', { type: 'nope' })],
  ['broken rows', sampled('{"a":\n}{', { type: 'json' })],
  ['binary rows', sampled('\u0000\u0001\ufffe', { type: 'csv', findColumnsFromHeader: true })],
  [
    'a csv delimiter of nothing',
    sampled('a,b', { type: 'tsv', delimiter: '', findColumnsFromHeader: true }),
  ],
  [
    'a csv list delimiter like the delimiter',
    sampled('a,b', { type: 'csv', listDelimiter: ',', findColumnsFromHeader: true }),
  ],
  [
    'skipHeaderRows of -1',
    sampled('a,b', { type: 'csv', skipHeaderRows: -1, findColumnsFromHeader: true }),
  ],
  [
    'skipHeaderRows of 2^31',
    sampled('a,b', { type: 'csv', skipHeaderRows: 2147483647, findColumnsFromHeader: true }),
  ],
  ['columns that repeat', sampled('1,2', { type: 'csv', columns: ['a', 'a'] })],
  [
    'a column named __proto__',
    sampled('{"__proto__":{"x":1},"constructor":1,"t":"2024"}', { type: 'json' }),
  ],
  [
    'a JSONPath that is none',
    sampled('{"a":1}', {
      type: 'json',
      flattenSpec: { fields: [{ type: 'path', name: 'x', expr: '$[' }] },
    }),
  ],
  [
    'Kafka',
    {
      type: 'kafka',
      spec: {
        ioConfig: {
          topic: 'a',
          consumerProperties: { 'bootstrap.servers': '127.0.0.1:1' },
          inputFormat: { type: 'json' },
        },
      },
      samplerConfig: { numRows: 1, timeoutMs: 500 },
    },
  ],
].map(
  ([name, body]): Attack => ({
    name: `the sampler with ${name}`,
    as: 'anyone',
    asks: post(json, () => JSON.stringify(body), { 'content-type': 'application/json' }),
    expects: [
      answered(),
      refused(),
      { kind: 'refused', statuses: [500, 504], says: /^(?!.*internal error)./is },
    ],
  }),
);

export const truth: AttackClass = {
  name: 'truth',
  attacks: [
    ...texts,
    ...elsewhere,
    ...examples,
    ...inZones,
    ...inIds,
    ...inSampler,
    {
      name: 'the hour eight hours west',
      as: 'anyone',
      asks: { sql: "SELECT TIME_EXTRACT(TIMESTAMP '2024-01-01 00:00:00', 'HOUR', '-08:00')" },
      expects: [value(16)],
    },
    {
      name: 'no lookup that shows itself as an object',
      as: 'anyone',
      prepare: [post('/svc/coordinator/v1/lookups/config', {})], // no lookup can be set before
      asks: post('/svc/coordinator/v1/lookups/config/__default/shape', {
        version: 'v1',
        lookupExtractorFactory: { type: 'map', map: { type: 'map', map: { a: 'b' } } },
      }),
      expects: [refused(), answered()],
      then: [
        {
          as: 'anyone',
          asks: get('/svc/coordinator/v1/lookups/config/__default/shape'),
          expects: [answered(/(?:)/, /\[object Object\]/), refusedWith(404)],
        },
      ],
      cleanUp: [{ method: 'DELETE', path: '/svc/coordinator/v1/lookups/config/__default/shape' }],
    },
  ],
};

function sampledWith(samplerConfig: object): object {
  return { ...sampled('{"t":"2024"}', { type: 'json' }), samplerConfig };
}
