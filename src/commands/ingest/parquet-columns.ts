// Columns of a Parquet file, from the schema and the statistics in its footer
// (apache/parquet-format, parquet.thrift).
import { open } from 'node:fs/promises';
import { formatBytes } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import type { Guess, GuessedColumn } from './guess-columns.ts';
import type { Input } from './inputs.ts';
import { readStruct, type ThriftStruct, type ThriftValue } from './thrift.ts';
import { declaredColumns, withTypes } from './wanted-columns.ts';

/**
 * The columns of the file; `types` override them. Throws UsageError for a file without rows, and
 * for one whose footer cannot be read unless the types declare the columns.
 */
export async function parquetColumns(input: Input, types: readonly string[]): Promise<Guess> {
  const { path } = input;
  try {
    const footer = readStruct(await footerOf(input));
    if (integerIn(footer, 3) === 0n)
      throw new UsageError(`The columns of [${path}] cannot be guessed: it has no rows`);
    const columns = columnsIn(listIn(footer, 2), samplesIn(footer));
    const guess: Guess = { format: 'parquet', delimiter: ',', hasHeader: false, columns };
    return withTypes(path, guess, types);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (types.length > 0) return declaredColumns(path, 'parquet', types);
    throw new UsageError(
      `The columns of [${path}] cannot be guessed: ${(error as Error).message}`,
      'declare them: --types time:varchar,page:varchar,added:bigint',
    );
  }
}

const mostBytes = 64 * 1024 * 1024;

async function footerOf(input: Input): Promise<Uint8Array> {
  const tail = input.kind === 'file' && input.packing === 'none' ? fileTail : contentTail;
  const end = await tail(input, 8);
  if (end.length < 8 || end.toString('latin1', 4) !== 'PAR1')
    throw new Error('it is not a Parquet file, or it is encrypted');
  const size = end.readUInt32LE(0);
  if (size > mostBytes) throw new Error(`its footer has ${formatBytes(size)}`);
  return (await tail(input, size + 8)).subarray(0, size);
}

async function fileTail({ path, sizeBytes }: Input, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const size = Math.min(length, sizeBytes);
    const buffer = Buffer.alloc(size);
    await file.read({ buffer, position: sizeBytes - size });
    return buffer;
  } finally {
    await file.close();
  }
}

async function contentTail({ path, content }: Input, length: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) throw new Error(`[${path}] is too large to be read here`);
  }
  return Buffer.concat(chunks).subarray(-length);
}

// Numbers of the format.
const primitives = { boolean: 0n, int32: 1n, int64: 2n, int96: 3n, float: 4n, double: 5n };
const converted = { list: 3n, decimal: 5n, date: 6n, millis: 9n, micros: 10n };
const repeated = 2n;

interface Element {
  readonly name: string;
  readonly type: bigint | undefined; // undefined for groups
  readonly isRepeated: boolean;
  readonly converted: bigint | undefined;
  readonly isNanos: boolean;
  readonly children: readonly Element[];
}

type Samples = ReadonlyMap<string, readonly Uint8Array[]>; // smallest and largest values by column

function columnsIn(schema: readonly ThriftValue[], samples: Samples): readonly GuessedColumn[] {
  const structs = schema.filter((element) => element instanceof Map) as readonly ThriftStruct[];
  let at = 0;
  const read = (): Element => {
    const struct = structs[at++];
    if (!struct) throw new RangeError('its schema is cut off');
    const count = Number(integerIn(struct, 5) ?? 0n);
    const children: Element[] = [];
    for (let child = 0; child < count; child++) children.push(read());
    return {
      name: textIn(struct.get(4)),
      type: integerIn(struct, 1),
      isRepeated: integerIn(struct, 3) === repeated,
      converted: integerIn(struct, 6),
      isNanos: isNanos(struct.get(10)),
      children,
    };
  };
  return read().children.map((element) => columnOf(element, samples.get(element.name) ?? []));
}

