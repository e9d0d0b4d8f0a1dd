// Conversion of raw fields to values of columns, by kind of column (Druid: the dimension and
// aggregator indexers).
import { itemType } from '../../model/column-types.ts';
import { quote } from '../engine/sql-text.ts';
import { type IngestedDimension, isTypedByValues, type MultiValueHandling } from './dimensions.ts';
import type { FieldTypes } from './field-types.ts';
import type { RawField, RawRows } from './raw-rows.ts';

/** A value that is computed from a field. */
export interface FieldValue {
  readonly sql: string;
  readonly field: RawField | undefined; // absent: the column is null everywhere
  readonly formula?: Formula; // of the field's text; absent where the field is the value
}

/** A computation that is the same for all fields of a kind. */
export interface Formula {
  readonly name: string; // formulas of one name are equal
  of(value: string): string; // SQL
}

export interface ColumnValue extends FieldValue {
  readonly type: string; // native
  readonly multiValue: boolean;
  readonly checked: boolean; // a value that does not fit becomes null and counts as an error
}

/**
 * The value that a dimension stores for a field. `types` must be known for strings and discovered
 * types.
 */
export function dimensionValue(
  dimension: IngestedDimension,
  raw: RawRows,
  field: RawField | undefined,
  types: FieldTypes | undefined,
): ColumnValue {
  const type = columnType(dimension, types);
  const multiValue = dimension.type === 'string' && (types?.hasLists ?? false);
  if (!field)
    return {
      type,
      multiValue,
      field,
      checked: false,
      sql: `NULL::${multiValue ? 'VARCHAR[]' : duckdbType(type)}`,
    };
  const { multiValueHandling: handling } = dimension;
  const value = multiValue
    ? computed(field, `${handling} ${field.kind} ${types?.hasSeveral}`, (sql) =>
        multiValueSql(raw, { ...field, sql }, handling, types?.hasSeveral ?? false),
      )
    : fieldValue(type, raw, withoutTruths(dimension, type, field, types));
  // The type of a dimension that is typed by its values takes what does not fit as null
  return { ...value, type, multiValue, checked: isNumber(type) && !isTypedByValues(dimension) };
}

// Schema discovery reads true and false as 1 and 0, among texts, too.
const withoutTruths = (
  dimension: IngestedDimension,
  type: string,
  field: RawField,
  types: FieldTypes | undefined,
): RawField =>
  isTypedByValues(dimension) && type === 'STRING' && types?.hasTruths
    ? {
        ...field,
        sql: `CASE WHEN json_type(${field.sql}) = 'BOOLEAN' THEN CASE WHEN ${field.sql} = 'true'::JSON THEN '1'::JSON ELSE '0'::JSON END ELSE ${field.sql} END`,
      }
    : field;

/** A field as a value of a native type, with its formula. */
export const fieldValue = (
  type: string,
  raw: Pick<RawRows, 'listDelimiter' | 'parseNumbers'>,
  field: RawField,
): FieldValue =>
  computed(field, `${type} ${field.kind}`, (sql) => valueSql(type, raw, { ...field, sql }));

function computed(field: RawField, name: string, of: Formula['of']): FieldValue {
  const sql = of(field.sql);
  return sql === field.sql ? { sql, field } : { sql, field, formula: { name, of } };
}

/**
 * The SQL of values that are selected from `table`, and the relation to select them from. DuckDB
 * reserves memory for each step of each expression: many values of one formula are computed by one
 * expression, over a list of their fields.
 */
