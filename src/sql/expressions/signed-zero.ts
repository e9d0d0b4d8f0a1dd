// Negative zero as a distinct value. In the engine -0.0 sorts below 0.0 and is another group; in
// DuckDB they are equal. In groups, the largest negative double stands for -0.0.

import { isFractional, type SqlType } from '../types.ts';
import { bindOnce } from './bind-once.ts';
import type { Typed } from './typed.ts';

/** Whether values of the type may be -0.0. */
export const hasSignedZero = isFractional;

/** The text of a number by which DuckDB groups and sorts like the engine. */
export function groupableText(sql: string, type: SqlType): string {
  if (!hasSignedZero(type)) return sql;
  return bindOnce(
    [sql],
    ([x = sql]) => `(CASE WHEN ${x} = 0 AND signbit(${x}) THEN ${standIn(type)} ELSE ${x} END)`,
  );
}

/** The text of a value whose equality and order are those of Java's Double.compare. */
export const orderableText = ({ sql, type, constant }: Typed): string =>
  constant === undefined && type.multiValue !== true ? groupableText(sql, type) : sql;

/** The number for a text of `groupableText`. */
export function groupedText(sql: string, type: SqlType): string {
  return hasSignedZero(type)
    ? `(CASE WHEN ${sql} = ${standIn(type)} THEN ${negativeZero(type)} ELSE ${sql} END)`
    : sql;
}

const standIn = ({ name }: SqlType) =>
  name === 'FLOAT' ? `'-1.4e-45'::FLOAT` : `'-4.9e-324'::DOUBLE`;
const negativeZero = ({ name }: SqlType) => (name === 'FLOAT' ? `'-0'::FLOAT` : `'-0'::DOUBLE`);