// LogicalType.TIMESTAMP.unit.NANOS
function isNanos(logical: ThriftValue | undefined): boolean {
  const timestamp = logical instanceof Map ? logical.get(8) : undefined;
  const unit = timestamp instanceof Map ? timestamp.get(2) : undefined;
  return unit instanceof Map && unit.has(3);
}

function columnOf(element: Element, bounds: readonly Uint8Array[]): GuessedColumn {
  const { name } = element;
  const type = typeOf(element);
  const time = element.isRepeated ? undefined : timeOf(element);
  const samples = time === undefined ? bounds.flatMap((bytes) => sampleOf(element, bytes)) : [];
  return { name, type, samples, isDeclared: true, ...(time && { time }) };
}

function timeOf({ type, converted: kind, isNanos }: Element): GuessedColumn['time'] {
  if (isNanos) return 'nanos';
  const isTime =
    type === primitives.int96 ||
    (type === primitives.int64 && (kind === converted.millis || kind === converted.micros)) ||
    (type === primitives.int32 && kind === converted.date);
  return isTime ? 'millis' : undefined;
}

function typeOf(element: Element): GuessedColumn['type'] {
  const { type, children, isRepeated, converted: kind } = element;
  if (isRepeated) return type === undefined ? json : arrayOf(scalarOf(element));
  if (type !== undefined) return scalarOf(element);
  const [list] = children;
  if (kind !== converted.list || !list) return json;
  const item = list.type === undefined ? list.children[0] : list;
  const isSimple = list.type !== undefined || list.children.length === 1;
  return isSimple && item?.type !== undefined ? arrayOf(scalarOf(item)) : json;
}

const json = "TYPE('COMPLEX<json>')";

function arrayOf(item: 'BIGINT' | 'DOUBLE' | 'FLOAT' | 'VARCHAR'): GuessedColumn['type'] {
  return `${item === 'FLOAT' ? 'DOUBLE' : item} ARRAY`;
}

function scalarOf({ type, converted: kind }: Element): 'BIGINT' | 'DOUBLE' | 'FLOAT' | 'VARCHAR' {
  if (kind === converted.decimal || type === primitives.double) return 'DOUBLE';
  if (type === primitives.float) return 'FLOAT';
  return type === primitives.int32 || type === primitives.int64 || type === primitives.int96
    ? 'BIGINT'
    : 'VARCHAR';
}

// Only numbers and texts show whether they are times.
function sampleOf(
  { type, converted: kind, children }: Element,
  bytes: Uint8Array,
): readonly unknown[] {
  if (children.length > 0 || kind === converted.decimal) return [];
  const view = Buffer.from(bytes);
  if (type === primitives.int64 && view.length === 8) return [view.readBigInt64LE(0)];
  if (type === primitives.int32 && view.length === 4) return [BigInt(view.readInt32LE(0))];
  return type === 6n ? [view.toString('utf8')] : [];
}

function samplesIn(footer: ThriftStruct): Samples {
  const found = new Map<string, Uint8Array[]>();
  for (const group of listIn(footer, 4).slice(0, 100)) {
    if (!(group instanceof Map)) continue;
    for (const chunk of listIn(group, 1)) {
      const data = chunk instanceof Map ? chunk.get(3) : undefined;
      if (!(data instanceof Map)) continue;
      const path = listIn(data, 3);
      const statistics = data.get(12);
      if (path.length !== 1 || !(statistics instanceof Map)) continue;
      const name = textIn(path[0]);
      const known = found.get(name) ?? [];
      for (const [id, older] of [
        [6, 2],
        [5, 1],
      ] as const) {
        const value = statistics.get(id) ?? statistics.get(older);
        if (value instanceof Uint8Array) known.push(value);
      }
      found.set(name, known);
    }
  }
  return found;
}

const integerIn = (struct: ThriftStruct, id: number): bigint | undefined => {
  const value = struct.get(id);
  return typeof value === 'bigint' ? value : undefined;
};

function listIn(struct: ThriftStruct, id: number): readonly ThriftValue[] {
  const value = struct.get(id);
  return Array.isArray(value) ? (value as readonly ThriftValue[]) : [];
}

const textIn = (value: ThriftValue | undefined): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : '';
