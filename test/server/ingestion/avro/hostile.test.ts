// Files of Avro that are made to do harm: each ends its own reading, with a sentence, and takes
// neither time nor memory of the service.
import { existsSync, readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Container } from '../../../../src/server/avro/container.ts';
import { unpackSnappy } from '../../../../src/server/avro/snappy.ts';
import { SpecFields } from '../../../../src/server/checks/spec-fields.ts';
import { MemoryWatch } from '../../../../src/server/engine/memory-watch.ts';
import { readableFiles } from '../../../../src/server/ingestion/avro-files.ts';
import { parseInputFormat } from '../../../../src/server/ingestion/input-format.ts';
import { outsideWith } from '../../../support/outside.ts';
import { temporaryFolder } from '../../../support/storage.ts';
import { bytes, container, fileWith, long, type RawBlock } from './containers.ts';

const format = parseInputFormat(new SpecFields({ type: 'avro_ocf' }, 'inputFormat'));
const record = (fields: readonly object[]) => ({ type: 'record', name: 'R', fields });
const row = record([{ name: 'a', type: 'long' }]);

async function read(
  content: Buffer,
  signal = new AbortController().signal,
  maxRows?: number,
  memory = new MemoryWatch(4 * 1024 ** 3),
): Promise<string> {
  const path = await fileWith(content);
  const place = { outside: outsideWith(), stagingFolder: await temporaryFolder(), memory, signal };
  const [file] = await readableFiles(
    [{ name: 'made', path, sizeBytes: content.length }],
    format,
    place,
    maxRows,
  );
  return readFileSync(file?.path ?? '', 'utf8');
}

const one: RawBlock = { count: 1, data: long(1) };

/** Snappy without any compression, and a copy of what was there: `ab` five times. */
const snappy = Buffer.from([10, (2 - 1) << 2, 0x61, 0x62, ((8 - 1) << 2) | 2, 2, 0]);

test('blocks of snappy, deflate and none are read', async () => {
  expect(
    await read(
      container(row, 'null', [one, { count: 2, data: Buffer.concat([long(2), long(-3)]) }]),
    ),
  ).toBe('{"a":1}\n{"a":2}\n{"a":-3}\n');
  expect(await read(container(row, 'deflate', [{ count: 1, data: deflateRawSync(long(9)) }]))).toBe(
    '{"a":9}\n',
  );
  const packed = Buffer.concat([Buffer.from([1, 0]), long(9), Buffer.alloc(4)]);
  expect(await read(container(row, 'snappy', [{ count: 1, data: packed }]))).toBe('{"a":9}\n');
  expect(unpackSnappy(snappy, 100).toString()).toBe('ababababab');
  expect(
    await read(
      container(row, 'null', [{ count: 3, data: Buffer.concat([long(1), long(2), long(3)]) }]),
      undefined,
      2,
    ),
  ).toBe('{"a":1}\n{"a":2}\n');
});

test('what a process that reads has for itself counts against the memory of the service', async () => {
  const rows = { count: 200_000, data: Buffer.concat(Array(200_000).fill(long(1))) };
  const blocks = Array<RawBlock>(20).fill(rows);
  await expect(
    read(container(row, 'null', blocks), undefined, undefined, new MemoryWatch(0)),
  ).rejects.toThrow('Not enough memory');
});

test.each<[string, Buffer, string]>([
  ['ends early', snappy.subarray(0, 3), 'ends too early'],
  [
    'says a size of a terabyte',
    Buffer.from([255, 255, 255, 255, 127]),
    'has more than [100] bytes',
  ],
  ['says a size without end', Buffer.alloc(20, 255), 'has more than [100] bytes'],
  [
    'refers to bytes before its beginning',
    Buffer.from([10, 0, 0x61, (7 << 2) | 2, 9, 0]),
    'refers to bytes before its beginning',
  ],
  [
    'has more than it says',
    Buffer.from([1, (2 - 1) << 2, 0x61, 0x62]),
    'has more bytes than it says',
  ],
  ['has less than it says', Buffer.from([3, 0, 0x61]), 'has fewer bytes than it says'],
])('a block of snappy that %s is refused', (_, packed, said) => {
  expect(() => unpackSnappy(packed, 100)).toThrow(said);
});

const nested = (depth: number): object =>
  depth === 0 ? { type: 'array', items: 'int' } : { type: 'array', items: nested(depth - 1) };
const self = { type: 'record', name: 'R', fields: [{ name: 'next', type: ['null', 'R'] }] };
const many = Array.from({ length: 30_000 }, (_, at) => ({ name: `f${at}`, type: 'int' }));

