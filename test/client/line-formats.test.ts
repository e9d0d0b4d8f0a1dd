import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type LineFormat, linesOf, rowsOf, wholeLinesOf } from '../../src/client/line-formats.ts';
import { formatJson } from '../../src/model/json.ts';

const table = {
  objectLines: '{"a":1}\n{"a":"é"}\n\n',
  arrayLines: '[1]\n["é"]\n\n',
  csv: 'a,b\n1,"x\n\n""y"""\n\n',
};
const rows = {
  objectLines: [{ a: 1 }, { a: 'é' }],
  arrayLines: [[1], ['é']],
  csv: [
    ['a', 'b'],
    ['1', 'x\n\n"y"'],
  ],
};
const formats: LineFormat[] = ['objectLines', 'arrayLines', 'csv'];

async function* inPieces(text: string, size: number): AsyncIterable<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

const all = async (text: string, format: LineFormat, size = 7) =>
  (await listed(rowsOf(inPieces(text, size), format))).flat();

test.each(formats)('%s are whole rows, however they arrive', async (format) => {
  for (let size = 1; size < 30; size++)
    expect(await all(table[format], format, size)).toEqual(rows[format]);
});

test.each(formats)('%s that lack the empty line at the end were cut off', async (format) => {
  for (let length = 1; length < Buffer.from(table[format]).length; length++) {
    const part = Buffer.from(table[format]).subarray(0, length).toString('latin1');
    await expect(all(part, format)).rejects.toThrow(
      'The service stopped in the middle of its reply',
    );
  }
  await expect(all('', format)).rejects.toThrow('The service stopped in the middle of its reply');
});

test('no rows are an empty line', async () => {
  expect(await all('\n\n', 'objectLines', 1)).toEqual([]);
  expect(await all('\n', 'csv')).toEqual([]);
  expect(await all('a,b\n\n', 'csv')).toEqual([['a', 'b']]);
});

test('what is passed on ends without the empty line', async () => {
  const passed = await listed(wholeLinesOf(inPieces(table.csv, 5), 'csv'));
  expect(Buffer.concat(passed).toString()).toBe(table.csv.slice(0, -1));
  expect((await listed(linesOf(inPieces(table.arrayLines, 99), 'arrayLines'))).join()).toBe(
    '[1]\n["é"]',
  );
});

test('an empty field, an empty text and the row of one of them', async () => {
  expect(await all('a,,\n,"",b\n""\n\n', 'csv')).toEqual([['a', '', ''], ['', '', 'b'], ['']]);
});

test('a row of 10 MB is read in one go, and a long integer exactly', async () => {
  const long = 'x'.repeat(10e6);
  expect(await all(`["${long}",9007199254740993]\n\n`, 'arrayLines', 16 * 1024)).toEqual([
    [long, 9_007_199_254_740_993n],
  ]);
  expect(await all(`"${long}",1\n\n`, 'csv', 16 * 1024)).toEqual([[long, '1']]);
});

test.each([
  [
    'objectLines',
    '{"a":1}\nnonsense\n\n',
    'A row of the result is not JSON, among those beginning with [{"a":1} nonsense]',
  ],
  ['csv', '"a"b\n\n', 'A row of the result is not CSV, near [b]'],
] as const)('a broken row of %s is shown', async (format, text, problem) => {
  await expect(all(text, format, 99)).rejects.toThrow(problem);
});

test('whatever is written is read again', async () => {
  const field = fc.oneof(fc.string(), fc.constantFrom('"', ',', '\n', '\n\n', '""', ',"'));
  const quoted = (text: string) =>
    text === '' || /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(field, { minLength: 1 })),
      fc.integer({ min: 1, max: 20 }),
      async (records, size) => {
        const csv = `${records.map((record) => `${record.map(quoted).join(',')}\n`).join('')}\n`;
        expect(await all(csv, 'csv', size)).toEqual(records);
        const lines = `${records.map((record) => `${formatJson(record)}\n`).join('')}\n`;
        expect(await all(lines, 'arrayLines', size)).toEqual(records);
      },
    ),
  );
});
