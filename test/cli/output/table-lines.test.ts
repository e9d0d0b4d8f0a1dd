// Tables copied from lines of JSON: the same text as from parsed rows.
import { expect, test } from 'vitest';
import { formatValue } from '../../../src/cli/lists/columns.ts';
import { tableWriter } from '../../../src/cli/output/table.ts';
import { tableOfLines } from '../../../src/cli/output/table-lines.ts';
import { widthOf } from '../../../src/cli/terminal/width.ts';
import { parseRows } from '../../../src/client/line-formats.ts';
import { visibleLine } from '../../../src/model/visible-text.ts';

const columns = ['a', 'b'].map((name, at) => ({
  name,
  isVerbatim: true as const,
  value: (row: readonly unknown[]) => {
    const value = row[at];
    return typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : (value as string | number | bigint | boolean | null);
  },
  show: formatValue,
}));
const look = { color: false, header: true };
const wide = ['["a long first text without an end", 123456789012345678901234567890]'];

async function copied(lines: readonly string[], batches = 1) {
  const size = Math.ceil(lines.length / batches);
  const more = (async function* () {
    yield Buffer.from(`${Array.from({ length: 1000 }, () => '["x",1]').join('\n')}\n`);
    for (let at = 0; at < lines.length; at += size)
      yield Buffer.from(`${lines.slice(at, at + size).join('\n')}\n`);
  })();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tableOfLines(columns, look, parseRows(wide.join()) as never, more))
    chunks.push(chunk);
  return Buffer.concat(chunks).toString().split('\n').slice(1002);
}

const written = (lines: readonly string[]) => {
  const { write } = tableWriter(columns, look);
  write(parseRows(wide.join()) as never);
  return lines.map((line) => write(parseRows(line) as never).replace(/\n$/, ''));
};

const cells = [
  '"plain"',
  '""',
  '"  spaces  "',
  '"Köln Ελλάδα Москва"',
  '"日本語 🫠"',
  '"\\"quoted\\" \\n \\u00e9"',
  '"\u007f\u00ad"',
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '12.5',
  '12.50',
  '3.0',
  '-3.0',
  '0.0',
  '-0.0',
  '0.5',
  '-0.5',
  '0.000001',
  '0.0000001',
  '1.0E20',
  '1e3',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775807.0',
  '0.1234567890123456789',
  '123456789012345.0',
  '1234567890123456.0',
  '0.00012',
  '[1,[2,"x"]]',
  '{"k":[1,2]}',
  '["a, b"]',
  '1.37',
  '100',
  '10.0',
];

test('every pair of values is written as the writer of tables writes it', async () => {
  const lines = cells.flatMap((a) => cells.map((b) => `[${a},${b}]`));
  expect((await copied(lines, 7)).slice(0, -1)).toEqual(written(lines));
});

test('a value that is too long for its column widens it', async () => {
  const long = 'x'.repeat(60);
  const after = await copied([`["${long}",1]`, '["x",1]']);
  expect(after[0]?.startsWith(`${long}  `)).toBe(true);
  expect(after[1]).toHaveLength(after[0]?.length ?? 0);
});

test('letters that are copied as one cell have that width, and stay as they are', () => {
  for (const [from, to] of [
    [0xc0, 0x27f],
    [0x380, 0x47f],
  ] as const)
    for (let code = from; code <= to; code++) {
      const letter = String.fromCodePoint(code);
      expect([code, widthOf(letter), visibleLine(letter)]).toEqual([code, 1, letter]);
    }
});

test('a line that is not JSON is refused', async () => {
  await expect(copied(['["x",1'])).rejects.toThrow('is not JSON');
});