export function selectedValues(
  values: readonly FieldValue[],
  table: string,
): { readonly sqls: readonly string[]; readonly from: string } {
  const alike = new Map<string, { readonly formula: Formula; readonly group: FieldValue[] }>();
  for (const value of values) {
    const { formula } = value;
    if (!formula) continue;
    const group: FieldValue[] = alike.get(formula.name)?.group ?? [];
    group.push(value);
    alike.set(formula.name, { formula, group });
  }
  const lists = [...alike.values()]
    .filter(({ group }) => group.length >= leastListed)
    .map((list, index) => ({ ...list, name: `list${index}` }));
  if (lists.length === 0) return { sqls: values.map(({ sql }) => sql), from: table };
  const places = new Map(
    lists.flatMap(({ group, name }) =>
      group.map((value, at) => [value, `${name}[${at + 1}]`] as const),
    ),
  );
  const columns = lists.map(({ group, formula, name }) => {
    const fields = group.map(({ field }) => field?.sql).join(', ');
    return `list_transform([${fields}], lambda field: ${formula.of('field')}) AS ${name}`;
  });
  return {
    sqls: values.map((value) => places.get(value) ?? value.sql),
    from: `(SELECT *, ${columns.join(', ')} FROM ${table})`,
  };
}

// Measured: with fewer, separate expressions take less time.
const leastListed = 64;

/**
 * The value of a spatial dimension: the coordinates in the field of its own name, or those of its
 * `dims`, separated by commas (Druid: SpatialDimensionRowTransformer). A value without numbers is
 * null.
 */
export function spatialValue(
  { name, dims = [] }: IngestedDimension,
  raw: Pick<RawRows, 'listDelimiter'>,
  fields: ReadonlyMap<string, RawField>,
): ColumnValue {
  const textsOf = (one: string): string => {
    const field = fields.get(one);
    return field ? textsSql(raw, field) : 'NULL::VARCHAR[]';
  };
  const sql = `druid_spatial_value(${quote(name)}, ${textsOf(name)}, [${dims.map(textsOf).join(', ')}]::VARCHAR[][])`;
  return { type: 'STRING', multiValue: false, field: fields.get(name), checked: false, sql };
}

/** A field as a value of a native type. */
export function valueSql(
  type: string,
  raw: Pick<RawRows, 'listDelimiter' | 'parseNumbers'>,
  field: RawField,
): string {
  const { sql, kind } = field;
  if (type === 'COMPLEX<json>') return kind === 'json' ? sql : `to_json(${sql})`;
  const item = itemType(type);
  if (item !== undefined)
    return kind === 'json' ? jsonListSql(item, sql) : textListSql(item, raw, sql);
  switch (type) {
    case 'LONG':
      return kind === 'json' ? jsonLong(sql) : textLong(sql);
    case 'DOUBLE':
    case 'FLOAT':
      return kind === 'json' ? jsonDouble(sql, type) : columnDouble(sql, type);
    default:
      return kind === 'json' ? jsonText(sql) : sql;
  }
}

/**
 * The numeric input of an aggregator. A number in a text is read as in Java and cut to the type; a
 * missing field is null (Druid: Rows.objectToNumber).
 */
export function numberSql(type: 'LONG' | 'DOUBLE' | 'FLOAT', field: RawField | undefined): string {
  if (!field) return `NULL::${duckdbType(type)}`;
  const text = field.kind === 'json' ? `(${field.sql} ->> '$')` : field.sql;
  const clean = `replace(trim(${text}), ',', '')`;
  if (type !== 'LONG') return columnDouble(clean, type);
  const whole = `CASE WHEN regexp_full_match(${clean}, '[+-]?\\d+') THEN TRY_CAST(${clean} AS BIGINT) END`;
  const cut = `CASE WHEN isnan(d) THEN 0 ELSE ${doubleLong('d')} END`;
  return `coalesce(${whole}, list_transform([${columnDouble(clean, 'DOUBLE')}], lambda d: ${cut})[1])`;
}

/** A text field whose lists are lists of JSON. */
export function asJson(
  { listDelimiter }: Pick<RawRows, 'listDelimiter'>,
  field: RawField,
): RawField {
  const { sql, kind } = field;
  if (kind === 'json' || listDelimiter === undefined) return field;
  const delimiter = quote(listDelimiter);
  const list = `to_json(string_split(${sql}, ${delimiter}))`;
  return {
    ...field,
    kind: 'json',
    sql: `CASE WHEN contains(${sql}, ${delimiter}) THEN ${list} ELSE to_json(${sql}) END`,
  };
}

