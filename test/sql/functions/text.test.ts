// Functions of text over columns, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { expressions } from '../expressions.ts';
import { answering, refusal } from '../statements-over-tables.ts';

test('SUBSTRING of a column counts UTF-16 units, and is null beyond the end', async () => {
  const answer = await answering();
  const cut = async (text: string, bounds: string) => {
    const [row] = await answer(
      `SELECT SUBSTRING(CONCAT('${text}', LEFT(page, 0)), ${bounds}) FROM edits WHERE page = 'Bern'`,
    );
    return row?.[0];
  };
  expect(await cut('abc', '1, 2')).toBe('ab');
  expect(await cut('abc', '3')).toBe('c');
  expect(await cut('abc', '4')).toBeNull();
  expect(await cut('', '1, 2')).toBeNull();
  expect(await cut('Zürich', '2, 2')).toBe('ür');
  expect(await cut('a😀b', '4')).toBe('b');
  expect(await cut('a😀b', '2, 2')).toBe('😀');
});

test('SUBSTRING reads the low 32 bits of a written place and length', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT SUBSTRING(page, 4294967298), SUBSTRING(page, 1, 4294967298), SUBSTRING(page, 2147483648), SUBSTRING('Bern', 4294967298) FROM edits WHERE page = 'Bern'",
    ),
  ).toEqual([['ern', 'Be', null, 'ern ']]);
});

test('a place before the first one is refused only for a text', async () => {
  const answer = await answering();
  expect(await answer('SELECT SUBSTRING(page, -5) FROM edits WHERE page IS NULL')).toEqual([
    [null],
  ]);
  await expect(answer("SELECT SUBSTRING(page, -5) FROM edits WHERE page = 'Bern'")).rejects.toThrow(
    'Function[substring] encountered unknown exception',
  );
});

test('a computed length of SUBSTRING counts', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT SUBSTRING(page, 2, added - 5) FROM edits WHERE added IN (5, 7)'),
  ).toEqual([[''], [null]]);
});

test('STRING_FORMAT without values keeps its pattern, and a number is no character', async () => {
  const answer = await answering();
  expect(
    await answer("SELECT STRING_FORMAT('100%%'), STRING_FORMAT('%c', added) FROM edits LIMIT 1"),
  ).toEqual([['100%%', '%c; 10']]);
});

test('LIKE takes a pattern that functions of constants make', async () => {
  const answer = await answering();
  const like = (pattern: string) => answer(`SELECT page FROM edits WHERE page LIKE ${pattern}`);
  expect(await like("CONCAT('%', 'er', '%n')")).toHaveLength(3);
  expect(await like("REPLACE(TRIM(' Bxn '), 'x', '_r')")).toEqual([['Bern']]);
  expect(
    await answer("SELECT page FROM edits WHERE page LIKE CONCAT(?, '%')", {
      parameters: [{ type: 'VARCHAR', value: 'Bern' }],
    }),
  ).toEqual([['Bern']]);
});

test('LIKE with the escape character null is unknown', async () => {
  const answer = await answering();
  expect(await answer("SELECT page LIKE 'B%' ESCAPE NULL FROM edits LIMIT 1")).toEqual([[null]]);
});

test('the text of a rounded whole number is that of a double, also after sums and products', async () => {
  const { values } = await expressions();
  const first = async (text: string) => (await values(text))[0];
  expect(await first("CONCAT(FLOOR(n / 2) * 2, ' to ', FLOOR(n / 2) * 2 + 1)")).toBe('6.0 to 7.0');
  expect(await first("CEIL(n) || 'x'")).toBe('7.0x');
  expect(await first('CAST(FLOOR(n) - 1 AS VARCHAR)')).toBe('6.0');
  expect(await first("STRING_FORMAT('%s', FLOOR(n))")).toBe('7.0');
  expect(await first("CONCAT(ROUND(n), ' ', n * 2)")).toBe('7 14');
});

test.each([
  ["REGEXP_LIKE(page, 'ab[c')", 'Unclosed character class near index 3\nab[c\n   ^'],
  ["REGEXP_REPLACE(page, '(', '')", 'Unclosed group near index 1\n('],
  [
    "REGEXP_EXTRACT(page, 'a)', 1)",
    "An invalid pattern [a)] was provided for the REGEXP_EXTRACT function, error: [Unmatched closing ')' near index 0\na)\n^]",
  ],
  ['SUBSTRING(page, 2, 0)', 'length must be strictly positive'],
  ['SUBSTRING(CAST(added AS VARCHAR), 1, -1)', 'length must be strictly positive'],
  ["page LIKE 'a' ESCAPE 'ab'", 'Escape must be null or a single character'],
  ["LOOKUP(page, 'nosuch')", 'Lookup [nosuch] not found'],
  ["TIME_FORMAT(__time, 'jj')", 'Illegal pattern component: jj'],
  [
    "TIME_IN_INTERVAL(__time, '2024')",
    "From line 1, column 8 to line 1, column 39: Function 'TIME_IN_INTERVAL' second argument is not a valid ISO8601 interval: Format requires a '/' separator: 2024",
  ],
])('the planner fails at an argument of %s', (call, message) => {
  expect(refusal(`SELECT ${call} FROM edits`, { version: 33 })).toBe(message);
});

test('upper and lower case are those of Java, also where a letter becomes several', async () => {
  const { values } = await expressions();
  const first = async (text: string) => (await values(text))[0];
  expect(await first("UPPER(s || ' ß ŉ ﬁ ᾳ')")).toBe('ALPHA SS ʼN FI ΑΙ');
  expect(await first("LOWER(s || ' İ ΑΣ ΣΑΣΑ Α.Σ Σ')")).toBe('alpha i̇ ας σασα α.ς σ');
  expect(await first("ICONTAINS_STRING(s || 'ς', 'Σ')")).toBe(true);
  expect(await first("ICONTAINS_STRING(s || 'ß', 'SS')")).toBe(false);
  expect(await first("UPPER('straße\n' || s || 'ﬁﬁ ŉa')")).toBe('STRASSE\nALPHAFIFI ʼNA');
  // A longer text has one letter for each but ß.
  expect(await first("CHAR_LENGTH(UPPER(REPEAT('ßﬁ' || s, 300)))")).toBe(2700);
  expect(await first("CHAR_LENGTH(UPPER(REPEAT('ßﬁ' || s, 1000)))")).toBe(8000);
  expect(await first("ICONTAINS_STRING(s || 'ſ', 'S')")).toBe(true);
  expect(await first("ICONTAINS_STRING(s, 'LPH')")).toBe(true);
});

test.each(['MV_FILTER_ONLY', 'MV_FILTER_NONE'])('%s refuses an array', (name) => {
  for (const array of ['links', 'MV_TO_ARRAY(tags)', "ARRAY['a']"])
    expect(refusal(`SELECT ${name}(${array}, ARRAY['a']) FROM edits`)).toContain(
      `Supported form(s): '${name}(string, array)'`,
    );
});
