// The cost of a statement is that of its text: calls within calls are planned in linear time,
// though the text of a call names its operands several times.
import { expect, test } from 'vitest';
import { answering, query } from './statements-over-tables.ts';

const steps: Readonly<
  Record<string, readonly [around: (x: string, depth: number) => string, innermost: string]>
> = {
  div: [(x, k) => `${x} / (added + ${k + 1})`, 'added'],
  divr: [(x, k) => `(added + ${k + 1}) / (${x})`, 'added'],
  mod: [(x, k) => `MOD(${x}, ${k + 3})`, 'added'],
  mul: [(x, k) => `(${x}) * added + ${k}`, 'added'],
  abs: [(x, k) => `ABS(${x} - ${k})`, 'added'],
  mult: [(x, _k) => `(${x}) * 1.5`, 'added'],
  castnum: [(x, _k) => `CAST(CAST(${x} AS VARCHAR) AS BIGINT)`, 'added'],
  castd: [(x, _k) => `CAST(CAST(${x} AS DOUBLE) AS VARCHAR)`, 'page'],
  sub: [(x) => `SUBSTRING(${x}, 2)`, 'page'],
  concat: [(x) => `${x} || page`, 'page'],
  upper: [(x) => `UPPER(LOWER(${x}))`, 'page'],
  trim: [(x) => `TRIM(LTRIM(${x}))`, 'page'],
  repl: [(x) => `REPLACE(${x}, 'a', 'b')`, 'page'],
  regex: [(x) => `REGEXP_REPLACE(${x}, 'a+', 'b')`, 'page'],
  lpad: [(x) => `LPAD(${x}, 9, '-')`, 'page'],
  left: [(x) => `RIGHT(LEFT(${x}, 5), 4)`, 'page'],
  shift: [(x) => `TIME_SHIFT(${x}, 'P1M', 1, 'America/New_York')`, '__time'],
  floor: [(x) => `TIME_FLOOR(${x}, 'P1D', NULL, 'America/New_York')`, '__time'],
  ceil: [(x) => `TIME_CEIL(${x}, 'PT1H', NULL, 'America/New_York')`, '__time'],
  plus: [(x) => `${x} + INTERVAL '1' MONTH`, '__time'],
  fmt: [(x) => `TIME_PARSE(TIME_FORMAT(${x}))`, '__time'],
  casttime: [(x) => `CAST(CAST(${x} AS VARCHAR) AS TIMESTAMP)`, '__time'],
  round: [(x, k) => `ROUND(${x}, ${k})`, 'added * 1.5'],
  trunc: [(x, k) => `TRUNCATE(${x}, ${k})`, 'added * 1.5'],
  safe: [(x) => `SAFE_DIVIDE(${x}, 3)`, 'added'],
  greatest: [(x, k) => `GREATEST(${x}, ${k})`, 'added'],
  coalesce: [(x, k) => `COALESCE(${x}, ${k})`, 'added'],
  nvl: [(x) => `NVL(${x}, 'x')`, 'page'],
  nullif: [(x, k) => `NULLIF(${x}, ${k})`, 'added'],
  case: [(x, k) => `CASE WHEN ${x} > ${k} THEN 1 ELSE 2 END`, 'added'],
  mv: [(x) => `MV_APPEND(${x}, 'x')`, 'tags'],
  mvc: [(x) => `MV_FILTER_ONLY(${x}, ARRAY['x'])`, 'tags'],
  arr: [(x) => `ARRAY_CONCAT(${x}, ${'ARRAY[1]'})`, 'ARRAY[added]'],
  arrslice: [(x) => `ARRAY_SLICE(${x}, 0, 1)`, 'ARRAY[added]'],
  arrto: [(x) => `STRING_TO_ARRAY(ARRAY_TO_STRING(${x}, ','), ',')`, 'ARRAY[page]'],
  json: [(x) => `JSON_VALUE(JSON_OBJECT('a': ${x}), '$.a')`, 'page'],
  jsonb: [(x) => `JSON_VALUE(JSON_OBJECT('a': ${x}), '$.a' RETURNING BIGINT)`, 'added'],
  jsond: [(x) => `JSON_VALUE(JSON_OBJECT('a': ${x}), '$.a' RETURNING DOUBLE)`, 'added'],
  jsonq: [(x) => `JSON_QUERY(JSON_OBJECT('a': ${x}), '$.a')`, 'page'],
  merge: [(x) => `JSON_MERGE(${x}, '{"a":1}')`, `'{}'`],
  pj: [(x) => `PARSE_JSON(TO_JSON_STRING(${x}))`, `PARSE_JSON('{}')`],
  ip: [(x) => `IPV4_STRINGIFY(IPV4_PARSE(${x}))`, 'page'],
  pow: [(x) => `POWER(SQRT(${x}), 2)`, 'added'],
  ln: [(x) => `LN(EXP(${x}))`, 'added'],
  acos: [(x) => `COS(ACOS(${x}))`, 'added'],
  bits: [(x) => `BITWISE_SHIFT_LEFT(${x}, 1)`, 'added'],
  human: [(x) => `HUMAN_READABLE_BINARY_BYTE_FORMAT(STRLEN(${x}))`, 'page'],
  base: [(x) => `DECODE_BASE64_UTF8(RPAD(REGEXP_REPLACE(${x}, '[^A-Za-z]', 'A'), 4, 'A'))`, 'page'],
  not: [(x, k) => `NOT (${x} AND added > ${k})`, 'added > 1'],
  istrue: [(x, k) => `((${x}) IS NOT TRUE OR added > ${k})`, 'added > 1'],
  distinct: [(x, k) => `((${x}) IS DISTINCT FROM (added > ${k}))`, 'added > 1'],
  truth: [(x) => `((${x}) = TRUE)`, 'added > 1'],
  reverse: [(x) => `REVERSE(REPEAT(${x}, 2))`, 'page'],
  pos: [(x) => `POSITION('a' IN 'b' || ${x})`, 'page'],
  lookup: [(x) => `STRING_FORMAT('%s', ${x})`, 'page'],
  jmv: [(x) => `JSON_VALUE(JSON_OBJECT('a': MV_APPEND(${x}, 'y')), '$.a')`, 'tags'],
  jarr: [(x) => `JSON_VALUE(JSON_OBJECT('a': ${x}), '$.a' RETURNING VARCHAR ARRAY)`, 'ARRAY[page]'],
  jqa: [(x) => `JSON_QUERY_ARRAY(JSON_OBJECT('a': ${x}), '$.a')`, 'ARRAY[page]'],
  keys: [(x) => `JSON_KEYS(JSON_OBJECT('a': ${x}), '$')`, 'page'],
  paths: [(x) => `JSON_PATHS(JSON_OBJECT('a': ${x}))`, 'page'],
  cmp2: [(x) => `CAST((${x} < '5') AS VARCHAR)`, 'page'],
  between: [(x) => `CAST(${x} BETWEEN 'a' AND 'c' AS VARCHAR)`, 'page'],
  like: [(x) => `CAST(${x} LIKE '%a_' AS VARCHAR)`, 'page'],
  icontains: [(x) => `CAST(ICONTAINS_STRING(${x}, 's') AS VARCHAR)`, 'page'],
  inn: [(x) => `CAST(${x} IN ('a','b',NULL) AS VARCHAR)`, 'page'],
  notin: [(x) => `CAST(${x} NOT IN ('a','b') AS VARCHAR)`, 'page'],
  casevar: [(x) => `CASE ${x} WHEN 'a' THEN 'b' WHEN 'c' THEN 'd' ELSE 'e' END`, 'page'],
  extract: [(x) => `MILLIS_TO_TIMESTAMP(EXTRACT(DOY FROM ${x}))`, '__time'],
  extractz: [(x) => `MILLIS_TO_TIMESTAMP(TIME_EXTRACT(${x}, 'DOW', 'America/New_York'))`, '__time'],
  trunc2: [(x) => `DATE_TRUNC('month', ${x})`, '__time'],
  tadd: [(x) => `TIMESTAMPADD(MONTH, 1, ${x})`, '__time'],
  date: [(x) => `CAST(CAST(${x} AS DATE) AS TIMESTAMP)`, '__time'],
  inint: [(x) => `CASE WHEN TIME_IN_INTERVAL(${x}, '2000/2030') THEN __time END`, '__time'],
  ord: [(x) => `MV_OFFSET(MV_PREPEND('a', ${x}), 1)`, 'tags'],
  mvslice: [(x) => `MV_SLICE(${x}, 0, 5)`, 'tags'],
  mvconcat: [(x) => `MV_CONCAT(${x}, 'z')`, 'tags'],
  upmv: [(x) => `UPPER(${x})`, 'tags'],
  concatmv: [(x) => `${x} || '-'`, 'tags'],
  castmv: [(x) => `CAST(CAST(${x} AS BIGINT) AS VARCHAR)`, 'tags'],
  eqmv: [(x) => `CAST((${x} = 'a') AS VARCHAR)`, 'tags'],
  arrc: [(x) => `CAST(ARRAY_CONTAINS(${x}, 'a') AS VARCHAR)`, 'ARRAY[page]'],
  arrp: [(x) => `ARRAY_PREPEND('a', ARRAY_APPEND(${x}, 'b'))`, 'ARRAY[page]'],
  arrd: [(x) => `CAST(CAST(${x} AS DOUBLE ARRAY) AS BIGINT ARRAY)`, 'ARRAY[added]'],
  arrtxt: [(x) => `CAST(CAST(${x} AS VARCHAR ARRAY) AS DOUBLE ARRAY)`, 'ARRAY[added * 1.5]'],
  btrim: [(x) => `BTRIM(${x}, 'x')`, 'page'],
  tparse: [(x) => `TIME_FORMAT(TIME_PARSE(${x}, 'yyyy'), 'yyyy')`, 'page'],
  cot: [(x) => `COT(${x})`, 'added'],
  log: [(x) => `LOG10(${x})`, 'added'],
  float: [(x) => `CAST(${x} AS FLOAT) * 1.1`, 'added'],
  cmpf: [(x) => `CASE WHEN (${x}) > 1.5 THEN 2.5e0 ELSE 0.5e0 END`, 'added'],
  shiftr: [(x) => `BITWISE_SHIFT_RIGHT(${x}, 1)`, 'added'],
  conv: [
    (x) => `BITWISE_CONVERT_LONG_BITS_TO_DOUBLE(BITWISE_CONVERT_DOUBLE_TO_LONG_BITS(${x}))`,
    'added * 1.5',
  ],
  agg: [(x) => `(${x}) / 3 + SUM(added)`, 'MAX(added)'],
  aggd: [(x) => `CAST(CAST(${x} AS VARCHAR) AS DOUBLE)`, 'SUM(added * 1.5)'],
  aggj: [(x) => `JSON_VALUE(JSON_OBJECT('a': ${x}), '$.a' RETURNING BIGINT)`, 'SUM(added)'],
  decode: [(x) => `LEFT(LPAD(${x}, 5, 'x'), 3)`, 'page'],
  usub: [(x) => `-(${x})`, 'added'],
  eqmade: [(x) => `CAST((MV_APPEND(tags, ${x}) = 'a') AS VARCHAR)`, 'page'],
  ceilsum: [(x) => `${x} + CEIL(added)`, 'CEIL(added)'],
  ceilmul: [(x) => `CEIL(added) * (${x})`, 'CEIL(added)'],
  div0: [(x) => `(${x}) / 1.7 - 1`, 'added'],
};

