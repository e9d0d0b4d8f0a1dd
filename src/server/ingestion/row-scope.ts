// Fields of raw rows in the scope of expressions and filters, each with the type of its values.
import { itemType } from '../../model/column-types.ts';
import { newestVersion } from '../../model/engine-version.ts';
import type { Position } from '../../sql/ast.ts';
import type { Scope, Typed } from '../../sql/expressions/typed.ts';
import { SqlError } from '../../sql/sql-error.ts';
import { sqlTypeOfNative } from '../../sql/types.ts';
import { quote } from '../engine/sql-text.ts';
import { valueSql } from './column-values.ts';
import { type FieldTypes, numberKind } from './field-types.ts';
import type { RawField, RawRows } from './raw-rows.ts';

export interface RowFields {
  readonly raw: RawRows;
  readonly types: ReadonlyMap<string, FieldTypes>; // of the fields that are read
  readonly timeSql: string; // the value of __time in milliseconds
  readonly nowMs: number;
  // Fields that are texts, or lists of texts, as dimensions of text are
  readonly asTexts?: ReadonlySet<string>;
  // A field with nested and other values has the type of the others
  readonly isFlat?: boolean;
  // Of a transform: the types that fields have in the rows in question
  readonly rowTypes?: RowTypes;
  // Of a metric: a function of single values is applied to the items of lists
  readonly mapsLists?: boolean | undefined;
}

export type RowTypes = ReadonlyMap<string, string>; // native types by field

/** A native type that a field has in some rows. */
export interface RowShape {
  readonly native: string;
  readonly condition: string; // DuckDB text, for rows that no shape before has
}

/**
 * The types that a field has in different rows: one of its lists, and those of single values. In a
 * text field, all of these have one type. None for a field with nested values.
 */
export function rowShapesOf(
  { raw, types }: RowFields,
  name: string,
  isFlat: boolean,
): readonly RowShape[] {
  const field = raw.fields.get(name);
  const found = types.get(name);
  const flat = (isFlat ? found?.ofFlat : undefined) ?? found;
  if (!field || !flat?.isFlat) return [];
  const { sql, kind } = field;
  const ofJson = {
    STRING: `json_type(${sql}) = 'VARCHAR'`,
    DOUBLE: `${numberKind(sql)} = 'DOUBLE'`,
  };
  const singles =
    kind === 'text'
      ? [{ native: itemType(flat.type) ?? flat.type, condition: 'true' }]
      : [...Object.entries(ofJson), ['LONG', 'true'] as const]
          .filter(([native]) => flat.ofSingles.includes(native))
          .map(([native, condition]) => ({ native, condition }));
  if (!flat.hasLists) return singles;
  const isList =
    kind === 'json'
      ? `json_type(${sql}) = 'ARRAY'`
      : `contains(${sql}, ${quote(raw.listDelimiter ?? '')})`;
  return [{ native: flat.type, condition: isList }, ...singles];
}

/** A scope whose names are fields; a missing field is null. */
export function rowScope(rows: RowFields): Scope {
  const { raw, types, timeSql, nowMs, asTexts, isFlat, rowTypes, mapsLists } = rows;
  return fieldScope(nowMs, (name, at) => {
    if (name === '__time') return { type: { name: 'BIGINT' }, sql: `(${timeSql})`, at };
    const given = raw.fields.get(name);
    const found = types.get(name);
    if (!given || !found)
      return { type: { name: 'VARCHAR' }, sql: 'NULL::VARCHAR', at, nullable: true };
    const field = rowTypes && found.hasTruths ? { ...given, sql: withLongs(given.sql) } : given;
    const ofRow = rowTypes?.get(name);
    if (ofRow !== undefined && !(mapsLists && itemType(ofRow)))
      return { ...arrayValue(ofRow, raw, field), at };
    const isList = found.hasLists || !found.isFlat;
    if (asTexts?.has(name))
      return { ...typedValue(isList ? 'ARRAY<STRING>' : 'STRING', raw, field), at };
    const native = (isFlat ? found.ofFlat : undefined)?.type ?? found.type;
    return { ...typedValue(mapsLists && isList ? 'ARRAY<STRING>' : native, raw, field), at };
  });
}

// A list of texts is a multi-value string, as in dimensions.
const typedValue = (native: string, raw: RawRows, field: RawField): Omit<Typed, 'at'> => ({
  ...arrayValue(native, raw, field),
  ...(native === 'ARRAY<STRING>' && { type: { name: 'VARCHAR', multiValue: true } }),
});

const arrayValue = (native: string, raw: RawRows, field: RawField): Omit<Typed, 'at'> => ({
  type: sqlTypeOfNative(native) ?? { name: 'VARCHAR' },
  sql: `(${valueSql(native, raw, field)})`,
  nullable: true,
});

/**
 * A JSON field as expressions read it: truths, and those in lists, are the numbers 1 and 0 (Druid:
 * ExprEval.bestEffortOf).
 */
export const withLongs = (sql: string): string => {
  const long = (value: string) =>
    `CASE json_type(${value}) WHEN 'BOOLEAN' THEN to_json(${value}::BOOLEAN::BIGINT) ELSE ${value} END`;
  return `CASE json_type(${sql}) WHEN 'ARRAY' THEN CASE WHEN contains(${sql}::VARCHAR, 'true') OR contains(${sql}::VARCHAR, 'false') THEN to_json(list_transform(json_extract(${sql}, '$[*]'), lambda item: ${long('item')})) ELSE ${sql} END ELSE ${long(sql)} END`;
};

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