const isNumber = (type: string) => type === 'LONG' || type === 'DOUBLE' || type === 'FLOAT';

function columnType(dimension: IngestedDimension, types: FieldTypes | undefined): string {
  switch (dimension.type) {
    case 'auto':
    case 'json':
      return dimension.castToType ?? types?.type ?? 'STRING';
    case 'spatial':
      return 'STRING';
    default:
      return dimension.type.toUpperCase();
  }
}

const duckdbType = (type: string): string => {
  const item = itemType(type);
  if (item !== undefined) return `${duckdbType(item)}[]`;
  return type === 'STRING'
    ? 'VARCHAR'
    : type === 'LONG'
      ? 'BIGINT'
      : type === 'COMPLEX<json>'
        ? 'JSON'
        : type;
};

// A single value is a list of one. A list of one null is a null. Where some rows hold several
// values, queries tell an empty list from a null.
function multiValueSql(
  raw: RawRows,
  field: RawField,
  handling: MultiValueHandling,
  hasSeveral: boolean,
): string {
  const list = `nullif(${arrange(textsSql(raw, field), handling)}, [NULL]::VARCHAR[])`;
  return hasSeveral ? list : `nullif(${list}, []::VARCHAR[])`;
}

function textsSql(raw: Pick<RawRows, 'listDelimiter'>, { sql, kind }: RawField): string {
  if (kind === 'text') return textListSql('STRING', raw, sql);
  return `CASE WHEN json_type(${sql}) = 'ARRAY' THEN list_transform(json_extract(${sql}, '$[*]'), lambda item: ${itemText('item')}) WHEN ${sql} IS NOT NULL THEN [${jsonText(sql)}] END`;
}

function arrange(list: string, handling: MultiValueHandling): string {
  if (handling === 'ARRAY') return list;
  const sorted = `list_sort(${list}, 'ASC', 'NULLS FIRST')`;
  if (handling === 'SORTED_ARRAY') return sorted;
  return `list_transform(list_filter(${sorted}, lambda item, position: position = 1 OR item IS DISTINCT FROM (${sorted})[position - 1]), lambda item: item)`;
}

// Numbers and objects are printed as in Java. Whole numbers beyond a LONG are doubles.
const jsonText = (sql: string) =>
  `CASE json_type(${sql}) WHEN 'DOUBLE' THEN ${javaDouble(`${sql}::DOUBLE`)} WHEN 'UBIGINT' THEN CASE WHEN TRY_CAST(${sql} AS BIGINT) IS NULL THEN ${javaDouble(`${sql}::DOUBLE`)} ELSE ${sql} ->> '$' END WHEN 'OBJECT' THEN druid_stored_java_text(${sql}::VARCHAR) ELSE ${sql} ->> '$' END`;

/** A field as a text; a list becomes one, too. */
export const itemText = (sql: string) =>
  `CASE json_type(${sql}) WHEN 'ARRAY' THEN druid_stored_java_text(${sql}::VARCHAR) ELSE ${jsonText(sql)} END`;

const javaDouble = (sql: string) => `druid_double_to_text(${sql})`;

function jsonListSql(item: string, sql: string): string {
  const one = (value: string) =>
    valueSql(
      item,
      { listDelimiter: undefined, parseNumbers: false },
      { name: '', sql: value, kind: 'json' },
    );
  return `CASE WHEN json_type(${sql}) = 'ARRAY' THEN list_transform(json_extract(${sql}, '$[*]'), lambda item: ${one("nullif(item, 'null'::JSON)")}) WHEN ${sql} IS NOT NULL THEN [${one(sql)}] END`;
}

