// Several values in one row: columns of several values, arrays that functions make, and their items
// as rows.
import { expect, test } from 'vitest';
import { expressions, resolved } from './expressions.ts';
import { answering, query } from './statements-over-tables.ts';

test('a function is applied to each value of a column, and to the whole text of an array that a function made', async () => {
  const { values } = await expressions();
  expect(await values('UPPER(mv)')).toEqual([['A', 'B'], ['C']]);
  expect(await values("UPPER(MV_APPEND(mv, 'x'))")).toEqual(['[A, B, X]', '[C, X]']);
  expect(await values("CONCAT('y', STRING_TO_MV('a,b', ','))")).toEqual(['y[a, b]', 'y[a, b]']);
  expect(await values("STRLEN(STRING_TO_MV('ab', ','))")).toEqual([2, 2]);
  expect(await values("MV_LENGTH(MV_APPEND(mv, 'x'))")).toEqual([3, 2]);
  expect(await values("COALESCE(MV_APPEND(mv, 'x'), 'z')")).toEqual([
    ['a', 'b', 'x'],
    ['c', 'x'],
  ]);
});

test('COALESCE looks for the first known value among those of each row', async () => {
  const { values } = await expressions();
  expect(await values('COALESCE(s, mv)')).toEqual([['alpha', 'alpha'], ['😀 ☕']]);
  expect(await values("COALESCE(NULLIF(mv, 'a'), s)")).toEqual([['alpha', 'b'], ['c']]);
});

test('a text is split at a plain separator as at a pattern, and empty parts at its end are left out', async () => {
  const { values } = await expressions();
  const parts = async (text: string, separator: string) =>
    (await values(`STRING_TO_ARRAY(COALESCE(NULLIF(s, 'alpha'), '${text}'), '${separator}')`))[0];
  expect(await parts('a, b, c', ', ')).toEqual(['a', 'b', 'c']);
  expect(await parts(',a,,b,,', ',')).toEqual(['', 'a', '', 'b']);
  expect(await parts(',,', ',')).toEqual([]);
  expect(await parts('', ',')).toEqual(['']);
  expect(await parts('a|b.c', '\\|')).toEqual(['a', 'b.c']);
  expect(await parts('a|b.c', '[|.]')).toEqual(['a', 'b', 'c']);
  expect(await parts('aéb', 'é')).toEqual(['a', 'b']);
});

test('a text of a row that is no number is not in a list of numbers, even if that has a null', async () => {
  const { values } = await expressions();
  expect(await values('ARRAY_CONTAINS(ARRAY[n, NULL], s)')).toEqual([false, false]);
  expect(await values('ARRAY_CONTAINS(ARRAY[n, NULL], CAST(n AS VARCHAR))')).toEqual([true, true]);
  expect(await values("ARRAY_CONTAINS(ARRAY[n, NULL], NULLIF(s, 'alpha'))")).toEqual([true, false]);
});

test('a BOOLEAN array holds numbers, and conditions come out of it', async () => {
  const { values } = await expressions();
  expect(await values('ARRAY[n > 100, FALSE]')).toEqual([
    [0, 0],
    [1, 0],
  ]);
  expect(await values('ARRAY_OFFSET(ARRAY[n > 100, FALSE], 0)')).toEqual([false, true]);
  expect(await values("ARRAY_TO_STRING(ARRAY[n > 100, FALSE], ',')")).toEqual(['0,0', '1,0']);
  expect(() => resolved('COALESCE(ARRAY[n > 100], numbers)')).toThrow(
    'Illegal mixing of types in CASE or COALESCE statement',
  );
  expect(() => resolved('LOWER(ARRAY[TRUE])')).toThrow('LOWER(<BOOLEAN ARRAY>)');
});

test.each([
  ['ARRAY_APPEND(numbers, TRUE)', 'ARRAY_APPEND(<BIGINT ARRAY>, <BOOLEAN>)'],
  ['ARRAY_PREPEND(__time, numbers)', 'ARRAY_PREPEND(<TIMESTAMP(3)>, <BIGINT ARRAY>)'],
  ['ARRAY_CONTAINS(numbers, __time)', "Supported form(s): 'ARRAY_CONTAINS(array, array)'"],
  ['MV_OVERLAP(mv, TRUE)', 'MV_OVERLAP(<VARCHAR>, <BOOLEAN>)'],
  ['SCALAR_IN_ARRAY(n > 1, numbers)', 'SCALAR_IN_ARRAY(<BOOLEAN>, <BIGINT ARRAY>)'],
])('%s is refused: an item is neither a condition nor a time', (text, words) => {
  expect(() => resolved(text)).toThrow(words);
});

test('a filter reads a text column beside a number as java.math.BigDecimal does', async () => {
  const answer = await answering();
  const found = async (condition: string, ...texts: string[]) => {
    const rows = texts.map((text) => `('${text}')`).join(', ');
    const kept = await answer(
      `SELECT p FROM (SELECT t.p FROM (VALUES ${rows}) AS t (p) CROSS JOIN edits) WHERE ${condition} GROUP BY p`,
    );
    return kept.map(([text]) => text);
  };
  const texts = ['1e2', '3.0', '007', 'Infinity', 'abc', '-3'];
  expect(await found('p > 5', ...texts)).toEqual(['007', '1e2']);
  expect(await found('p < 5', ...texts)).toEqual(['-3', '3.0', 'Infinity', 'abc']);
  expect(await found('p = 3', ...texts)).toEqual(['3.0']);
  expect(await found('CAST(p AS BIGINT) <> 3', ...texts)).toEqual([
    '-3',
    '007',
    '1e2',
    'Infinity',
    'abc',
  ]);
  expect(await found('CAST(p AS DOUBLE) = 100', ...texts)).toEqual(['1e2']);
});

test('the rows of UNNEST come in the order of their arrays, also where a filter looks at them', async () => {
  const answer = await answering();
  const items = "SELECT page, x FROM edits CROSS JOIN UNNEST(ARRAY['c', 'b', 'a', 'd']) AS u (x)";
  const rows = await answer(`${items} WHERE x <> 'b'`);
  expect(rows.slice(0, 3).map(([, item]) => item)).toEqual(['c', 'a', 'd']);
  expect(await answer(`SELECT x, COUNT(*) FROM (${items}) WHERE x > 'b' GROUP BY 1`)).toEqual([
    ['c', 4],
    ['d', 4],
  ]);
  // Two lists are crossed, not paired.
  expect(
    await answer(
      'SELECT COUNT(*) FROM edits CROSS JOIN UNNEST(ARRAY[1, 2]) AS u (x) CROSS JOIN UNNEST(ARRAY[1, 2, 3]) AS v (y)',
    ),
  ).toEqual([[24]]);
});

