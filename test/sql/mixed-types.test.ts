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