const depth = 12; // what doubles with each step would never end

test('calls within calls make a text that is as long as the statement, and DuckDB plans it', async () => {
  const answer = await answering();
  for (const [name, [around, innermost]] of Object.entries(steps)) {
    const nested = (times: number): string =>
      times === 0 ? innermost : around(nested(times - 1), times);
    const statement = (times: number) => `SELECT ${nested(times)} FROM edits`;
    const [short = 0, long] = [depth, 2 * depth].map(
      (times) => query(statement(times)).duckdb.length,
    );
    expect(long, name).toBeLessThan(2.5 * short);
    expect(await answer(statement(depth)), name).not.toEqual([]);
  }
});

test('a call with long operands works on the columns of an outer query', async () => {
  const answer = await answering();
  const rounded = 'ROUND((ROUND(added * 1.25, 2) + 0.5) / (ROUND(added * 2.25, 1) + 0.5), 1)';
  expect(
    await answer(
      `SELECT c, MAX(added) FROM edits CROSS JOIN UNNEST(ARRAY[${rounded}, SAFE_DIVIDE(${rounded}, ${rounded})]) AS u(c) GROUP BY c`,
    ),
  ).toEqual([
    [null, null],
    [0.6, 10],
    [1, 10],
  ]);
});

test('five hundred operands in a row are planned as a shallow expression', async () => {
  const answer = await answering();
  const inRow = (operand: string, operator: string) => Array(500).fill(operand).join(operator);
  const rows = await answer(
    `SELECT ${inRow('added', ' + ')}, ${inRow('added', ' - ')}, STRLEN(${inRow('page', ' || ')}) FROM edits WHERE added = 10`,
  );
  expect(rows).toEqual([[5_000, -4_980, 3_000]]);
  expect(await answer(`SELECT ${inRow('SUM(added)', ' + ')} FROM edits WHERE added = 10`)).toEqual([
    [5_000],
  ]);
});

test('sums of large products and differences of differences wrap as after each step', async () => {
  const answer = await answering();
  const [largest, smallest] = ['9223372036854775807', '(-9223372036854775807 - 1)'];
  const of = (sum: string) => answer(`SELECT ${sum} FROM edits WHERE added = 7`);
  const product = `(added + ${largest} - 7) * (added + ${largest} - 7)`;
  expect(await of(`${product} + ${product} + ${product}`)).toEqual([[3]]);
  expect(await of(`CAST(added - (added - (${smallest} - added)) AS VARCHAR)`)).toEqual([
    ['9223372036854775801'],
  ]);
  expect(await of(`${smallest} - added - (added - ${largest})`)).toEqual([[-15]]);
});

test('sums of many large numbers wrap as after each step', async () => {
  const answer = await answering();
  const large = '9223372036854775807 - added + added';
  expect(
    await answer(`SELECT ${Array(40).fill(`(${large})`).join(' + ')} FROM edits WHERE added = 7`),
  ).toEqual([[-40]]);
});