// As a relation of its own, DuckDB joins the values of a list to all rows with that list: a hundred
// times the work.
test('values are unnested beside the columns of their row', () => {
  for (const statement of [
    'SELECT tags, COUNT(*) FROM edits GROUP BY tags',
    'SELECT x FROM edits CROSS JOIN UNNEST(MV_TO_ARRAY(tags)) AS u (x) WHERE x IS NOT NULL',
  ]) {
    expect(query(statement).duckdb).not.toContain('CROSS JOIN');
  }
});

test('a key that is a constant does not stand for equal constants of the statement', async () => {
  const answer = await answering();
  expect(await answer("SELECT STRING_AGG(DISTINCT author, ',') FROM edits GROUP BY ','")).toEqual([
    ['anna,ben'],
  ]);
});

test('texts are padded in UTF-16 units, and arrays are formatted with their items', async () => {
  const { value } = await expressions();
  expect(await value("LPAD('a', 10, 'é😀')")).toBe('é😀é😀é😀a');
  expect(await value("RPAD('a', 4, '😀')")).toBe('a😀�');
  expect(await value("LPAD('abc', 5, NULL)")).toBeNull();
  expect(await value("REVERSE('a\u064bb😀')")).toBe('😀b\u064ba');
  expect(await value("STRING_FORMAT('%s!', ARRAY[1, NULL])")).toBe('[1, null]!');
  expect(() => resolved('TIMESTAMPADD(DAY, 1, s)')).toThrow("Cannot apply 'TIMESTAMPADD'");
  expect(() => resolved("TIMESTAMPDIFF(DAY, '2015-01-01', __time)")).toThrow(
    "Cannot apply 'TIMESTAMPDIFF'",
  );
});

test('aggregates of nothing but nulls are null, also of texts and arrays', async () => {
  const answer = await answering();
  const nothing = 'FROM edits WHERE page IS NULL GROUP BY page';
  expect(
    await answer(
      `SELECT BIT_AND(page), BIT_OR(page), BIT_XOR(page), ARRAY_CONCAT_AGG(links) ${nothing}`,
    ),
  ).toEqual([[null, null, null, null]]);
  expect(await answer("SELECT BIT_OR(page) FROM edits WHERE page = 'Bern'")).toEqual([[0]]);
  expect(await answer("SELECT BIT_OR('3'), BIT_AND('x') FROM edits")).toEqual([[3, null]]);
});

