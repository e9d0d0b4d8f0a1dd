// Quotes in CSV. What is expected of a line is what the real engine's sampler answered (33.0.0).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { csvValues } from '../../../src/server/ingestion/csv-lines.ts';
import type { DelimitedFormat } from '../../../src/server/ingestion/input-format.ts';
import { stageRawRows } from '../../../src/server/ingestion/stage-raw-rows.ts';
import { randomFrom } from '../../support/random.ts';
import { engineFor, temporaryFolder, temporaryStorage } from '../../support/storage.ts';

const format: DelimitedFormat = {
  type: 'csv',
  delimiter: ',',
  listDelimiter: '\u0001',
  columns: ['a', 'b', 'c'],
  findColumnsFromHeader: false,
  skipHeaderRows: 0,
  tryParseNumbers: false,
};
const wanted = { names: [], discover: true, discoverNulls: false };

/** The rows of a file with a content, or of several files, read whole and for a sampler. */
async function staged() {
  const folder = await temporaryFolder();
  const engine = engineFor(await temporaryStorage(), { allowedFolders: [folder] });
  return (
    given: string | Buffer | readonly string[],
    { name = 'rows.csv', skipHeaderRows = 0, tryParseNumbers = false } = {},
  ) =>
    engine.session(async (session) => {
      const contents: readonly (string | Buffer)[] = [given].flat();
      const files = contents.map((content, index) => {
        const path = join(folder, `${index}-${name}`);
        return { name, path, sizeBytes: content.length };
      });
      for (const [index, { path }] of files.entries()) await writeFile(path, contents[index] ?? '');
      const rowsOf = async (table: string, maxRows?: number) => {
        const toRead = { ...wanted, ...(maxRows !== undefined && { maxRows }) };
        await stageRawRows(
          session,
          table,
          files,
          { ...format, skipHeaderRows, tryParseNumbers },
          toRead,
          folder,
        );
        const found = await session.rows(`SELECT f0, f1, f2 FROM ${table}`);
        await session.run(`DROP TABLE ${table}`);
        return found;
      };
      return { whole: await rowsOf('whole'), sampled: await rowsOf('sampled', 100) };
    });
}

test.each<[string, (string | null)[]]>([
  ['"a,b",,""', ['a,b', null, '']],
  ['"a""b",1,2', ['a"b', '1', '2']],
  ['"{"k": "v, w", "l": 2}",1,2', ['{"k": "v, w", "l": 2}', '1', '2']],
  [String.raw`"{\"k\": \"v, w\"}",1,2`, [String.raw`{\"k\": \"v, w\"}`, '1', '2']],
  [String.raw`"a\"b",1,2`, [String.raw`a\"b",1,2`, null, null]],
  ['"d"e,1,2', ['d"e,1,2', null, null]],
  [' "sp",1,2', [' "sp"', '1', '2']],
  ['"sp" ,1,2', ['sp" ,1,2', null, null]],
  ['a"b",1,2', ['a"b"', '1', '2']],
  ['a""b,1,2', ['a"b', '1', '2']],
  ['"open,1,2', ['"open,1,2', null, null]],
  ['""",1,2', ['",1,2', null, null]],
  ['1,""a,2', ['1', '"a,2', null]],
  ['1,"a,b"c,d",7', ['1', 'a,b"c,d",7', null]],
  ['1,"a"b"c",7', ['1', 'a"b"c', '7']],
  ['1,2,"', ['1', '2', '"']],
  ['1,2,"a"b', ['1', '2', 'a"b']],
  ['1,2,"""', ['1', '2', '"']],
  ['1,2,"""""', ['1', '2', '""']],
  ['1,2,a"""b', ['1', '2', 'a""b']],
  ['"a"x"","b","c"', ['a"x"', 'b', 'c']],
  ['"a" "b,c",1,2', ['a" "b,c', '1', '2']],
  ['""a"",1,2', ['"a"', '1', '2']],
  ['"a"b""c,d""",1,2', ['a"b"c,d"",1,2', null, null]],
  ['x\u0000y,"a\u0000",2', ['x\u0000y', 'a\u0000', '2']],
])('a line %s, and the line after it is a row of its own', async (line, values) => {
  const rowsOf = await staged();
  const rows = [values, ['x', '3', '4']];
  expect(await rowsOf(`${line}\nx,3,4`)).toEqual({ whole: rows, sampled: rows });
});

