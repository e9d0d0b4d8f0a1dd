// Avro rows as lines of JSON. The only importer of avsc.
import { Type, types } from 'avsc';
import { isObject } from '../checks/spec-fields.ts';
import { checkSchema } from './schema.ts';

export interface RowOptions {
  readonly readerSchema: unknown; // undefined: the schema of the file
  readonly binaryAsString: boolean;
  readonly extractUnionsByType: boolean;
}

/** Reads rows that were written with a schema. */
export interface RowReader {
  /**
   * The line of the row at a position, and the position of the next row. Throws an Error for a row
   * that is damaged or too deep.
   */
  read(data: Buffer, at: number): { readonly line: string; readonly end: number };
}

/** Throws an Error for a schema that is invalid, too large, or incompatible with the reader's. */
export function rowReader(schema: unknown, { readerSchema, ...options }: RowOptions): RowReader {
  checkSchema(schema);
  const written = typeOf(schema);
  const wanted = readerSchema === undefined ? written : typeOf(readerSchema);
  if (wanted.typeName !== 'record')
    throw new Error(`its rows are of type [${wanted.typeName}] and must be records`);
  const resolver = readerSchema === undefined ? undefined : wanted.createResolver(written);
  const text = writers(options)(wanted);
  return {
    read(data, at) {
      const { value, offset } = wanted.decode(data, at, resolver);
      if (offset < 0) throw new Error('a row is damaged: it ends after its block');
      if (offset === at) throw new Error('its rows have no bytes');
      return { line: text(value, 0), end: offset };
    },
  };
}

// Logical types are ignored, as in the real engine.
const typeOf = (schema: unknown): Type =>
  Type.forSchema(schema as never, { wrapUnions: 'always', registry: { long } });

// Keeps all 64 bits.
const long = types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer(value: bigint) {
    const buffer = Buffer.alloc(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  },
  fromJSON: BigInt,
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => Number(a > b) - Number(a < b),
});

type Write = (value: unknown, depth: number) => string;

const writers = ({
  binaryAsString,
  extractUnionsByType,
}: Omit<RowOptions, 'readerSchema'>): ((type: Type) => Write) => {
  const known = new Map<Type, Write>();
  // A type may contain itself: its writer is registered before it is complete.
  const writerOf = (type: Type): Write => {
    const found = known.get(type);
    if (found) return found;
    const holder: { write?: Write } = {};
    const write: Write = (value, depth) => {
      if (depth > maxDepth) throw new Error(`a row of it is nested more than [${maxDepth}] times`);
      return holder.write ? holder.write(value, depth) : 'null';
    };
    known.set(type, write);
    holder.write = made(type);
    return write;
  };
  const binary: Write = (value) =>
    JSON.stringify((value as Buffer).toString(binaryAsString ? 'utf8' : 'base64'));
  const made = (type: Type): Write => {
    if (type instanceof types.RecordType) {
      const fields = type.fields.map((field) => ({
        name: field.name,
        head: `${JSON.stringify(field.name)}:`,
        write: writerOf(field.type),
      }));
      return (value, depth) =>
        `{${fields.map(({ name, head, write }) => head + write((value as Record<string, unknown>)[name], depth + 1)).join(',')}}`;
    }
    if (type instanceof types.ArrayType) {
      const write = writerOf(type.itemsType);
      // Lists have no nulls, as in the real engine.
      return (value, depth) =>
        `[${(value as unknown[])
          .filter((item) => item !== null)
          .map((item) => write(item, depth + 1))
          .join(',')}]`;
    }
    if (type instanceof types.MapType) {
      const write = writerOf(type.valuesType);
      return (value, depth) =>
        `{${Object.entries(value as object)
          .map(([name, item]) => `${JSON.stringify(name)}:${write(item, depth + 1)}`)
          .join(',')}}`;
    }
    if (type instanceof types.WrappedUnionType) return unionWriter(type.types);
    if (type instanceof types.BytesType || type instanceof types.FixedType) return binary;
    if (type.typeName === 'float')
      return (value) => numberText(value as number, shortest(value as number));
    if (type.typeName === 'double') return (value) => numberText(value as number, String(value));
    return (value) => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
  };
  const unionWriter = (branches: readonly Type[]): Write => {
    const isNamed =
      extractUnionsByType && branches.filter(({ typeName }) => typeName !== 'null').length > 1;
    const named = new Map(
      branches.map((branch) => [
        branch.branchName,
        { name: shortNameOf(branch), write: writerOf(branch) },
      ]),
    );
    return (value, depth) => {
      const [[branch, inside] = []] = isObject(value) ? Object.entries(value) : [];
      const found = named.get(branch);
      if (!found) return 'null';
      const text = found.write(inside, depth + 1);
      return isNamed ? `{${JSON.stringify(found.name)}:${text}}` : text;
    };
  };
  return writerOf;
};

const maxDepth = 200;

const shortNameOf = ({ branchName = '' }: Type) =>
  branchName.slice(branchName.lastIndexOf('.') + 1);

// JSON has no infinities and no NaN.
const numberText = (value: number, text: string) =>
  Number.isFinite(value) ? text : JSON.stringify(String(value));

// The shortest decimal form of a 32-bit float.
function shortest(value: number): string {
  for (let digits = 6; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}