// Each answer is that of a real 33.0.0 over the same values.
test('comparisons of one text that AND and OR connect are one set of texts: a row needs one value of it', async () => {
  const answer = await answering();
  const count = async (condition: string) =>
    Number((await answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`))[0]?.[0]);
  expect(await count("tags > 'city' AND tags < 'd'")).toBe(0); // of ['river', 'city'] one is above, the other below
  expect(await count("tags >= 'city' AND added > 0 AND tags <= 'd'")).toBe(3);
  expect(await count("tags = 'city' AND tags <> 'river'")).toBe(3);
  expect(await count("tags IN ('city', 'river') AND tags <> 'city'")).toBe(1);
  expect(await count("tags = 'city' AND tags = 'river'")).toBe(0);
  expect(await count("tags = 'city' AND tags IS NULL")).toBe(0);
  expect(await count("tags < 'city' OR tags > 'city'")).toBe(0); // tags <> 'city'
  expect(await count("tags <> 'city' OR tags <> 'river'")).toBe(3); // tags IS NOT NULL
  expect(await count("NOT (tags > 'd' AND tags < 's')")).toBe(2);
  expect(await count("MV_CONTAINS(tags, ARRAY['city', 'river'])")).toBe(1);
  expect(
    await answer("SELECT COUNT(*) FILTER (WHERE tags = 'city' AND tags <> 'river') FROM edits"),
  ).toEqual([[3]]);
});

test('where WHERE names the value of a column, the items show it, unless the columns are only passed on', async () => {
  const answer = await answering();
  expect(await answer("SELECT tags, page FROM edits WHERE tags = 'river'")).toEqual([
    ['river', null],
  ]);
  expect(await answer("SELECT page, tags FROM edits WHERE tags = 'river'")).toEqual([
    [null, ['river', 'city']],
  ]);
  expect(await answer("SELECT page, tags FROM edits WHERE tags = 'river' AND added > 0")).toEqual([
    [null, 'river'],
  ]);
  expect(await answer("SELECT page, tags FROM edits WHERE tags = 'river' ORDER BY __time")).toEqual(
    [[null, 'river']],
  );
  expect(
    await answer("SELECT UPPER(tags), COUNT(*) FROM edits WHERE tags = 'city' GROUP BY 1"),
  ).toEqual([['CITY', 3]]);
  expect(
    await answer("SELECT tags, COUNT(*) FROM edits WHERE tags = 'river' GROUP BY tags"),
  ).toEqual([
    ['city', 1],
    ['river', 1],
  ]);
  expect(await answer('SELECT tags, UPPER(author) FROM edits WHERE tags IS NULL')).toEqual([
    [null, 'BEN'],
  ]);
});

test('above groups, a key that WHERE decides is its value, unless the groups are the result', async () => {
  const answer = await answering();
  const where = "FROM edits WHERE tags = 'river' GROUP BY tags";
  const decided = [
    ['river', 1],
    ['river', 1],
  ];
  const stored = [
    ['city', 1],
    ['river', 1],
  ];
  expect(await answer(`SELECT tags, COUNT(*) ${where}`)).toEqual(stored);
  expect(await answer(`SELECT tags, 0 + COUNT(*) ${where}`)).toEqual(decided);
  expect(await answer(`SELECT tags, COUNT(*) ${where} HAVING COUNT(links) = 0`)).toEqual(decided);
  expect(await answer(`SELECT tags, COUNT(*) ${where} HAVING COUNT(*) > 0`)).toEqual(stored);
  expect(await answer(`SELECT COUNT(*), tags ${where}`)).toEqual([
    [1, 'river'],
    [1, 'river'],
  ]);
});

test('a comparison that WHERE contradicts is false for all values of a row', async () => {
  const answer = await answering();
  const of = (item: string, where: string) =>
    answer(`SELECT ${item}, COUNT(*) FROM edits WHERE ${where} GROUP BY 1`);
  expect(await of("tags = 'city'", "NOT (tags = 'city')")).toEqual([]);
  expect(await of("tags = 'city'", "tags > 'd'")).toEqual([[false, 1]]);
  const inCase = await of("CASE WHEN tags = 'city' THEN 1 ELSE 0 END", "tags > 'd'");
  expect(inCase).toEqual([[null, 1]]);
});

test('values are collected in the order of time, or in that of the groups below', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT ARRAY_AGG(author), ARRAY_CONCAT_AGG(links), ARRAY_AGG(tags) FROM edits WHERE added <> 5',
    ),
  ).toEqual([
    [
      ['anna', 'anna'],
      [1, 2],
      ['city', 'capital', 'river', 'city'],
    ],
  ]);
  expect(
    query('SELECT author, STRING_AGG(page, $$,$$) FROM edits GROUP BY 1'.replaceAll('$$', "'"))
      .duckdb,
  ).toMatch(/list\("edits"\."page" ORDER BY "edits"\."__time"\)/);
  const groups = '(SELECT page, author, COUNT(*) AS n FROM edits GROUP BY 1, 2)';
  expect(await answer(`SELECT STRING_AGG(author, ','), ARRAY_AGG(page) FROM ${groups}`)).toEqual([
    ['anna,anna,ben,ben', [null, 'Berlin', 'Berlin', 'Bern']],
  ]);
});

test('different arrays are collected with null first, also within them', async () => {
  const answer = await answering();
  const arrays = "(VALUES (1, 'b'), (1, 'a'), (1, 'b')) AS t (n, x)";
  expect(
    await answer(`SELECT ARRAY_AGG(DISTINCT ARRAY[NULLIF(x, 'b'), 'c']) FROM ${arrays}`),
  ).toEqual([
    [
      [
        [null, 'c'],
        ['a', 'c'],
      ],
    ],
  ]);
});

test('IN with a column of several values is an equality with each of them', async () => {
  const answer = await answering();
  const pages = (condition: string) =>
    answer(`SELECT author, COUNT(*) FROM edits WHERE ${condition} GROUP BY 1`);
  expect(await pages("'city' IN (tags)")).toEqual([
    ['anna', 2],
    ['ben', 1],
  ]);
  expect(await pages("author IN (tags, 'ben')")).toEqual([['ben', 2]]);
});

test('arrays within an array become texts', async () => {
  const { value, values } = await expressions();
  expect(await value("ARRAY_TO_STRING(ARRAY[ARRAY[1], ARRAY[2, NULL]], ',')")).toBe(
    '[1],[2, null]',
  );
  expect(await values("ARRAY_TO_STRING(ARRAY[numbers], ',')")).toEqual(['[1, null, 3]', null]);
});

// A real 33.0.0 answers as long as no row shows several values.
test('a condition on a column of several values is shown for rows with one value, and fails others', async () => {
  const answer = await answering();
  const shown = (condition: string, item: string) =>
    answer(`SELECT ${item} FROM edits WHERE ${condition}`);
  expect(await shown("author = 'ben'", "tags = 'city'")).toEqual([[true], [null]]);
  expect(await shown("author = 'ben'", 'tags IS NULL')).toEqual([[false], [true]]);
  expect(
    await shown("author = 'ben'", "CASE WHEN tags = 'city' THEN 1 ELSE 0 END, CHAR_LENGTH(tags)"),
  ).toEqual([
    [1, 4],
    [0, null],
  ]);
  for (const item of ["tags = 'city'", 'tags IS NOT NULL', 'CHAR_LENGTH(tags)'])
    await expect(shown("author = 'anna'", item)).rejects.toThrow(
      'Cannot coerce field [v0] from type [java.util.ArrayList]',
    );
});

test('MV_CONTAINS of null is null, also where WHERE makes a column null', async () => {
  const answer = await answering();
  expect(await answer("SELECT MV_CONTAINS(NULL, 'city')")).toEqual([[null]]);
  expect(
    await answer("SELECT page, MV_CONTAINS(tags, 'city') FROM edits WHERE tags IS NULL"),
  ).toEqual([['Berlin', null]]);
  expect(await answer("SELECT MV_CONTAINS(tags, 'city') FROM edits WHERE added IS NULL")).toEqual([
    [false],
  ]);
});

test('ARRAY_QUANTILE skips nulls, interpolates, and is null for texts', async () => {
  const { values } = await expressions();
  expect(await values('ARRAY_QUANTILE(ARRAY[1, NULL, 3, 4], 0.5)')).toEqual([3, 3]);
  expect(await values('ARRAY_QUANTILE(ARRAY[1, 2, 3, 4], 0.5)')).toEqual([2.5, 2.5]);
  expect(await values('ARRAY_QUANTILE(ARRAY[7, 1, 3], 1.5)')).toEqual([Number.NaN, Number.NaN]);
  expect(await values("ARRAY_QUANTILE(ARRAY['a'], 0.5)")).toEqual([null, null]);
  expect(() => resolved('ARRAY_QUANTILE(numbers, n)')).toThrow('must be a literal');
});

test('the negation of a comparison of two columns holds for any of the values', async () => {
  const { values } = await expressions();
  expect(await values("NOT (mv = LOWER('A'))")).toEqual(await values("mv <> LOWER('A')"));
  expect(await values('NOT (s < mv)')).toEqual(await values('s >= mv'));
});

test('a column of several values that WHERE equates with a constant counts as that constant', async () => {
  const answer = await answering();
  expect(await answer("SELECT COUNT(*), COUNT(tags) FROM edits WHERE tags = 'a'")).toEqual(
    await answer("SELECT COUNT(*), COUNT(*) FROM edits WHERE tags = 'a'"),
  );
});

test('CAST to BOOLEAN groups by the number that it tests', async () => {
  const answer = await answering();
  const groups = await answer(
    "SELECT CAST(p AS BOOLEAN) AS b, COUNT(*) FROM (SELECT t.p FROM (VALUES ('1'), ('7'), ('7'), ('x'), ('-1')) AS t (p)) GROUP BY 1",
  );
  expect(groups).toEqual([
    [null, 1],
    [false, 1],
    [true, 1],
    [true, 2],
  ]);
});

test('the size of LATEST, EARLIEST and ANY_VALUE counts bytes, and no character is cut in two', async () => {
  const answer = await answering();
  const pick = (size: number) =>
    `SELECT LATEST_BY(p, t, ${size}), ANY_VALUE(p, ${size}) FROM (SELECT 'سامي الرحيلي' AS p, __time AS t FROM edits)`;
  expect(await answer(pick(20))).toEqual([['سامي الرحي', 'سامي الرحي']]);
  expect(await answer(pick(21))).toEqual([['سامي الرحيل', 'سامي الرحيل']]);
  expect(await answer(pick(1))).toEqual([['', '']]);
});

test('a computed list of no values is null, where a column without values contains one null', async () => {
  const answer = await answering();
  const holds = async (list: string, predicate = `MV_CONTAINS(${list}, NULL)`) =>
    (await answer(`SELECT ${predicate} FROM edits ORDER BY __time`)).flat();
  const all = (value: unknown) => [value, value, value, value];
  expect(await holds('tags')).toEqual([false, false, true, false]);
  expect(await holds('MV_SLICE(tags, 5, 6)')).toEqual(all(null));
  expect(await holds("MV_FILTER_ONLY(tags, ARRAY['city'])")).toEqual([false, false, null, false]);
  expect(await holds('', "MV_OVERLAP(MV_SLICE(tags, 5, 6), ARRAY['x', NULL])")).toEqual(all(null));
  expect(await holds('UPPER(page)')).toEqual([false, false, false, null]);
});

test('MV_CONTAINS is not merged with other conditions on the column', async () => {
  const answer = await answering();
  const count = (condition: string) =>
    answer(`SELECT COUNT(*) FILTER (WHERE ${condition}) FROM edits`);
  expect(await count("MV_CONTAINS(tags, 'city') AND tags = 'river'")).toEqual([[1]]);
  const { duckdb } = query(
    "SELECT COUNT(*) FROM edits WHERE MV_CONTAINS(tags, 'city') OR tags IS NOT NULL",
  );
  expect(duckdb).toContain("'city'"); // a null among the values does not hide the text
});

test('an expression that uses a column of several values twice is computed from each value', async () => {
  const { values } = await expressions();
  expect(await values('UPPER(mv) || mv')).toEqual([['Aa', 'Bb'], ['Cc']]);
  expect(await values("CONCAT(mv, '-', UPPER(mv), s)")).toEqual([
    ['a-Aalpha', 'b-Balpha'],
    ['c-C😀 ☕'],
  ]);
  expect(await values("REPLACE(UPPER(mv || 'x'), UPPER(mv), mv)")).toEqual([['aX', 'bX'], ['cX']]);
  expect(await values("NULLIF(UPPER(mv), CASE WHEN mv = 'a' THEN 'A' ELSE mv END)")).toEqual([
    [null, 'B'],
    ['C'],
  ]);
  expect(await values("MV_TO_STRING(UPPER(mv) || mv, ',')")).toEqual(['Aa,Bb', 'Cc']);
});

test('an expression that uses a column twice through a derived table is computed from each value', async () => {
  const answer = await answering();
  const texts = async (from: string, expression = "u || '-' || l", rest = '') =>
    (await answer(`SELECT ${expression} FROM ${from} ${rest}`)).map(([value]) => value);
  const below = 'SELECT UPPER(tags) AS u, tags AS l, added FROM edits WHERE author IS NOT NULL';
  const pairs = [
    ['CITY-city', 'CAPITAL-capital'],
    ['CITY-city'],
    [null],
    ['RIVER-river', 'CITY-city'],
  ];
  expect(await texts(`(${below})`)).toEqual(pairs);
  expect(await texts(`(SELECT u, l FROM (${below}))`)).toEqual(pairs);
  expect(await texts(`(${below} LIMIT 9)`)).toEqual(pairs);
  expect(await texts(`(${below})`, "CASE WHEN u = 'CITY' THEN l ELSE u END")).toEqual([
    ['city', 'CAPITAL'],
    ['city'],
    [null],
    ['RIVER', 'city'],
  ]);
  const withX = await answer(`WITH x AS (${below}) SELECT u || l, COUNT(*) FROM x GROUP BY 1`);
  expect(withX).toEqual([
    [null, 1],
    ['CAPITALcapital', 1],
    ['CITYcity', 3],
    ['RIVERriver', 1],
  ]);
  // A query that is read first makes columns that have nothing to do with each other.
  const apart = await texts(`(${below} LIMIT 9)`, 'u || l', "WHERE u <> 'x' AND l <> 'x'");
  expect(apart).toContainEqual(['RIVERriver', 'RIVERcity', 'CITYriver', 'CITYcity']);
  const chosen = await texts(
    `(${below} LIMIT 9)`,
    "CASE WHEN u = 'CITY' THEN l ELSE u END",
    "WHERE u <> 'x' AND l <> 'x'",
  );
  expect(chosen).toContainEqual(['RIVER', 'RIVER', 'river', 'city']);
});

test('a number computed from several values is compared by value in WHERE, by row elsewhere', async () => {
  const answer = await answering();
  const one = async (text: string) => Number((await answer(text))[0]?.[0]);
  const where = (condition: string) => one(`SELECT COUNT(*) FROM edits WHERE ${condition}`);
  const filter = (condition: string) =>
    one(`SELECT COUNT(*) FILTER (WHERE ${condition}) FROM edits`);
  expect(await where('CHAR_LENGTH(tags) = 4')).toBe(3);
  expect(await filter('CHAR_LENGTH(tags) = 4')).toBe(1);
  expect(await filter('CHAR_LENGTH(tags) BETWEEN 4 AND 5')).toBe(1);
  expect(await filter('CHAR_LENGTH(tags) IN (4, 5)')).toBe(1);
  expect(await where('CHAR_LENGTH(tags) IS NULL')).toBe(1);
  expect(await filter('CHAR_LENGTH(tags) IS NULL')).toBe(3);
  // No dictionary holds the values of an expression over two columns.
  expect(await where('CHAR_LENGTH(tags || author) > 0')).toBe(1);
  expect(await where('CHAR_LENGTH(tags) + CHAR_LENGTH(UPPER(tags)) = 9')).toBe(0);
  expect(await where('-CHAR_LENGTH(tags) = -5')).toBe(1);
  expect(await where('COALESCE(CHAR_LENGTH(tags), 0) = 0')).toBe(await where('tags IS NULL'));
});

test('the negation of a comparison with a constant is turned around, below AND and OR too', async () => {
  const answer = await answering();
  const count = async (condition: string) =>
    Number((await answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`))[0]?.[0]);
  expect(await count("NOT (tags > 'm')")).toBe(3); // of ['river', 'city'] one is not above
  expect(await count("NOT (tags > 'm' AND added > -1)")).toBe(3);
  expect(await count("(tags > 'm') IS FALSE")).toBe(3);
  expect(await count("(NOT (tags > 'm')) IS NOT TRUE")).toBe(2); // it is above, or null
  expect(await count("NOT (tags = 'city')")).toBe(0);
  // A value that the range leaves out is a condition of its own.
  expect(await count("tags <> 'city' AND tags <= 's'")).toBe(0);
  expect(await count("tags <> 'river' AND tags <= 's'")).toBe(2);
});

