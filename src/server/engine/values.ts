// Values between DuckDB's vectors and JavaScript, a column at a time.
import type { ByteHash } from '../../sql/runtime/engine-function.ts';
import type { Bindings, LogicalType, Vector } from './bindings.ts';
import type { EncodedTexts } from './encoded-texts.ts';

/**
 * 64-bit integers are numbers where a double holds them exactly, otherwise bigints. JSON is text,
 * BLOB bytes, a list an array.
 */
export type EngineValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly EngineValue[];

/** Reads the first `count` values of a vector. */
export type VectorReader = (vector: Vector, count: number) => EngineValue[];

/**
 * The reader for vectors of a type. Throws for types that are not native values of the service:
 * generated SQL casts them to others.
 */
export function readerOf(duckdb: Bindings, type: LogicalType): VectorReader {
  const { Type } = duckdb;
  const id = duckdb.get_type_id(type);
  const numbers = (bytes: number, read: (data: DataView, at: number) => EngineValue) =>
    fixedReader(duckdb, bytes, read);
  switch (id) {
    case Type.BIGINT:
      return (vector, count) => readBigints(duckdb, vector, count);
    case Type.VARCHAR:
      return (vector, count) => readStrings(duckdb, vector, count);
    case Type.DOUBLE:
      return numbers(8, (data, at) => data.getFloat64(at, true));
    case Type.FLOAT:
      return numbers(4, (data, at) => data.getFloat32(at, true));
    case Type.BOOLEAN:
      return numbers(1, (data, at) => data.getUint8(at) !== 0);
    case Type.TINYINT:
      return numbers(1, (data, at) => data.getInt8(at));
    case Type.SMALLINT:
      return numbers(2, (data, at) => data.getInt16(at, true));
    case Type.INTEGER:
      return numbers(4, (data, at) => data.getInt32(at, true));
    case Type.UTINYINT:
      return numbers(1, (data, at) => data.getUint8(at));
    case Type.USMALLINT:
      return numbers(2, (data, at) => data.getUint16(at, true));
    case Type.UINTEGER:
      return numbers(4, (data, at) => data.getUint32(at, true));
    case Type.UBIGINT:
      return numbers(8, (data, at) => numberIfExact(data.getBigUint64(at, true)));
    case Type.HUGEINT:
      return numbers(16, (data, at) => numberIfExact(int128(data, at)));
    case Type.DECIMAL:
      return decimalReader(duckdb, type);
    case Type.BLOB:
      return (vector, count) => readBytes(duckdb, vector, count);
    case Type.LIST:
      return listReader(duckdb, duckdb.list_type_child_type(type));
    case Type.SQLNULL:
      return (_, count) => new Array<EngineValue>(count).fill(null);
    default:
      throw new Error(`A result column has DuckDB type [${Type[id]}], which is not a native value`);
  }
}

/** The name of a type as DuckDB's SQL spells it: `BIGINT`, `VARCHAR[]`. */
export function typeName(duckdb: Bindings, type: LogicalType): string {
  const id = duckdb.get_type_id(type);
  return id === duckdb.Type.LIST
    ? `${typeName(duckdb, duckdb.list_type_child_type(type))}[]`
    : (duckdb.Type[id] ?? 'UNKNOWN');
}

function isNull(validity: Uint8Array | null, index: number): boolean {
  return validity !== null && ((validity[index >> 3] ?? 0) & (1 << (index & 7))) === 0;
}

const validityOf = (duckdb: Bindings, vector: Vector, count: number): Uint8Array | null =>
  duckdb.vector_get_validity(vector, Math.ceil(count / 64) * 8) ?? null;

const viewOf = (data: Uint8Array) => new DataView(data.buffer, data.byteOffset, data.byteLength);

function fixedReader(
  duckdb: Bindings,
  bytes: number,
  read: (data: DataView, at: number) => EngineValue,
): VectorReader {
  return (vector, count) => {
    const data = viewOf(duckdb.vector_get_data(vector, count * bytes));
    const validity = validityOf(duckdb, vector, count);
    const values = new Array<EngineValue>(count);
    for (let index = 0; index < count; index++)
      values[index] = isNull(validity, index) ? null : read(data, index * bytes);
    return values;
  };
}

