// Lists that are longer than what is written out mean what short ones mean, wherever they stand.
import { expect, test } from 'vitest';
import { limits } from '../../../src/model/limits.ts';
import { answering, refusal, translated } from '../statements-over-tables.ts';

// Values that are in no row, so that a list with them and one without them mean the same.
const others = (one: (index: number) => string) =>
  Array.from({ length: 600 }, (_, index) => one(index));
const texts = others((index) => `'nothing ${index} ''"\\é'`);
const numbers = others((index) => String(1_000_000 + index));
const times = others((index) => `MILLIS_TO_TIMESTAMP(${index})`);

// A condition, and what makes it long.
const memberships: readonly (readonly [short: string, long: string])[] = [
  ["page IN ('Berlin', 'Rome')", `page IN ('Berlin', ${texts}, 'Rome')`],
  ["page NOT IN ('Berlin')", `page NOT IN ('Berlin', ${texts})`],
  ["page IN ('Berlin', NULL)", `page IN ('Berlin', NULL, ${texts})`],
  ["page NOT IN ('Berlin', NULL)", `page NOT IN ('Berlin', NULL, ${texts})`],
  ["page IN (author || '', 'Berlin')", `page IN (author || '', 'Berlin', ${texts})`],
  ['added IN (5, 10)', `added IN (5, ${numbers}, 10)`],
  ['added IN (5.5, 10)', `added IN (5.5, ${numbers}, 10)`],
  ["added IN ('5', '10')", `added IN ('5', '10', ${numbers})`],
  ['page IN (1, 2)', `page IN (1, 2, ${numbers})`],
  ["__time IN (TIMESTAMP '2024-01-01')", `__time IN (TIMESTAMP '2024-01-01', ${times})`],
  ["tags IN ('city')", `tags IN ('city', ${texts})`],
  ["tags NOT IN ('city')", `tags NOT IN ('city', ${texts})`],
  ["tags IN ('city', NULL)", `tags IN ('city', NULL, ${texts})`],
  ["SCALAR_IN_ARRAY(page, ARRAY['Berlin'])", `SCALAR_IN_ARRAY(page, ARRAY['Berlin', ${texts}])`],
  [
    "SCALAR_IN_ARRAY(page, ARRAY['Berlin', NULL])",
    `SCALAR_IN_ARRAY(page, ARRAY['Berlin', NULL, ${texts}])`,
  ],
  ['SCALAR_IN_ARRAY(added, ARRAY[5, 10])', `SCALAR_IN_ARRAY(added, ARRAY[5, 10, ${numbers}])`],
  ["MV_OVERLAP(tags, ARRAY['city'])", `MV_OVERLAP(tags, ARRAY['city', ${texts}])`],
  [
    "page = 'Berlin' OR added = 5",
    ["page = 'Berlin'", ...texts.map((text) => `page = ${text}`), 'added = 5'].join(' OR '),
  ],
  [
    'added = 5 OR added > 20',
    [...numbers.map((number) => `${number} = added`), 'added = 5', 'added > 20'].join(' OR '),
  ],
  [
    "page <> 'Berlin'",
    ["page <> 'Berlin'", ...texts.map((text) => `page <> ${text}`)].join(' AND '),
  ],
  ["tags <> 'city'", ["tags <> 'city'", ...texts.map((text) => `tags <> ${text}`)].join(' AND ')],
  [
    "tags = 'city' OR added = 5",
    ["tags = 'city'", ...texts.map((text) => `tags = ${text}`), 'added = 5'].join(' OR '),
  ],
  [
    'added = -5 OR added = 5',
    ['added = 5', ...numbers.map((number) => `added = -${number}`), 'added = -5'].join(' OR '),
  ],
  [
    'added = 5.5 OR added = 5.0',
    ['5.0 = added', 'added = 5.5', ...numbers.map((number) => `added = ${number}.25`)].join(' OR '),
  ],
  [
    "page = 5.5 OR page = 'Berlin'",
    ["page = 'Berlin'", 'page = 5.5', ...numbers.map((number) => `page = ${number}.25`)].join(
      ' OR ',
    ),
  ],
  [
    'added + 1 = 6',
    ['added + 1 = 6', ...numbers.map((number) => `added + 1 = ${number}`)].join(' OR '),
  ],
  [
    "LOWER(page) = 'berlin'",
    ["LOWER(page) = 'berlin'", ...texts.map((text) => `LOWER(page) = ${text}`)].join(' OR '),
  ],
  [
    "CAST(added AS VARCHAR) = '5'",
    [
      "CAST(added AS VARCHAR) = '5'",
      ...texts.map((text) => `CAST(added AS VARCHAR) = ${text}`),
    ].join(' OR '),
  ],
  [
    "NOT (page = 'Berlin')",
    ["NOT (page = 'Berlin')", ...texts.map((text) => `NOT (page = ${text})`)].join(' AND '),
  ],
  [
    "NOT (tags = 'city')",
    ["NOT (tags = 'city')", ...texts.map((text) => `NOT (tags = ${text})`)].join(' AND '),
  ],
  [
    "UPPER(tags) = 'CITY'",
    ["UPPER(tags) = 'CITY'", ...texts.map((text) => `UPPER(tags) = ${text}`)].join(' OR '),
  ],
  [
    'page = 1 OR page = 2',
    ['page = 1', 'page = 2', ...numbers.map((number) => `page = ${number}`)].join(' OR '),
  ],
];

