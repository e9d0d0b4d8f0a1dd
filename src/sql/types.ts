// Types of SQL and of the engine. DuckDB always holds the engine's native values: times are
// milliseconds since 1970 (BIGINT), a multi-value string is a VARCHAR[], nested data is JSON. Only
// the SQL type tells that a BIGINT is a time.

export type SqlTypeName =
  | 'VARCHAR'
  | 'CHAR'
  | 'BIGINT'
  | 'INTEGER'
  | 'SMALLINT'
  | 'TINYINT'
  | 'DOUBLE'
  | 'FLOAT'
  | 'REAL'
  | 'DECIMAL'
  | 'BOOLEAN'
  | 'TIMESTAMP'
  | 'DATE'
  | 'ARRAY'
  | 'OTHER'
  | 'NULL'
  | 'INTERVAL_DAY'
  | 'INTERVAL_YEAR_MONTH'
  | 'ROW';

/**
 * The type of an expression. `multiValue` marks a value that may be several values in one row
 * (Druid: multi-value dimensions), a list in DuckDB. On a BOOLEAN it marks a condition that holds
 * if any of the values meets it; its DuckDB value is a plain BOOLEAN.
 */
export interface SqlType {
  readonly name: SqlTypeName;
  readonly element?: SqlType; // of ARRAY
  readonly isTruth?: true; // for a BIGINT in an array that stands for a BOOLEAN
  readonly complex?: string; // for OTHER: json, hyperUnique, HLLSketch, ...
  readonly isUnnamed?: true; // for a sketch whose native type a result shows as COMPLEX
  readonly isEstimated?: true; // for a sketch that a result shows as its estimate
  readonly multiValue?: boolean;
  readonly isComputed?: true; // for several computed values
  readonly holdsDoubles?: true; // for the FLOAT of a union with numbers of other types
  readonly precision?: number;
  readonly scale?: number;
  readonly unit?: string; // of an interval: DAY, DAY TO HOUR
}

/** As in the API: STRING, LONG, FLOAT, DOUBLE, ARRAY<STRING>, COMPLEX<json>. */
export type NativeType = string;

export const varchar: SqlType = { name: 'VARCHAR' };
export const bigint: SqlType = { name: 'BIGINT' };
export const integer: SqlType = { name: 'INTEGER' };
export const double: SqlType = { name: 'DOUBLE' };
export const decimal: SqlType = { name: 'DECIMAL' };
export const float: SqlType = { name: 'FLOAT' };
export const boolean: SqlType = { name: 'BOOLEAN' };
/** In arrays, conditions are the numbers 1 and 0. */
export const arrayedBoolean: SqlType = { name: 'BIGINT', isTruth: true };
export const timestamp: SqlType = { name: 'TIMESTAMP' };
export const date: SqlType = { name: 'DATE' };
export const nullType: SqlType = { name: 'NULL' };
export const json: SqlType = { name: 'OTHER', complex: 'json' };
export const multiValueVarchar: SqlType = { name: 'VARCHAR', multiValue: true };
/**
 * The type of several values that a function returned as an array. Other functions read its text as
 * a whole.
 */
export const computedValues: SqlType = { name: 'VARCHAR', multiValue: true, isComputed: true };
/** The type ARRAY with elements of this type. */
export const arrayOf = (element: SqlType): SqlType => ({ name: 'ARRAY', element });
/**
 * The type of values with a format of the engine: json, hyperUnique, HLLSketch and others, named as
 * in COMPLEX<...>.
 */
export const complexType = (complex: string): SqlType => ({ name: 'OTHER', complex });

/** Whether its values are texts: VARCHAR or CHAR. */
export const isText = ({ name }: SqlType): boolean => name === 'VARCHAR' || name === 'CHAR';
/** Whether its values are whole numbers: TINYINT, SMALLINT, INTEGER or BIGINT. */
export const isInteger = ({ name }: SqlType): boolean => integers.includes(name);
/** Whether its values are numbers: whole ones, DECIMAL, FLOAT, REAL or DOUBLE. */
export const isNumeric = ({ name }: SqlType): boolean => numerics.includes(name);
/** Whether its values are numbers that need not be whole. */
export const isFractional = (type: SqlType): boolean => isNumeric(type) && !isInteger(type);
/**
 * Whether its values are points in time: TIMESTAMP or DATE, both milliseconds since 1970 in DuckDB.
 */
export const isTime = ({ name }: SqlType): boolean => name === 'TIMESTAMP' || name === 'DATE';
/** Whether its values are lengths of time: of months, or of days down to milliseconds. */
export const isInterval = ({ name }: SqlType): boolean =>
  name === 'INTERVAL_DAY' || name === 'INTERVAL_YEAR_MONTH';
