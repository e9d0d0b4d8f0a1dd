// Operands of several types, as a real 33.0.0 converts them.
import { expect, test } from 'vitest';
import { expressions, resolved } from './expressions.ts';

test('text compared with a condition is a number', async () => {
  const { value, values } = await expressions();
  expect(await value("(1 = 1) = ('4' || SUBSTRING('2x', 1, 1))")).toBe(false);
  expect(await values("(n > 0) = SUBSTRING(CONCAT('1', s), 1, 1)")).toEqual([true, true]);
  expect(await values('(n > 0) = s')).toEqual([null, null]);
  expect(await values('mv >= (n > 0)')).toEqual([null, null]);
  expect(await values('mv BETWEEN (n > 0) AND (n > 0)')).toEqual([null, null]);
});

test('a constant cast to CHAR(n) is filled up with blanks, and never cut off', () => {
  const constant = (text: string) => resolved(text).constant;
  expect(constant("CAST('abc' AS CHAR(5))")).toBe('abc  ');
  expect(constant("CAST('abc' AS CHAR(2))")).toBe('abc');
  expect(constant("CHAR_LENGTH(CAST('abc' AS CHAR(1000000)))")).toBe(65_536n);
  expect(constant("CAST('' AS CHAR)")).toBe(' ');
  expect(constant('CAST(1.5 AS CHAR(6))')).toBe('1.5   ');
  expect(constant("CAST('abc' AS VARCHAR(5))")).toBe('abc');
  expect(constant("CAST('abc' AS CHAR(5)) = 'abc'")).toBe(false);
});

test('GREATEST and LEAST take times beside texts as numbers', async () => {
  const { values } = await expressions();
  expect(await values("GREATEST('0', __time)")).toEqual(['1704164645006', '0']);
  expect(resolved("GREATEST('7', s)").type.name).toBe('CHAR');
  expect(resolved("GREATEST(s, '7')").type.name).toBe('VARCHAR');
});

test('COALESCE of a constant is the constant, whatever follows', async () => {
  const { values } = await expressions();
  expect(await values("COALESCE('7', mv)")).toEqual(['7', '7']);
  expect(await values('COALESCE(NULL, 7, mv)')).toEqual(['7', '7']);
});

test('a text of fixed length keeps its type beside a null that follows', () => {
  const typeOf = (text: string) => resolved(text).type.name;
  expect(typeOf("'xyz' || NULL")).toBe('CHAR');
  expect(typeOf("UPPER('x') || NULL || 'a'")).toBe('CHAR');
  expect(typeOf("NULL || 'x'")).toBe('VARCHAR');
  expect(typeOf("'x' || CAST(NULL AS VARCHAR)")).toBe('VARCHAR');
  expect(typeOf('s || NULL')).toBe('VARCHAR');
});

test('GREATEST and LEAST of nothing but null are null', async () => {
  const { value } = await expressions();
  expect(await value("GREATEST(NULL, CAST('x' AS BIGINT))")).toBeNull();
  expect(await value("LEAST(CAST('x' AS DOUBLE))")).toBeNull();
});

test('an empty text is found behind the end of a text at the latest', async () => {
  const { value, values } = await expressions();
  expect(await value("POSITION('' IN 'abc' FROM 10)")).toBe(4);
  expect(await values("POSITION('' IN s FROM 2)")).toEqual(await values('LEAST(STRLEN(s) + 1, 2)'));
});

test('IN compares each item of a mixed list in the type of its value', async () => {
  const { values } = await expressions();
  expect(await values("n IN ('x', 7, n < 0)")).toEqual([true, null]);
  expect(await values("n IN ('7', __time)")).toEqual([true, false]);
  expect(await values("s IN (3, 'alpha', n > 0)")).toEqual([true, false]);
  expect(await values("(1 = 1) IN ('x', 3)")).toEqual([true, true]);
  expect(await values("__time IN ('1970-01-01', 3, s)")).toEqual([null, true]);
  expect(await values("UNKNOWN IN ('x', __time)")).toEqual([null, null]);
  // Whole numbers beside times are times.
  expect(await values("SUBSTRING('2024-01-02', 1, 10) IN (__time, 1704153600000)")).toEqual([
    true,
    true,
  ]);
});

test('a list that no type holds is refused at the list', () => {
  const list = 'Values in expression list must have compatible types (line [1], column [6])';
  expect(() => resolved('s IN (3, n > 0)')).toThrow(list);
  expect(() => resolved('n IN (numbers, 3)')).toThrow(list);
  expect(() => resolved('n IN (__time, 3)')).toThrow('Values passed to IN operator');
});