test.each<[string, Buffer, string]>([
  ['is empty', Buffer.alloc(0), 'it is not an Avro container file'],
  ['is a web page', Buffer.from('<html></html>'), 'it is not an Avro container file'],
  ['ends within its header', container(row, 'null', []).subarray(0, 40), 'it ends too early'],
  ['ends within a block', container(row, 'null', [one]).subarray(0, -3), 'it ends too early'],
  [
    'says a header of a terabyte',
    Buffer.concat([Buffer.from('Obj\u0001'), long(1), long(2 ** 40)]),
    'its header has more than [1048576] bytes',
  ],
  [
    'says a header of a billion entries',
    Buffer.concat([Buffer.from('Obj\u0001'), long(2 ** 30), Buffer.alloc(3_000_000)]),
    'its header has more than',
  ],
  [
    'says a size of 70 bits',
    Buffer.concat([Buffer.from('Obj\u0001'), Buffer.alloc(20, 255)]),
    'a size in it is out of range',
  ],
  [
    'says a block of a terabyte',
    container(row, 'null', [{ ...one, size: 2 ** 40 }]),
    'a block of [1099511627776] bytes; at most [67108864] are read',
  ],
  [
    'says a block of less than none',
    container(row, 'null', [{ ...one, size: -1 }]),
    'a block of [-1] bytes',
  ],
  [
    'says a block of 60 MB',
    container(row, 'null', [{ ...one, size: 60_000_000 }]),
    'it ends too early',
  ],
  [
    'is a decompression bomb',
    container(row, 'deflate', [{ count: 1, data: deflateRawSync(Buffer.alloc(200_000_000)) }]),
    'unpacks to more than [67108864] bytes',
  ],
  [
    'is packed wrongly',
    container(row, 'deflate', [{ count: 1, data: Buffer.from('no deflate') }]),
    'a block of it cannot be unpacked',
  ],
  [
    'is compressed otherwise',
    container(row, 'bzip2', [one]),
    'its blocks are compressed with [bzip2], and the service reads [null, deflate, snappy',
  ],
  [
    'says more rows than there are',
    container(row, 'null', [{ count: 2 ** 50, data: long(1) }]),
    'it ends after its block',
  ],
  [
    'has rows without bytes',
    container(record([{ name: 'a', type: 'null' }]), 'null', [
      { count: 2 ** 50, data: Buffer.alloc(0) },
    ]),
    'its rows have no bytes',
  ],
  [
    'has a list of nothing',
    container(record([{ name: 'a', type: { type: 'array', items: 'null' } }]), 'null', [
      { count: 1, data: long(2 ** 40) },
    ]),
    'a list whose items take no bytes',
  ],
  [
    'has a list of records of nothing',
    container(
      record([
        {
          name: 'a',
          type: {
            type: 'array',
            items: { type: 'record', name: 'E', fields: [{ name: 'n', type: 'null' }] },
          },
        },
      ]),
      'null',
      [one],
    ),
    'a list whose items take no bytes',
  ],
  [
    'has a list longer than itself',
    container(record([{ name: 'a', type: { type: 'array', items: 'int' } }]), 'null', [
      { count: 1, data: long(2 ** 40) },
    ]),
    'a list or a text in it is longer than its block',
  ],
  [
    'has a list that fills the memory',
    container(record([{ name: 'a', type: { type: 'array', items: 'int' } }]), 'null', [
      { count: 1, data: long(2 ** 28) },
    ]),
    'need more than [256] MB of memory',
  ],
  [
    'has a text longer than itself',
    container(record([{ name: 'a', type: 'string' }]), 'null', [{ count: 1, data: long(2 ** 40) }]),
    'it ends after its block',
  ],
  [
    'has a schema of 30,000 fields',
    container(record(many), 'null', []),
    'its schema has more than [20000] parts',
  ],
  [
    'has a deep schema',
    container(record([{ name: 'a', type: nested(200) }]), 'null', []),
    'its schema is nested more than [100] times',
  ],
  [
    'has a deep row',
    container(self, 'null', [
      { count: 1, data: Buffer.concat([...Array.from({ length: 1000 }, () => long(1)), long(0)]) },
    ]),
    'nested more than [200] times',
  ],
  [
    'has a row without end',
    container(self, 'null', [{ count: 1, data: Buffer.alloc(10_000_000, 2) }]),
    'nested too deeply',
  ],
  [
    'has a name that is a program',
    container(record([{ name: 'a){process.exit()}', type: 'int' }]), 'null', [one]),
    'invalid',
  ],
  ['has no schema', container('{', 'null', []), 'its schema is not JSON'],
  [
    'has rows that are numbers',
    container('"int"', 'null', [one]),
    'its rows are of type [int] and must be records',
  ],
  [
    'has a schema of unknown types',
    container(record([{ name: 'a', type: 'what' }]), 'null', []),
    'undefined type',
  ],
])('a file that %s is refused', async (_, content, said) => {
  const message = await read(content).catch(String);
  expect(message).toContain('Cannot read [made]: ');
  expect(message).toContain(said);
});

test('a task that ends takes its process with it, and waits for no other; two read at once', async () => {
  const block = { count: 1, data: deflateRawSync(bytes(Buffer.alloc(10_000_000))) };
  const endless = container(
    record([{ name: 'a', type: 'bytes' }]),
    'deflate',
    Array<RawBlock>(1000).fill(block),
  );
  const stops = Array.from({ length: 3 }, () => new AbortController());
  const ended: string[] = [];
  const readings = stops.map(({ signal }, at) =>
    read(endless, signal).catch((error) => void ended.push(`${at}: ${error.message}`)),
  );
  setTimeout(() => stops[2]?.abort(new Error('the third was shut down')), 300);
  await readings[2];
  expect(ended).toEqual(['2: the third was shut down']);
  for (const stop of stops) stop.abort(new Error('shut down'));
  await Promise.all(readings);
  expect(ended.slice(1).sort()).toEqual(['0: shut down', '1: shut down']);
  expect(await read(container(row, 'null', [one]))).toBe('{"a":1}\n');
});

test('a header is read without the rest', async () => {
  const { openSync, closeSync } = await import('node:fs');
  const path = await fileWith(container(row, 'null', [one]));
  expect(existsSync(path)).toBe(true);
  const file = openSync(path, 'r');
  const found = new Container(file);
  expect(found.header).toEqual({ schema: row, codec: 'null' });
  expect([found.next()?.count, found.next()]).toEqual([1, undefined]);
  closeSync(file);
});