test('a filter takes concatenations of texts apart', async () => {
  const answer = await answering();
  const shown = (condition: string) =>
    answer(`SELECT UPPER(tags), added FROM edits WHERE ${condition} ORDER BY __time`);
  const river = [['RIVER', expect.anything()]];
  expect(await shown("tags || 'x' = 'riverx'")).toEqual(river);
  expect(await shown("'1-river' = CONCAT('1', '-', tags)")).toEqual(river);
  expect(await shown("tags || '' = 'river'")).toEqual(river);
  expect(await shown("tags || 'i' = 'riveri'")).not.toEqual(river); // two readings
  expect(await shown("tags || 'x' = 'river'")).toEqual([]);
  expect(await answer("SELECT COUNT(*) FROM edits WHERE tags || 'x' IS NULL")).toEqual(
    await answer('SELECT COUNT(*) FROM edits WHERE tags IS NULL'),
  );
});

test('the planner computes conditions on several constants: they are unknown, and LIKE is false', () => {
  expect(resolved("STRING_TO_MV('a,b', ',') = 'a'").constant).toBeNull();
  expect(resolved("MV_APPEND('a', 'b') NOT IN ('c')").constant).toBeNull();
  expect(resolved("STRING_TO_MV('a,b', ',') BETWEEN 'a' AND 'b'").constant).toBeNull();
  expect(resolved("STRING_TO_MV('a,b', ',') LIKE 'a%'").constant).toBe(false);
  expect(resolved("STRING_TO_MV(s, ',') = 'a'").constant).toBeUndefined();
});

