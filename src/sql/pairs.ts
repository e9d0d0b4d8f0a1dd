// Stored pairs of a value with its time, `{"lhs":1704067201000,"rhs":"x"}`, as aggregators create
// them at ingestion (Druid: SerializablePair).
import {
  bigint,
  complexType,
  double,
  duckdbTypeOf,
  float,
  isText,
  type SqlType,
  varchar,
} from './types.ts';

/** The type of the values in pairs of a type; undefined if it has no pairs. */
export function pairedType({ complex = '' }: SqlType): SqlType | undefined {
  const [, of] = /^serializablePairLong(String|Long|Double|Float)$/.exec(complex) ?? [];
  return of === undefined
    ? undefined
    : { String: varchar, Long: bigint, Double: double, Float: float }[of];
}

/** The type of pairs with values of a type. */
export const pairTypeOf = (type: SqlType): SqlType =>
  complexType(`serializablePairLong${nameOfValues(type)}`);

function nameOfValues(type: SqlType): string {
  if (isText(type)) return 'String';
  return type.name === 'FLOAT' ? 'Float' : type.name === 'DOUBLE' ? 'Double' : 'Long';
}

/**
 * SQL for the time of a pair. A column may have pairs in some segments and plain values in others,
 * whose time is that of their rows.
 */
export const pairTime = (pair: string, rowTime = 'NULL'): string =>
  `coalesce((${pair} ->> 'lhs')::BIGINT, ${rowTime})`;

/**
 * SQL for the text of a pair in Java, `Pair{lhs=1704067201000, rhs=x}`. `text` is that of its
 * value.
 */
export const pairText = (pair: string, text: string): string =>
  `('Pair{lhs=' || ${pairTime(pair)} || ', rhs=' || coalesce(${text}, 'null') || '}')`;

/** SQL for a number that orders by time, and equal times by the place of their rows. */
export const timeAndRow = (time: string, row: string): string =>
  `${time}::HUGEINT * ${mostRows} + ${row}`;

const mostRows = '1099511627776'; // more than a query can read

/** SQL for the value of a pair, or for a plain value. */
export const pairValue = (pair: string, type: SqlType): string =>
  `(${pair} ->> CASE json_type(${pair}) WHEN 'OBJECT' THEN '$.rhs' ELSE '$' END)::${duckdbTypeOf(type)}`;
