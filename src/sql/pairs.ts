// Stored pairs of a value with its time, `{"lhs":1704067201000,"rhs":"x"}`, as aggregators create
// them at ingestion (Druid: SerializablePair).
import { bigint, double, duckdbTypeOf, float, type SqlType, varchar } from './types.ts';

/** The type of the values in pairs of a type; undefined if it has no pairs. */
export function pairedType({ complex = '' }: SqlType): SqlType | undefined {
  const [, of] = /^serializablePairLong(String|Long|Double|Float)$/.exec(complex) ?? [];
  return of === undefined
    ? undefined
    : { String: varchar, Long: bigint, Double: double, Float: float }[of];
}

/**
 * SQL for the time of a pair. A column may have pairs in some segments and plain values in others,
 * whose time is that of their rows.
 */
export const pairTime = (pair: string, rowTime = 'NULL'): string =>
  `coalesce((${pair} ->> 'lhs')::BIGINT, ${rowTime})`;

/** SQL for a number that orders by time, and equal times by the place of their rows. */
export const timeAndRow = (time: string, row: string): string =>
  `${time}::HUGEINT * ${mostRows} + ${row}`;

const mostRows = '1099511627776'; // more than a query can read

/** SQL for the value of a pair, or for a plain value. */
export const pairValue = (pair: string, type: SqlType): string =>
  `(${pair} ->> CASE json_type(${pair}) WHEN 'OBJECT' THEN '$.rhs' ELSE '$' END)::${duckdbTypeOf(type)}`;
