// Resolved expressions: DuckDB text and results. Expected values are Druid's.
import { expect, test } from 'vitest';
import { formatFarInstant } from '../../../src/model/instant.ts';
import { type SqlType, typeText } from '../../../src/sql/types.ts';
import { expressions, resolved } from '../expressions.ts';

test('known values are computed while planning', () => {
  expect(resolved('7 / 2 + 1')).toMatchObject({ constant: 4n, sql: '4::BIGINT' });
  expect(resolved("'a' || 1")).toMatchObject({ constant: 'a1', sql: "'a1'" });
  expect(resolved("TIMESTAMP '2024-01-31 00:00:00' + INTERVAL '1' MONTH")).toMatchObject({
    constant: 1_709_164_800_000n,
  });
  expect(resolved("TIME_FLOOR(CURRENT_TIMESTAMP, 'P1M')").constant).toBe(1_714_521_600_000n);
  expect(resolved("CAST('12.7' AS BIGINT)").constant).toBe(12n);
  expect(resolved("'3' + 4")).toMatchObject({ constant: 7n, type: { name: 'INTEGER' } });
});

test('texts say what DuckDB has to do', () => {
  expect(resolved('n + 1').sql).toBe(
    '(CASE WHEN "n" BETWEEN -4611686018427387904::BIGINT AND 4611686018427387904::BIGINT THEN ("n" + 1::BIGINT) ELSE druid_wrap(("n"::HUGEINT + 1::BIGINT::HUGEINT)) END)',
  );
  expect(resolved('LENGTH(s) + 1').sql).toBe(
    'druid_wrap((druid_length("s")::HUGEINT + 1::BIGINT::HUGEINT))',
  );
  expect(resolved('n / 2').sql).toBe('("n" // 2::BIGINT)');
  expect(resolved('n / n').sql).toBe('druid_divide("n", "n")');
  expect(resolved("mv = 'a'")).toMatchObject({
    sql: `druid_any_equal("mv", 'a')`,
    type: { multiValue: true },
  });
  expect(resolved('FLOOR(__time TO HOUR)').sql).toBe('druid_floor("__time", 3600000)');
  expect(resolved('FLOOR(__time TO MONTH)').sql).toBe(
    `epoch_ms(date_trunc('month', make_timestamp_ms("__time")))`,
  );
  expect(resolved('SUM(n)').sql).toBe('druid_wrap(sum("n"))');
});

test.each([
  ['n + 1.5', 'DECIMAL'],
  ['f * 2', 'FLOAT'],
  ['n > 1', 'BOOLEAN'],
  ['COALESCE(n, d)', 'DOUBLE'],
  ["COALESCE(d, 'none')", 'VARCHAR'],
  ['MOD(n, 3)', 'INTEGER'],
  ['ARRAY[1, 2.5]', 'DECIMAL ARRAY'],
  ["JSON_VALUE(j, '$.a' RETURNING BIGINT ARRAY)", 'BIGINT ARRAY'],
  ['TIMESTAMPDIFF(DAY, __time, CURRENT_TIMESTAMP)', 'INTEGER'],
  ['AVG(n)', 'DOUBLE'],
  ['ARRAY_AGG(s)', 'VARCHAR ARRAY'],
])('%s has the type %s', (text, type) => {
  expect(typeText(withoutPrecision(resolved(text).type))).toBe(type);
});

function withoutPrecision({ precision: _, scale: __, element, ...type }: SqlType): SqlType {
  return element ? { ...type, element: withoutPrecision(element) } : type;
}

test('numbers are computed as Java computes them', async () => {
  const { value, values } = await expressions();
  expect(await values('n + 1')).toEqual([8, -9223372036854775808n]); // wraps
  expect(await values('n * n - n')).toEqual([42, -9223372036854775806n]);
  expect(await value('DIV(-7, 2)')).toBe(-3);
  await expect(values('n / (n - 7)')).rejects.toThrow('/ by zero');
  expect(await values('CAST(d AS BIGINT)')).toEqual([2, 0]);
  expect(await values('ROUND(d)')).toEqual([3, 0]);
  expect(await value('ROUND(1.005, 2)')).toBe(1.01);
  expect(await values('CAST(d AS VARCHAR)')).toEqual(['2.5', 'NaN']);
  expect(await value('CAST(12345678.9 AS VARCHAR)')).toBe('1.23456789E7');
  expect(await values('f = 0.1')).toEqual([false, null]);
  expect(await value('HUMAN_READABLE_BINARY_BYTE_FORMAT(1000000, 3)')).toBe('976.563 KiB');
  expect(await value('BITWISE_SHIFT_LEFT(7, -2)')).toBe(-4611686018427387904n);
});