const places: readonly ((condition: string) => string)[] = [
  (condition) => `SELECT COUNT(*) FROM edits WHERE ${condition}`,
  (condition) => `SELECT COUNT(*) FROM edits WHERE NOT (${condition})`,
  (condition) => `SELECT COUNT(*) FROM edits WHERE (${condition}) IS NULL`,
  (condition) => `SELECT COUNT(*) FILTER (WHERE ${condition}) FROM edits`,
  (condition) =>
    `SELECT CASE WHEN ${condition} THEN 'yes' ELSE 'no' END, COUNT(*) FROM edits GROUP BY 1 ORDER BY 2, 1`,
  (condition) => `SELECT SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) FROM edits`,
  (condition) =>
    `SELECT COUNT(*) FROM edits JOIN people ON edits.author = people.name AND (${condition})`,
  (condition) =>
    `SELECT COUNT(*) FROM edits LEFT JOIN people ON edits.author = people.name AND (${condition})`,
  (condition) =>
    `SELECT COUNT(*) FROM edits FULL JOIN people ON edits.author = people.name AND (${condition})`,
];

const outcome = async (work: () => Promise<unknown>) => {
  try {
    return await work();
  } catch (error) {
    return String(error).slice(0, 60);
  }
};

test.each(memberships)('%s means the same with many more values', async (short, long) => {
  const answer = await answering();
  for (const place of places)
    expect([place(short), await outcome(() => answer(place(long)))]).toEqual([
      place(short),
      await outcome(() => answer(place(short))),
    ]);
});

test('a million values in IN are counted', async () => {
  const answer = await answering();
  const million = Array.from({ length: 1_000_000 }, (_, index) => index);
  const known = await answer('SELECT COUNT(*) FROM edits WHERE added >= 0 AND added < 1000000');
  expect(await answer(`SELECT COUNT(*) FROM edits WHERE added IN (${million})`)).toEqual(known);
});

test('a statement within the limits says how large it is', () => {
  const { statement } = translated(
    'SELECT COUNT(*) FROM edits WHERE added IN (1, 2) GROUP BY CUBE (page, author)',
  );
  expect(statement).toMatchObject({ size: { nodes: 24, tables: 1, groupingSets: 4 } });
});

test.each([
  [
    'groupingSets',
    16_384,
    `SELECT COUNT(*) FROM edits GROUP BY CUBE (${Array.from({ length: 14 }, (_, index) => `added + ${index}`)})`,
  ],
  [
    'groupingSets',
    2 ** 60,
    `SELECT COUNT(*) FROM edits GROUP BY CUBE (${Array.from({ length: 60 }, (_, index) => `added + ${index}`)})`,
  ],
  [
    'groupingSets',
    2048,
    'SELECT COUNT(*) FROM edits GROUP BY CUBE (page, author, added, __time, tags), CUBE(page, author, added, __time, tags), ROLLUP(page)',
  ],
  ['nesting', 401, `SELECT ${'('.repeat(1000)}1${')'.repeat(1000)}`],
  ['nesting', 401, `SELECT ${'('.repeat(500_000)}`],
  ['digits', 100_000, `SELECT ${'9'.repeat(100_000)}`],
  ['nameLength', 20_000, `SELECT "${'a'.repeat(20_000)}"`],
  ['nameParts', 101, `SELECT ${'a.'.repeat(10_000)}a`],
  ['tokens', limits.tokens.most + 1, `SELECT ${'1,'.repeat(3_000_000)}1`],
  ['joins', 401, `SELECT 1 FROM edits${', edits'.repeat(2000)}`],
  ['setOperations', 401, `SELECT 1${' UNION ALL SELECT 1'.repeat(2000)}`],
] as const)('limit [%s] refuses [%d] by its name', (name, found, text) => {
  expect(refusal(text)).toMatch(
    new RegExp(
      `^Limit \\[${name}\\] exceeded: \\[${found}\\] of at most \\[${limits[name].most}\\] .*See svcctl help limits$`,
    ),
  );
});

test.each([
  ['quotes', `SELECT ${"'".repeat(3_000_001)}`],
  ['quotes of names', `SELECT ${'"'.repeat(3_000_000)}\n"`],
  ['prefixes of texts', `SELECT ${'_a:'.repeat(1_000_000)}`],
  ['pairs of quotes', `SELECT ${"''".repeat(1_000_000)} ''`],
  ['backslashes', `SELECT U&'${'\\'.repeat(1_000_001)}'`],
])('%s are read in linear time, and refused', (_, text) => {
  expect(refusal(text)).not.toBe('');
});
