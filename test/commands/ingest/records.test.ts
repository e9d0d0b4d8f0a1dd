import { expect, test } from 'vitest';
import type { Guess } from '../../../src/commands/ingest/guess-columns.ts';
import type { Input } from '../../../src/commands/ingest/inputs.ts';
import { recordsOf } from '../../../src/commands/ingest/records.ts';

// Each letter is a chunk of its own, in the worst case.
const input = (text: string, size = 1): Input => ({
  path: 'rows.csv',
  sizeBytes: text.length,
  kind: 'file',
  packing: 'none',
  async *content() {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  },
});

const csv: Guess = { format: 'csv', delimiter: ',', hasHeader: true, columns: [] };

async function read(text: string, guess: Guess = csv) {
  const found: unknown[] = [];
  for await (const records of recordsOf(input(text), guess))
    for (const { line, fields, text: own, isOpen } of records)
      found.push([line, guess.format === 'json' ? own : fields, ...(isOpen ? ['open'] : [])]);
  return found;
}

test('records keep the number of their first line: headers, empty lines and quoted breaks count', async () => {
  expect(await read('a,b\r\n1,2\r\n\r\n"x\ny, ""z""",3\r\n4,Zürich')).toEqual([
    [2, ['1', '2']],
    [4, ['x\ny, "z"', '3']],
    [6, ['4', 'Zürich']],
  ]);
});

test('a quote within a field is a letter; one that is never closed is told', async () => {
  expect(await read('a,b\n5" disk,2\n1,"open\n3,4\n')).toEqual([
    [2, ['5" disk', '2']],
    [3, ['1', 'open\n3,4'], 'open'],
  ]);
});

test('lines of JSON and of tab-separated text have no quotes', async () => {
  const json: Guess = { format: 'json', delimiter: ',', hasHeader: false, columns: [] };
  expect(await read('{"a":1}\n\n{"a":"\\""}', json)).toEqual([
    [1, '{"a":1}'],
    [3, '{"a":"\\""}'],
  ]);
  const tsv: Guess = { format: 'tsv', delimiter: '\t', hasHeader: true, columns: [] };
  expect(await read('a\tb\n"1\t2\n', tsv)).toEqual([[2, ['"1', '2']]]);
});