test('texts count UTF-16 units and read Java patterns', async () => {
  const { value, values } = await expressions();
  expect(await values('LENGTH(s)')).toEqual([5, 4]);
  expect(await values('SUBSTRING(s, 2, 3)')).toEqual(['lph', expect.any(String)]);
  expect(await values('RIGHT(s, 2)')).toEqual(['ha', ' ☕']);
  expect(await values("STRPOS(s, '☕')")).toEqual([0, 4]);
  await expect(value("REGEXP_EXTRACT('foobar', 'o(?=b)(.)', 1)")).rejects.toThrow(
    'A look-ahead [(?=] is not supported',
  );
  expect(await value("REGEXP_REPLACE('aXbX', '(.)X', '$1-')")).toBe('a-b-');
  expect(await value("STRING_FORMAT('%05d|%.2f|%s', 42, 1.5, 'x')")).toBe('00042|1.50|x');
  expect(await value("LPAD('abc', 5, 'xy')")).toBe('xyabc');
  expect(await values("LOOKUP(s, 'greek', 'none')")).toEqual(['Alpha', 'none']);
  const several =
    "CASE LOOKUP(s, 'greek', 'none') WHEN 'Alpha' THEN LOOKUP(CONCAT(s, ''), 'greek') WHEN 'x' THEN s END";
  expect(await values(several)).toEqual(['Alpha', null]);
  expect(await value("PARSE_LONG('zz', 36)")).toBe(1295);
  expect(await value("PARSE_LONG('12', 37)")).toBe(null);
  expect(await value("PARSE_LONG('0', 1)")).toBe(null);
});

test('no text grows beyond ten million characters', async () => {
  const { value } = await expressions();
  expect(await value("LENGTH(REPEAT('ab', 5000000))")).toBe(10_000_000);
  await expect(value("REPEAT('ab', 5000001)")).rejects.toThrow(
    'Function[repeat] returns texts of at most [10000000] characters',
  );
  await expect(value("LENGTH(REPEAT('', 2000000000))")).rejects.toThrow('Function[repeat]');
  await expect(value("LPAD('ab', 2000000000)")).rejects.toThrow(
    'Function[lpad] returns texts of at most [10000000] characters',
  );
});

test('a text is a number where one is wanted, and null where it is none', async () => {
  const { value } = await expressions();
  const cast = (text: string, type: string) =>
    value(
      `CAST(CASE WHEN CURRENT_TIMESTAMP > __time THEN '${text}' END AS ${type})`.replace(
        '__time',
        "TIMESTAMP '2000-01-01'",
      ),
    );
  expect(await cast('1e2', 'BIGINT')).toBe(100);
  expect(await cast(' 7', 'BIGINT')).toBeNull();
  expect(await cast('0x1F', 'DOUBLE')).toBeNull();
  expect(await cast('true', 'BIGINT')).toBe(1);
});

test('times are floored, shifted, read and printed in their zone', async () => {
  const { value, values } = await expressions();
  const losAngeles = { timeZone: 'America/Los_Angeles' };
  expect(await values('FLOOR(__time TO DAY)')).toEqual([1_704_153_600_000, 0]);
  expect(await values('FLOOR(__time TO DAY)', losAngeles)).toEqual([
    1_704_096_000_000, -57_600_000,
  ]);
  expect(await values("TIME_FLOOR(__time, 'P1M', TIMESTAMP '2024-01-15 00:00:00')")).toEqual([
    1_702_598_400_000, -1_468_800_000,
  ]);
  expect(await values("TIME_CEIL(__time, 'PT15M')")).toEqual([1_704_165_300_000, 0]);
  expect(await values("TIME_SHIFT(__time, 'P1M', -1)")).toEqual([
    1_701_486_245_006, -2_678_400_000,
  ]);
  expect(await values("TIME_FORMAT(__time, 'yyyy-MM-dd HH:mm:ss.SSS')")).toEqual([
    '2024-01-02 03:04:05.006',
    '1970-01-01 00:00:00.000',
  ]);
  expect(await values("TIME_FORMAT(__time, 'EEE K a ZZ', 'Asia/Kolkata')")).toEqual([
    'Tue 8 AM +05:30',
    'Thu 5 AM +05:30',
  ]);
  expect(await value("TIME_PARSE('29.02.2024', 'dd.MM.yyyy')")).toBe(1_709_164_800_000);
  expect(await values('EXTRACT(WEEK FROM __time)')).toEqual([1, 1]);
  expect(await values("TIME_IN_INTERVAL(__time, '2024-01-01/P1M')")).toEqual([true, false]);
  expect(await values('CAST(__time AS VARCHAR)')).toEqual([
    '2024-01-02 03:04:05',
    '1970-01-01 00:00:00',
  ]);
});

