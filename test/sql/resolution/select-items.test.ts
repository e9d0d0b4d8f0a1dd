// Names of result columns. Expected names are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { query, refusal } from '../statements-over-tables.ts';

const namesOf = (text: string) => query(text).columns.map(({ name }) => name);

test('a function without parentheses names its column, as it was written', () => {
  expect(namesOf('SELECT CURRENT_DATE, pi, PI * 2, CURRENT_TIMESTAMP(3) FROM edits')).toEqual([
    'CURRENT_DATE',
    'pi',
    'EXPR$2',
    'EXPR$3',
  ]);
  expect(namesOf('SELECT CURRENT_TIMESTAMP AS now FROM edits')).toEqual(['now']);
  expect(namesOf('SELECT t.PI FROM (SELECT PI FROM edits) AS t')).toEqual(['PI']);
  expect(refusal('SELECT * FROM (SELECT PI, PI FROM edits)')).toContain("Column 'PI' is ambiguous");
});

test('an ordinal of GROUP BY counts a star as one item, which is no key', () => {
  expect(refusal('SELECT *, 1 AS c FROM edits GROUP BY 1, 2')).toBe(
    "Unknown field '*' (line [1], column [8])", // which version 33 calls an identifier
  );
  expect(refusal('SELECT 1 AS c, e.* FROM edits AS e GROUP BY 1, 2')).toBe(
    "Unknown field '*' (line [1], column [18])",
  );
  expect(refusal('SELECT * FROM people GROUP BY 1, 2')).toContain('Ordinal out of range');
  expect(query('SELECT *, 1 AS c FROM people GROUP BY __time, name, label').columns).toHaveLength(
    4,
  );
});

test('the case of a function does not distinguish groups', () => {
  expect(namesOf('SELECT pi, COUNT(*) FROM edits GROUP BY PI')).toEqual(['pi', 'EXPR$1']);
});

test('EXPR$ counts the different names before it', () => {
  expect(namesOf('SELECT page, page, COUNT(*), page, MAX(added) FROM edits GROUP BY page')).toEqual(
    ['page', 'page', 'EXPR$1', 'page', 'EXPR$2'],
  );
});

test('a name in ORDER BY that two items have is ambiguous, unless its table says which', () => {
  for (const order of ['page', 'UPPER(page)', 'COUNT(*), page'])
    expect(
      refusal(`SELECT page, author AS page FROM edits GROUP BY 1, 2 ORDER BY ${order}`),
    ).toContain("Column 'page' is ambiguous");
  expect(refusal('SELECT *, __time FROM edits ORDER BY __time')).toContain(
    "Column '__time' is ambiguous",
  );
  expect(query('SELECT page, page FROM edits GROUP BY 1 ORDER BY edits.page').columns).toHaveLength(
    2,
  );
});