/** Whether its values are nested: COMPLEX<json>. */
export const isJson = ({ name, complex }: SqlType): boolean =>
  name === 'OTHER' && complex === 'json';

const integers: readonly SqlTypeName[] = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT'];
// From the narrowest to the widest.
const numerics: readonly SqlTypeName[] = [...integers, 'DECIMAL', 'FLOAT', 'REAL', 'DOUBLE'];

/**
 * The engine's type of a SQL type, as in the API (Druid: Calcites.getColumnTypeForRelDataType);
 * null if there is none.
 */
export function nativeTypeOf(type: SqlType): NativeType | null {
  if (isText(type) || type.name === 'NULL') return 'STRING';
  if (isInteger(type) || isTime(type) || type.name === 'BOOLEAN') return 'LONG';
  if (type.name === 'FLOAT') return 'FLOAT';
  if (isNumeric(type)) return 'DOUBLE';
  if (type.name === 'ARRAY')
    return `ARRAY<${(type.element && nativeTypeOf(type.element)) ?? 'STRING'}>`;
  if (type.name === 'OTHER')
    return type.complex === undefined || type.isUnnamed ? 'COMPLEX' : `COMPLEX<${type.complex}>`;
  return null;
}

/**
 * The SQL type of a stored column or of `TYPE('...')`; undefined for a text that is not a native
 * type.
 */
export function sqlTypeOfNative(native: NativeType): SqlType | undefined {
  const array = /^ARRAY<(.*)>$/i.exec(native);
  if (array) {
    const element = sqlTypeOfNative(array[1] ?? '');
    return element && arrayOf(element);
  }
  const complex = /^COMPLEX<(.*)>$/i.exec(native);
  if (complex) return complexType(complex[1] ?? '');
  switch (native.toUpperCase()) {
    case 'STRING':
      return varchar;
    case 'LONG':
      return bigint;
    case 'FLOAT':
      return float;
    case 'DOUBLE':
      return double;
    case 'COMPLEX':
      return { name: 'OTHER' };
  }
  return undefined;
}

/** The DuckDB type that holds values of this type inside expressions. */
export function duckdbTypeOf(type: SqlType): string {
  if (type.multiValue && type.name !== 'BOOLEAN')
    return `${duckdbTypeOf({ ...type, multiValue: false })}[]`;
  if (type.name === 'ARRAY') return `${duckdbTypeOf(type.element ?? varchar)}[]`;
  if (isInteger(type) || isTime(type) || isInterval(type)) return 'BIGINT';
  if (isNumeric(type)) return 'DOUBLE';
  if (type.name === 'BOOLEAN') return 'BOOLEAN';
  if (isJson(type) || type.complex?.startsWith('serializablePair')) return 'JSON';
  if (isText(type) || type.name === 'NULL') return 'VARCHAR';
  return 'BLOB';
}

/**
 * A type as printed in messages: `VARCHAR`, `CHAR(3)`, `TIMESTAMP(3)`, `BIGINT ARRAY`,
 * `COMPLEX<json>`.
 */
export function typeText(type: SqlType): string {
  switch (type.name) {
    case 'CHAR':
      return `CHAR(${type.precision ?? 1})`;
    case 'VARCHAR':
      return type.precision === undefined ? 'VARCHAR' : `VARCHAR(${type.precision})`;
    case 'DECIMAL':
      return type.precision === undefined
        ? 'DECIMAL'
        : `DECIMAL(${type.precision}, ${type.scale ?? 0})`;
    case 'TIMESTAMP':
      return `TIMESTAMP(${type.precision ?? 3})`;
    case 'BIGINT':
      return type.isTruth ? 'BOOLEAN' : 'BIGINT';
    case 'ARRAY':
      return `${typeText(type.element ?? varchar)} ARRAY`;
    case 'OTHER':
      return type.complex === undefined ? 'OTHER' : `COMPLEX<${type.complex}>`;
    case 'INTERVAL_DAY':
    case 'INTERVAL_YEAR_MONTH':
      return `INTERVAL ${type.unit ?? (type.name === 'INTERVAL_DAY' ? 'DAY' : 'MONTH')}`;
    default:
      return type.name;
  }
}

/** The family of a type, as printed in messages about unknown functions. */
export function familyText(type: SqlType): string {
  if (isText(type)) return 'CHARACTER';
  if (isNumeric(type)) return 'NUMERIC';
  if (type.name === 'TIMESTAMP') return 'TIMESTAMP';
  return typeText(type);
}

