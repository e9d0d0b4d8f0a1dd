// Functions of text over columns, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

test('SUBSTRING of a column counts UTF-16 units, and is null beyond the end', async () => {
  const answer = await answering();
  const cut = async (text: string, bounds: string) => {
    const [row] = await answer(
      `SELECT SUBSTRING(CONCAT('${text}', LEFT(page, 0)), ${bounds}) FROM edits WHERE page = 'Bern'`,
    );
    return row?.[0];
  };
  expect(await cut('abc', '1, 2')).toBe('ab');
  expect(await cut('abc', '3')).toBe('c');
  expect(await cut('abc', '4')).toBeNull();
  expect(await cut('', '1, 2')).toBeNull();
  expect(await cut('Zürich', '2, 2')).toBe('ür');
  expect(await cut('a😀b', '4')).toBe('b');
  expect(await cut('a😀b', '2, 2')).toBe('😀');
});