test('the planner computes whether constant arrays contain or overlap others', () => {
  expect(resolved("ARRAY_CONTAINS(ARRAY['a'], 'b')").constant).toBe(false);
  expect(resolved('ARRAY_CONTAINS(ARRAY[1, 2], ARRAY[2])').constant).toBe(true);
  expect(resolved('ARRAY_OVERLAP(ARRAY[1], ARRAY[2])').constant).toBe(false);
  expect(resolved('ARRAY_CONTAINS(ARRAY[1], NULL)').constant).toBeUndefined();
});

test('a value IS DISTINCT FROM several values if it is none of them', async () => {
  const { values } = await expressions();
  expect(await values('SUBSTRING(s, 1, 1) IS DISTINCT FROM mv')).toEqual([false, true]);
  expect(await values('NULLIF(s, s) IS DISTINCT FROM NULLIF(mv, mv)')).toEqual([false, false]);
});

test('each of several values is parsed as JSON', async () => {
  const { values } = await expressions();
  expect(await values("TRY_PARSE_JSON(mv || '')")).toEqual(['[null,null]', null]);
  expect(await values("PARSE_JSON('1' || REPLACE(mv, mv, ''))")).toEqual(['[1,1]', '1']);
  expect(() => resolved('TRY_PARSE_JSON(NULL)')).toThrow("Illegal use of 'NULL'");
});

test('a null array is no literal of a query without FROM', async () => {
  const answer = await answering();
  const refused = 'Cannot handle literal [null:VARCHAR ARRAY] of unsupported type [ARRAY].';
  await expect(answer("SELECT JSON_KEYS(PARSE_JSON('{}'), '$.x')")).rejects.toThrow(refused);
  await expect(answer("SELECT STRING_TO_ARRAY(NULL, 'a')")).rejects.toThrow(refused);
  expect(await answer("SELECT STRING_TO_ARRAY('x', 'a')")).toEqual([[['x']]]);
  expect(await answer("SELECT STRING_TO_ARRAY(NULL, 'a'), PARSE_JSON('1')")).toEqual([[null, '1']]);
  expect(await answer("SELECT STRING_TO_ARRAY(NULL, 'a'), ARRAY[1]")).toEqual([[null, [1]]]);
  // Nor is a value that the planner takes for null.
  const beside = (item: string) => answer(`SELECT STRING_TO_ARRAY(NULL, 'a'), ${item}`);
  expect(await beside("REGEXP_EXTRACT('a', 'a')")).toEqual([[null, 'a']]);
  expect(await beside("UPPER(REGEXP_EXTRACT('a', 'a'))")).toEqual([[null, 'A']]);
  await expect(beside("REGEXP_EXTRACT('a', 'b')")).rejects.toThrow(refused);
  await expect(beside("UPPER('a')")).rejects.toThrow(refused);
});

test('FLOOR, CEIL and TRUNCATE of a whole number are doubles in a text and in JSON', async () => {
  const { value, values } = await expressions();
  expect(await value("FLOOR(7) || ''")).toBe('7.0');
  expect((await values('CAST(CEIL(n) AS VARCHAR)'))[0]).toBe('7.0');
  expect((await values("TRUNCATE(n) || ''"))[0]).toBe('7.0');
  expect((await values("ROUND(n) || ''"))[0]).toBe('7');
  expect((await values("TO_JSON_STRING(JSON_OBJECT('a': FLOOR(n)))"))[0]).toBe('{"a":7.0}');
  expect((await values('FLOOR(n)'))[0]).toBe(7);
});

test('the word NULL makes all values of JSON_OBJECT texts', async () => {
  const { values } = await expressions();
  expect((await values("TO_JSON_STRING(JSON_OBJECT('a': n, 'b': NULL))"))[0]).toBe(
    '{"a":"7","b":null}',
  );
});