test.each([
  ["'255', 'D'", '2000-09-11'],
  ["'2', 'e'", '2000-12-26'],
  ["'Fri', 'E'", '2000-12-29'],
  ["'10', 'w'", '2000-03-06'],
  ["'3', 'M'", '2000-03-01'],
  ["'02-29', 'MM-dd'", '2000-02-29'],
  ["'5 10', 'e HH'", '2000-12-29T10:00:00'],
  ["'3 PM', 'h a'", '1970-01-01T15:00:00'],
  ["'12 AM', 'hh a'", '1970-01-01'],
  ["'2015', 'xxxx'", '2014-12-29'],
  ["'2015 5', 'xxxx e'", '2015-01-02'],
  ["'Sun 12 Sep 2015', 'EEE dd MMM yyyy'", '2015-09-13'],
  ["'44 BC', 'yyyy G'", '0044-01-01'],
  ["'2024-11-03 01:30:00', 'yyyy-MM-dd HH:mm:ss', 'America/New_York'", '2024-11-03T05:30:00'],
  ["'2024-03-10 02:30:00', 'yyyy-MM-dd HH:mm:ss', 'America/New_York'", undefined],
  ["'02-30', 'MM-dd'", undefined],
  ["'2015-366', 'yyyy-DDD'", undefined],
  ["'13', 'hh'", undefined],
  ["'20', 'C'", undefined],
])('TIME_PARSE(%s) puts fields together as Joda does: %s', async (given, time) => {
  const { value } = await expressions();
  expect(await value(`TIME_PARSE(${given})`)).toBe(
    time === undefined ? null : Date.parse(`${time.padEnd(19, 'T00:00:00')}Z`),
  );
});

test('a time is moved by 32 bits of a number, a DATE stays one, and months of an unknown number are none', async () => {
  const { value, values } = await expressions();
  expect(await values("TIME_SHIFT(__time, 'P1M', 4294967297)")).toEqual(
    await values("TIME_SHIFT(__time, 'P1M', 1)"),
  );
  expect(await values("TIME_SHIFT(__time, 'P1M', 4294967297 + n - n)")).toEqual(
    await values("TIME_SHIFT(__time, 'P1M', 1)"),
  );
  expect(await values("TIME_SHIFT(__time, 'P2W', -3)")).toEqual(
    await values("TIME_SHIFT(__time, 'P1W', -6)"),
  );
  expect(await value("TIMESTAMPADD(SECOND, -1, DATE '2024-03-31')")).toBe(
    Date.parse('2024-03-30T23:59:59Z'),
  );
  expect(resolved("TIMESTAMPADD(SECOND, -1, DATE '2024-03-31')").type.name).toBe('TIMESTAMP');
  expect(resolved("TIMESTAMPADD(DAY, -1, DATE '2024-03-31')").type.name).toBe('DATE');
  expect(await values('TIMESTAMPADD(MONTH, NULLIF(n, n), __time)')).toEqual(await values('__time'));
  expect(await values("TIMESTAMPDIFF(MONTH, TIME_PARSE(CONCAT(s, 'x')), __time)")).toEqual([
    648, 0,
  ]);
});

test('a quotient is null where an operand is, and is not computed to find that out', async () => {
  const { values } = await expressions();
  expect(await values('n / (n - n) IS NULL')).toEqual([false, false]);
  expect(await values('1 + n / (n - n) IS NOT NULL')).toEqual([true, true]);
  expect(await values('NULLIF(n, n) / (n - n) IS NULL')).toEqual([true, true]);
  await expect(values('ABS(n / (n - n)) IS NULL')).rejects.toThrow('/ by zero');
});

test('IN cuts the numbers that a whole number is compared with', async () => {
  const { value, values } = await expressions();
  expect(await values('CHAR_LENGTH(s) IN (5.9, 0.5)')).toEqual([true, false]);
  expect(await value('2 IN (2.5, 7)')).toBe(true);
  expect(await value('CAST(2 AS BIGINT) IN (2.9)')).toBe(true);
  expect(await value('CAST(2 AS BIGINT) IN (2.9e0)')).toBe(false);
});

