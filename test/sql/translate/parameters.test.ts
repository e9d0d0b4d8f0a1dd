import { expect, test } from 'vitest';
import { answering, refusal } from '../statements-over-tables.ts';

test('equal values of `?` group the items that name them', async () => {
  const answer = await answering();
  const day = { type: 'VARCHAR', value: 'P1D' };
  expect(
    await answer(
      'SELECT TIME_FLOOR(__time, ?), COUNT(*) FROM edits GROUP BY TIME_FLOOR(__time, ?) ORDER BY 1',
      {
        parameters: [day, day],
      },
    ),
  ).toEqual([
    [1_704_067_200_000, 2],
    [1_704_153_600_000, 1],
    [1_704_240_000_000, 1],
  ]);
  expect(
    refusal('SELECT TIME_FLOOR(__time, ?), COUNT(*) FROM edits GROUP BY TIME_FLOOR(__time, ?)', {
      parameters: [day, { type: 'VARCHAR', value: 'P1M' }],
    }),
  ).toContain('is not being grouped');
});

test('an array among the values of `?` may hold nulls, and must hold something', async () => {
  const answer = await answering();
  const given = (value: unknown) => ({ parameters: [{ type: 'ARRAY', value }] });
  expect(
    await answer('SELECT page FROM edits WHERE SCALAR_IN_ARRAY(page, ?)', given(['Bern', null])),
  ).toEqual([['Bern'], [null]]);
  expect(refusal('SELECT ?', given([]))).toBe('Require at least 1 argument');
});

test('a `?` beyond the values is refused by its position', () => {
  expect(refusal('SELECT ?, ?', { parameters: [{ type: 'BIGINT', value: 1 }] })).toBe(
    'No value bound for parameter (position [2])',
  );
});

test.each([
  ['INTEGER', 3_000_000_000, -1_294_967_296],
  ['SMALLINT', 70_000, 4464],
  ['TINYINT', 300, 44],
  ['INTEGER', 7.5, 7],
  ['BIGINT', 3_000_000_000, 3_000_000_000],
  ['BIGINT', 9_300_000_000_000_000_000n, -9_146_744_073_709_551_616n],
  ['DECIMAL', 7, 7],
  ['NUMERIC', 1.25, 1.25],
  ['NUMERIC', 1e25, 1e25],
  ['NVARCHAR', 'x', 'x'],
  ['BIT', true, true],
])('a value of type %s may be %s, as Java reads it', async (type, value, expected) => {
  const answer = await answering();
  expect(await answer('SELECT ?', { parameters: [{ type, value }] })).toEqual([[expected]]);
});

test.each([
  ['VARCHAR', 7],
  ['VARCHAR', true],
  ['CHAR', [1]],
  ['NUMERIC', '7'],
  ['BIGINT', 1e300],
  ['BIT', 1],
  ['OTHER', 'x'],
  ['NULL', 7],
])('a value of type %s is not %j', (type, value) => {
  expect(refusal('SELECT ?', { parameters: [{ type, value }] })).toBe('Cannot handle query');
});

test('the context may name the present', async () => {
  const answer = await answering();
  const rows = await answer('SELECT CURRENT_TIMESTAMP', {
    context: { sqlCurrentTimestamp: '2020-01-01T00:00:00Z' },
  });
  expect(rows).toEqual([[1_577_836_800_000]]);
});

test.each([
  ['2020', '2020'],
  [1_577_836_800_000, '2020'],
])('the present may be %j', async (sqlCurrentTimestamp, year) => {
  const answer = await answering();
  expect(
    await answer("SELECT TIME_FORMAT(CURRENT_TIMESTAMP, 'yyyy')", {
      context: { sqlCurrentTimestamp },
    }),
  ).toEqual([[year]]);
});

test.each([
  ['Jan 1 2020', 'Invalid format: "Jan 1 2020"'],
  [[1], 'must be an ISO 8601 time or milliseconds, not [[1]]'],
  [1e300, 'must be an ISO 8601 time or milliseconds, not [1'],
])('%j is no present', (sqlCurrentTimestamp, said) => {
  expect(refusal('SELECT CURRENT_TIMESTAMP', { context: { sqlCurrentTimestamp } })).toContain(said);
});

test.each([
  '2024-01-01 01:00:00',
  '2024-01-01T01:00:00',
  '2024-01-01T01:00:00Z',
  '2024-01-01T03:00+02:00',
  1_704_070_800_000,
  '1704070800000',
])('the TIMESTAMP %j is a clock reading of the zone', async (value) => {
  const answer = await answering();
  const [row] = await answer('SELECT ?', {
    parameters: [{ type: 'TIMESTAMP', value }],
    context: { sqlTimeZone: 'Asia/Kolkata' },
  });
  expect(row).toEqual([1_704_070_800_000 - 5.5 * 3_600_000]);
});