function textListSql(
  item: string,
  { listDelimiter }: Pick<RawRows, 'listDelimiter'>,
  sql: string,
): string {
  const one = (value: string) =>
    valueSql(
      item,
      { listDelimiter: undefined, parseNumbers: false },
      { name: '', sql: value, kind: 'text' },
    );
  if (listDelimiter === undefined) return `CASE WHEN ${sql} IS NOT NULL THEN [${one(sql)}] END`;
  return `list_transform(string_split(${sql}, ${quote(listDelimiter)}), lambda item: ${one('item')})`;
}

// Numbers beyond the range of a type become its ends, as in casts of Java.
const jsonLong = (sql: string) =>
  `CASE json_type(${sql}) WHEN 'BIGINT' THEN TRY_CAST(${sql} AS BIGINT) WHEN 'UBIGINT' THEN coalesce(TRY_CAST(${sql} AS BIGINT), ${mostLong}) WHEN 'DOUBLE' THEN ${doubleLong(`${sql}::DOUBLE`)} ` +
  `WHEN 'BOOLEAN' THEN CASE WHEN ${sql} = 'true'::JSON THEN 1::BIGINT ELSE 0::BIGINT END WHEN 'VARCHAR' THEN ${textLong(`(${sql} ->> '$')`)} END`;

const doubleLong = (sql: string) =>
  `coalesce(TRY_CAST(trunc(${sql}) AS BIGINT), CASE WHEN ${sql} > 0 THEN ${mostLong} WHEN ${sql} < 0 THEN -${mostLong} - 1 END)`;

// Exact values only: `1.0` is a long, `1.5` is not (Druid:
// DimensionHandlerUtils.getExactLongFromDecimalString). Most texts are numbers as they are printed:
// a comparison needs half the time of a pattern.
const textLong = (text: string) =>
  `CASE WHEN TRY_CAST(${text} AS BIGINT)::VARCHAR = ${text} THEN TRY_CAST(${text} AS BIGINT) WHEN regexp_full_match(${text}, '[+-]?\\d+') THEN TRY_CAST(${text} AS BIGINT) WHEN regexp_full_match(${text}, '[+-]?(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?') AND TRY_CAST(${text} AS DOUBLE) = trunc(TRY_CAST(${text} AS DOUBLE)) THEN TRY_CAST(TRY_CAST(${text} AS DOUBLE) AS BIGINT) END`;

const mostLong = '9223372036854775807';

const jsonDouble = (sql: string, type: string) =>
  `CASE json_type(${sql}) WHEN 'VARCHAR' THEN ${textDouble(`(${sql} ->> '$')`, type)} WHEN 'BOOLEAN' THEN NULL WHEN 'ARRAY' THEN NULL WHEN 'OBJECT' THEN NULL ELSE TRY_CAST((${sql} ->> '$') AS ${type}) END`;

// A text that begins with a sign or digit and has no spaces, underscores or words such as `-inf`:
// what DuckDB takes for a number is one by the pattern, too, in a quarter of the time.
const columnDouble = (column: string, type: string) =>
  `coalesce(CASE WHEN ${column} >= '-' AND ${column} < ':' AND NOT contains(${column}, '_') AND NOT contains(${column}, 'n') AND NOT contains(${column}, 'N') AND ${spaces.map((space) => `NOT suffix(${column}, ${space})`).join(' AND ')} THEN TRY_CAST(${column} AS ${type}) END, ${textDouble(column, type)})`;

const spaces = [32, 9, 10, 11, 12, 13].map((code) => `chr(${code})`);

// A number may have the suffix of a float or double of Java.
const textDouble = (text: string, type: string) =>
  `TRY_CAST(CASE WHEN regexp_full_match(${text}, '[+-]?(NaN|Infinity|(\\d+\\.?\\d*|\\.\\d+)([eE][+-]?\\d+)?[fFdD]?)') THEN rtrim(${text}, 'fFdD') END AS ${type})`;
