// Filters of EXPLAIN, as a real 33.0.0 shows them.
import { expect, test } from 'vitest';
import { answering, translated } from '../statements-over-tables.ts';

function filterOf(condition: string): unknown {
  const { statement } = translated(
    `EXPLAIN PLAN FOR SELECT COUNT(*) FROM edits WHERE ${condition}`,
  );
  if (statement.kind !== 'explain') throw new TypeError('A plan');
  const [{ query }] = JSON.parse(statement.plan) as [{ query: { filter?: unknown } }];
  return query.filter;
}

const equals = (column: string, matchValue: unknown, matchValueType = 'STRING') => ({
  type: 'equals',
  column,
  matchValueType,
  matchValue,
});

test.each([
  [
    "REGEXP_LIKE(page, '^B')",
    { type: 'regex', dimension: 'page', pattern: '^B', extractionFn: null },
  ],
  [
    "ICONTAINS_STRING(page, 'b')",
    {
      type: 'search',
      dimension: 'page',
      query: { type: 'contains', value: 'b', caseSensitive: false },
      extractionFn: null,
    },
  ],
  [
    "MV_CONTAINS(tags, ARRAY['city', 'river'])",
    { type: 'and', fields: [equals('tags', 'city'), equals('tags', 'river')] },
  ],
  [
    "MV_OVERLAP(tags, ARRAY['river', 'city'])",
    { type: 'inType', column: 'tags', matchValueType: 'STRING', sortedValues: ['city', 'river'] },
  ],
  [
    'ARRAY_CONTAINS(links, 1)',
    {
      type: 'arrayContainsElement',
      column: 'links',
      elementMatchValueType: 'LONG',
      elementMatchValue: 1,
    },
  ],
  ['links = ARRAY[1, 2]', equals('links', [1, 2], 'ARRAY<LONG>')],
  [
    "NOT (page = 'Bern' OR added = 3)",
    {
      type: 'and',
      fields: [
        { type: 'not', field: equals('page', 'Bern') },
        { type: 'not', field: equals('added', 3, 'LONG') },
      ],
    },
  ],
  [
    "page > 'A' AND page <= 'B'",
    {
      type: 'range',
      column: 'page',
      matchValueType: 'STRING',
      lower: 'A',
      upper: 'B',
      lowerOpen: true,
    },
  ],
  [
    "page = 'b' OR added = 4 OR page = 'a'",
    {
      type: 'or',
      fields: [
        { type: 'inType', column: 'page', matchValueType: 'STRING', sortedValues: ['a', 'b'] },
        equals('added', 4, 'LONG'),
      ],
    },
  ],
  [
    "page <> 'a' AND page <> 'b'",
    {
      type: 'not',
      field: { type: 'inType', column: 'page', matchValueType: 'STRING', sortedValues: ['a', 'b'] },
    },
  ],
  ["(page = 'a') IS TRUE", equals('page', 'a')],
  [
    "page IS DISTINCT FROM 'a'",
    { type: 'not', field: { type: 'istrue', field: equals('page', 'a') } },
  ],
])('EXPLAIN shows the filter of %s', (condition, filter) => {
  expect(filterOf(condition)).toEqual(filter);
});

test('a key that looks for rows in a list is explained, also below another query', async () => {
  const answer = await answering();
  const keys =
    "SELECT CASE WHEN (page, author) IN (('Berlin', 'ben'), ('Bern', 'ben')) THEN 'in' ELSE 'out' END AS k, COUNT(*) AS v FROM edits GROUP BY 1";
  expect(await answer(`SELECT MAX(v), COUNT(*) FROM (${keys})`)).toEqual([[2, 2]]);
});
