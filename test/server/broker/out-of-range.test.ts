// Values at the ends of their types: each is computed, or refused in words of ours.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

async function asking() {
  const { post } = api(await startService());
  return (query: string) => post('/svc/v2/sql', { query, resultFormat: 'array' });
}

const source =
  "FROM (VALUES ('abc', 9223372036854775807, 1e300, TIMESTAMP '2024-05-01 00:00:00')) AS v(s, n, d, t)";

test('places, lengths and sizes may be as large as they can be', async () => {
  const ask = await asking();
  const { body } = await ask(
    `SELECT SUBSTRING(s, 2, n), LEFT(s, n), RIGHT(s, n), ARRAY_OFFSET(ARRAY[s], n), ARRAY_ORDINAL(ARRAY[s], -n - 1) ${source}`,
  );
  expect(body).toEqual([['bc', 'abc', 'abc', null, null]]);
  // A time is moved by the lower 32 bits of a number: here -1.
  expect((await ask(`SELECT TIME_SHIFT(t, 'PT1H', n) ${source}`)).body).toEqual([
    ['2024-04-30T23:00:00.000Z'],
  ]);
  expect(
    (
      await ask(
        `SELECT ANY_VALUE(s, 4611686018427387904), EARLIEST_BY(s, t, 2), APPROX_QUANTILE(d, 0.5) ${source}`,
      )
    ).body,
  ).toEqual([['abc', 'ab', 'Infinity']]);
});

test.each([
  [`SELECT TIMESTAMPADD(MONTH, n, t) ${source}`, 'out of range'],
  [`SELECT t + INTERVAL '99999999' YEAR ${source}`, 'out of range'],
  [
    `SELECT TIME_SHIFT(t, 'P1Y1D', 1000000000) ${source}`,
    'A time moved by [1000000000] times [P1Y1D]',
  ],
  [
    "SELECT TIME_SHIFT(TIMESTAMP '2024-05-01 00:00:00', 'P1Y', 1000000000)",
    'A time moved by [1000000000] times [P1Y]',
  ],
  [
    "SELECT TIMESTAMP '2024-05-01 00:00:00' + INTERVAL '999999999' YEAR",
    'outside of the years that the calendar supports',
  ],
  [
    "SELECT HLL_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('HLLSketch', 'AAAA'))",
    'An HLL sketch ends after [3] bytes',
  ],
  [
    "SELECT DECODE_BASE64_COMPLEX('HLLSketch', 'AgEHCAMIAQA=')",
    'An HLL sketch ends after [8] bytes',
  ],
  ["SELECT DS_HLL(DECODE_BASE64_COMPLEX('hyperUnique', 'AQAAAEAAAA=='))", "Cannot apply 'DS_HLL'"],
])('%s is refused', async (query, words) => {
  const { status, body } = await (await asking())(query);
  expect(status).toBe(400);
  expect(body.errorMessage).toContain(words);
});

// With the status of the engine, where sketches are read while the statement runs.
test.each([
  [
    "SELECT THETA_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('thetaSketch', REPEAT('////', 1000000)))",
    'Theta sketches of serialization version [255] are not read',
  ],
])('%s fails on bytes that are not a sketch', async (query, words) => {
  expect(await (await asking())(query)).toMatchObject({
    status: 500,
    body: { errorMessage: expect.stringContaining(words) },
  });
});

test.each([
  [
    "SELECT DECODE_BASE64_COMPLEX('hyperUnique', s) FROM (VALUES ('abc'), ('abcd')) AS v(s)",
    'Function[decode_base64_complex] second argument must be text in base64',
  ],
  [
    "SELECT SUBSTRING('abc', -9223372036854775808, 9223372036854775807)",
    'Function[substring] encountered unknown exception.',
  ],
  ["SELECT PARSE_JSON('{')", 'Function[parse_json] bad string input [{]'],
  ['SELECT n / (n - n) FROM (VALUES (1), (2)) AS v(n)', '/ by zero'],
  [`SELECT ANY_VALUE(s, -1) ${source}`, 'maxStringBytes must be greater than 0'],
  [
    'SELECT (SELECT n FROM (VALUES (1), (2)) AS v(n))',
    'Subquery expression returned more than one row',
  ],
])('%s fails in the words of the real engine', async (query, words) => {
  expect((await (await asking())(query)).body.errorMessage).toBe(words);
});
