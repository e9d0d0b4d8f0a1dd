// The engine's own HyperLogLog: the expected numbers and bytes are replies of a Druid 33.0.0 over
// the same values.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import {
  estimateOfMarks,
  estimateOfUnique,
  markOf,
  UniqueCollector,
} from '../../src/sketches/unique-collector.ts';
import { hashRaw, hashUtf8, valueHash } from '../../src/sketches/value-hash.ts';

type Edit = Readonly<Record<string, string | null>>;

const edits: readonly Edit[] = gunzipSync(
  readFileSync(new URL('../../src/demo/wikiticker-2015-09-12-sampled.json.gz', import.meta.url)),
)
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

function markOfText(text: string): number {
  const utf8 = Buffer.from(text);
  hashUtf8(utf8, 0, utf8.length, 0);
  return markOf(valueHash);
}

const marksOf = (texts: readonly string[]): Int32Array =>
  Int32Array.from(new Set(texts.map(markOfText)));
const valuesOf = (column: string, channel?: string): string[] =>
  edits
    .filter((edit) => channel === undefined || edit.channel === channel)
    .flatMap((edit) => edit[column] ?? []);
const base64 = (texts: readonly string[]) =>
  Buffer.from(UniqueCollector.of(marksOf(texts)).toBytes()).toString('base64');

test.each<[column: string, channel: string | undefined, expected: number]>([
  ['user', undefined, 10729.97904463612],
  ['user', '#en.wikipedia', 4451.492930751893],
  ['user', '#de.wikipedia', 897.9961479927257],
  ['user', '#es.wikipedia', 613.31461776143],
])(
  "the estimate of different values of %s in %s is the engine's %d",
  (column, channel, expected) => {
    const marks = marksOf(valuesOf(column, channel));
    expect(estimateOfMarks(marks)).toBe(expected);
    expect(estimateOfUnique(UniqueCollector.of(marks).toBytes())).toBe(expected);
  },
);

const words = ['alpha', '', '2015-09-12', "it's 😀", '42', '007', 'Alpha'];

test('a sketch of few values is written and read as the engine writes it; the empty text alone counts nothing', () => {
  expect(base64(words)).toBe('AQAABkAAAAEWAgGmAQKQAgKlAQMNUAM7IA==');
  expect(estimateOfMarks(marksOf(words))).toBe(6.008806266444944);
  expect(estimateOfMarks(marksOf(['']))).toBe(0);
  const bytes = Buffer.from(base64(words), 'base64');
  expect(Buffer.from(UniqueCollector.fromBytes(bytes).toBytes())).toEqual(bytes);
});

test('whole numbers are hashed by their bits', () => {
  const number = Buffer.alloc(8);
  const marks = [1n, -9007199254740993n, 0n, 9007199254740993n, 100n, 7n, -7n].map((value) => {
    number.writeBigInt64LE(value);
    hashRaw(number, 0, 8, 0);
    return markOf(valueHash);
  });
  expect(estimateOfMarks(Int32Array.from(marks))).toBe(7.011990219885757);
});

test('sketches of parts add up to the sketch of all values', () => {
  const users = valuesOf('user');
  const parts = [users.slice(0, 100), users.slice(100, 30_000), users.slice(30_000)].map((part) =>
    UniqueCollector.of(marksOf(part)),
  );
  const union = parts.reduce(
    (all, part) => all.mergeWith(UniqueCollector.fromBytes(part.toBytes())),
    new UniqueCollector(),
  );
  expect(Buffer.from(union.toBytes()).toString('base64')).toBe(base64(users));
});

test('a header that does not fit its registers changes nothing', () => {
  const bytes = Buffer.from(base64(words), 'base64');
  bytes.writeInt16BE(-1, 2);
  expect(Buffer.from(UniqueCollector.fromBytes(bytes).toBytes()).toString('base64')).toBe(
    base64(words),
  );
});

test('what is not a sketch is refused', () => {
  expect(() => UniqueCollector.fromBytes(new Uint8Array([1, 0, 0]))).toThrow(
    'These [3] bytes are not a hyperUnique sketch',
  );
  expect(() => UniqueCollector.fromBytes(new Uint8Array([2, 0, 0, 0, 0, 0, 0]))).toThrow(
    'These [7] bytes are not a hyperUnique sketch',
  );
});