test('estimates of distinct values in a window count the values of each frame', async () => {
  const answer = await answering();
  const counted = (call: string) =>
    answer(
      `SELECT ${call} OVER (ORDER BY x ROWS UNBOUNDED PRECEDING) FROM (SELECT x, y FROM (VALUES (1, 'a'), (2, 'b'), (3, 'a'), (4, '')) AS t (x, y) GROUP BY x, y)`,
    );
  expect(await counted('APPROX_COUNT_DISTINCT_DS_HLL(y)')).toEqual([[1], [2], [2], [2]]);
  expect(await counted('APPROX_COUNT_DISTINCT_DS_THETA(x)')).toEqual([[1], [2], [3], [4]]);
});

test('a filter compares each of several values with a number, and other texts differ from it', async () => {
  const answer = await answering();
  const found = async (condition: string) => {
    const [[count] = []] = await answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`);
    return count;
  };
  expect(await found('tags = 7')).toBe(0);
  expect(await found('tags <> 7')).toBe(3);
  expect(await found('tags NOT IN (7, 8)')).toBe(3);
  expect(await found('CAST(tags AS BIGINT) <> 7')).toBe(3);
  expect(await found('NOT (tags > 1)')).toBe(3);
  expect(await found('tags > 1')).toBe(0);
  expect(await found('tags BETWEEN 1 AND 9')).toBe(0);
  expect(await found('tags NOT BETWEEN 1 AND 9')).toBe(3);
});

test('a text that is not a number is not between numbers', async () => {
  const answer = await answering();
  const found = (condition: string) =>
    answer(`SELECT sensor FROM readings WHERE sensor ${condition} AND sensor <> ''`);
  expect(await found('BETWEEN 1 AND 9')).toEqual([['7']]);
  expect(await found('NOT BETWEEN 1 AND 9')).toEqual([['true'], ['north']]);
});

test('a text of a column that is not a number differs from decimals, a computed one is unknown', async () => {
  const answer = await answering();
  const found = (condition: string) =>
    answer(`SELECT sensor FROM readings WHERE ${condition} AND sensor <> ''`);
  const others = [['true'], ['north']];
  expect(await found('sensor <> 7.0')).toEqual(others);
  expect(await found('sensor NOT IN (7, 1.5)')).toEqual(others);
  expect(await found('sensor = 7.0')).toEqual([['7']]);
  expect(await found('sensor IN (7.0, 1e1)')).toEqual([['7']]);
  expect(await found('UPPER(sensor) <> 5')).toEqual([['true'], ['7']]);
  expect(await found('UPPER(sensor) NOT IN (5, 6)')).toEqual([['true'], ['7']]);
});

test('a computed text is compared with a number as an item of SELECT: a truth is 1 or 0, and a fraction is cut off', async () => {
  const answer = await answering();
  const found = (condition: string) => answer(`SELECT sensor FROM readings WHERE ${condition}`);
  expect(await found('UPPER(sensor) = 1')).toEqual([['true']]);
  expect(await found('UPPER(sensor) IN (1, 7)')).toEqual([['true'], ['7']]);
  expect(await found("CONCAT(sensor, '.5') = 7")).toEqual([['7']]);
  expect(await found('sensor = 1')).toEqual([]);
});

test('a CASE whose results may fail is computed as a value, others are conditions', async () => {
  const answer = await answering();
  const found = (condition: string) => answer(`SELECT sensor FROM readings WHERE ${condition}`);
  expect(await found('CASE WHEN d > 0 THEN sensor = 1 ELSE FALSE END')).toEqual([['true']]);
  expect(await found('CASE WHEN sensor = 1 THEN d > 0 ELSE FALSE END')).toEqual([]);
  expect(
    await found('CASE WHEN d > 9 THEN TRUE WHEN sensor IN (1, 8) THEN d > 0 ELSE FALSE END'),
  ).toEqual([['true']]);
});

// DuckDB has no columns of an outer query in a lambda.
test('a lookup finds what is computed from the items of an array', async () => {
  const { values } = await expressions();
  for (const condition of [
    'ARRAY_OVERLAP(numbers, ARRAY[3, NULL])',
    "MV_OVERLAP(mv, ARRAY['a', NULL])",
    "MV_CONTAINS(mv, ARRAY['a'])",
    "ARRAY_CONTAINS(MV_TO_ARRAY(mv), ARRAY['a', 'b'])",
  ]) {
    const found = `LOOKUP(CASE WHEN ${condition} THEN 'alpha' ELSE 'x' END, 'greek', 'none')`;
    const expected = (await values(condition)).map((holds) => (holds ? 'Alpha' : 'none'));
    expect(await values(found), condition).toEqual(expected);
  }
});

test('a comparison of a column of several values with itself compares each value with what is computed from it', async () => {
  const { values } = await expressions();
  expect(await values('mv <> LOWER(mv)')).toEqual([false, false]);
  expect(await values("mv > CONCAT(mv, 'x')")).toEqual([false, false]);
  expect(await values("CONCAT(mv, 'x') > mv")).toEqual([true, true]);
  expect(await values("mv IS DISTINCT FROM CONCAT(mv, '')")).toEqual([false, false]);
  expect(await values('LENGTH(mv) = LENGTH(UPPER(mv)) + 1')).toEqual([false, false]);
  expect(await values("REPLACE(mv, 'a', 'z') > mv")).toEqual([true, false]);
});

test('a condition on the first table of a join, or beside UNNEST, looks at each value of a row', async () => {
  const answer = await answering();
  const pages = (from: string, condition: string) =>
    answer(`SELECT page FROM ${from} WHERE ${condition}`);
  const rows = "edits CROSS JOIN UNNEST(ARRAY['x']) AS u (x)";
  const joined =
    'edits AS e INNER JOIN (SELECT page AS k FROM edits GROUP BY 1) AS p ON e.page = p.k';
  const alone = await pages('edits', 'CHAR_LENGTH(tags) = 7');
  expect(alone).toEqual([['Berlin']]);
  expect(await pages(rows, 'CHAR_LENGTH(tags) = 7')).toEqual(alone);
  expect(await pages(rows, "CHAR_LENGTH(tags) = 7 AND x = 'x'")).toEqual(alone);
  expect(await pages(joined, 'CHAR_LENGTH(e.tags) = 7')).toEqual(alone);
});

test('a lookup finds what is computed from each value of a column that is used twice', async () => {
  const { values } = await expressions();
  const letter = 'SUBSTRING(CONCAT(mv, mv), 1, 1)';
  expect(await values(`LOOKUP(CONCAT(mv, mv), 'greek', 'none')`)).toEqual([
    ['none', 'none'],
    ['none'],
  ]);
  const found = `LOOKUP(CASE WHEN ${letter} = 'a' THEN CONCAT(${letter}, 'lpha') ELSE mv END, 'greek')`;
  expect(await values(found)).toEqual([['Alpha', null], [null]]);
});

test('a lookup finds counts of groups and values of windows', async () => {
  const answer = await answering();
  const named = (key: string) => `LOOKUP(CAST(${key} AS VARCHAR), 'names', 'nobody')`;
  expect(
    await answer(`SELECT ${named('COUNT(*)')}, ${named('LATEST(author)')} FROM edits`),
  ).toEqual([['nobody', 'Anna']]);
  const number = 'ROW_NUMBER() OVER (ORDER BY author)';
  expect(await answer(`SELECT author, ${named(number)} FROM edits GROUP BY author`)).toEqual([
    ['anna', 'nobody'],
    ['ben', 'nobody'],
  ]);
});

test('values that MV_FILTER_ONLY takes from other computed values are an array', async () => {
  const { values } = await expressions();
  const filtered = "MV_FILTER_ONLY(STRING_TO_MV('a,b,a', ','), ARRAY['a'])";
  expect((await values(`LOWER(${filtered})`))[0]).toBe('[a, a]');
  expect((await values("CHAR_LENGTH(MV_FILTER_ONLY('a', ARRAY['a']))"))[0]).toBe(1);
  expect((await values("UPPER(MV_FILTER_ONLY(mv, ARRAY['a', 'b']))"))[0]).toEqual(['A', 'B']);
  expect((await values(`TO_JSON_STRING(JSON_OBJECT('k': ${filtered}))`))[0]).toBe(
    '{"k":["a","a"]}',
  );
});

test('in UNNEST, a column of the rows beside it counts as never null', async () => {
  const answer = await answering();
  const items = (list: string) =>
    answer(`SELECT x FROM edits CROSS JOIN UNNEST(${list}) AS u (x) GROUP BY x`);
  const known = [[1], [2], [3]];
  expect(await items('COALESCE(links, ARRAY[9])')).toEqual(known);
  expect(await items('CASE WHEN links IS NULL THEN ARRAY[9] ELSE links END')).toEqual(known);
  expect(await items('COALESCE(ARRAY_SLICE(links, 9), ARRAY[9])')).toEqual([[9]]);
});

test('NULLIF in an aggregate filters its rows, as the CASE that it stands for does', async () => {
  const answer = await answering();
  const authors = await answer("SELECT ARRAY_AGG(NULLIF(author, 'anna')) FROM edits");
  expect(authors).toEqual([[['ben', 'ben']]]);
});

test('a field of nested data is cast to a text, and averaged, as it is stored', async () => {
  const { values } = await expressions();
  const field = "JSON_VALUE(j, '$.a[1].b' RETURNING BIGINT)";
  expect((await values(field))[0]).toBe(2);
  expect((await values(`CAST(${field} AS VARCHAR)`))[0]).toBe('2.5');
  const answer = await answering();
  const nested = `(SELECT PARSE_JSON(x) AS j FROM (VALUES ('{"a":0.5}'), ('{"a":2}')) AS t (x))`;
  const averages = await answer(
    `SELECT AVG(JSON_VALUE(j, '$.a' RETURNING BIGINT)), SUM(JSON_VALUE(j, '$.a' RETURNING BIGINT)) FROM ${nested}`,
  );
  expect(averages).toEqual([[1.25, 2]]);
});

test('a function of a row without values takes a null', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT GREATEST(tags, 'k'), STRING_FORMAT('%s', tags) FROM edits WHERE page = 'Berlin'",
    ),
  ).toEqual([
    [
      ['k', 'k'],
      ['city', 'capital'],
    ],
    [['k'], ['null']],
  ]);
});

test('nothing overlaps with null, and LIKE of null is null', async () => {
  const { values } = await expressions();
  expect(await values('MV_OVERLAP(MV_APPEND(mv, s), NULL)')).toEqual([false, false]);
  expect(await values("MV_OVERLAP(ARRAY['a'], NULL)")).toEqual([false, false]);
  const answer = await answering();
  expect(await answer("SELECT tags LIKE NULL FROM edits WHERE page = 'Bern'")).toEqual([[null]]);
});

test('several values that are cast to BOOLEAN are grouped as numbers and tested as texts', async () => {
  const answer = await answering();
  const groups = 'SELECT CAST(tags AS BOOLEAN) AS k, COUNT(*) FROM edits GROUP BY 1';
  expect(await answer(groups)).toEqual([[null, 6]]);
  const count = (condition: string) =>
    answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`).then((rows) => rows.flat());
  expect(await count('CAST(tags AS BOOLEAN)')).toEqual([0]);
  expect(await count('NOT CAST(tags AS BOOLEAN)')).toEqual([3]);
  expect(await count("CAST(MV_APPEND(tags, 'true') AS BOOLEAN)")).toEqual([3]);
  expect(await count('CAST(tags AS BOOLEAN) IS NULL')).toEqual([4]);
  expect(await count('CAST(CASE WHEN added > 6 THEN tags END AS BOOLEAN)')).toEqual([0]);
});