test('rows stand in the order of their files, whose positions reports name', async () => {
  const rowsOf = await staged();
  const { whole } = await rowsOf(['"d"e,1\n', '1,2,3\n', ' "f",2,3\n', '4,5,6\n']);
  expect(whole.map(([a]) => a)).toEqual(['d"e,1', '1', ' "f"', '4']);
});

test('a quoted field ends with its line', async () => {
  const rowsOf = await staged();
  const rows = [
    ['"a', null, null],
    ['b"', '1', '2'],
  ];
  expect(await rowsOf('"a\r\nb",1,2\r\n')).toEqual({ whole: rows, sampled: rows });
});

test('lines that end with two carriage returns begin without a line feed', async () => {
  const rowsOf = await staged();
  const rows = [
    ['1', '2', '3'],
    ['x', '4', '5'],
  ];
  const content = 'head\r\r\n1,2,3\r\r\n\r\r\nx,"4",5\r\r\n';
  expect(await rowsOf(content, { skipHeaderRows: 1 })).toEqual({ whole: rows, sampled: rows });
  expect((await rowsOf(content)).whole).toEqual([['head', null, null], ...rows]);
});

test('an odd quote is found behind many pieces, in a compressed file too', async () => {
  const rowsOf = await staged();
  const content = Buffer.from(`${'"1","2","3"\r\n'.repeat(30_000)}"d"e,1,2\nx,3,4\n`);
  for (const [name, stored] of [
    ['rows.csv', content],
    ['rows.csv.gz', gzipSync(content)],
  ] as const) {
    const { whole } = await rowsOf(stored, { name });
    expect(whole).toHaveLength(30_002);
    expect(whole.slice(-2)).toEqual([
      ['d"e,1,2', null, null],
      ['x', '3', '4'],
    ]);
  }
});

test('numbers are read as Java reads them, and shown as it shows them', async () => {
  const rowsOf = await staged();
  const texts = [
    ['007', '-7', '9223372036854775807'],
    ['+7', '1e3', '1.5f'],
    ['.5', '5.', '2.50'],
    ['9223372036854775808', '1e400', '-1e400'],
    ['-0', '-0.0', '1e-400'],
    ['7d', '12345678901234567890', '1e'],
    ['0x10', 'NaN', '1L'],
    ['1\u00011e1\u0001a', '1\u0001', ' 3'],
  ];
  const rows = [
    ['7', '-7', '9223372036854775807'],
    ['7.0', '1000.0', '1.5'],
    ['0.5', '5.0', '2.5'],
    ['9.223372036854776E18', 'Infinity', '-Infinity'],
    ['0', '-0.0', '0.0'],
    ['7.0', '1.2345678901234567E19', '1e'],
    ['0x10', 'NaN', '1L'],
    ['1\u000110.0\u0001a', '1\u0001', ' 3'],
  ];
  const content = texts.map((values) => values.join(',')).join('\n');
  expect((await rowsOf(content, { tryParseNumbers: true })).whole).toEqual(rows);
});

test('files with any quotes have the values of their lines', async () => {
  const rowsOf = await staged();
  const random = randomFrom(7);
  for (let count = 0; count < 400; count++) {
    const end = random() < 0.5 ? '\n' : '\r\n';
    const parts = ['"', '"', '""', ',', ',', 'a', ' ', end, end, end, '",', ',"', `"${end}"`, 'é'];
    const length = 1 + Math.floor(random() * 24);
    const content = Array.from(
      { length },
      () => parts[Math.floor(random() * parts.length)] ?? '',
    ).join('');
    const lines = content.split(end);
    const rows = lines.slice(0, lines.at(-1) === '' ? -1 : undefined).map((line) => {
      const [a = null, b = null, c = null] = csvValues(line);
      return [a, b, c];
    });
    expect(await rowsOf(content), JSON.stringify(content)).toEqual({ whole: rows, sampled: rows });
  }
});
