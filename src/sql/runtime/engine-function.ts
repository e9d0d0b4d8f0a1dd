// Declaration of a scalar function that is written in TypeScript.

export type ScalarValue =
  | string
  | bigint
  | number
  | boolean
  | null
  | Uint8Array
  | HeldValues
  | readonly ScalarValue[];
type HeldValues = Int32Array | BigUint64Array | Float64Array | Iterable<Uint8Array>;

export interface EngineFunction {
  readonly name: string;
  readonly arguments: readonly EngineType[];
  readonly returns: EngineType;
  readonly volatile?: true; // never computed while planning
  /**
   * The same from a value's bytes as DuckDB holds them, of a text its UTF-8, to a whole number; it
   * is 0 for null.
   */
  readonly ofBytes?: ByteHash;
  /** From values in the order of the arguments to the result; throws to fail the query. */
  call(values: readonly ScalarValue[]): ScalarValue;
}

/** What is made of some of the bytes. */
export type ByteHash = (bytes: Uint8Array, start: number, length: number) => number;

/**
 * DuckDB's names; BIGINT is a bigint here, DOUBLE a number, a list an array; lists of hashes, of
 * bytes and of doubles are read where DuckDB holds them.
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
  'BLOB[]': Iterable<Uint8Array>;
}

type Values<T extends readonly EngineType[]> = { [K in keyof T]: TypeScriptTypes[T[K]] };

/** A function by its name, the types of its arguments and of its result. */
export const engineFunction = <const A extends readonly EngineType[], R extends EngineType>(
  name: string,
  args: A,
  returns: R,
  call: (...values: Values<A>) => TypeScriptTypes[R] | null,
): EngineFunction => ({
  name,
  arguments: args,
  returns,
  // DuckDB hands over exactly the declared types.
  call: (values) => call(...(values as unknown as Values<A>)),
});
