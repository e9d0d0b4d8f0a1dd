// Statements whose meaning depends on the engine's version. Expected answers are those of a real
// 33.0.0 or recorded from 39.
import { expect, test } from 'vitest';
import type { EngineVersion } from '../../../src/model/engine-version.ts';
import { lacksOf } from '../../../src/model/engine-version.ts';
import { checkVersion } from '../../../src/server/planning/engine-version.ts';
import { parseStatements } from '../../../src/sql/parse/parse.ts';
import { answering } from '../../sql/statements-over-tables.ts';

const refused = (text: string, version: EngineVersion) => () =>
  checkVersion(parseStatements(text), lacksOf(version));

test('a number beyond 64 bits is out of range before version 37', () => {
  expect(refused('SELECT 9223372036854775808', 33)).toThrow(
    "Numeric literal '9223372036854775808' out of range",
  );
  expect(refused('SELECT added + 99999999999999999999.5 FROM edits', 33)).toThrow('out of range');
  expect(refused('SELECT -9223372036854775808', 33)).not.toThrow();
  expect(refused('SELECT 1e30, 9223372036854775807', 33)).not.toThrow();
  expect(refused('SELECT 9223372036854775808', 37)).not.toThrow();
});

test('a frame excludes no rows before version 37', () => {
  const framed = 'SELECT SUM(added) OVER (ORDER BY page ROWS 2 PRECEDING EXCLUDE TIES) FROM edits';
  expect(refused(framed, 33)).toThrow('Received an unexpected token [EXCLUDE]');
  expect(refused(framed, 37)).not.toThrow();
});

test('a quotient of decimals has all of its digits before version 37, then six', async () => {
  const answer = await answering();
  expect(await answer('SELECT 1.0 / 3', { version: 33 })).toEqual([[1 / 3]]);
  expect(await answer('SELECT 1.0 / 3')).toEqual([[0.333333]]);
});

test('MV_OVERLAP of a column without values is false before version 37, then null', async () => {
  const answer = await answering();
  const statement =
    "SELECT MV_OVERLAP(tags, ARRAY['city']), MV_OVERLAP(MV_APPEND(tags, 'x'), ARRAY['city']) FROM edits WHERE added IS NULL";
  expect(await answer(statement, { version: 33 })).toEqual([[false, null]]);
  expect(await answer(statement)).toEqual([[null, null]]);
});

test('IFNULL is NVL under another name; GROUPING_ID and IS JSON are no functions', async () => {
  const answer = await answering();
  expect(
    await answer("SELECT IFNULL(page, 'none'), IFNULL(added, 0) FROM edits WHERE page IS NULL"),
  ).toEqual([['none', 7]]);
  await expect(answer("SELECT IFNULL(1, 'a')")).rejects.toThrow(
    'Cannot infer return type for IFNULL; operand types: [INTEGER, CHAR(1)]',
  );
  await expect(answer('SELECT GROUPING_ID(page) FROM edits GROUP BY page')).rejects.toThrow(
    'No match found for function signature GROUPING_ID',
  );
  await expect(answer("SELECT 'a' IS JSON")).rejects.toThrow(
    'No match found for function signature IS JSON VALUE',
  );
});

test('FIRST_VALUE and LAST_VALUE take no frame of a number of rows before version 37', async () => {
  const answer = await answering();
  const first = (frame: string) =>
    `SELECT author, FIRST_VALUE(COUNT(*)) OVER (ORDER BY author ${frame}) FROM edits GROUP BY 1`;
  const framed = first('ROWS BETWEEN 1 PRECEDING AND CURRENT ROW');
  await expect(answer(framed, { version: 33 })).rejects.toThrow(
    'Framing of FIRST_VALUE/LAST_VALUE is only allowed with UNBOUNDED or CURRENT ROW. (line [1], column [16])',
  );
  const named =
    'SELECT LAST_VALUE(added) OVER w FROM edits WINDOW w AS (ORDER BY author ROWS 2 PRECEDING)';
  await expect(answer(named, { version: 33 })).rejects.toThrow('Framing of FIRST_VALUE');
  expect(await answer(framed)).toEqual([
    ['anna', 2],
    ['ben', 2],
  ]);
  expect(await answer(first('ROWS UNBOUNDED PRECEDING'), { version: 33 })).toHaveLength(2);
});
