// Conditions beside outer joins, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import type { Catalog, Table } from '../../../src/sql/catalog.ts';
import { answering, newYear, smallTables } from '../statements-over-tables.ts';

const edits = 'SELECT e.author, n.k FROM edits e';
const sorted = (rows: readonly (readonly unknown[])[]) =>
  rows
    .map((row) => JSON.stringify(row))
    .sort()
    .map((row) => JSON.parse(row));
const onName = 'JOIN lookup.names n ON e.author = n.k';

test.each([
  // A condition on the key is one on the author, so rows without a name stay.
  [`${edits} LEFT ${onName} WHERE n.k IN ('ben', 'carl')`, ['ben', 'ben']],
  [`${edits} LEFT ${onName} WHERE n.k NOT IN ('anna', 'carl')`, ['ben', 'ben']],
  [`${edits} LEFT ${onName} WHERE n.k > 'b' AND n.k < 'c'`, ['ben', 'ben']],
  [`${edits} LEFT ${onName} WHERE n.k IN ('carl', 'dora') OR e.added = 5`, ['ben']],
  // These are conditions on the joined rows.
  [`${edits} LEFT ${onName} WHERE n.v IN ('Anna', 'ben')`, ['anna', 'anna']],
  [`${edits} LEFT ${onName} WHERE UPPER(n.k) IN ('BEN', 'CARL')`, []],
  [`${edits} LEFT ${onName} WHERE n.k IN ('ben', 'carl') OR n.k IS NULL`, ['ben', 'ben']],
  [`${edits} INNER ${onName} WHERE n.k IN ('ben', 'carl')`, []],
  [
    `SELECT e.author FROM edits e CROSS JOIN UNNEST(e.links) AS u (l) LEFT ${onName} WHERE n.k IN ('ben', 'carl')`,
    [],
  ],
  [
    `SELECT e.author FROM (SELECT * FROM edits, UNNEST(links) AS u (l)) AS e LEFT ${onName} WHERE n.k IN ('ben', 'carl')`,
    [],
  ],
])('a condition on the key of an outer join filters the first table: [%s]', async (text, names) => {
  const answer = await answering();
  expect((await answer(text)).map(([author]) => author).sort()).toEqual(names);
});

test.each([
  [
    `${edits} RIGHT ${onName} WHERE e.added IN (5, 7)`,
    [
      ['anna', 'anna'],
      [null, 'carl'],
    ],
  ],
  [
    `${edits} RIGHT ${onName} WHERE n.k = 'anna'`,
    [
      ['anna', 'anna'],
      ['anna', 'anna'],
      [null, 'carl'],
    ],
  ],
  [`${edits} RIGHT ${onName} WHERE COALESCE(e.added, 1) IN (5, 7)`, [['anna', 'anna']]],
  [`${edits} RIGHT ${onName} WHERE e.added + 1 IN (6, 8)`, [['anna', 'anna']]],
  [
    `${edits} FULL ${onName} WHERE e.added > 9`,
    [
      ['anna', 'anna'],
      [null, 'carl'],
    ],
  ],
])('rows without a partner in the first table are not filtered: [%s]', async (text, rows) => {
  const answer = await answering();
  expect(sorted(await answer(text))).toEqual(rows);
});

const inTwoSegments: Catalog = {
  ...smallTables([]),
  findTable(schema, name) {
    const table = smallTables([]).findTable(schema, name);
    return name === 'edits' && table ? { ...table, segments: () => halvesOf(table) } : table;
  },
};

const halvesOf = (table: Table) =>
  ['<', '>='].map((side) => ({
    id: side,
    interval: { start: 0, end: 1 },
    ingestion: undefined,
    scan(wanted: Parameters<Table['scan']>[0]) {
      const { sql, files } = table.scan({ ...wanted, columns: [...wanted.columns, '__time'] });
      return { sql: `(FROM ${sql} WHERE __time ${side} ${newYear + 1n})`, files };
    },
  }));

test('each segment is joined by itself and adds the rows without a partner', async () => {
  const answer = await answering();
  const rowsOf = async (kind: string) =>
    sorted(await answer(`${edits} ${kind} ${onName}`, { catalog: inTwoSegments }));
  const right = [
    ['anna', 'anna'],
    ['anna', 'anna'],
    [null, 'carl'],
    [null, 'carl'],
  ];
  expect(await rowsOf('RIGHT')).toEqual(right);
  expect(await rowsOf('FULL')).toEqual([
    ...right.slice(0, 2),
    ['ben', null],
    ['ben', null],
    ...right.slice(2),
  ]);
  expect(await rowsOf('LEFT')).toEqual([...right.slice(0, 2), ['ben', null], ['ben', null]]);
});