test('a DECIMAL is true unless it is 0, a written number when it is above 0; five with a bare point is whole', async () => {
  const { value, values } = await expressions();
  expect(await values('CAST((n - n + 1) * -0.3 AS BOOLEAN)')).toEqual([true, true]);
  expect(await value('CAST(-7 AS BOOLEAN)')).toBe(false);
  expect(await value('CAST(7 AS BOOLEAN)')).toBe(true);
  expect(resolved('5.')).toMatchObject({ constant: 5n, type: { name: 'INTEGER' } });
});

test('arrays hold nulls, count from 0 or 1, and stay within their bounds', async () => {
  const { value, values } = await expressions();
  expect(await values('ARRAY_OFFSET(numbers, 2)')).toEqual([3, null]);
  expect(await values('ARRAY_ORDINAL_OF(numbers, 3)')).toEqual([3, null]);
  expect(await values('ARRAY_CONTAINS(numbers, NULL)')).toEqual([true, null]);
  expect(await values("ARRAY_APPEND(numbers, 'x')")).toEqual([[1, null, 3, null], null]);
  expect(await values('ARRAY_SLICE(numbers, 2, 5)')).toEqual([[3, null, null], null]);
  expect(await values("ARRAY_TO_STRING(numbers, '-')")).toEqual(['1-null-3', null]);
  expect(await value("STRING_TO_ARRAY('a1b22c', '[0-9]+')")).toEqual(['a', 'b', 'c']);
  expect(await value('ARRAY[1, NULL, 3] > ARRAY[1, 2]')).toBe(false);
});

test('functions of multi-value strings go over their values, comparisons hold for any', async () => {
  const { values } = await expressions();
  expect(await values("UPPER(mv) || '!'")).toEqual([['A!', 'B!'], ['C!']]);
  expect(await values("mv = 'b'")).toEqual([true, false]);
  expect(await values("NOT (mv = 'b')")).toEqual([false, true]);
  expect(await values("MV_FILTER_ONLY(mv, ARRAY['b'])")).toEqual([['b'], null]);
  expect(await values("CASE WHEN mv = 'a' THEN 'has a' ELSE 'no a' END")).toEqual([
    ['has a', 'no a'],
    ['no a'],
  ]);
  expect(
    await values(
      "CASE WHEN mv = 'a' THEN LOOKUP('alpha', 'greek', 'one') ELSE LOOKUP(s, 'greek', 'none') END",
    ),
  ).toEqual([[expect.any(String), 'Alpha'], ['none']]);
  expect(
    await values(
      "CASE WHEN mv = 'a' THEN LOOKUP(mv, 'greek', 'none') ELSE COALESCE(LOOKUP(mv, 'greek'), mv) END",
    ),
  ).toEqual([['none', 'b'], ['c']]);
  expect(await values('MV_LENGTH(mv)')).toEqual([2, 1]);
  expect(await values("LOOKUP(mv, 'greek', 'none')")).toEqual([['none', 'none'], ['none']]);
  expect(await values("LOOKUP(MV_FILTER_ONLY(mv, ARRAY['z']), 'greek', 'none')")).toEqual([
    ['none'],
    ['none'],
  ]);
});

test('nested data is taken apart and put together', async () => {
  const { value, values } = await expressions();
  expect(await values("JSON_VALUE(j, '$.a[1].b' RETURNING DOUBLE)")).toEqual([2.5, null]);
  expect(await values("JSON_VALUE(j, '$.a[-1].b')")).toEqual(['2.5', null]);
  expect(await values("JSON_VALUE(j, '$.a')")).toEqual([null, null]);
  expect(await values("JSON_KEYS(j, '$')")).toEqual([['a', 't'], null]);
  expect(await value("JSON_OBJECT('a': 1, 'b': JSON_OBJECT('c': 0.5))")).toBe(
    '{"a":1,"b":{"c":0.5}}',
  );
  expect(await value('JSON_PATHS(PARSE_JSON(\'{"x":[1,{"y":2}],"z":null}\'))')).toEqual([
    '$.z',
    '$.x[0]',
    '$.x[1].y',
  ]);
  expect(await value("JSON_OBJECT('z': 1, 'a': 2, '1': 3, '0': 4)")).toBe(
    '{"0":4,"a":2,"1":3,"z":1}',
  );
  expect(await value("JSON_OBJECT('a': 1, 'b': 2, 'a': 3)")).toBe('{"a":3,"b":2}');
  expect(await value("JSON_VALUE(PARSE_JSON('{\"a\":9223372036854775808}'), '$.a')")).toBe(
    '-9223372036854775808',
  );
  expect(await value("TRY_PARSE_JSON('[1, 2.50')")).toBeNull();
});