/** Whether the planner compares values of two types. Text is comparable with all plain values. */
export const areComparable = (one: SqlType, other: SqlType): boolean =>
  one.name === other.name ||
  [one, other].some(({ name }) => name === 'NULL') ||
  (isNumeric(one) && isNumeric(other)) ||
  ([one, other].some(isText) &&
    [one, other].every(({ name }) => name !== 'ARRAY' && name !== 'OTHER'));

/**
 * The narrowest type that holds values of all the given types, or undefined (Calcite:
 * leastRestrictive, with Druid's type system). Texts of different lengths become VARCHAR. An exact
 * and an approximate number become DOUBLE, unless both are integers or FLOAT.
 */
export function leastRestrictive(types: readonly SqlType[]): SqlType | undefined {
  const known = types.filter((type) => type.name !== 'NULL');
  const multiValue = known.some((type) => type.multiValue) ? { multiValue: true } : {};
  const [first] = known;
  if (!first) return nullType;
  if (known.every(isText)) {
    const isChar = known.every(
      (type) => type.name === 'CHAR' && type.precision === first.precision,
    );
    return isChar ? first : { ...varchar, ...multiValue };
  }
  if (known.every(isNumeric)) return { ...widestNumber(known), ...multiValue };
  if (known.every(isTime))
    return {
      ...(known.some((type) => type.name === 'TIMESTAMP') ? timestamp : date),
      ...multiValue,
    };
  if (known.every((type) => type.name === 'BOOLEAN')) return { ...boolean, ...multiValue };
  if (known.every(isInterval)) return first;
  if (known.every((type) => type.name === 'ARRAY')) {
    const elements = known.map((type) => type.element ?? varchar);
    if (elements.some(({ isTruth }) => isTruth))
      return elements.every(({ isTruth }) => isTruth) ? arrayOf(arrayedBoolean) : undefined;
    const element = leastRestrictive(elements);
    return element && arrayOf(element);
  }
  if (known.every((type) => type.name === 'OTHER'))
    return known.every((type) => type.complex === first.complex) ? first : { name: 'OTHER' };
  return undefined;
}

/** As `leastRestrictive`, for values written side by side: a date does not become a time. */
export function typeOfSideBySide(types: readonly SqlType[]): SqlType | undefined {
  const mixesTimes =
    types.some(({ name }) => name === 'DATE') && types.some(({ name }) => name === 'TIMESTAMP');
  return mixesTimes ? undefined : leastRestrictive(types);
}

/**
 * As `leastRestrictive` for CASE and COALESCE: any type beside text becomes text, and whole numbers
 * beside times become times.
 */
export function commonType(types: readonly SqlType[]): SqlType | undefined {
  const found = leastRestrictive(types);
  if (found) return found;
  const arrays = types.filter(({ name }) => name !== 'NULL');
  if (arrays.every(({ name }) => name === 'ARRAY')) {
    const elements = arrays.map((type) => type.element ?? varchar);
    const element = elements.some(({ isTruth }) => isTruth) ? undefined : commonType(elements);
    return element && arrayOf(element);
  }
  const multiValue = types.some((type) => type.multiValue) ? { multiValue: true } : {};
  const isPlain = (type: SqlType) =>
    isText(type) ||
    isNumeric(type) ||
    isTime(type) ||
    type.name === 'BOOLEAN' ||
    type.name === 'NULL';
  if (types.some(isText) && types.every(isPlain)) return { ...varchar, ...multiValue };
  const isExact = (type: SqlType) => isNumeric(type) && !isApproximate(type);
  const [times, others] = [
    types.filter(isTime),
    types.filter((type) => !isTime(type) && type.name !== 'NULL'),
  ];
  const time = times.length > 0 && others.every(isExact) ? leastRestrictive(times) : undefined;
  return time && { ...time, ...multiValue };
}

const isApproximate = ({ name }: SqlType) =>
  name === 'FLOAT' || name === 'REAL' || name === 'DOUBLE';

function widestNumber(types: readonly SqlType[]): SqlType {
  const rank = types.reduce(
    (widest, { name: each }) => Math.max(widest, numerics.indexOf(each)),
    0,
  );
  const name = numerics[rank] ?? 'DOUBLE';
  const approximate = types.find(isApproximate);
  if (!approximate) return { name };
  if (types.some((type) => type.name === 'DECIMAL')) return double;
  return { name: approximate.name === 'REAL' ? name : approximate.name }; // FLOAT and DOUBLE have the same digits, so that the first one decides
}
