// DuckDB functions that count distinct values with the engine's HyperLogLog: marks of values, row
// by row, and collectors of marks as BLOBs.
import {
  estimateOfMarks,
  estimateOfUnique,
  markOf,
  UniqueCollector,
} from '../../sketches/unique-collector.ts';
import {
  hashLongWords,
  hashRaw,
  hashUtf8,
  type VisitLongs,
  valueHash,
} from '../../sketches/value-hash.ts';
import {
  type ByteHash,
  doubleAt,
  type EngineFunction,
  engineFunction,
  hashFunction,
} from './engine-function.ts';
import { longsOfBits } from './visited-longs.ts';

const seed = 0;

const markOfBytes = (bytes: Uint8Array, start: number, length: number): number => {
  hashRaw(bytes, start, length, seed);
  return markOf(valueHash);
};

const single = Buffer.alloc(4);

const markOfNumber: ByteHash = (bytes, start, length, words, at) => {
  words[at] = markOfBytes(bytes, start, length);
};

/** Converts the value of a field to bytes, by the letter of its type. */
const bytesOf: Readonly<Record<string, (text: string) => Buffer>> = {
  s: (text) => Buffer.from(text, 'utf16le'),
  m: (json) => Buffer.from(joinValues(JSON.parse(json)), 'utf16le'),
  l: (text) => eightBytes((view) => view.setBigInt64(0, BigInt(text), true)),
  d: (text) => eightBytes((view) => view.setFloat64(0, Number(text), true)),
  f: (text) => eightBytes((view) => view.setFloat32(0, Number(text), true)).subarray(0, 4),
};

function eightBytes(write: (view: DataView) => void): Buffer {
  const bytes = Buffer.alloc(8);
  write(new DataView(bytes.buffer, bytes.byteOffset, 8));
  return bytes;
}

// Several values are sorted, as in the engine. Nulls only count beside other values.
function joinValues(values: readonly (string | null)[]): string {
  if (values.every((value) => value === null)) return '';
  return values.length === 1
    ? (values[0] ?? '')
    : values
        .map((value) => value ?? '\u0000')
        .sort()
        .join('\u0001');
}

// The fields of a row separated by a zero. Nulls add nothing.
function markOfRow(types: string, values: readonly (string | null)[]): number {
  const parts = values.flatMap((value, at) => {
    const bytes = value === null ? undefined : bytesOf[types[at] ?? '']?.(value);
    return [...(at === 0 ? [] : [between]), ...(bytes ? [bytes] : [])];
  });
  const row = Buffer.concat(parts);
  return markOfBytes(row, 0, row.length);
}

const between = Buffer.alloc(1);

// The marks whose bits are set, from the highest bit of the first byte.
function marksOfBits(bits: Uint8Array): Int32Array {
  const marks: number[] = [];
  for (let index = 0; index < bits.length; index++) {
    const byte = bits[index] ?? 0;
    for (let bit = 0; byte !== 0 && bit < 8; bit++)
      if ((byte & (0x80 >> bit)) !== 0) marks.push(index * 8 + bit);
  }
  return Int32Array.from(marks);
}

// The distinct marks of the numbers, which are few.
function marksOfLongs(longs: VisitLongs): Int32Array {
  const marks = new Set<number>();
  longs((high, low) => {
    hashLongWords(high, low, seed);
    marks.add(markOf(valueHash));
  });
  return Int32Array.from(marks);
}

function unionOf(all: Iterable<Uint8Array>): Uint8Array {
  let union = new UniqueCollector();
  for (const bytes of all) union = union.mergeWith(UniqueCollector.fromBytes(bytes));
  return union.toBytes();
}

/** Functions for distinct counts, by their DuckDB names. */
export const uniqueEngineFunctions: readonly EngineFunction[] = [
  hashFunction('druid_unique_mark', 'VARCHAR', 'INTEGER', (utf8, start, length, words, at) => {
    hashUtf8(utf8, start, length, seed);
    words[at] = markOf(valueHash);
  }),
  hashFunction('druid_unique_mark_of_long', 'BIGINT', 'INTEGER', markOfNumber),
  hashFunction('druid_unique_mark_of_double', 'DOUBLE', 'INTEGER', markOfNumber),
  hashFunction('druid_unique_mark_of_float', 'DOUBLE', 'INTEGER', (bytes, start, _, words, at) => {
    single.writeFloatLE(doubleAt(bytes, start));
    words[at] = markOfBytes(single, 0, 4);
  }),
  engineFunction('druid_unique_mark_of_row', ['VARCHAR', 'VARCHAR[]'], 'INTEGER', markOfRow),
  engineFunction('druid_unique_estimate', ['INTEGER[]'], 'DOUBLE', (marks) =>
    estimateOfMarks(marks),
  ),
  engineFunction('druid_unique_estimate_of_longs', ['BLOB', 'BIGINT'], 'DOUBLE', (set, least) =>
    estimateOfMarks(marksOfLongs(longsOfBits(set, least))),
  ),
  engineFunction('druid_unique_estimate_on_broker', ['INTEGER[]'], 'DOUBLE', (marks) =>
    estimateOfMarks(marks, false),
  ),
  engineFunction('druid_unique_estimate_of_bits', ['BLOB'], 'DOUBLE', (bits) =>
    estimateOfMarks(marksOfBits(bits)),
  ),
  engineFunction('druid_unique_estimate_of_bits_on_broker', ['BLOB'], 'DOUBLE', (bits) =>
    estimateOfMarks(marksOfBits(bits), false),
  ),
  engineFunction('druid_unique', ['INTEGER[]'], 'BLOB', (marks) =>
    UniqueCollector.of(marks).toBytes(),
  ),
  engineFunction('druid_unique_on_broker', ['INTEGER[]'], 'BLOB', (marks) =>
    UniqueCollector.of(marks).toBytes(false),
  ),
  engineFunction('druid_unique_union', ['BLOB[]'], 'BLOB', unionOf),
  engineFunction('druid_unique_count', ['BLOB'], 'DOUBLE', estimateOfUnique),
];