test('addresses are matched', async () => {
  const { value } = await expressions();
  expect(await value("IPV4_MATCH('192.168.0.1', '192.168.0.0/16')")).toBe(true);
  expect(await value("IPV4_PARSE('192.168.0.1')")).toBe(3_232_235_521);
  expect(await value("IPV6_MATCH('2001:db8::1', '2001:db8::/32')")).toBe(true);
  await expect(value("IPV4_MATCH('10.0.0.1', '10.0.0.1')")).rejects.toThrow(
    'Function[ipv4_match] subnet arg has an invalid format: 10.0.0.1',
  );
});

test('aggregates take the whole table', async () => {
  const { values } = await expressions();
  expect(await values('SUM(n)')).toEqual([-9223372036854775802n]);
  expect(await values('MIN(d)')).toEqual([Number.NaN]);
  expect(await values('COUNT(DISTINCT mv)')).toEqual([3]);
  expect(await values("STRING_AGG(s, '|')")).toEqual(['alpha|😀 ☕']);
  expect(await values('LATEST_BY(s, __time)')).toEqual(['alpha']);
  await expect(values('ARRAY_AGG(s, 10)')).rejects.toThrow('size [28] is larger than max [10]');
});

test.each([
  ['FOO(s)', 'No match found for function signature FOO(<CHARACTER>) (line [1], column [1])'],
  [
    'POWER(numbers, 2)',
    "Cannot apply 'POWER' to arguments of type 'POWER(<BIGINT ARRAY>, <INTEGER>)'. Supported form(s): 'POWER(<NUMERIC>, <NUMERIC>)'",
  ],
  ['REPEAT(s)', "Invalid number of arguments to function 'REPEAT'. Was expecting 2 arguments"],
  ['REVERSE(NULL)', "Illegal use of 'NULL'"],
  ['__time + 1', "Cannot apply '+' to arguments of type '<TIMESTAMP(3)> + <INTEGER>'"],
  [
    'CAST(numbers AS VARCHAR)',
    'Cast function cannot convert value of type BIGINT ARRAY to type VARCHAR',
  ],
  [
    "TIMESTAMP '2024-02-30 00:00:00'",
    "Illegal TIMESTAMP literal '2024-02-30 00:00:00': not in format 'yyyy-MM-dd HH:mm:ss'",
  ],
  [
    "REGEXP_EXTRACT(s, '(')",
    'An invalid pattern [(] was provided for the [regexp_extract] function',
  ],
  ["JSON_VALUE(j, 'a')", "JSONPath [a] is invalid, it must start with '$'"],
  ['1 / 0', '/ by zero'],
  ['1e308 * 10', 'evaluates to an unsupported value [Infinity]'],
])('%s is refused', (text, message) => {
  expect(() => resolved(text)).toThrow(message);
});

test.each([
  '2024-05-01T00:00:00Z',
  '2024-05-01T23:59:59.999Z',
  '2024-02-29T12:00:00.5Z',
  '2023-02-29T12:00:00Z',
  '2024-13-01T00:00:00Z',
  '2024-05-01T24:00:00Z',
  '0000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2024-05-01 10:00:00',
  'soon',
])('TIME_PARSE reads %s of a row as it reads it of a constant', async (text) => {
  const { value, values } = await expressions();
  const [ofRow] = await values(`TIME_PARSE(CONCAT('${text}', LEFT(s, 0)))`);
  expect(ofRow).toEqual(await value(`TIME_PARSE('${text}')`));
});

test('a time that the clock skipped is none, one beyond all calendars is one', async () => {
  const { value } = await expressions();
  expect(await value("TIME_PARSE('2024-03-10T02:30:00', NULL, 'America/Los_Angeles')")).toBe(null);
  expect(await value("TIME_PARSE('2024-03-10T03:30:00', NULL, 'America/Los_Angeles')")).toBe(
    1710066600000,
  );
  expect(formatFarInstant(BigInt(String(await value("TIME_PARSE('20240301')"))))).toBe(
    '20240301-01-01T00:00:00.000Z',
  );
  expect(() =>
    resolved("CAST('2024-03-10 02:30:00' AS TIMESTAMP)", { timeZone: 'America/Los_Angeles' }),
  ).toThrow('Illegal TIMESTAMP constant');
});

