// Conditions on LOOKUP. Each is rewritten to a condition whose rows a real 33.0.0 finds.
import { expect, test } from 'vitest';
import { withReversedLookups } from '../../../src/sql/expressions/reversed-lookups.ts';
import { fingerprint } from '../../../src/sql/expressions/rewrite.ts';
import { parseExpressionText } from '../../../src/sql/parse/parse.ts';

const printOf = (
  text: string,
  change = (expression: ReturnType<typeof parseExpressionText>) => expression,
) =>
  fingerprint(change(parseExpressionText(text)), ({ names }) => names.join('.')).replaceAll(
    /,"whereLookup":\{.*?\}/g,
    '',
  );

test.each([
  ["(LOOKUP(c, 'l') = 'US') IS NOT FALSE", "(LOOKUP(c, 'l') = 'US') IS TRUE OR c IS NULL"],
  ["('US' = LOOKUP(c, 'l')) IS NOT FALSE", "('US' = LOOKUP(c, 'l')) IS TRUE OR c IS NULL"],
  [
    "(LOOKUP(c, 'l') NOT IN ('US', 'x')) IS NOT TRUE",
    "(LOOKUP(c, 'l') IN ('US', 'x')) IS TRUE OR c IS NULL",
  ],
  [
    "n > 1 AND (LOOKUP(c, 'l') = 'US' OR n > 5) IS NOT FALSE",
    "n > 1 AND (((LOOKUP(c, 'l') = 'US') IS TRUE OR c IS NULL) OR (n > 5) IS NOT FALSE)",
  ],
  [
    "CASE WHEN (LOOKUP(c, 'l') = 'US') IS NOT FALSE THEN 1 ELSE 0 END = 1",
    // The later branches ask whether the condition as it was written is false
    "CASE WHEN (LOOKUP(c, 'l') = 'US') IS TRUE OR c IS NULL THEN 1 WHEN (LOOKUP(c, 'l') = 'US') IS NOT FALSE THEN NULL ELSE 0 END = 1",
  ],
])('keys that the lookup lacks do not meet %s', (written, meant) => {
  expect(printOf(written, withReversedLookups)).toBe(printOf(meant));
});

test.each([
  "((LOOKUP(c, 'l') = 'US') IS NOT FALSE) IS TRUE",
  "((LOOKUP(c, 'l') = 'US') IS NOT FALSE) IS NOT FALSE",
  "((LOOKUP(c, 'l') = 'US') IS FALSE) IS FALSE",
  "((LOOKUP(c, 'l') = 'US') IS FALSE) IS NOT TRUE",
  "NOT ((LOOKUP(c, 'l') = 'US') IS FALSE)",
])('a test of a test is one test: %s', (written) => {
  const meant = "(LOOKUP(c, 'l') = 'US') IS NOT FALSE";
  expect(printOf(written, withReversedLookups)).toBe(printOf(meant, withReversedLookups));
});

const split =
  "CASE WHEN (LOOKUP(c, 'l') = 'US') IS TRUE OR c IS NULL THEN 1 WHEN (LOOKUP(c, 'l') = 'US') IS NOT FALSE THEN NULL ELSE 0 END";
const whole = "CASE WHEN (LOOKUP(c, 'l') = 'US') IS TRUE OR c IS NULL THEN 1 ELSE 0 END";
const written = "CASE WHEN (LOOKUP(c, 'l') = 'US') IS NOT FALSE THEN 1 ELSE 0 END";

test.each([
  [`${written} BETWEEN 1 AND 2`, `${split} BETWEEN 1 AND 2`],
  [`${written} IN (1, 2)`, `${split} IN (1, 2)`],
  [`${written} IS NOT NULL`, `${split} IS NOT NULL`],
  [`${written} + 0 = 1`, `${split} = 1`],
  [`ABS(${written}) = 1`, `ABS(${whole}) = 1`],
  [`${written} * 2 > 1`, `${whole} * 2 > 1`],
])(
  'a CASE of LOOKUP is compared by its branches, or within what it is computed to: %s',
  (text, meant) => {
    expect(printOf(text, withReversedLookups)).toBe(printOf(meant));
  },
);

test.each([
  "NOT LOOKUP(c, 'l') = 'US'",
  "(LOOKUP(c, 'l') = 'US') IS FALSE",
  "(LOOKUP(c, 'l') <> 'US') IS NOT FALSE",
  "(LOOKUP(c, 'l') LIKE 'U%') IS NOT FALSE",
  "(LOOKUP(c, 'l', 'none') = 'US') IS NOT FALSE",
  '(c = 1) IS NOT FALSE',
])('%s stays as it is', (written) => {
  expect(printOf(written, withReversedLookups)).toBe(printOf(written));
});

test('a null key meets the condition only where the lookup has one of the values', () => {
  const written = parseExpressionText("(LOOKUP(c, 'l') IN ('US', 'x')) IS NOT FALSE");
  expect(withReversedLookups(written)).toMatchObject({
    right: { kind: 'is', whereLookup: { name: 'l', values: ['US', 'x'] } },
  });
});
