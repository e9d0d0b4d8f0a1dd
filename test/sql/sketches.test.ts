// Sketches in SQL: the expected texts in base64 are replies of a Druid 33.0.0 to the same statements over the same values.
import { expect, test } from 'vitest';
import { answering, refusal } from './statements-over-tables.ts';

const over = (values: string, sketch: string) => `SELECT ${sketch} FROM (VALUES ${values}) AS t(v)`;
const base64 = (rows: readonly (readonly unknown[])[]) => Buffer.from(rows[0]?.[0] as Uint8Array).toString('base64');

test.each([
  ['(-215), (-3), (-24)', 'DS_HLL(v)', 'AgEHDAMIAwB/7g8Fzb9ECikwewk='],
  ['(-215), (-3), (-24), (-3)', 'DS_THETA(v)', 'AgMDAAAazJMDAAAAAACAP+ZfIiVuzBIIP/eHamRntBwUmL1ENgPEPA=='],
  ["('false'), ('true')", 'DS_HLL(v)', 'AgEHDAMIAgCLWYEEfVGyEA=='],
  ["('false'), ('false'), ('')", 'DS_THETA(v)', 'AQMDAAA6zJMjWZVsQSOjWQ=='],
  ["('')", 'DS_THETA(v)', 'AQMDAAAeAAA='],
  ["('')", 'DS_HLL(v)', 'AgEHDAMMAAA='],
])('the sketch of %s, %s, has the bytes of the engine', async (values, sketch, expected) => {
  const answer = await answering();
  expect(base64(await answer(over(values, sketch)))).toBe(expected);
});

test('a sketch is read from its base64, alone and with others', async () => {
  const answer = await answering();
  const estimate = "SELECT HLL_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('HLLSketch', 'AgEHDAMIAwB/7g8Fzb9ECikwewk='))";
  expect(await answer(estimate)).toEqual([[3.000000014901161]]);
  const both = "THETA_SKETCH_ESTIMATE(THETA_SKETCH_UNION(DECODE_BASE64_COMPLEX('thetaSketch', 'AQMDAAA6zJMjWZVsQSOjWQ=='), DS_THETA(v)))";
  expect(await answer(over("('false'), ('true')", both))).toEqual([[2]]);
  expect(refusal("SELECT HLL_SKETCH_ESTIMATE(DECODE_BASE64_COMPLEX('HLLSketch', 'AAAA'))")).toBe(
    'An HLL sketch ends after [3] bytes instead of [8]',
  );
});

test('settings that no sketch has are refused', () => {
  expect(refusal('SELECT DS_THETA(author, 17) FROM edits')).toBe(
    'The value of the int argument "size" must be a positive integer-power of 2 and greater than 0: 17',
  );
  expect(refusal('SELECT DS_THETA(author, 1073741824) FROM edits')).toBe(
    'The size of a theta sketch must be at most [67108864], not [1073741824]',
  );
  expect(refusal('SELECT DS_HLL(author, 30) FROM edits')).toBe('Log K must be between 4 and 21, inclusive: 30');
  expect(refusal("SELECT DS_HLL(author, 12, 'HLL_9') FROM edits")).toBe('No HLL sketch has the type [HLL_9]; use HLL_4, HLL_6 or HLL_8');
});

test('a million different values are estimated, and sketches of parts of them are merged to the sketch of all', async () => {
  const answer = await answering();
  const thousand = (from: string) => `(VALUES ${Array.from({ length: 1000 }, (_, at) => `(${at})`).join(', ')}) AS ${from}`;
  const values = `SELECT a.x AS part, a.x * 1000 + b.y AS v FROM ${thousand('a(x)')}, ${thousand('b(y)')}`;
  const [[hll, theta] = []] = await answer(`SELECT APPROX_COUNT_DISTINCT_DS_HLL(v), APPROX_COUNT_DISTINCT_DS_THETA(v) FROM (${values})`);
  expect(Number(hll) / 1e6).toBeCloseTo(1, 1);
  expect(Number(theta) / 1e6).toBeCloseTo(1, 1);
  const parts = `SELECT part, DS_THETA(v) AS s FROM (${values}) GROUP BY part`;
  expect(await answer(`SELECT APPROX_COUNT_DISTINCT_DS_THETA(s) FROM (${parts})`)).toEqual([[theta]]);
}, 60_000);