test('CASE judges a row without values as one value that is null', async () => {
  const { values } = await expressions();
  expect(
    await values("CASE WHEN MV_FILTER_ONLY(mv, ARRAY['a']) = 'a' THEN 'yes' ELSE 'no' END"),
  ).toEqual(['yes', 'no']);
  expect(await values("CASE WHEN mv = 'a' THEN 'yes' ELSE 'no' END")).toEqual([
    ['yes', 'no'],
    ['no'],
  ]);
});

test('the text of a whole number is read as one: it has no negative zero', async () => {
  const { values } = await expressions();
  expect((await values("COT(LEFT(s, 0) || '-0')"))[0]).toBe(Number.POSITIVE_INFINITY);
  expect((await values("COT(LEFT(s, 0) || '-0.0')"))[0]).toBe(Number.NEGATIVE_INFINITY);
});

test('a precision that no number can be shown with is refused, for a column only where it has a number', async () => {
  const words = (name: string, digits: number) =>
    `Function[human_readable_${name}_format] given precision[${digits}] must be in the range of [0,3]`;
  expect(() => resolved('HUMAN_READABLE_DECIMAL_FORMAT(1000, 5)')).toThrow(words('decimal', 5));
  const { values } = await expressions();
  await expect(values('HUMAN_READABLE_BINARY_BYTE_FORMAT(n, 9)')).rejects.toThrow(
    words('binary_byte', 9),
  );
  expect(await values('HUMAN_READABLE_BINARY_BYTE_FORMAT(NULLIF(n, n), 9)')).toEqual([null, null]);
  // A missing precision counts as 0
  expect((await values('HUMAN_READABLE_DECIMAL_BYTE_FORMAT(n * 2000, NULLIF(n, n))'))[0]).toBe(
    (await values('HUMAN_READABLE_DECIMAL_BYTE_FORMAT(n * 2000, 0)'))[0],
  );
});

test.each([
  ['LTRIM(n)', "Cannot apply 'LTRIM' to arguments of type 'LTRIM(<BIGINT>)'"],
  ['STRPOS(n, s)', "Cannot apply 'STRPOS'"],
  ['TEXTCAT(n, s)', "Cannot apply 'textcat'"],
  ['REGEXP_LIKE(s, s)', "Argument to function 'REGEXP_LIKE' must be a literal"],
  ["SUBSTRING(s, 'a')", "Cannot apply 'SUBSTRING'"],
  ['SUBSTRING(s, NULL)', "Illegal use of 'NULL'"],
  ['CONCAT(n, n > 1)', 'Parameters must be of the same type'],
  [
    'n NOT BETWEEN SYMMETRIC j AND 3',
    "Cannot apply 'NOT BETWEEN SYMMETRIC' to arguments of type '<BIGINT> NOT BETWEEN SYMMETRIC <COMPLEX<JSON>> AND <INTEGER>'. Supported form(s): '<COMPARABLE_TYPE> NOT BETWEEN <COMPARABLE_TYPE> AND <COMPARABLE_TYPE>'",
  ],
  [
    'EXTRACT(DAY FROM n)',
    "of type 'EXTRACT(<INTERVAL DAY> FROM <BIGINT>)'. Supported form(s): 'EXTRACT(<DATETIME_INTERVAL>",
  ],
  [
    'FLOOR(n TO DAY)',
    "of type 'FLOOR(<BIGINT>, <INTERVAL DAY>)'. Supported form(s): 'FLOOR(<NUMERIC>)'",
  ],
  ["STRPOS(TIMESTAMP '2024-01-02 03:04:05', s)", "'STRPOS(<TIMESTAMP(0)>, <VARCHAR>)'"],
  ['STRPOS(CAST(n AS DECIMAL), s)', "'STRPOS(<DECIMAL(19, 0)>, <VARCHAR>)'"],
  [
    'JSON_VALUE(j, 3)',
    "'JSON_VALUE(<COMPLEX<JSON>>, <INTEGER>)'. Supported form(s): JSON_VALUE(json_doc,",
  ],
  ["j || 'x'", "Cannot apply '||' to arguments of type '<COMPLEX<JSON>> || <CHAR(1)>'"],
  ['CASE WHEN s THEN STRPOS(n, s) END', 'Expected a boolean type'],
  ["TRANSLATE(s, 'a', 'b')", 'TRANSLATE3(<CHARACTER>, <CHARACTER>, <CHARACTER>)'],
  ['SUM(DISTINCT numbers)', "Cannot apply 'SUM'"],
  ['DECODE_BASE64_COMPLEX(s, s)', "Argument to function 'decode_base64_complex' must be a literal"],
  [
    "IPV4_MATCH(d, '1.0.0.0/8')",
    "'IPV4_MATCH(<DOUBLE>, <CHAR(9)>)'. Supported form(s): 'IPV4_MATCH(expr, string)'",
  ],
  ['NVL(j, n)', 'Parameters must be of the same type'],
  ['NVL(n, s)', 'Cannot infer return type for NVL; operand types: [BIGINT, VARCHAR]'],
  ['LN(0)', 'Expression [log(0)] evaluates to an unsupported value [-Infinity]'],
  ['APPROX_QUANTILE(numbers, 0.5)', 'Cast function cannot convert'],
  ['ROUND(d, n)', "Cannot apply 'ROUND'"],
  ["SCALAR_IN_ARRAY(s, 'a')", "Cannot apply 'SCALAR_IN_ARRAY'"],
  ["MV_FILTER_ONLY(mv, 'a')", "Cannot apply 'MV_FILTER_ONLY'"],
  ['ARRAY_CONTAINS(ARRAY[n, 3], n)', '[n] used as both scalar and array variables'],
  ['MV_APPEND(s, s)', '[s] used as both scalar and array variables'],
  ['JSON_KEYS(j, NULL)', "Illegal use of 'NULL'"],
  ['DATE_TRUNC(s, __time)', "Argument to function 'DATE_TRUNC' must be a literal"],
  ["MILLIS_TO_TIMESTAMP('0')", "Cannot apply 'MILLIS_TO_TIMESTAMP'"],
  ['TIME_EXTRACT(__time, 1)', "Cannot apply 'TIME_EXTRACT'"],
  ['DS_CDF(n, 10)', 'Unhandled Query Planning Failure'],
  [
    'THETA_SKETCH_UNION(DS_THETA(s))',
    "Invalid number of arguments to function 'THETA_SKETCH_UNION'",
  ],
  ['HLL_SKETCH_ESTIMATE(DS_HLL(s), 1)', "Cannot apply 'HLL_SKETCH_ESTIMATE'"],
])('%s is refused as the engine refuses it', (text, message) => {
  expect(() => resolved(text)).toThrow(message);
});

