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
  /** The same function of a value's bytes, for one argument; 0 for null. */
  readonly ofBytes?: ByteHash;
  /** Computes the result from values in argument order. An exception fails the query. */
  call(values: readonly ScalarValue[]): ScalarValue;
}

/**
 * Hashes a value, given as its bytes in DuckDB (UTF-8 for a text). Writes one word for an INTEGER,
 * two for a UBIGINT, the lower one first.
 */
export type ByteHash = (
  bytes: Uint8Array,
  start: number,
  length: number,
  words: Int32Array,
  at: number,
) => void;

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

/** Declares a hash of values by its name, the type of the values, and that of the hash. */
export function hashFunction(
  name: string,
  argument: keyof typeof bytesOf,
  returns: 'INTEGER' | 'UBIGINT',
  ofBytes: ByteHash,
): EngineFunction {
  const words = new Int32Array(2);
  const wide = new BigUint64Array(words.buffer);
  return {
    name,
    arguments: [argument],
    returns,
    ofBytes,
    call([value]) {
      const bytes = (bytesOf[argument] as (value: ScalarValue | undefined) => Buffer)(value);
      ofBytes(bytes, 0, bytes.length, words, 0);
      return returns === 'INTEGER' ? (words[0] ?? 0) : (wide[0] ?? 0n);
    },
  };
}

/** Reads a double from a value's bytes in DuckDB. */
export const doubleAt = (bytes: Uint8Array, start: number): number =>
  new DataView(bytes.buffer, bytes.byteOffset + start, 8).getFloat64(0, true);

// Values as DuckDB stores them.
const bytesOf = {
  VARCHAR: (text: string) => Buffer.from(text),
  BIGINT: (value: bigint) => eightBytes((bytes) => bytes.writeBigInt64LE(value)),
  DOUBLE: (value: number) => eightBytes((bytes) => bytes.writeDoubleLE(value)),
};

function eightBytes(write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(8);
  write(bytes);
  return bytes;
}