test('several values that are cast to times are those of a row as a key of groups', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT CAST(tags AS TIMESTAMP) AS k, COUNT(*) FROM edits GROUP BY 1'),
  ).toEqual([[null, 4]]);
});

test('the cast of a constant that is not finite is computed with it', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT CAST(LN(-1) AS VARCHAR), CAST(1e0 / 0 AS BIGINT), CAST(LN(-1) AS BOOLEAN), CAST(1e0 / 0 AS BOOLEAN)',
    ),
  ).toEqual([['NaN', 9223372036854775807n, false, true]]);
  expect(() => resolved('CAST(LN(-1) AS DOUBLE)')).toThrow('evaluates to an unsupported value');
});

test('the negation of an aggregate that is compared reads no values of rows', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT author, NOT (MIN(added) > 6) FROM edits GROUP BY 1 HAVING NOT (MAX(added) <= 5) ORDER BY 1',
    ),
  ).toEqual([['anna', false]]);
  expect(await answer('SELECT NOT (COUNT(tags) > 2 OR MAX(added) > 50) FROM edits')).toEqual([
    [false],
  ]);
});

test('IS NOT NULL beside LIKE finds a row with a null among its values, beside a set of constants it does not', () => {
  const filtered = (condition: string) => query(`SELECT page FROM edits WHERE ${condition}`).duckdb;
  expect(filtered("tags IS NOT NULL AND tags LIKE 'c%'")).toBe(filtered("tags LIKE 'c%'"));
  expect(filtered("tags IS NOT NULL AND (tags LIKE 'c%' OR tags = 'x')")).toBe(
    filtered("tags LIKE 'c%' OR tags = 'x'"),
  );
  expect(filtered("tags IS NOT NULL AND tags = 'city'")).toBe(filtered("tags = 'city'"));
  expect(filtered("tags IS NOT NULL AND tags IN ('a', 'b')")).not.toBe(
    filtered("tags IN ('a', 'b')"),
  );
});

