// Tables copied from lines of JSON: the same text as from parsed rows.
import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { formatValue } from '../../../src/cli/lists/columns.ts';
import { type TableLook, tableWriter } from '../../../src/cli/output/table.ts';
import { tableOfLines } from '../../../src/cli/output/table-lines.ts';
import { flush, writerTo } from '../../../src/cli/terminal/stdout.ts';
import { parseRows } from '../../../src/client/line-formats.ts';
import { LineReader } from '../../../src/client/line-reader.ts';

const columnsNamed = (names: readonly string[]) =>
  names.map((name, at) => ({
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
const columns = columnsNamed(['a', 'b']);
const look: TableLook = { header: true };
const wide = ['["a long first text without an end", 123456789012345678901234567890]'];

async function copied(
  lines: readonly string[],
  { batches = 1, within = look, first = wide, of = columns } = {},
) {
  const size = Math.ceil(lines.length / batches);
  const batched = (async function* () {
    yield Buffer.from(`${first.join('\n')}\n`);
    yield Buffer.from(
      `${Array.from({ length: 1000 }, () => (first === wide ? '["x",1]' : first[0])).join('\n')}\n`,
    );
    for (let at = 0; at < lines.length; at += size)
      yield Buffer.from(`${lines.slice(at, at + size).join('\n')}\n`);
  })();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tableOfLines(of, within, new LineReader(batched), () => {}))
    chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString().split('\n').slice(1002);
}

const written = (lines: readonly string[], within = look, first = wide, of = columns) => {
  const { write } = tableWriter(of, within);
  write(parseRows(first.join()) as never);
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
  '"said \\"yes\\" and C:\\\\d"',
  '"\\\\\\\\\\\\"',
  '"維基百科 – 自由的百科全書"',
  '"ab維"',
  '"e\u0301 and 한국어 … “quoted”"',
  '"ไทย ☀ ☀\ufe0f"',
  '"tab\\t\\u0041"',
  '"آن\u200cها می\u200cشود"',
  '"फ़र्रूख़ाबाद और हिन्दी"',
  '"1\ufe0f\u20e3 🫠🫠🫠🫠🫠🫠🫠🫠🫠🫠🫠🫠"',
  '"\u0085\u202e"',
  '123456789012345678901234567890.5',
  '0.1234567890123456',
];

test('every pair of values is written as the writer of tables writes it', async () => {
  const lines = cells.flatMap((a) => cells.map((b) => `[${a},${b}]`));
  expect((await copied(lines, { batches: 7 })).slice(0, -1)).toEqual(written(lines));
});

test.each([80, 24, 9])(
  'a terminal of %i columns cuts and groups them in the same way',
  async (width) => {
    const within: TableLook = {
      ...look,
      width,
      cut: '…',
      groups: true,
      now: 0,
      mayGiveWay: true,
    };
    const lines = cells.flatMap((a) => cells.map((b) => `[${a},${b},12345,1234567]`));
    const first = ['["some text",1,20000,20000]'];
    const of = columnsNamed(['a', 'b', 'year', 'amount']);
    const after = await copied(lines, { batches: 3, within, first, of });
    expect(after.slice(0, -1)).toEqual(written(lines, within, first, of));
  },
);

test('a number that is wider than its column is never cut on a terminal', async () => {
  const within = { ...look, width: 20, cut: '…', groups: true };
  const first = ['["a text that is long",1]'];
  const after = await copied(['["b",1234567]', '["c",2]'], { within, first });
  expect(after).toEqual(['b                  1,234,567', 'c                          2', '']);
});

test('longer texts in the last column use the room of the terminal', async () => {
  const within = { ...look, width: 20, cut: '…' };
  const first = ['[1,"text"]'];
  const after = await copied(['[2,"a longer text"]', '[3,"a text without an end"]'], {
    within,
    first,
  });
  expect(after).toEqual(['2  a longer text', '3  a text without a…', '']);
});

test('a value that is too long for its column widens it', async () => {
  const long = 'x'.repeat(60);
  const after = await copied([`["${long}",1]`, '["x",1]']);
  expect(after[0]?.startsWith(`${long}  `)).toBe(true);
  expect(after[1]).toHaveLength(after[0]?.length ?? 0);
});

test('every letter is copied with the cells that it has', async () => {
  const lines: string[] = [];
  for (let code = 0xa0; code < 0xffff; code += code < 0x500 ? 1 : 7)
    if (code < 0xd800 || code > 0xdfff) lines.push(`["a${String.fromCodePoint(code)}b",1]`);
  expect((await copied(lines, { batches: 9 })).slice(0, -1)).toEqual(written(lines));
});

test('every letter of ASCII is copied, wherever it stands in a text', async () => {
  const lines = Array.from({ length: 96 }, (_, code) =>
    Array.from({ length: 9 }, (_, place) => {
      const letter = JSON.stringify(String.fromCharCode(code + 32)).slice(1, -1);
      return [`["${'x'.repeat(place)}${letter}",1]`, `["${'x'.repeat(place)}${letter}after",1]`];
    }),
  ).flat(2);
  expect((await copied(lines, { batches: 5 })).slice(0, -1)).toEqual(written(lines));
});

test('a slow reader gets every row as it was written, and all rows are counted', async () => {
  const lines = Array.from({ length: 60_000 }, (_, at) => `["${'text '.repeat(at % 6)}",${at}]`);
  let at = 0;
  const more = (async function* () {
    yield Buffer.from(`${wide.join('\n')}\n`);
    for (let size = 1; at < lines.length; size = (size * 7) % 1009) {
      yield Buffer.from(`${lines.slice(at, at + size).join('\n')}\n`);
      at += size;
    }
  })();
  let received = '';
  const slow = new Writable({
    write(chunk, _encoding, done) {
      setImmediate(() => {
        received += String(chunk);
        done();
      });
    },
  });
  const write = writerTo(slow);
  let count = 0;
  const table = tableOfLines(columns, look, new LineReader(more), (rows) => {
    count += rows;
  });
  for await (const chunk of table) await write(chunk);
  await flush(slow);
  expect(received.split('\n').slice(2, -1)).toEqual(written(lines));
  expect(count).toBe(lines.length + 1);
});

test('a line that is not JSON is refused', async () => {
  await expect(copied(['["x",1'])).rejects.toThrow('is not JSON');
});

test('lines are read one by one, or as they came', async () => {
  const batches = (async function* () {
    yield Buffer.from('[1]\n[2]\n[3]\n');
    yield Buffer.from('[4]\n');
    yield Buffer.from('[5]\n[6]\n');
  })();
  const lines = new LineReader(batches);
  const asked: string[] = [];
  for (const most of [1, 1, undefined, 2, 1, undefined, undefined])
    asked.push(String(await lines.next(most)));
  expect(asked).toEqual(['[1]\n', '[2]\n', '[3]\n', '[4]\n', '[5]\n', '[6]\n', 'undefined']);
});