test.each([
  ['MAX(n ORDER BY d)', 'ORDER BY unexpected'],
  [
    'MIN(DISTINCT n)',
    'Aggregation [MIN] with DISTINCT is not supported when useApproximateCountDistinct is enabled',
  ],
  ['MAX(NULL)', 'Aggregation [MAX] does not support type [STRING]'],
  ["ARRAY_AGG(s, 'x')", 'ARRAY_AGG parameter `maxBytes` must be a numeric literal'],
  [
    'ARRAY_AGG(s, -1)',
    "Cannot apply 'ARRAY_AGG' to arguments of type 'ARRAY_AGG(<VARCHAR>, <INTEGER>)'",
  ],
  [
    'ARRAY_AGG(s, 2147483648)',
    "Cannot apply 'ARRAY_AGG' to arguments of type 'ARRAY_AGG(<VARCHAR>, <BIGINT>)'",
  ],
  ['APPROX_COUNT_DISTINCT(j)', "Cannot apply 'APPROX_COUNT_DISTINCT'"],
  [
    'APPROX_COUNT_DISTINCT(n, 5)',
    "Invalid number of arguments to function 'APPROX_COUNT_DISTINCT'",
  ],
  ['APPROX_COUNT_DISTINCT_DS_HLL(n, n)', "Cannot apply 'APPROX_COUNT_DISTINCT_DS_HLL'"],
  ['APPROX_QUANTILE_DS(n, n)', "Argument to function 'APPROX_QUANTILE_DS' must be a literal"],
  ['APPROX_QUANTILE_DS(n, 1.1)', 'A normalized rank must be >= 0 and <= 1.0: 1.1'],
  ['EARLIEST_BY(s, __time, n)', "Argument to function 'EARLIEST_BY' must be a literal"],
  ['COUNT(DISTINCT j)', 'is not supported for column type [COMPLEX<json>]'],
])('the aggregate %s is refused as the engine refuses it', (text, message) => {
  expect(() => resolved(text)).toThrow(message);
});

