// Value kinds of a raw field, and the resulting column type (Druid: ingestion/schema-design,
// "Type-aware schema discovery").
import { leastRestrictive } from '../../model/column-types.ts';
import type { Session } from '../engine/session.ts';
import { quote } from '../engine/sql-text.ts';
import type { RawField, RawRows } from './raw-rows.ts';

export interface FieldTypes {
  readonly type: string; // the least restrictive native type: STRING without any value
  readonly hasLists: boolean;
  readonly hasSeveral: boolean; // some rows hold several values
  readonly isFlat: boolean; // no objects, and no nested lists
  readonly ofFlat: FieldTypes | undefined; // of the values that are flat; undefined: there are none
  readonly ofSingles: readonly string[]; // the native types of single values
  readonly hasTruths: boolean; // some values, or items of lists, are true or false
  readonly isMixed: boolean; // the values have several kinds
}

/** Reads all rows of the given fields; returns the types by field name. */
export async function typesOf(
  session: Session,
  raw: RawRows,
  fields: readonly RawField[],
): Promise<Map<string, FieldTypes>> {
  const found = new Map(fields.map(({ name }) => [name, typesFrom([])]));
  for (const kind of ['json', 'text'] as const) {
    const alike = fields.filter((field) => field.kind === kind);
    if (alike.length === 0) continue;
    // Single texts, and no values, have the same type.
    if (kind === 'text' && raw.listDelimiter === undefined && !raw.parseNumbers) continue;
    // One expression for all fields: DuckDB takes seconds to plan a separate one for each of
    // hundreds.
    const values = `SELECT unnest(range(${alike.length})) AS field, unnest([${alike.map(({ sql }) => sql).join(', ')}]) AS value FROM ${raw.table}`;
    const kinds = new Map<string, string[]>();
    for (const [index, held] of await session.rows(
      `SELECT DISTINCT field, ${kindSql(raw, { sql: 'value', kind })} FROM (${values})`,
    )) {
      const name = alike[Number(index)]?.name;
      if (name === undefined || typeof held !== 'string') continue;
      kinds.set(name, [...(kinds.get(name) ?? []), held]);
    }
    for (const [name, list] of kinds) found.set(name, typesFrom(list));
  }
  return found;
}

// `BIGINT` for a single value, `[BIGINT,VARCHAR]` for a list with values of these kinds and `...]+`
// for one with several values; null without a value.
function kindSql(raw: RawRows, { sql, kind }: Pick<RawField, 'sql' | 'kind'>): string {
  if (kind === 'json') {
    const items = `list_transform(json_extract(${sql}, '$[*]'), lambda item: ${numberKind('item')})`;
    return `CASE json_type(${sql}) WHEN 'ARRAY' THEN '[' || array_to_string(list_sort(list_distinct(${items})), ',') || CASE WHEN json_array_length(${sql}) > 1 THEN ']+' ELSE ']' END ELSE ${numberKind(sql)} END`;
  }
  const one = raw.parseNumbers ? textKind(sql) : "'VARCHAR'";
  const several = raw.parseNumbers
    ? `'[' || (CASE WHEN ${allNumbers(raw, sql)} THEN 'DOUBLE' ELSE 'VARCHAR' END) || ']+'`
    : "'[VARCHAR]+'";
  if (raw.listDelimiter === undefined) return `CASE WHEN ${sql} IS NOT NULL THEN ${one} END`;
  return `CASE WHEN ${sql} IS NULL THEN NULL WHEN contains(${sql}, ${quote(raw.listDelimiter)}) THEN ${several} ELSE ${one} END`;
}

/** DuckDB's type of a JSON value. A whole number beyond a LONG is a double. */
export const numberKind = (sql: string) =>
  `CASE WHEN json_type(${sql}) = 'UBIGINT' AND length(${sql}) > 18 AND TRY_CAST(${sql} AS BIGINT) IS NULL THEN 'DOUBLE' ELSE json_type(${sql}) END`;

/** The kind of a text that may be a number. */
export const textKind = (sql: string) =>
  `CASE WHEN regexp_full_match(${sql}, '${wholeNumber}') THEN 'BIGINT' WHEN regexp_full_match(${sql}, '${anyNumber}') THEN 'DOUBLE' ELSE 'VARCHAR' END`;

