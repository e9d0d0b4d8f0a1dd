// Joins, as a real 33.0.0 plans and refuses them.
import { expect, test } from 'vitest';
import { query, refusal } from '../statements-over-tables.ts';

const joined = (condition: string) =>
  `SELECT COUNT(*) FROM edits e LEFT JOIN people p ON e.author = p.name AND ${condition}`;

test('an outer join may compare the right side with a constant', () => {
  expect(() => query(joined("p.label = 'Anna A.'"))).not.toThrow();
  expect(() => query(joined("'Anna A.' = p.label"))).not.toThrow();
});

test.each([
  ["e.page = 'Bern'", 'unsupported operand types'],
  ["p.label <> 'Anna A.'", "join with 'NOT_EQUALS' condition"],
  ["p.label > 'A'", "join with 'GREATER_THAN' condition"],
])('an outer join has no condition [%s]', (condition, message) => {
  expect(refusal(joined(condition))).toContain(message);
});

test('the value of a lookup is not compared with a constant in a join', () => {
  const join = (type: string, condition: string) =>
    `SELECT COUNT(*) FROM edits e ${type} lookup.names l ON e.author = l.k AND ${condition}`;
  const message = 'a join involving lookup where value column is used in the condition';
  expect(refusal(join('JOIN', "l.v = 'Anna'"))).toContain(message);
  expect(refusal(join('LEFT JOIN', "l.v = 'Anna'"))).toContain(message);
  expect(() => query(join('LEFT JOIN', "l.k = 'anna'"))).not.toThrow();
  // Nor with a value of the other side, beside the key
  expect(refusal(join('JOIN', 'e.page = l.v'))).toContain(message);
  expect(refusal(join('JOIN', 'UPPER(e.page) = l.v'))).toContain(message);
  expect(() => query(join('JOIN', 'e.page = UPPER(l.v)'))).not.toThrow();
});

test('a side of an outer join without rows is not read, so the other one is sorted as on its own', () => {
  const authors = '(SELECT author, SUM(added) AS added FROM edits GROUP BY 1)';
  const nobody = "(SELECT name, label FROM people WHERE name < 'a' AND name > 'b')";
  const sorted = 'x.added + 1, p.label';
  for (const from of [
    `${authors} x LEFT JOIN ${nobody} p ON x.author = p.name`,
    `${nobody} p RIGHT JOIN ${authors} x ON x.author = p.name`,
  ])
    expect(() => query(`SELECT ${sorted} FROM ${from} ORDER BY x.author`), from).not.toThrow();
  expect(
    refusal(
      `SELECT e.page, p.label FROM edits e LEFT JOIN ${nobody} p ON e.author = p.name ORDER BY e.page`,
    ),
  ).toContain('ordering a table by non-time column [[page]]');
});

test('what cannot be planned is refused after wrong names and types, wherever they are', () => {
  const unplanned = [
    "MV_TO_ARRAY(STRING_TO_MV('a', ','))",
    "STRING_AGG(author, ',') WITHIN GROUP (ORDER BY page)",
  ];
  for (const item of unplanned) {
    expect(refusal(`SELECT ${item}, nothing FROM edits`)).toContain("Column 'nothing' not found");
    expect(refusal(`SELECT ${item} FROM edits ORDER BY nothing`)).toContain("Column 'nothing'");
  }
  const join = "edits e LEFT JOIN people p ON e.author = p.name AND p.label > 'A'";
  expect(refusal(`SELECT LENGTH(1, 2) FROM ${join}`)).toContain('Invalid number of arguments');
  expect(refusal(`SELECT 1 FROM ${join}`)).toContain("join with 'GREATER_THAN' condition");
});

const compared = (where: string) =>
  `SELECT COUNT(*) FROM edits e LEFT JOIN people p ON e.author > p.name WHERE ${where}`;

test.each([
  "p.label > 'A' OR p.name LIKE 'x%'",
  "NOT (p.label > 'A')",
  "NOT (p.label > 'A' OR p.name = 'x')",
  'NOT (p.label IS NULL)',
  "(p.label > 'A') IS TRUE",
  "(p.label > 'A') IS FALSE",
  "p.label NOT IN ('A')",
  'p.label IS NOT NULL OR p.name IS NOT NULL',
  "(p.label > 'A' AND e.page = 'Bern') OR p.name = 'x'",
  "COALESCE(p.label, 'A') > 'B'",
  "NULLIF(p.label, 'A') = 'B'",
  "CASE WHEN p.label > 'A' THEN 1 ELSE 0 END = 1",
  "CASE p.label WHEN 'A' THEN 'a' WHEN 'B' THEN 'b' END = 'a'",
])('an outer join whose missing rows [%s] leaves out compares in any way', (where) => {
  expect(() => query(compared(where))).not.toThrow();
});

test.each([
  "p.label IN ('A', 'B')",
  "p.label > 'A' AND p.label < 'K'",
  "p.label > 'K' OR p.label < 'B'",
  "p.label = 'A' OR p.label = 'B'",
  "p.label > 'A' OR e.page = 'Bern'",
  "(p.label > 'A') IS NOT FALSE",
  "COALESCE(p.label, 'C') > 'B'",
  "LOWER(p.label) = 'a'",
])('the planner does not see that [%s] leaves out missing rows', (where) => {
  expect(refusal(compared(where))).toContain("join with 'GREATER_THAN' condition");
});

test.each([
  ['(SELECT k AS u, v AS c FROM lookup.names) AS l', 'l.u', undefined],
  ['(SELECT v AS u, k AS c FROM lookup.names) AS l', 'l.c', undefined],
  ['(SELECT LOWER(v) AS u FROM lookup.names) AS l', 'l.u', undefined],
  ["(SELECT v AS u FROM lookup.names WHERE v <> 'x') AS l", 'l.u', undefined],
  ['lookup.names AS l', 'l.v', '"author" == "j0.v"'],
  ['(SELECT v AS u FROM lookup.names) AS l', 'l.u', '"author" == "j0.v"'],
])('a lookup is joined by its key, whatever its name: %s by %s', (lookup, column, words) => {
  const statement = `SELECT COUNT(*) FROM edits AS e JOIN ${lookup} ON e.author = ${column}`;
  if (words === undefined) expect(() => query(statement)).not.toThrow();
  else expect(refusal(statement)).toContain(words);
});

test('an outer join by equal values may also say that they are not null', () => {
  const on = (condition: string) =>
    `SELECT COUNT(*) FROM edits AS e LEFT JOIN people AS p ON e.author = p.name AND ${condition}`;
  expect(() => query(on('e.author IS NOT NULL AND p.name IS NOT NULL'))).not.toThrow();
  expect(() => query(on('e.author IS NULL'))).not.toThrow();
  expect(refusal(on('e.page IS NOT NULL'))).toContain("'IS_NOT_NULL' condition");
});