test.each([
  ['MOD(d, 2)', 'DECIMAL'],
  ['MOD(n, NULL)', 'NULL'],
  ['BIT_OR(CAST(n AS INTEGER))', 'INTEGER'],
  ['ANY_VALUE(__time)', 'VARCHAR'],
  ['ARRAY_AGG(numbers)', 'BIGINT ARRAY ARRAY'],
  ["MV_OFFSET('a', 0)", 'VARCHAR'],
])('%s has the type %s in the engine', (text, type) => {
  expect(typeText(withoutPrecision(resolved(text).type))).toBe(type);
});

test('texts are padded, cut and replaced as Java does it', async () => {
  const { value, values } = await expressions();
  expect(await value("LPAD('abc', 0)")).toBeNull();
  expect(await value("RPAD('abc', -1)")).toBe('');
  expect(await value("LPAD('abc', 2, NULL)")).toBeNull();
  expect(resolved("SUBSTRING('hello', 6)").constant).toBeNull();
  expect(await values('SUBSTRING(s, n - n + 2, 3)')).toEqual([
    'lph',
    expect.stringContaining(' ☕'),
  ]);
  await expect(values('SUBSTRING(s, n - n)')).rejects.toThrow('Function[substring]');
  expect(await values("REPLACE(LEFT(s, 2), '', '-')")).toEqual(['-a-l-', '-😀-']);
  await expect(values("REGEXP_REPLACE(s, '(a)', '$2')")).rejects.toThrow('No group 2');
  await expect(values("REGEXP_REPLACE(s, 'a', '$')")).rejects.toThrow('group index is missing');
  expect(await value("REGEXP_REPLACE('banana', '(a)(n)', '$2$1')")).toBe('bnanaa');
  expect(await values('CONCAT(s, __time)')).toEqual(['alpha1704164645006', '😀 ☕0']);
});

test('numbers are cut and compared as Java does it', async () => {
  const { value, values } = await expressions();
  expect((await values('TRUNC(n, 3)')).map(Number)).toEqual([7, 9223372036854776]);
  expect(await values('LEAST(d, 1.5)')).toEqual([1.5, Number.NaN]);
  expect(await value("IPV6_MATCH(5, '::/0')")).toBe(false);
});

test('positions in lists may be missing or have fractions, and separators may be anything', async () => {
  const { value, values } = await expressions();
  expect(await values('ARRAY_OFFSET(numbers, 2.5)')).toEqual([3, null]);
  expect(await value("ARRAY_SLICE(ARRAY['a', 'b'], NULL)")).toEqual(['a', 'b']);
  expect(await values('ARRAY_OFFSET_OF(numbers, 3.0)')).toEqual([null, null]); // a double is not a long
  expect(await values('MV_TO_STRING(mv, s)')).toEqual(['aalphab', 'c']);
  expect(await value("ARRAY_TO_STRING(ARRAY['a', 'b'], ARRAY[1, 2])")).toBe('a[1, 2]b');
  expect(await value("STRING_TO_ARRAY('ab', NULL)")).toEqual(['a', 'b']);
  expect(await value("STRING_TO_ARRAY('1', '1')")).toEqual([]);
  expect(await values('MV_CONTAINS(mv, mv)')).toEqual([true, true]);
  expect(await values('ARRAY_TO_MV(n)')).toEqual([['7'], ['9223372036854775807']]);
});

test('a name in a path is not empty', () => {
  expect(() => resolved("JSON_VALUE(j, '$['''']')")).toThrow(
    "jq path [$['']] is invalid, path parts separated by '.' must not be empty",
  );
});

test('a comparison of constants is computed as a whole, also with NaN and infinities', async () => {
  expect(resolved('SQRT(-1) = 1')).toMatchObject({ constant: false });
  expect(resolved('SQRT(-1) = SQRT(-1)')).toMatchObject({ constant: true });
  expect(resolved('SQRT(-1) IS NULL')).toMatchObject({ constant: false });
  const { value } = await expressions();
  expect(await value('SQRT(-1) > 3')).toBe(true);
  expect(await value('SQRT(-1) IN (1, 2)')).toBe(false);
  expect(await value('LN(0) + 1 BETWEEN 1 AND 2')).toBe(false);
  expect(() => resolved('SQRT(-1) = d')).toThrow('evaluates to an unsupported value [NaN]');
});

test('whole numbers computed from doubles lose digits, and stop at the largest one', async () => {
  const { values } = await expressions();
  expect(await values('CEIL(n) * n')).toEqual([49, 9223372036854775807n]);
  expect(await values('FLOOR(n) + 9007199254740993')).toEqual([
    9007199254741000n,
    9223372036854775807n,
  ]);
});