const allNumbers = (raw: RawRows, sql: string) =>
  `list_bool_and(list_transform(string_split(${sql}, ${quote(raw.listDelimiter ?? '')}), lambda item: regexp_full_match(item, '${anyNumber}')))`;

const wholeNumber = '-?\\d{1,19}';
const anyNumber = '[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?';

/**
 * The text of the number that Java reads in a text (Druid: tryParseNumbers), and other texts as
 * they are: `7` for `007`, `1000.0` for `1e3`. Items of a list, too.
 */
export function parsedNumbersSql(text: string, listDelimiter: string): string {
  const delimiter = quote(listDelimiter);
  return `CASE WHEN contains(${text}, ${delimiter}) THEN array_to_string(list_transform(string_split(${text}, ${delimiter}), lambda item: ${parsedNumberSql('item')}), ${delimiter}) ELSE ${parsedNumberSql(text)} END`;
}

const parsedNumberSql = (text: string) =>
  `CASE WHEN regexp_full_match(${text}, '${wholeNumber}') AND TRY_CAST(${text} AS BIGINT) IS NOT NULL THEN CAST(TRY_CAST(${text} AS BIGINT) AS VARCHAR) WHEN regexp_full_match(${text}, '${anyNumber}[dDfF]?') THEN druid_double_to_text(coalesce(TRY_CAST(rtrim(${text}, 'dDfF') AS DOUBLE), CASE WHEN starts_with(${text}, '-') THEN '-inf' ELSE 'inf' END::DOUBLE)) ELSE ${text} END`;

/** A condition for a JSON value that is neither an object nor a nested list. */
export const flatSql = (sql: string): string =>
  `CASE json_type(${sql}) WHEN 'OBJECT' THEN false WHEN 'ARRAY' THEN NOT list_has_any(list_transform(json_extract(${sql}, '$[*]'), lambda item: json_type(item)), ['OBJECT', 'ARRAY']) ELSE true END`;

const isFlatKind = (kind: string): boolean => !/OBJECT|ARRAY/.test(kind);

function typesFrom(kinds: readonly string[]): FieldTypes {
  const flat = kinds.filter(isFlatKind);
  const hasOthers = flat.length < kinds.length;
  const ofFlat = hasOthers && flat.length > 0 ? typesFrom(flat) : undefined;
  return {
    ...sharedType(kinds, !hasOthers),
    ofFlat,
    ofSingles: [...new Set(flat.filter((kind) => !kind.startsWith('[')).map(nativeType))],
    hasTruths: kinds.some((kind) => kind.includes('BOOLEAN')),
    isMixed: kinds.length > 1,
  };
}

function sharedType(
  kinds: readonly string[],
  isFlat: boolean,
): Omit<FieldTypes, 'ofFlat' | 'ofSingles' | 'hasTruths' | 'isMixed'> {
  const lists = kinds.filter((kind) => kind.startsWith('['));
  const items = lists
    .flatMap((kind) => kind.slice(1, kind.indexOf(']')).split(','))
    .filter((kind) => kind !== '' && kind !== 'NULL');
  const hasLists = lists.length > 0;
  const held = { hasLists, hasSeveral: lists.some((kind) => kind.endsWith('+')), isFlat };
  if (!isFlat) return { type: 'COMPLEX<json>', ...held };
  const types = [
    ...kinds.filter((kind) => !kind.startsWith('[')).map(nativeType),
    ...items.map((item) => `ARRAY<${nativeType(item)}>`),
  ];
  const [first, ...rest] = types;
  if (first === undefined) return { type: hasLists ? 'ARRAY<LONG>' : 'STRING', ...held }; // only empty lists: as in the real engine
  const type = rest.reduce(leastRestrictive, first);
  return {
    type: hasLists && !type.startsWith('ARRAY') ? `ARRAY<${type}>` : type,
    ...held,
  };
}

// Booleans are stored as 0 and 1.
const nativeType = (kind: string) =>
  kind === 'DOUBLE' ? 'DOUBLE' : kind === 'VARCHAR' ? 'STRING' : 'LONG';