// Most integers fit a double, and these are never converted to bigints.
function readBigints(duckdb: Bindings, vector: Vector, count: number): EngineValue[] {
  const data = duckdb.vector_get_data(vector, count * 8);
  const halves = new Int32Array(data.buffer, data.byteOffset, count * 2);
  const validity = validityOf(duckdb, vector, count);
  const values = new Array<EngineValue>(count);
  for (let index = 0; index < count; index++) {
    if (isNull(validity, index)) {
      values[index] = null;
      continue;
    }
    const high = halves[2 * index + 1] ?? 0;
    const low = (halves[2 * index] ?? 0) >>> 0;
    const fits = high >= -0x20_0000 && high < 0x20_0000;
    values[index] = fits ? high * 0x1_0000_0000 + low : (BigInt(high) << 32n) | BigInt(low);
  }
  return values;
}

const numberIfExact = (value: bigint): EngineValue =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;

const int128 = (data: DataView, at: number) =>
  (data.getBigInt64(at + 8, true) << 64n) | data.getBigUint64(at, true);

function decimalReader(duckdb: Bindings, type: LogicalType): VectorReader {
  const unit = 10 ** duckdb.decimal_scale(type);
  const { Type } = duckdb;
  switch (duckdb.decimal_internal_type(type)) {
    case Type.SMALLINT:
      return fixedReader(duckdb, 2, (data, at) => data.getInt16(at, true) / unit);
    case Type.INTEGER:
      return fixedReader(duckdb, 4, (data, at) => data.getInt32(at, true) / unit);
    case Type.BIGINT:
      return fixedReader(duckdb, 8, (data, at) => Number(data.getBigInt64(at, true)) / unit);
    default:
      return fixedReader(duckdb, 16, (data, at) => Number(int128(data, at)) / unit);
  }
}

// A string is 16 bytes: its length, then either up to 12 bytes of it, or its first four and a
// pointer. Within one vector equal 16 bytes are equal strings, and dimensions repeat a lot: a small
// cache of recent strings saves most of the decoding.
function readStrings(duckdb: Bindings, vector: Vector, count: number): EngineValue[] {
  const data = duckdb.vector_get_data(vector, count * 16);
  const words = new Int32Array(data.buffer, data.byteOffset, count * 4);
  const bytes = Buffer.from(data.buffer, data.byteOffset, count * 16);
  const validity = validityOf(duckdb, vector, count);
  const values = new Array<EngineValue>(count).fill(null);
  const recent = new Int32Array(recentSize).fill(-1); // rows
  const long: number[] = [];
  for (let index = 0; index < count; index++) {
    if (isNull(validity, index)) continue;
    const at = index * 4;
    const first = words[at] ?? 0;
    if (first > 12) {
      long.push(index);
      continue;
    }
    const [second = 0, third = 0, fourth = 0] = [words[at + 1], words[at + 2], words[at + 3]];
    const slot = ((first * 31 + second) * 31 + third * 17 + fourth) & (recentSize - 1);
    const row = recent[slot] ?? -1;
    const seen = row * 4;
    if (
      row >= 0 &&
      words[seen] === first &&
      words[seen + 1] === second &&
      words[seen + 2] === third &&
      words[seen + 3] === fourth
    ) {
      values[index] = values[row] ?? null;
    } else {
      recent[slot] = index;
      values[index] = bytes.toString('utf8', index * 16 + 4, index * 16 + 4 + first);
    }
  }
  readLongStrings(duckdb, data, long, values);
  return values;
}

const recentSize = 256;

function readLongStrings(
  duckdb: Bindings,
  data: Uint8Array,
  rows: readonly number[],
  values: EngineValue[],
): void {
  const recent: RecentText[] = []; // by some of their bytes
  visitLong(duckdb, data, rows, (row, run, offset, length) => {
    if (length > mostRepeated) {
      values[row] = run.toString('utf8', offset, offset + length);
      return;
    }
    const slot =
      ((run[offset + 1] ?? 0) * 31 + (run[offset + length - 1] ?? 0) * 7 + (run[offset + 6] ?? 0)) &
      (recentSize - 1);
    const seen = recent[slot];
    if (seen && isSameText(seen, run, offset, length)) {
      values[row] = seen.text;
      return;
    }
    const text = run.toString('utf8', offset, offset + length);
    recent[slot] = { run, offset, length, text };
    values[row] = text;
  });
}

