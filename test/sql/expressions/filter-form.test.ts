// Filters that mean something else than the same expression elsewhere, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

test('a CAST to BOOLEAN is left out of a filter', async () => {
  const answer = await answering();
  const counted = (condition: string) => answer(`SELECT COUNT(*) FROM edits WHERE ${condition}`);
  expect(await counted("CAST(REPLACE(page, 'Berlin', 'True') AS BOOLEAN)")).toEqual([[2]]);
  expect(await counted("CAST(REPLACE(page, 'Berlin', '7') AS BOOLEAN)")).toEqual([[0]]);
  expect(await counted("NOT CAST(REPLACE(page, 'Berlin', '7') AS BOOLEAN)")).toEqual([[3]]);
  expect(await counted('CAST(added * 0.05e0 AS BOOLEAN)')).toEqual([[3]]);
});
