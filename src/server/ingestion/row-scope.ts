// Fields of raw rows in the scope of expressions and filters, each with the type of its values.
import { newestVersion } from '../../model/engine-version.ts';
import type { Position } from '../../sql/ast.ts';
import type { Scope, Typed } from '../../sql/expressions/typed.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { sqlTypeOfNative } from '../../sql/types.ts';
import { valueSql } from './column-values.ts';
import type { FieldTypes } from './field-types.ts';
import type { RawField, RawRows } from './raw-rows.ts';

export interface RowFields {
  readonly raw: RawRows;
  readonly types: ReadonlyMap<string, FieldTypes>; // of the fields that are read
  readonly timeSql: string; // the value of __time in milliseconds
  readonly nowMs: number;
  // Fields whose lists and nested values are lists of texts, as dimensions of text are
  readonly asTexts?: ReadonlySet<string>;
  // A field with nested and other values has the type of the others
  readonly isFlat?: boolean;
}

/** A scope whose names are fields; a missing field is null. */
export function rowScope({ raw, types, timeSql, nowMs, asTexts, isFlat }: RowFields): Scope {
  return fieldScope(nowMs, (name, at) => {
    if (name === '__time') return { type: { name: 'BIGINT' }, sql: `(${timeSql})`, at };
    const field = raw.fields.get(name);
    const found = types.get(name);
    if (!field || !found)
      return { type: { name: 'VARCHAR' }, sql: 'NULL::VARCHAR', at, nullable: true };
    const isListed = asTexts?.has(name) && (found.hasLists || !found.isFlat);
    const native = (isFlat ? found.ofFlat : undefined)?.type ?? found.type;
    return { ...typedValue(isListed ? 'ARRAY<STRING>' : native, raw, field), at };
  });
}

// A list of texts is a multi-value string, as in dimensions.
function typedValue(native: string, raw: RawRows, field: RawField): Omit<Typed, 'at'> {
  const multiValue = native === 'ARRAY<STRING>';
  const type = multiValue
    ? { name: 'VARCHAR' as const, multiValue }
    : (sqlTypeOfNative(native) ?? { name: 'VARCHAR' as const });
  return { type, sql: `(${valueSql(native, raw, field)})`, nullable: true };
}

/** A scope of a single row: `column` resolves the names. */
export function fieldScope(nowMs: number, column: (name: string, at: Position) => Typed): Scope {
  const notHere = (what: string) => (): never => {
    throw new SqlError(`${what} cannot be used in a transform`);
  };
  return {
    environment: {
      version: newestVersion,
      now: () => BigInt(nowMs),
      timeZone: 'UTC',
      context: {},
      parameters: [],
      lookup: () => undefined,
      inPlanning: (check) => check(),
    },
    column: (names, at) => column(names.join('.'), at),
    subquery: notHere('A subquery'),
    exists: notHere('EXISTS'),
    inQuery: notHere('A subquery'),
    quantified: notHere('A subquery'),
    aggregate: notHere('An aggregate'),
  };
}
