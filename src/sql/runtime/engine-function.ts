// Declaration of scalar functions written in TypeScript.

export type ScalarValue =
  | string
  | bigint
  | number
  | boolean
  | null
  | Uint8Array
  | HeldValues
  | readonly ScalarValue[];
type HeldValues = Int32Array | BigInt64Array | BigUint64Array | Float64Array | Iterable<Uint8Array>;

export interface EngineFunction {
  readonly name: string;
  readonly arguments: readonly EngineType[];
  readonly returns: EngineType;
  readonly volatile?: true; // never computed during planning
  /**
   * The same function on a value's bytes as DuckDB stores them (UTF-8 for a text), returning a
   * whole number; 0 for null.
   */
  readonly ofBytes?: ByteHash;
  /** Computes the result from values in argument order. An exception fails the query. */
  call(values: readonly ScalarValue[]): ScalarValue;
}

/** A function of a range of bytes. */
export type ByteHash = (bytes: Uint8Array, start: number, length: number) => number;

/**
 * DuckDB's type names. BIGINT is a bigint here, DOUBLE a number, a list an array. Lists of hashes,
 * bytes and doubles are read directly from DuckDB's memory.
 */
export type EngineType =
  | 'VARCHAR'
  | 'BIGINT'
  | 'DOUBLE'
  | 'BOOLEAN'
  | 'BLOB'
  | 'INTEGER'
  | 'UBIGINT'
  | 'VARCHAR[]'
  | 'DOUBLE[]'
  | 'INTEGER[]'
  | 'UBIGINT[]'
  | 'BIGINT[]'
  | 'BLOB[]';

interface TypeScriptTypes {
  VARCHAR: string;
  BIGINT: bigint;
  DOUBLE: number;
  BOOLEAN: boolean;
  BLOB: Uint8Array;
  INTEGER: number;
  UBIGINT: bigint;
  'VARCHAR[]': readonly (string | null)[];
  'DOUBLE[]': readonly number[] | Float64Array; // a given list is held
  'INTEGER[]': Int32Array;
  'UBIGINT[]': BigUint64Array;
  'BIGINT[]': BigInt64Array;
  'BLOB[]': Iterable<Uint8Array>;
}

type Values<T extends readonly EngineType[]> = { [K in keyof T]: TypeScriptTypes[T[K]] };

/** Declares a function by its name, argument types and result type. */
export const engineFunction = <const A extends readonly EngineType[], R extends EngineType>(
  name: string,
  args: A,
  returns: R,
  call: (...values: Values<A>) => TypeScriptTypes[R] | null,
): EngineFunction => ({
  name,
  arguments: args,
  returns,
  // DuckDB passes values of exactly the declared types.
  call: (values) => call(...(values as unknown as Values<A>)),
});