// Comparing longer texts takes as long as decoding them.
const mostRepeated = 40;

interface RecentText {
  readonly run: Buffer;
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

function isSameText(seen: RecentText, run: Buffer, offset: number, length: number): boolean {
  if (seen.length !== length) return false;
  for (let at = 0; at < length; at++)
    if (seen.run[seen.offset + at] !== run[offset + at]) return false;
  return true;
}

/**
 * The first `count` texts of a vector as bytes; undefined if these are many, with what lies between
 * the texts.
 */
export function readEncodedTexts(
  duckdb: Bindings,
  vector: Vector,
  count: number,
): EncodedTexts | undefined {
  const data = duckdb.vector_get_data(vector, count * 16);
  const words = new Uint32Array(data.buffer, data.byteOffset, count * 4);
  const validity = validityOf(duckdb, vector, count);
  const starts = new Int32Array(count).fill(-1);
  const ends = new Int32Array(count);
  const parts: Uint8Array[] = [data];
  let size = data.byteLength;
  const long: number[] = [];
  for (let row = 0; row < count; row++) {
    if (isNull(validity, row)) continue;
    const length = words[row * 4] ?? 0;
    if (length > 12) long.push(row);
    starts[row] = row * 16 + 4;
    ends[row] = row * 16 + 4 + length;
  }
  visitLong(duckdb, data, long, (row, run, offset, length) => {
    if (run !== parts.at(-1)) {
      parts.push(run);
      size += run.length;
    }
    starts[row] = size - run.length + offset;
    ends[row] = size - run.length + offset + length;
  });
  return size > mostEncoded ? undefined : { bytes: Buffer.concat(parts, size), starts, ends };
}

const mostEncoded = 1024 ** 2; // bytes

// Following a pointer costs a microsecond, and DuckDB writes the strings of a vector consecutively:
// runs of them are fetched at once. Two strings less than a page apart have only pages of their own
// between them.
function visitLong(
  duckdb: Bindings,
  data: Uint8Array,
  rows: readonly number[],
  visit: (row: number, run: Buffer, offset: number, length: number) => void,
): void {
  const words = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
  const lengthOf = (row: number) => words[row * 4] ?? 0;
  const pointerOf = (row: number) =>
    (words[row * 4 + 2] ?? 0) + (words[row * 4 + 3] ?? 0) * 0x1_0000_0000;
  for (let from = 0; from < rows.length; ) {
    const first = rows[from] ?? 0;
    const start = pointerOf(first);
    let end = start + lengthOf(first);
    let to = from + 1;
    for (; to < rows.length; to++) {
      const pointer = pointerOf(rows[to] ?? 0);
      if (pointer < start || pointer >= end + pageBytes) break;
      end = Math.max(end, pointer + lengthOf(rows[to] ?? 0));
    }
    const run = bufferAt(duckdb, data, first, end - start);
    for (; from < to; from++) {
      const row = rows[from] ?? 0;
      visit(row, run, pointerOf(row) - start, lengthOf(row));
    }
  }
}

const pageBytes = 4096;

// Within one vector, equal 16 bytes are equal values.
function readBytes(duckdb: Bindings, vector: Vector, count: number): EngineValue[] {
  const data = duckdb.vector_get_data(vector, count * 16);
  const view = viewOf(data);
  const words = new BigUint64Array(data.buffer, data.byteOffset, count * 2);
  const validity = validityOf(duckdb, vector, count);
  let before: { readonly row: number; readonly value: Uint8Array } | undefined;
  return Array.from({ length: count }, (_, index) => {
    if (isNull(validity, index)) return null;
    const isSame = (half: number) =>
      before && words[before.row * 2 + half] === words[index * 2 + half];
    if (before && isSame(0) && isSame(1)) return before.value;
    const length = view.getUint32(index * 16, true);
    const start = index * 16 + 4;
    const value = Uint8Array.from(
      length <= 12 ? data.subarray(start, start + length) : bufferAt(duckdb, data, index, length),
    );
    before = { row: index, value };
    return value;
  });
}

function bufferAt(duckdb: Bindings, data: Uint8Array, index: number, length: number): Buffer {
  const bytes = duckdb.get_data_from_pointer(
    arrayBufferOf(data),
    data.byteOffset + index * 16 + 8,
    length,
  );
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function arrayBufferOf({ buffer }: Uint8Array): ArrayBuffer {
  if (buffer instanceof ArrayBuffer) return buffer;
  throw new TypeError('DuckDB never hands out shared memory');
}

function listReader(duckdb: Bindings, itemType: LogicalType): VectorReader {
  const readItems = readerOf(duckdb, itemType);
  return (vector, count) => {
    const data = duckdb.vector_get_data(vector, count * 16);
    // Offset and length, 64 bits each
    const words = new Uint32Array(data.buffer, data.byteOffset, count * 4);
    const validity = validityOf(duckdb, vector, count);
    const items = readItems(
      duckdb.list_vector_get_child(vector),
      duckdb.list_vector_get_size(vector),
    );
    return Array.from({ length: count }, (_, index) => {
      if (isNull(validity, index)) return null;
      const offset = words[index * 4] ?? 0;
      return items.slice(offset, offset + (words[index * 4 + 2] ?? 0));
    });
  };
}

/** The hash of each value's bytes in a vector, in one or two words; 0 for null. */
export function hashValues(
  duckdb: Bindings,
  vector: Vector,
  count: number,
  hash: ByteHash,
  size: 1 | 2,
): Int32Array<ArrayBuffer> {
  const isText = duckdb.get_type_id(duckdb.vector_get_column_type(vector)) === duckdb.Type.VARCHAR;
  return (isText ? hashStrings : hashNumbers)(duckdb, vector, count, hash, size);
}

function hashNumbers(
  duckdb: Bindings,
  vector: Vector,
  count: number,
  hash: ByteHash,
  size: 1 | 2,
): Int32Array<ArrayBuffer> {
  const data = duckdb.vector_get_data(vector, count * 8);
  const words = new Int32Array(data.buffer, data.byteOffset, count * 2);
  const validity = validityOf(duckdb, vector, count);
  const known = knownHashes.get(hash) ?? new Int32Array(slotWords * knownSize);
  knownHashes.set(hash, known);
  const hashes = new Int32Array(count * size);
  for (let row = 0; row < count; row++) {
    if (isNull(validity, row)) continue;
    const low = words[2 * row] ?? 0;
    const high = words[2 * row + 1] ?? 0;
    const at = slotWords * ((low ^ (low >>> 16) ^ Math.imul(high, 31)) & (knownSize - 1));
    if (known[at] !== 1 || known[at + 1] !== low || known[at + 2] !== high) {
      known[at] = 1;
      known[at + 1] = low;
      known[at + 2] = high;
      hash(data, row * 8, 8, known, at + 3);
    }
    hashes[row * size] = known[at + 3] ?? 0;
    if (size === 2) hashes[row * 2 + 1] = known[at + 4] ?? 0;
  }
  return hashes;
}

// The last hashes of numbers, which repeat: for each slot whether it is used, both halves of the
// number, and the words of its hash.
const knownHashes = new WeakMap<ByteHash, Int32Array>();
const knownSize = 2 ** 18;
const slotWords = 5;

// As in reading of texts: repeated strings are hashed once.
function hashStrings(
  duckdb: Bindings,
  vector: Vector,
  count: number,
  hash: ByteHash,
  size: 1 | 2,
): Int32Array<ArrayBuffer> {
  const data = duckdb.vector_get_data(vector, count * 16);
  const words = new Int32Array(data.buffer, data.byteOffset, count * 4);
  const validity = validityOf(duckdb, vector, count);
  const hashes = new Int32Array(count * size);
  const recent = new Int32Array(recentSize).fill(-1); // rows
  const long: number[] = [];
  for (let row = 0; row < count; row++) {
    if (isNull(validity, row)) continue;
    const at = row * 4;
    const first = words[at] ?? 0;
    if (first > 12) {
      long.push(row);
      continue;
    }
    const [second = 0, third = 0, fourth = 0] = [words[at + 1], words[at + 2], words[at + 3]];
    const slot = ((first * 31 + second) * 31 + third * 17 + fourth) & (recentSize - 1);
    const seenRow = recent[slot] ?? -1;
    const seen = seenRow * 4;
    const isSeen =
      seenRow >= 0 &&
      words[seen] === first &&
      words[seen + 1] === second &&
      words[seen + 2] === third &&
      words[seen + 3] === fourth;
    if (!isSeen) {
      recent[slot] = row;
      hash(data, row * 16 + 4, first, hashes, row * size);
      continue;
    }
    hashes[row * size] = hashes[seenRow * size] ?? 0;
    if (size === 2) hashes[row * 2 + 1] = hashes[seenRow * 2 + 1] ?? 0;
  }
  visitLong(duckdb, data, long, (row, run, offset, length) => {
    hash(run, offset, length, hashes, row * size);
  });
  return hashes;
}

/**
 * Lists of numbers as views into a vector, valid as long as the vector. The numbers are not null.
 */
export function readPackedLists<
  T extends Int32Array | BigInt64Array | BigUint64Array | Float64Array,
>(
  duckdb: Bindings,
  vector: Vector,
  count: number,
  numbers: {
    new (buffer: ArrayBufferLike, offset: number, length: number): T;
    readonly BYTES_PER_ELEMENT: number;
  },
): (T | null)[] {
  const size = duckdb.list_vector_get_size(vector);
  const data = duckdb.vector_get_data(
    duckdb.list_vector_get_child(vector),
    Math.max(size, 1) * numbers.BYTES_PER_ELEMENT,
  );
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const places = (range: { readonly offset: number; readonly length: number }) =>
    [range.offset, range.offset + range.length].map(
      (place) => place * numbers.BYTES_PER_ELEMENT,
    ) as [number, number];
  let before: { readonly list: T; readonly start: number; readonly end: number } | undefined;
  return rangesOf(duckdb, vector, count).map((range) => {
    if (!range) return null;
    const [start, end] = places(range);
    // The rows of a window have the same list.
    if (before && bytes.compare(bytes, before.start, before.end, start, end) === 0)
      return before.list;
    const list = new numbers(data.buffer, data.byteOffset + start, range.length);
    before = { list, start, end };
    return list;
  });
}

/**
 * Lists of bytes, read one value at a time: a view that is valid as long as the vector. Null values
 * are left out.
 */
export function readBlobLists(
  duckdb: Bindings,
  vector: Vector,
  count: number,
): (Iterable<Uint8Array> | null)[] {
  const size = duckdb.list_vector_get_size(vector);
  const child = duckdb.list_vector_get_child(vector);
  const data = duckdb.vector_get_data(child, Math.max(size, 1) * 16);
  const validity = validityOf(duckdb, child, Math.max(size, 1));
  const view = viewOf(data);
  return rangesOf(duckdb, vector, count).map(
    (range) =>
      range && {
        *[Symbol.iterator]() {
          for (let index = range.offset; index < range.offset + range.length; index++) {
            if (isNull(validity, index)) continue;
            const length = view.getUint32(index * 16, true);
            yield length <= 12
              ? data.subarray(index * 16 + 4, index * 16 + 4 + length)
              : bufferAt(duckdb, data, index, length);
          }
        },
      },
  );
}

interface Range {
  readonly offset: number;
  readonly length: number;
}

function rangesOf(duckdb: Bindings, vector: Vector, count: number): (Range | null)[] {
  const data = duckdb.vector_get_data(vector, count * 16);
  // Offset and length, 64 bits each
  const words = new Uint32Array(data.buffer, data.byteOffset, count * 4);
  const validity = validityOf(duckdb, vector, count);
  return Array.from({ length: count }, (_, index) =>
    isNull(validity, index)
      ? null
      : { offset: words[index * 4] ?? 0, length: words[index * 4 + 2] ?? 0 },
  );
}
