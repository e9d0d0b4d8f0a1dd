// Columns of a Parquet file, from the schema and the statistics in its footer.
import { open } from 'node:fs/promises';
import {
  type FileMetaData,
  parquetMetadataAsync,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
} from 'hyparquet';
import { formatBytes } from '../../cli/lists/columns.ts';
import { UsageError } from '../../cli/process/errors.ts';
import type { Guess, GuessedColumn } from './guess-columns.ts';
import type { Input } from './inputs.ts';
import { declaredColumns, withTypes } from './wanted-columns.ts';

/**
 * The columns of the file; `types` override them. Throws UsageError for a file without rows, and
 * for one whose footer cannot be read unless the types declare the columns.
 */
export async function parquetColumns(input: Input, types: readonly string[]): Promise<Guess> {
  const { path } = input;
  try {
    const footer = await footerOf(input);
    if (footer.num_rows === 0n)
      throw new UsageError(`The columns of [${path}] cannot be guessed: it has no rows`);
    const samples = samplesIn(footer);
    const columns = parquetSchema(footer).children.map((tree) =>
      columnOf(tree, samples.get(tree.element.name) ?? []),
    );
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

async function footerOf(input: Input): Promise<FileMetaData> {
  const read = input.kind === 'file' && input.packing === 'none' ? readFile : readContent;
  return read(input, async (byteLength, bytesOf) => {
    const end = await bytesOf(Math.max(0, byteLength - 8), byteLength);
    if (end.length < 8 || end.toString('latin1', 4) !== 'PAR1')
      throw new Error('it is not a Parquet file, or it is encrypted');
    const size = end.readUInt32LE(0);
    if (size > mostBytes) throw new Error(`its footer has ${formatBytes(size)}`);
    const slice = async (start: number, stop = byteLength) =>
      new Uint8Array(await bytesOf(start, stop)).buffer;
    return parquetMetadataAsync({ byteLength, slice }, { geoparquet: false });
  });
}

type BytesOf = (start: number, end: number) => Promise<Buffer>;

async function readFile<T>(
  { path, sizeBytes }: Input,
  read: (byteLength: number, bytesOf: BytesOf) => Promise<T>,
): Promise<T> {
  const file = await open(path);
  try {
    return await read(sizeBytes, async (start, end) => {
      const buffer = Buffer.alloc(end - start);
      await file.read({ buffer, position: start });
      return buffer;
    });
  } finally {
    await file.close();
  }
}

async function readContent<T>(
  { path, content }: Input,
  read: (byteLength: number, bytesOf: BytesOf) => Promise<T>,
): Promise<T> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > mostBytes) throw new Error(`[${path}] is too large to be read here`);
  }
  const whole = Buffer.concat(chunks);
  return read(size, async (start, end) => whole.subarray(start, end));
}

type Samples = ReadonlyMap<string, readonly unknown[]>; // smallest and largest values by column

function columnOf({ element, children }: SchemaTree, bounds: readonly unknown[]): GuessedColumn {
  const time = isRepeated(element) ? undefined : timeOf(element);
  // Only numbers and texts show whether they are times.
  const canBeTime = children.length === 0 && !time && element.converted_type !== 'DECIMAL';
  return {
    name: element.name,
    type: typeOf({ element, children }),
    samples: canBeTime ? bounds : [],
    isDeclared: true,
    ...(time && { time }),
  };
}

const isRepeated = ({ repetition_type: repetition }: SchemaElement) => repetition === 'REPEATED';

function timeOf({
  type,
  converted_type: kind,
  logical_type: logical,
}: SchemaElement): GuessedColumn['time'] {
  if (logical?.type === 'TIMESTAMP' && logical.unit === 'NANOS') return 'nanos';
  const isTime =
    type === 'INT96' ||
    kind === 'TIMESTAMP_MILLIS' ||
    kind === 'TIMESTAMP_MICROS' ||
    kind === 'DATE';
  return isTime ? 'millis' : undefined;
}

type Typed = Pick<SchemaTree, 'element' | 'children'>;

function typeOf({ element, children }: Typed): GuessedColumn['type'] {
  if (isRepeated(element)) return element.type === undefined ? json : arrayOf(scalarOf(element));
  if (element.type !== undefined) return scalarOf(element);
  const [list] = children;
  if (element.converted_type !== 'LIST' || !list) return json;
  const isGroup = list.element.type === undefined;
  const item = isGroup ? list.children[0]?.element : list.element;
  const isSimple = !isGroup || list.children.length === 1;
  return isSimple && item?.type !== undefined ? arrayOf(scalarOf(item)) : json;
}

const json = "TYPE('COMPLEX<json>')";

function arrayOf(item: 'BIGINT' | 'DOUBLE' | 'FLOAT' | 'VARCHAR'): GuessedColumn['type'] {
  return `${item === 'FLOAT' ? 'DOUBLE' : item} ARRAY`;
}

function scalarOf({
  type,
  converted_type: kind,
}: SchemaElement): 'BIGINT' | 'DOUBLE' | 'FLOAT' | 'VARCHAR' {
  if (kind === 'DECIMAL' || type === 'DOUBLE') return 'DOUBLE';
  if (type === 'FLOAT') return 'FLOAT';
  return type === 'INT32' || type === 'INT64' || type === 'INT96' ? 'BIGINT' : 'VARCHAR';
}

function samplesIn({ row_groups: groups }: FileMetaData): Samples {
  const found = new Map<string, unknown[]>();
  for (const { columns } of groups.slice(0, 100)) {
    for (const { meta_data: data } of columns) {
      const [name, ...below] = data?.path_in_schema ?? [];
      if (name === undefined || below.length > 0) continue;
      const { min_value, min, max_value, max } = data?.statistics ?? {};
      const bounds = [min_value ?? min, max_value ?? max].map(sampleOf);
      found.set(name, [
        ...(found.get(name) ?? []),
        ...bounds.filter((value) => value !== undefined),
      ]);
    }
  }
  return found;
}

const sampleOf = (value: unknown): unknown =>
  typeof value === 'number' && Number.isInteger(value)
    ? BigInt(value)
    : typeof value === 'bigint' || typeof value === 'string'
      ? value
      : undefined;
