// Small requests whose texts and lists would grow without an end.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  failed,
  list,
  post,
  refused,
  succeeded,
  timedOut,
  tooMuch,
  value,
} from '../attack.ts';
import { externOf, nativeOn, sampled, taskOf } from './bodies.ts';

const all = ['timeout', 'cancel', 'gone'] as const;

// Texts so long that they cannot be: what is refused, and where the answer may be right.
const statements: readonly [name: string, sql: string, ...right: Ending[]][] = [
  [
    'REPLACE by long texts',
    "SELECT CHAR_LENGTH(REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 100000)))",
  ],
  [
    'REPLACE in REPLACE',
    "SELECT CHAR_LENGTH(REPLACE(REPLACE(REPLACE(REPEAT('a', 1000), 'a', REPEAT('b', 1000)), 'b', REPEAT('c', 1000)), 'c', REPEAT('d', 1000)))",
  ],
  [
    'REGEXP_REPLACE by long texts',
    "SELECT CHAR_LENGTH(REGEXP_REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 100000)))",
  ],
  [
    'REGEXP_REPLACE of nothing',
    "SELECT CHAR_LENGTH(REGEXP_REPLACE(REPEAT('a', 1000000), '', REPEAT('b', 100000)))",
  ],
  [
    'REGEXP_REPLACE with groups',
    "SELECT CHAR_LENGTH(REGEXP_REPLACE(REPEAT('a', 1000000), '(a+)', '$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1$1'))",
    value(30_000_000),
  ],
  ['REPEAT over rows', 'SELECT MAX(CHAR_LENGTH(REPEAT(page, 1000000))) FROM wikipedia'],
  [
    'REPEAT over a cross join',
    'SELECT MAX(CHAR_LENGTH(REPEAT(a.page, 5000) || REPEAT(b.page, 5000))) FROM wikipedia a CROSS JOIN wikipedia b',
  ],
  ['REPEAT two thousand million times', "SELECT CHAR_LENGTH(REPEAT('ab', 2147483647))"],
  ['REPEAT 2^63-1 times', "SELECT CHAR_LENGTH(REPEAT('ab', 9223372036854775807))"],
  [
    'REPEAT of REPEAT',
    "SELECT CHAR_LENGTH(REPEAT(REPEAT(REPEAT('abcdefghij', 1000), 1000), 1000))",
  ],
  [
    'REPEAT by a column',
    'SELECT MAX(CHAR_LENGTH(REPEAT(page, CAST(added AS INTEGER) * 1000))) FROM wikipedia',
  ],
  ['LPAD', "SELECT CHAR_LENGTH(LPAD('x', 2000000000, 'y'))"],
  ['RPAD', "SELECT CHAR_LENGTH(RPAD('x', 2147483647, 'y'))"],
  ['LPAD over rows', "SELECT MAX(CHAR_LENGTH(LPAD(page, 10000000, 'y'))) FROM wikipedia"],
  ['STRING_FORMAT with a width', "SELECT CHAR_LENGTH(STRING_FORMAT('%500000000s', 'x'))"],
  ['STRING_FORMAT with a precision', "SELECT CHAR_LENGTH(STRING_FORMAT('%.500000000f', 1.5))"],
  [
    'STRING_FORMAT with many widths',
    `SELECT CHAR_LENGTH(STRING_FORMAT('${'%9999999s'.repeat(200)}', ${list(200, "'x'")}))`,
  ],
  [
    'STRING_FORMAT over rows',
    "SELECT MAX(CHAR_LENGTH(STRING_FORMAT('%5000000d', added))) FROM wikipedia",
  ],
  ['STRING_FORMAT with zeros', "SELECT CHAR_LENGTH(STRING_FORMAT('%0999999999d', 1))"],
  ['CONCAT that doubles', doubling('x || x', "'abcdefghij'", 40)],
  [
    'CONCAT of columns that doubles',
    `SELECT MAX(CHAR_LENGTH(x)) FROM (${doublingFrom('x || x', 'SELECT page AS x FROM wikipedia', 28)})`,
  ],
  ['REPLACE that doubles', doubling("REPLACE(x, 'a', 'aa')", "'a'", 45)],
  [
    'ARRAY_CONCAT that doubles',
    `SELECT ARRAY_LENGTH(x) FROM (${doublingFrom('ARRAY_CONCAT(x, x)', 'SELECT ARRAY[1, 2, 3] AS x', 40)})`,
  ],
  [
    'MV_CONCAT that doubles',
    `SELECT MV_LENGTH(x) FROM (${doublingFrom('MV_CONCAT(x, x)', "SELECT STRING_TO_MV(channel, ',') AS x FROM wikipedia LIMIT 1", 40)})`,
  ],
  [
    'ARRAY_TO_STRING with a long separator',
    "SELECT CHAR_LENGTH(ARRAY_TO_STRING(STRING_TO_ARRAY(REPEAT('a,', 100000), ','), REPEAT('b', 1000000)))",
  ],
  [
    'STRING_TO_ARRAY of a long text',
    "SELECT ARRAY_LENGTH(STRING_TO_ARRAY(REPEAT('a,', 50000000), ','))",
  ],
  [
    'LISTAGG of everything',
    `SELECT CHAR_LENGTH(LISTAGG(REPEAT(page, 100), '${','.repeat(100_000)}', 2000000000)) FROM wikipedia`,
  ],
  [
    'STRING_AGG of everything',
    "SELECT CHAR_LENGTH(STRING_AGG(REPEAT(page, 10000), ',', 2000000000)) FROM wikipedia",
  ],
  [
    'ARRAY_AGG of everything',
    'SELECT ARRAY_LENGTH(ARRAY_AGG(REPEAT(page, 10000), 2000000000)) FROM wikipedia',
  ],
  [
    'ARRAY_CONCAT_AGG of everything',
    "SELECT ARRAY_LENGTH(ARRAY_CONCAT_AGG(STRING_TO_ARRAY(REPEAT(page || ',', 1000), ','), 2000000000)) FROM wikipedia",
  ],
  [
    'LATEST of long texts',
    'SELECT CHAR_LENGTH(LATEST(REPEAT(page, 1000000), 2000000000)) FROM wikipedia',
  ],
  [
    'EARLIEST of long texts',
    'SELECT CHAR_LENGTH(EARLIEST(REPEAT(page, 100000), 2000000000)) FROM wikipedia',
  ],
  [
    'GROUP BY long texts',
    'SELECT COUNT(*) FROM (SELECT REPEAT(page, 10000) AS x FROM wikipedia GROUP BY 1)',
  ],
  [
    'ORDER BY long texts',
    'SELECT REPEAT(page, 10000) AS x, COUNT(*) FROM wikipedia GROUP BY 1 ORDER BY 1 DESC LIMIT 39000',
    { kind: 'refused', statuses: [0] },
  ],
  ['DISTINCT long texts', 'SELECT COUNT(DISTINCT REPEAT(page, 20000)) FROM wikipedia'],
  [
    'TIME_FORMAT with a long pattern',
    "SELECT CHAR_LENGTH(TIME_FORMAT(CURRENT_TIMESTAMP, REPEAT('yyyy', 10000000)))",
  ],
  [
    'TIME_FORMAT with a wide year',
    `SELECT CHAR_LENGTH(TIME_FORMAT(CURRENT_TIMESTAMP, '${'y'.repeat(1_000_000)}'))`,
    answered(/^\[\[\d+\]\]/),
  ],
  [
    'JSON_OBJECT that doubles',
    `SELECT CHAR_LENGTH(TO_JSON_STRING(x)) FROM (${doublingFrom("JSON_OBJECT('a' : x, 'b' : x)", "SELECT JSON_OBJECT('a' : 1) AS x", 35)})`,
  ],
  [
    'JSON_MERGE of large objects',
    "SELECT CHAR_LENGTH(TO_JSON_STRING(JSON_MERGE(PARSE_JSON('{\"a\":\"' || REPEAT('x', 100000000) || '\"}'), PARSE_JSON('{\"b\":\"' || REPEAT('x', 100000000) || '\"}'))))",
  ],
  [
    'PARSE_JSON of a deep text',
    "SELECT TO_JSON_STRING(TRY_PARSE_JSON(REPEAT('[', 1000000) || REPEAT(']', 1000000)))",
    answered(),
  ],
  ['UPPER of sharp s', "SELECT CHAR_LENGTH(UPPER(REPEAT('ß', 500000000)))"],
  [
    'DECODE_BASE64_UTF8 of a long text',
    "SELECT CHAR_LENGTH(DECODE_BASE64_UTF8(REPEAT('YWFh', 100000000)))",
  ],
  ['BITWISE of long numbers', "SELECT PARSE_LONG(REPEAT('9', 200000))", value(null)],
  ['PARSE_LONG with a base', "SELECT PARSE_LONG(REPEAT('z', 500000), 36)", value(null)],
  [
    'PARSE_LONG of a million digits over rows',
    "SELECT COUNT(PARSE_LONG(REPEAT('9', 20000) || page)) FROM wikipedia",
    value(0),
  ],
  ['CAST of a million digits', "SELECT CAST(REPEAT('9', 1000000) AS BIGINT)", answered(/^\[\[/)],
  [
    'CAST of a million digits to a decimal',
    "SELECT CAST(REPEAT('9', 1000000) AS DOUBLE)",
    value('Infinity'),
    value(null),
    answered(/^\[\[/),
  ],
  [
    'HUMAN_READABLE with a precision',
    'SELECT CHAR_LENGTH(HUMAN_READABLE_DECIMAL_FORMAT(123456, 100000000))',
    refused(),
  ],
  [
    'OVERLAY of long texts',
    "SELECT CHAR_LENGTH(OVERLAY(REPEAT('a', 300000000) PLACING REPEAT('b', 300000000) FROM 5))",
    refused(),
  ],
  ['REVERSE of a long text', "SELECT CHAR_LENGTH(REVERSE(REPEAT('ä', 500000000)))"],
  [
    'TEXTCAT over rows',
    'SELECT MAX(CHAR_LENGTH(TEXTCAT(REPEAT(page, 200000), REPEAT(page, 200000)))) FROM wikipedia',
  ],
];

const inSql = statements.map(
  ([name, sql, ...right]): Attack => ({
    name,
    as: 'anyone',
    asks: { sql, context: { timeout: 8000 } },
    expects: [tooMuch, timedOut, ...right],
    ...(/REPEAT over a cross join|REPLACE by long|doubles$|LISTAGG/.test(name) && { stopsBy: all }),
  }),
);

const bounded: readonly Attack[] = [
  {
    name: 'a text of a million characters is not an attack',
    as: 'anyone',
    asks: { sql: "SELECT CHAR_LENGTH(REPEAT('a', 1000000))" },
    expects: [value(1_000_000)],
  },
  {
    name: 'a result of long rows',
    as: 'anyone',
    asks: { sql: "SELECT REPEAT('a', 1000000) FROM wikipedia", context: { timeout: 4000 } },
    expects: [tooMuch, timedOut, { kind: 'refused', statuses: [0] }],
    withinMs: 8000,
    stopsBy: all,
  },
  {
    name: 'a result of long rows as CSV',
    as: 'anyone',
    asks: {
      sql: "SELECT REPEAT('a', 1000000) FROM wikipedia",
      context: { timeout: 4000 },
      resultFormat: 'csv',
    },
    expects: [tooMuch, timedOut, { kind: 'refused', statuses: [0] }],
    withinMs: 8000,
  },
  {
    name: 'a million rows of a hundred thousand characters as a statement',
    as: 'anyone',
    asks: { statement: 'SELECT REPEAT(page, 20000) FROM wikipedia', context: { timeout: 8000 } },
    expects: [failed(), tooMuch],
    withinMs: 20_000,
  },
];

const expressions: readonly [name: string, expression: string][] = [
  ['repeat', "strlen(repeat('a', 2000000000))"],
  ['lpad', "strlen(lpad('x', 2000000000, 'y'))"],
  ['format', "strlen(format('%500000000s', 'x'))"],
  ['replace', "strlen(replace(repeat('a', 1000000), 'a', repeat('b', 100000)))"],
  ['concat of repeats', 'strlen(concat(repeat(page, 100000), repeat(page, 100000)))'],
  [
    'array_concat of ranges',
    "array_length(array_concat(string_to_array(repeat('a,', 50000000), ','), [1]))",
  ],
  [
    'map over a large list',
    "array_length(map((x) -> repeat(x, 1000000), string_to_array(repeat('a,', 100000), ',')))",
  ],
  [
    'cartesian_map',
    "array_length(cartesian_map((x, y, z) -> concat(x, y, z), string_to_array(repeat('a,', 10000), ','), string_to_array(repeat('b,', 10000), ','), string_to_array(repeat('c,', 10000), ',')))",
  ],
  [
    'fold',
    "strlen(fold((x, acc) -> concat(acc, acc), string_to_array(repeat('a,', 60), ','), 'ab'))",
  ],
  ['parse_long', "parse_long(repeat('9', 200000))"],
];
const inNative = expressions.map(
  ([name, expression]): Attack => ({
    name: `${name} in a native expression`,
    as: 'anyone',
    asks: {
      native: nativeOn({
        queryType: 'timeseries',
        granularity: 'all',
        virtualColumns: [{ type: 'expression', name: 'v', expression, outputType: 'LONG' }],
        aggregations: [{ type: 'longMax', name: 'm', fieldName: 'v' }],
        context: { timeout: 8000 },
      }),
    },
    expects: [tooMuch, timedOut, refused(), ...(name === 'parse_long' ? [answered()] : [])],
    ...(name === 'concat of repeats' && { stopsBy: all }),
  }),
);

const rows = '{"t":"2024-01-01","page":"a"}\n';
const inTasks = expressions.slice(0, 9).map(
  ([name, expression]): Attack => ({
    name: `${name} in a transform`,
    as: 'anyone',
    asks: {
      task: taskOf({
        inputSource: { type: 'inline', data: rows },
        transforms: [{ type: 'expression', name: 'e', expression }],
        dimensions: ['page', 'e'],
      }),
    },
    expects: [failed(), refused(), ...(name === 'concat of repeats' ? [succeeded] : [])],
    withinMs: 20_000,
  }),
);

const elsewhere: readonly Attack[] = [
  {
    name: 'repeat in the sampler',
    as: 'anyone',
    asks: post(
      '/svc/indexer/v1/sampler',
      sampled(
        rows,
        { type: 'json' },
        { transforms: [{ type: 'expression', name: 'e', expression: "repeat('a', 2000000000)" }] },
      ),
    ),
    expects: [refused(), answered(/unparseable|error/i)],
  },
  {
    name: 'REPEAT in an INSERT',
    as: 'anyone',
    asks: {
      sqlTask: `INSERT INTO "growth" SELECT CURRENT_TIMESTAMP AS __time, REPEAT("a", 2000000000) AS "x" FROM ${externOf({ type: 'inline', data: 'a\nb' }, { type: 'csv', columns: ['a'] }, '"a" VARCHAR')} PARTITIONED BY ALL`,
    },
    expects: [failed(), tooMuch],
    withinMs: 20_000,
  },
  {
    name: 'REPLACE by long texts as a statement',
    as: 'anyone',
    asks: { statement: "SELECT REPLACE(REPEAT('a', 1000000), 'a', REPEAT('b', 100000))" },
    expects: [failed(), tooMuch],
    withinMs: 20_000,
  },
  {
    name: 'REPEAT over rows as a statement',
    as: 'anyone',
    asks: { statement: 'SELECT REPEAT(page, 1000000) FROM wikipedia' },
    expects: [failed(), tooMuch],
    withinMs: 20_000,
  },
  {
    name: 'EXPLAIN of a long constant',
    as: 'anyone',
    asks: { sql: "EXPLAIN PLAN FOR SELECT REPEAT('a', 2000000000)" },
    expects: [answered(), tooMuch],
  },
];

export const textGrowth: AttackClass = {
  name: 'text growth',
  attacks: [...inSql, ...bounded, ...inNative, ...inTasks, ...elsewhere],
};

function doubling(expression: string, start: string, times: number): string {
  return `SELECT CHAR_LENGTH(x) FROM (${doublingFrom(expression, `SELECT ${start} AS x`, times)})`;
}

function doublingFrom(expression: string, from: string, times: number): string {
  return times === 0
    ? from
    : `SELECT ${expression} AS x FROM (${doublingFrom(expression, from, times - 1)})`;
}