test('LIKE of any text is IS NOT NULL or unknown', async () => {
  const answer = await answering();
  const nulls = "(SELECT page, MV_FILTER_NONE(tags, ARRAY['capital']) AS t FROM edits)";
  const counted = async (condition: string) =>
    (await answer(`SELECT COUNT(*) FROM ${nulls} WHERE ${condition}`))[0]?.[0];
  expect(await counted("t LIKE '%'")).toBe(await counted('t IS NOT NULL'));
  expect(await counted("t NOT LIKE '%'")).toBe(0);
  expect(await counted("(t LIKE '%') IS NOT FALSE")).toBe(4);
});

test('COALESCE chooses computed values as a whole', async () => {
  const answer = await answering();
  const chosen = "COALESCE(page, STRING_TO_MV('p,q', ','))";
  expect(await answer(`SELECT ${chosen} FROM edits`)).toEqual([
    [['Berlin']],
    [['Bern']],
    [['Berlin']],
    [['p', 'q']],
  ]);
  expect(await answer(`SELECT ${chosen}, COUNT(*) FROM edits GROUP BY 1 ORDER BY 1`)).toEqual([
    ['Berlin', 2],
    ['Bern', 1],
    ['p', 1],
    ['q', 1],
  ]);
});

test('a cast reads the only one of computed values, and fails for several', async () => {
  const answer = await answering();
  const cast = (length: number) => `CAST(MV_SLICE(tags, 0, ${length}) AS BIGINT)`;
  expect(await answer(`SELECT ${cast(1)} FROM edits`)).toEqual([[null], [null], [null], [null]]);
  expect(await answer("SELECT STRING_TO_MV(CAST(added AS VARCHAR), ',') + 1 FROM edits")).toEqual([
    [11],
    [6],
    [null],
    [8],
  ]);
  await expect(answer(`SELECT ${cast(2)} FROM edits`)).rejects.toThrow(
    'Invalid type, cannot cast [ARRAY<STRING>] to [LONG]',
  );
});

test('numbers of a union keep the digits of their own type, also beside a FLOAT', async () => {
  const answer = await answering();
  expect(await answer('SELECT f FROM readings UNION ALL SELECT d FROM readings')).toEqual([
    [0.1],
    [0.5],
    [null],
    [2.5],
    [2],
    [null],
  ]);
});

test('a FLOAT of a union may be too large for 32 bits', async () => {
  const answer = await answering();
  const large = 'SELECT CAST(d * 1e300 AS FLOAT) FROM readings WHERE d > 2';
  expect(await answer(`${large} UNION ALL SELECT d FROM readings WHERE d > 2`)).toEqual([
    [Number.POSITIVE_INFINITY],
    [2.5],
  ]);
});

test('groups have the numbers of an array of FLOATs in 32 bits', async () => {
  const answer = await answering();
  const grouped = await answer('SELECT ARRAY[f, d], COUNT(*) FROM readings GROUP BY 1 ORDER BY 1');
  expect(grouped).toEqual([
    [[null, null], 1],
    [[0.1, 2.5], 1],
    [[0.5, 2], 1],
  ]);
});

test('a branch of CASE that no row takes is dropped, with the columns of its condition', async () => {
  const answer = await answering();
  for (const never of [
    "tags > 'b' AND tags < 'a'",
    "tags = 'city' AND tags <> 'city'",
    "tags NOT LIKE '%'",
    'tags <> tags',
  ])
    expect(
      await answer(`SELECT CASE WHEN ${never} THEN 1 ELSE added END FROM edits`),
      never,
    ).toEqual([[10], [5], [null], [7]]);
  expect(
    await answer("SELECT SUM(CASE WHEN page NOT LIKE '%' THEN added ELSE 0 END) FROM edits"),
  ).toEqual([[0]]);
});

test('outside of filters, an array that a function made is compared as its only item', async () => {
  const { values } = await expressions();
  expect(await values("MV_APPEND(mv, 'x') = 'a'")).toEqual([null, null]);
  expect(await values("MV_SLICE(mv, 0, 1) = 'a'")).toEqual([true, false]);
  const answer = await answering();
  const pages = (condition: string) => answer(`SELECT page FROM edits WHERE ${condition}`);
  expect(await pages("MV_APPEND(tags, 'x') = 'capital'")).toEqual([['Berlin']]);
  expect(await pages("MV_APPEND(tags, 'anna') = author")).toEqual([]);
});

test('an empty array that a function made has no item that equals a value, and is not null', async () => {
  const answer = await answering();
  const authors = (condition: string) => answer(`SELECT author FROM edits WHERE ${condition}`);
  const written = [['anna'], ['ben'], ['ben']];
  for (const condition of [
    "ARRAY_TO_MV(links) <> '9'",
    "ARRAY_TO_MV(links) NOT IN ('8', '9')",
    "ARRAY_TO_MV(links) NOT LIKE '9%'",
    'ARRAY_TO_MV(links) IS NOT NULL',
  ])
    expect(await authors(condition), condition).toEqual(written);
});

test('the text of a condition is made for each of several values', async () => {
  const { values } = await expressions();
  expect(await values("CAST(mv = 'a' AS VARCHAR)")).toEqual([['1', '0'], ['0']]);
});
