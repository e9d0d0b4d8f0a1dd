// Statements that are long, wide or deep. What the real engine handles is handled; the rest is
// refused before work begins.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  failed,
  list,
  post,
  refused,
  refusedWith,
  succeeded,
  timedOut,
  tooMuch,
  value,
} from '../attack.ts';

const count = answered(/^\[\[\d+\]\]/);
const large: Ending = refusedWith([400, 413, 501], /./);

const handled: readonly [name: string, sql: () => string, ...right: Ending[]][] = [
  ['a million numbers in IN', () => `SELECT 5 IN (${list(1_000_000, String, ',')})`, value(true)],
  [
    'a million numbers in IN over rows',
    () => `SELECT COUNT(*) FROM wikipedia WHERE added IN (${list(1_000_000, String, ',')})`,
    count,
  ],
  [
    'half a million texts in IN',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE page IN (${list(500_000, (at) => `'page ${at}'`, ',')})`,
    value(0),
  ],
  [
    'a million numbers in NOT IN',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE channel NOT IN (${list(500_000, (at) => `'#${at}'`, ',')})`,
    value(39244),
  ],
  [
    'fifty thousand OR of one column',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE ${list(50_000, (at) => `page = 'page ${at}'`, ' OR ')}`,
    value(0),
    large,
  ],
  [
    'fifty thousand OR of numbers',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE ${list(50_000, (at) => `added = ${-at - 1}`, ' OR ')}`,
    value(0),
    large,
  ],
  [
    'fifty thousand AND',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE ${list(50_000, (at) => `page <> 'page ${at}'`, ' AND ')}`,
    value(39244),
    large,
  ],
  ['a long comment', () => `SELECT 1 /* ${'x'.repeat(15_000_000)} */`, value(1), large, timedOut],
  ['many short comments', () => `SELECT 1 ${'/**/'.repeat(3_000_000)}`, value(1), large],
  ['many line comments', () => `SELECT 1 ${'--\n'.repeat(4_000_000)}`, value(1), large],
  ['fifteen million blanks', () => `SELECT${' '.repeat(15_000_000)}1`, value(1), large],
  ['seven million line ends', () => `SELECT${'\n'.repeat(7_000_000)}1`, value(1), large],
  [
    'a text literal of fifteen million characters',
    () => `SELECT CHAR_LENGTH('${'x'.repeat(15_000_000)}')`,
    value(15_000_000),
    large,
  ],
  [
    'fifteen million quotes',
    () => `SELECT CHAR_LENGTH('${"''".repeat(7_000_000)}')`,
    value(7_000_000),
    large,
  ],
  [
    'a SCALAR_IN_ARRAY of 300,000',
    () => `SELECT SCALAR_IN_ARRAY(5, ARRAY[${list(300_000, String, ',')}])`,
    value(true),
    large,
  ],
  [
    'a list of 200,000 values',
    () => `SELECT COUNT(*) FROM (VALUES ${list(200_000, (at) => `(${at})`, ',')}) AS t (a)`,
    value(200_000),
    large,
  ],
  [
    'an array of 500,000 numbers',
    () => `SELECT ARRAY_LENGTH(ARRAY[${list(500_000, String, ',')}])`,
    value(500_000),
    large,
  ],
];

const refusedOrRight: readonly [name: string, sql: () => string][] = [
  ['fifteen million single quotes that end nothing', () => `SELECT ${"'".repeat(15_000_001)}`],
  ['seven million double quotes', () => `SELECT ${'"'.repeat(7_000_001)}`],
  ['fifteen million backquotes', () => `SELECT ${'`'.repeat(15_000_000)}`],
  ['an unended comment', () => `SELECT /*${'*'.repeat(10_000_000)}`],
  ['many beginnings of comments', () => `SELECT ${'/*'.repeat(5_000_000)}`],
  ['an identifier of fifteen million characters', () => `SELECT ${'x'.repeat(15_000_000)}`],
  ['a number of ten million digits', () => `SELECT ${'9'.repeat(10_000_000)}`],
  ['a fraction of a million digits', () => `SELECT 0.${'3'.repeat(1_000_000)}`],
  ['a number with a vast exponent', () => 'SELECT 1e999999999999'],
  ['many numbers with a vast exponent', () => `SELECT ${list(100_000, '1e308', '*')}`],
  ['a hundred thousand parentheses', () => `SELECT ${'('.repeat(100_000)}1${')'.repeat(100_000)}`],
  ['seven million opening parentheses', () => `SELECT ${'('.repeat(7_000_000)}`],
  ['a hundred thousand minus signs', () => `SELECT ${'- '.repeat(100_000)}1`],
  ['a hundred thousand NOT', () => `SELECT ${'NOT '.repeat(100_000)}TRUE`],
  [
    'ten thousand CASE in each other',
    () => `SELECT ${'CASE WHEN TRUE THEN '.repeat(10_000)}1${' END'.repeat(10_000)}`,
  ],
  [
    'ten thousand calls in each other',
    () => `SELECT ${'ABS('.repeat(10_000)}1${')'.repeat(10_000)}`,
  ],
  [
    'ten thousand CAST in each other',
    () => `SELECT ${'CAST('.repeat(10_000)}1${' AS BIGINT)'.repeat(10_000)}`,
  ],
  [
    'ten thousand COALESCE in each other',
    () => `SELECT ${'COALESCE(NULL, '.repeat(10_000)}1${')'.repeat(10_000)}`,
  ],
  [
    'two thousand subqueries in each other',
    () => `SELECT * FROM ${'(SELECT * FROM '.repeat(2000)}wikipedia${')'.repeat(2000)} LIMIT 1`,
  ],
  [
    'five hundred subqueries in WHERE',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE added > ${'(SELECT MIN(added) FROM wikipedia WHERE added > '.repeat(500)}0${')'.repeat(500)}`,
  ],
  ['a sum of a hundred thousand', () => `SELECT ${list(100_000, '1', ' + ')}`],
  ['a concatenation of fifty thousand', () => `SELECT CHAR_LENGTH(${list(50_000, "'x'", ' || ')})`],
  [
    'a CASE of fifty thousand branches',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE CASE ${list(50_000, (at) => `WHEN added = ${at} THEN 1`, ' ')} ELSE 0 END = 2`,
  ],
  ['a COALESCE of a hundred thousand', () => `SELECT COALESCE(${list(100_000, 'NULL')})`],
  ['a GREATEST of a hundred thousand', () => `SELECT GREATEST(${list(100_000, String)})`],
  [
    'fifty thousand OR of mixed columns',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE ${list(50_000, (at) => `(page = 'p${at}' AND added = ${at})`, ' OR ')}`,
  ],
  [
    'fifty thousand OR of LIKE',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE ${list(50_000, (at) => `page LIKE '%p${at}%'`, ' OR ')}`,
  ],
  [
    'ten thousand columns',
    () => `SELECT ${list(10_000, (at) => `added + ${at} AS c${at}`)} FROM wikipedia LIMIT 1`,
  ],
  ['a hundred thousand columns', () => `SELECT ${list(100_000, (at) => `${at}`)}`],
  [
    'ten thousand groups of columns',
    () => `SELECT COUNT(*) FROM wikipedia GROUP BY ${list(10_000, (at) => `added + ${at}`)}`,
  ],
  [
    'ten thousand orders',
    () => `SELECT page FROM wikipedia ORDER BY ${list(10_000, (at) => `added + ${at}`)} LIMIT 1`,
  ],
  ['ten thousand UNION ALL', () => list(10_000, 'SELECT COUNT(*) FROM wikipedia', ' UNION ALL ')],
  [
    'ten thousand WITH of each other',
    () =>
      `WITH ${list(10_000, (at) => (at === 0 ? 't0 AS (SELECT 1 AS a)' : `t${at} AS (SELECT a FROM t${at - 1})`))} SELECT a FROM t9999`,
  ],
  [
    'forty WITH that double',
    () =>
      `WITH t0 AS (SELECT 1 AS a), ${list(40, (at) => `t${at + 1} AS (SELECT x.a FROM t${at} x, t${at} y)`)} SELECT COUNT(*) FROM t40`,
  ],
  [
    'twenty-five WITH that double with UNION ALL',
    () =>
      `WITH t0 AS (SELECT 1 AS a), ${list(25, (at) => `t${at + 1} AS (SELECT a FROM t${at} UNION ALL SELECT a FROM t${at})`)} SELECT COUNT(*) FROM t25`,
  ],
  [
    'five hundred joins',
    () =>
      `SELECT COUNT(*) FROM wikipedia t0 ${list(500, (at) => `LEFT JOIN (SELECT 'x' AS k) t${at + 1} ON t0.page = t${at + 1}.k`, ' ')}`,
  ],
  [
    'a thousand windows',
    () =>
      `SELECT ${list(1000, (at) => `SUM(added) OVER (PARTITION BY channel ORDER BY __time ROWS BETWEEN ${at} PRECEDING AND CURRENT ROW)`)} FROM wikipedia LIMIT 1`,
  ],
  [
    'a thousand aggregates',
    () =>
      `SELECT ${list(1000, (at) => `SUM(added + ${at}) FILTER (WHERE deleted > ${at})`)} FROM wikipedia`,
  ],
  [
    'a thousand exact counts',
    () => `SELECT ${list(1000, (at) => `COUNT(DISTINCT page || '${at}')`)} FROM wikipedia`,
  ],
  ['a hundred thousand parameters', () => `SELECT ${list(100_000, '?', '+')}`],
  [
    'fifty thousand intervals',
    () =>
      `SELECT COUNT(*) FROM wikipedia WHERE ${list(50_000, (at) => `TIME_IN_INTERVAL(__time, '2000-01-01T00:00:00/PT${at}S')`, ' OR ')}`,
  ],
  [
    'a JSONPath of a million steps',
    () => `SELECT JSON_VALUE(PARSE_JSON('{}'), '$${'.a'.repeat(1_000_000)}')`,
  ],
  [
    'a JSON_OBJECT of fifty thousand',
    () => `SELECT JSON_OBJECT(${list(50_000, (at) => `'k${at}' : ${at}`)})`,
  ],
  ['five million commas', () => `SELECT 1${','.repeat(5_000_000)}`],
  ['five million points', () => `SELECT a${'.a'.repeat(5_000_000)}`],
  ['a million NULs', () => `SELECT '${'\u0000'.repeat(1_000_000)}'`],
  ['a million surrogate pairs', () => `SELECT CHAR_LENGTH('${'😀'.repeat(1_000_000)}')`],
];

const asTwo = (name: string, sql: () => string, right: readonly Ending[]): Attack[] => [
  {
    name,
    as: 'anyone',
    asks: { sql, context: { timeout: 10_000 } },
    expects: right,
    withinMs: 15_000,
  },
];

export const largeStatements: AttackClass = {
  name: 'large statements',
  attacks: [
    ...handled.flatMap(([name, sql, ...right]) => asTwo(name, sql, right)),
    ...refusedOrRight.flatMap(([name, sql]) =>
      asTwo(name, sql, [large, timedOut, tooMuch, answered(/^\[\[/)]),
    ),
    {
      name: 'EXPLAIN of fifty thousand OR',
      as: 'anyone',
      asks: {
        sql: () =>
          `EXPLAIN PLAN FOR SELECT COUNT(*) FROM wikipedia WHERE ${list(50_000, (at) => `page = 'p${at}'`, ' OR ')}`,
      },
      expects: [answered(), large],
    },
    {
      name: 'EXPLAIN of a million numbers in IN',
      as: 'anyone',
      asks: {
        sql: () =>
          `EXPLAIN PLAN FOR SELECT COUNT(*) FROM wikipedia WHERE added IN (${list(1_000_000, String, ',')})`,
      },
      expects: [answered(), large],
      withinMs: 20_000,
    },
    {
      name: 'a million numbers in IN as a statement',
      as: 'anyone',
      asks: {
        statement: () =>
          `SELECT COUNT(*) FROM wikipedia WHERE added IN (${list(1_000_000, String, ',')})`,
      },
      expects: [answered(/SUCCESS/), large],
      withinMs: 20_000,
    },
    {
      name: 'fifteen million quotes as a statement',
      as: 'anyone',
      asks: { statement: () => `SELECT ${"'".repeat(15_000_001)}` },
      expects: [failed(), large],
    },
    {
      name: 'a hundred thousand parentheses as a task',
      as: 'anyone',
      asks: {
        sqlTask: () =>
          `INSERT INTO "x" SELECT CURRENT_TIMESTAMP AS __time, ${'('.repeat(100_000)}1${')'.repeat(100_000)} AS a PARTITIONED BY ALL`,
      },
      expects: [large, failed()],
    },
    {
      name: 'a statement as plain text',
      as: 'anyone',
      asks: post('/svc/v2/sql', () => `SELECT ${'('.repeat(1_000_000)}`, {
        'content-type': 'text/plain',
      }),
      expects: [large],
    },
    {
      name: 'a statement as a form',
      as: 'anyone',
      asks: post('/svc/v2/sql', () => `${'%28'.repeat(5_000_000)}`, {
        'content-type': 'application/x-www-form-urlencoded',
      }),
      expects: [large],
    },
    {
      name: 'five hundred thousand parameters',
      as: 'anyone',
      asks: {
        sql: 'SELECT 1',
        get parameters() {
          return Array.from({ length: 300_000 }, (_, at) => ({ type: 'BIGINT', value: at }));
        },
      },
      expects: [value(1), large],
    },
    {
      name: 'a parameter of an array of a million',
      as: 'anyone',
      asks: {
        sql: 'SELECT SCALAR_IN_ARRAY(7, ?)',
        get parameters() {
          return [{ type: 'ARRAY', value: Array.from({ length: 1_000_000 }, (_, at) => at) }];
        },
      },
      expects: [value(true), large],
      withinMs: 15_000,
    },
    {
      name: 'partitions of 100,000 columns',
      as: 'anyone',
      asks: {
        sqlTask: () =>
          `REPLACE INTO "x" OVERWRITE ALL SELECT CURRENT_TIMESTAMP AS __time PARTITIONED BY DAY CLUSTERED BY ${list(100_000, (at) => `c${at}`)}`,
      },
      expects: [large, failed()],
    },
    {
      name: 'REPLACE with 50,000 intervals',
      as: 'anyone',
      asks: {
        sqlTask: () =>
          `REPLACE INTO "x" OVERWRITE WHERE ${list(50_000, (at) => `(__time >= TIMESTAMP '2024-01-01' AND __time < TIMESTAMP '${2025 + (at % 50)}-01-01')`, ' OR ')} SELECT CURRENT_TIMESTAMP AS __time PARTITIONED BY DAY`,
      },
      expects: [large, failed(), succeeded],
    },
    { name: 'an empty statement', as: 'anyone', asks: { sql: '' }, expects: [refused()] },
    {
      name: 'a statement of one semicolon after another',
      as: 'anyone',
      asks: { sql: () => ';'.repeat(10_000_000) },
      expects: [large],
    },
  ],
};
