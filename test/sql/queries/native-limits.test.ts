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
});
