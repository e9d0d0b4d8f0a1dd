// SQL functions written in TypeScript. They run on the thread that opened the database, so they are
// only for functions that DuckDB's SQL cannot express.
import type { ByteHash } from '../../sql/runtime/engine-function.ts';
import { ownWords } from '../../sql/runtime/own-words.ts';
import { LimitExceeded } from '../../sql/runtime/value-limits.ts';
import type { Bindings, DuckDbConnection, LogicalType, Vector } from './bindings.ts';
import {
  type EngineValue,
  hashValues,
  readBlobLists,
  readerOf,
  readPackedLists,
} from './values.ts';

type ScalarType = 'BIGINT' | 'BLOB' | 'BOOLEAN' | 'DOUBLE' | 'INTEGER' | 'UBIGINT' | 'VARCHAR';
export type ScalarFunctionType = ScalarType | `${ScalarType}[]`;

/**
 * A list argument that a function reads directly from DuckDB's memory: as packed numbers, or one
 * value after the other. It is valid only during the call.
 */
export type HeldList =
  | Int32Array
  | BigInt64Array
  | BigUint64Array
  | Float64Array
  | Iterable<Uint8Array>;

export interface RegisteredFunction {
  readonly name: string;
  readonly parameters: readonly ScalarFunctionType[];
  readonly variadic?: ScalarFunctionType; // of any further arguments
  readonly returns: ScalarFunctionType;
  readonly volatile?: boolean; // may differ for the same arguments
  // Otherwise the result for any null argument is null, without a call
  readonly acceptsNull?: boolean;
  readonly ofBytes?: ByteHash; // in place of `call`: hashes one parameter
  /** Computes one row. An error fails the query with its message. */
  readonly call: (...values: (EngineValue | HeldList)[]) => EngineValue;
}

/** Registers a function for all connections of the instance. */
export function registerScalarFunction(
  duckdb: Bindings,
  connection: DuckDbConnection,
  declared: RegisteredFunction,
): void {
  const made = duckdb.create_scalar_function();
  duckdb.scalar_function_set_name(made, declared.name);
  for (const parameter of declared.parameters)
    duckdb.scalar_function_add_parameter(made, logicalType(duckdb, parameter));
  if (declared.variadic)
    duckdb.scalar_function_set_varargs(made, logicalType(duckdb, declared.variadic));
  duckdb.scalar_function_set_return_type(made, logicalType(duckdb, declared.returns));
  if (declared.volatile) duckdb.scalar_function_set_volatile(made);
  if (declared.acceptsNull) duckdb.scalar_function_set_special_handling(made);
  duckdb.scalar_function_set_function(made, (info, input, output) => {
    try {
      const count = duckdb.data_chunk_get_size(input);
      if (declared.ofBytes) {
        const hashes = hashValues(
          duckdb,
          duckdb.data_chunk_get_vector(input, 0),
          count,
          declared.ofBytes,
          declared.returns === 'UBIGINT' ? 2 : 1,
        );
        duckdb.copy_data_to_vector(output, 0, hashes.buffer, 0, hashes.byteLength);
        return;
      }
      const columns = Array.from({ length: duckdb.data_chunk_get_column_count(input) }, (_, at) => {
        const vector = duckdb.data_chunk_get_vector(input, at);
        const held = heldLists[declared.parameters[at] ?? ''];
        return held
          ? held(duckdb, vector, count)
          : readerOf(duckdb, duckdb.vector_get_column_type(vector))(vector, count);
      });
      writeVector(duckdb, output, declared.returns, resultsOf(declared, columns, count));
    } catch (error) {
      // An exception must not leave the callback: DuckDB's thread waits for it.
      const message = error instanceof Error ? error.message : String(error);
      if (error instanceof LimitExceeded) remember(message);
      duckdb.scalar_function_set_error(info, `${ownWords}${message}`);
    }
  });
  duckdb.register_scalar_function(connection, made);
  duckdb.destroy_scalar_function_sync(made);
}

// DuckDB keeps only the text of an error, so the last refusals of functions are recognized by their
// texts.
const refused = new Set<string>();
const mostRefused = 100;

function remember(message: string): void {
  const [oldest] = refused;
  if (refused.size >= mostRefused && oldest !== undefined) refused.delete(oldest);
  refused.add(message);
}

/**
 * Whether an error text from DuckDB is the refusal of a function of this process to exceed a limit.
 */
export const isLimitOfFunction = (message: string): boolean => refused.has(message);

/**
 * Limit on a function's arguments and results for one batch of rows, which has at most 2,048. A
 * character takes one or two bytes in JavaScript.
 */
export const mostBatchCharacters = 128 * 1024 ** 2;

const heldLists: Readonly<
  Partial<Record<string, (duckdb: Bindings, vector: Vector, count: number) => (HeldList | null)[]>>
> = {
  'INTEGER[]': (duckdb, vector, count) => readPackedLists(duckdb, vector, count, Int32Array),
  'UBIGINT[]': (duckdb, vector, count) => readPackedLists(duckdb, vector, count, BigUint64Array),
  'BIGINT[]': (duckdb, vector, count) => readPackedLists(duckdb, vector, count, BigInt64Array),
  'DOUBLE[]': (duckdb, vector, count) => readPackedLists(duckdb, vector, count, Float64Array),
  'BLOB[]': readBlobLists,
};