test('CONCAT refuses neighbours that cannot be compared', async () => {
  const { values } = await expressions();
  const refused = 'Parameters must be of the same type';
  expect(await values('CONCAT(__time, s, n)')).toEqual([
    '1704164645006alpha7',
    '0😀 ☕9223372036854775807',
  ]);
  expect(() => resolved('CONCAT(n, __time, s)')).toThrow(refused);
  expect(() => resolved('CONCAT(s, n, 1 = 1)')).toThrow(refused);
  expect(await values('CONCAT(n, NULL, n > 0)')).toEqual([null, null]);
});

test('a field read as a whole number keeps its fraction where the planner casts it', async () => {
  const { values } = await expressions();
  const field = "JSON_VALUE(j, '$.a[1].b' RETURNING BIGINT)";
  const first = async (text: string) => (await values(text))[0];
  expect(await first(field)).toBe(2);
  expect(await first(`CAST(${field} AS DOUBLE)`)).toBe(2.5);
  expect(await first(`COALESCE(${field}, d)`)).toBe(2.5);
  expect(await first(`${field} * 1e0`)).toBe(2.5);
  expect(await first(`${field} || 'x'`)).toBe('2.5x');
  expect(await first(`${field} * 2`)).toBe(4);
  expect(await first(`SQRT(${field} + 2)`)).toBe(2);
  expect(await first(`GREATEST(${field}, 0.25)`)).toBe(2);
});

test('a text has no length of time added to it', () => {
  expect(() => resolved("s + INTERVAL '1' DAY")).toThrow("Cannot apply '+'");
  expect(() => resolved("'2024-01-01' - INTERVAL '1' MONTH")).toThrow("Cannot apply '-'");
});

test('a null of a type that does not fit is null for functions of the engine', () => {
  const illegal = "Illegal use of 'NULL'";
  expect(() => resolved('BTRIM(CAST(NULL AS BIGINT))')).toThrow(illegal);
  expect(() => resolved('LEFT(s, CAST(NULL AS TIMESTAMP))')).toThrow(illegal);
  expect(() => resolved('ARRAY_OVERLAP(numbers, CAST(NULL AS BOOLEAN))')).toThrow('Cannot apply');
  expect(resolved('TIME_FORMAT(__time, CAST(NULL AS BOOLEAN))').type.name).toBe('VARCHAR');
  expect(resolved("TIME_PARSE('42', CAST(NULL AS VARCHAR ARRAY), 'UTC')").type.name).toBe(
    'TIMESTAMP',
  );
});

test('GREATEST and LEAST of constant texts have a letter at least', async () => {
  const { values } = await expressions();
  expect(await values("LEAST('abc', '')")).toEqual([' ', ' ']);
  expect(await values("GREATEST('a', 'bc')")).toEqual(['bc', 'bc']);
  expect(await values("LEAST('abc', s, '')")).toEqual(['', '']);
});

test('a null end of a slice is its start', async () => {
  const { values } = await expressions();
  expect(await values('ARRAY_SLICE(numbers, 0, NULLIF(n, n))')).toEqual([[], null]);
  expect(await values('ARRAY_SLICE(numbers, 1, NULLIF(n, n))')).toEqual([null, null]);
  expect(() => resolved('ARRAY_APPEND(numbers, numbers)')).toThrow("Cannot apply 'ARRAY_APPEND'");
});

test('LEFT and RIGHT refuse a length below zero only for a text', async () => {
  const { values } = await expressions();
  expect(await values('LEFT(NULLIF(s, s), -1)')).toEqual([null, null]);
  expect(await values('RIGHT(CAST(NULL AS VARCHAR), -1)')).toEqual([null, null]);
  expect(() => resolved("LEFT('abc', -1)")).toThrow('needs a positive integer');
});

test('TRUNCATE of a long to no digits computes with doubles', async () => {
  const { value, values } = await expressions();
  expect(await value('TRUNCATE(9007199254740993, 0)')).toBe(9007199254740992n);
  expect(await values('TRUNCATE(n - 9214364837600034814, 0)')).toHaveLength(2);
});

test('an aggregate shows computed nested data without the wrapper of stored data', async () => {
  const { value } = await expressions();
  const shown = async (item: string) => await value(`ANY_VALUE(${item})`);
  expect(await shown('PARSE_JSON(\'{"a":[1,"x"]}\')')).toBe('{a=[1, x]}');
});