function resultsOf(
  { call, acceptsNull, volatile }: RegisteredFunction,
  columns: readonly (EngineValue | HeldList)[][],
  count: number,
): EngineValue[] {
  let size = 0;
  const countCharacters = <T extends EngineValue | HeldList>(value: T): T => {
    size += sizeOf(value);
    if (size > mostBatchCharacters) throw batchTooLarge(count);
    return value;
  };
  for (const column of columns) for (const value of column) countCharacters(value);
  // Constants are the same in all rows, and the rows of a window share their lists.
  let before: { readonly row: number; readonly result: EngineValue } | undefined;
  return Array.from({ length: count }, (_, row) => {
    if (!volatile && before && isSameRow(columns, before.row, row)) {
      const { result } = before; // a sketch that rows of a window share is counted once
      return result instanceof Uint8Array ? result : countCharacters(result);
    }
    const values = columns.map((column) => column[row] ?? null);
    const result = !acceptsNull && values.includes(null) ? null : countCharacters(call(...values));
    before = { row, result };
    return result;
  });
}

const isSameRow = (
  columns: readonly (EngineValue | HeldList)[][],
  one: number,
  other: number,
): boolean => columns.every((column) => isSameValue(column[one], column[other]));

const isSameValue = (
  one: EngineValue | HeldList | undefined,
  other: EngineValue | HeldList | undefined,
): boolean =>
  one === other ||
  (Array.isArray(one) &&
    Array.isArray(other) &&
    one.length === other.length &&
    one.every((item, at) => item === other[at]));

function sizeOf(value: EngineValue | HeldList): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof Uint8Array) return value.length;
  return Array.isArray(value)
    ? (value as readonly EngineValue[]).reduce<number>((sum, item) => sum + 8 + sizeOf(item), 8)
    : 8;
}

const batchTooLarge = (count: number) =>
  new LimitExceeded(
    `The text arguments of a function have more than [${mostBatchCharacters}] characters in total for [${count}] rows. Select shorter values, or fewer columns.`,
  );

const itemTypeOf = (type: ScalarFunctionType) =>
  type.endsWith('[]') ? (type.slice(0, -2) as ScalarType) : undefined;

function logicalType(duckdb: Bindings, type: ScalarFunctionType): LogicalType {
  const item = itemTypeOf(type);
  if (item) return duckdb.create_list_type(logicalType(duckdb, item));
  return duckdb.create_logical_type(duckdb.Type[type as ScalarType]);
}

function writeVector(
  duckdb: Bindings,
  vector: Vector,
  type: ScalarFunctionType,
  values: readonly EngineValue[],
): void {
  const item = itemTypeOf(type);
  if (item) writeLists(duckdb, vector, item, values);
  else if (type === 'BLOB') {
    for (const [index, value] of values.entries())
      if (value instanceof Uint8Array)
        duckdb.vector_assign_string_element_len(vector, index, value);
  } else if (type === 'VARCHAR') {
    for (const [index, value] of values.entries())
      if (value !== null) duckdb.vector_assign_string_element(vector, index, String(value));
  } else {
    const bytes = type === 'BOOLEAN' ? 1 : type === 'INTEGER' ? 4 : 8;
    const data = new DataView(new ArrayBuffer(values.length * bytes));
    for (const [index, value] of values.entries())
      if (value !== null) writeNumber[type as NumberType](data, index * bytes, value);
    duckdb.copy_data_to_vector(vector, 0, data.buffer, 0, data.byteLength);
  }
  writeNulls(duckdb, vector, values);
}

type NumberType = Exclude<ScalarType, 'BLOB' | 'VARCHAR'>;

const writeNumber: Record<NumberType, (data: DataView, at: number, value: EngineValue) => void> = {
  BIGINT: (data, at, value) =>
    data.setBigInt64(
      at,
      typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value))),
      true,
    ),
  BOOLEAN: (data, at, value) => data.setUint8(at, value ? 1 : 0),
  DOUBLE: (data, at, value) => data.setFloat64(at, Number(value), true),
  INTEGER: (data, at, value) => data.setInt32(at, Number(value), true),
  UBIGINT: (data, at, value) => data.setBigUint64(at, BigInt(value as bigint), true),
};

function writeNulls(duckdb: Bindings, vector: Vector, values: readonly EngineValue[]): void {
  if (!values.includes(null)) return;
  const validity = new Uint8Array(Math.ceil(values.length / 64) * 8).fill(0xff);
  for (const [index, value] of values.entries()) {
    if (value === null) validity[index >> 3] = (validity[index >> 3] ?? 0) & ~(1 << (index & 7));
  }
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, validity.buffer, 0, validity.byteLength);
}

function writeLists(
  duckdb: Bindings,
  vector: Vector,
  item: ScalarType,
  values: readonly EngineValue[],
): void {
  const lists = values.map((value) =>
    Array.isArray(value) ? (value as readonly EngineValue[]) : [],
  );
  const items = lists.flat();
  duckdb.list_vector_reserve(vector, items.length);
  duckdb.list_vector_set_size(vector, items.length);
  writeVector(duckdb, duckdb.list_vector_get_child(vector), item, items);
  const entries = new BigUint64Array(values.length * 2);
  let offset = 0;
  for (const [index, list] of lists.entries()) {
    entries[index * 2] = BigInt(offset);
    entries[index * 2 + 1] = BigInt(list.length);
    offset += list.length;
  }
  duckdb.copy_data_to_vector(vector, 0, entries.buffer, 0, entries.byteLength);
}
