// Values of CASE.
import type { Position } from '../ast.ts';
import { invalidSql } from '../sql-error.ts';
import { commonType, isNumeric, nullType, timestamp } from '../types.ts';
import { castTo, constantOf } from './casts.ts';
import type { Typed } from './typed.ts';

/**
 * `CASE WHEN condition THEN result ... ELSE last result END`, with the results converted to their
 * common type.
 */
export function caseOf(
  conditions: readonly Typed[],
  results: readonly Typed[],
  at: Position,
  zone: string,
): Typed {
  const type = commonType(results.map((result) => result.type));
  if (!type) throw invalidSql('Illegal mixing of types in CASE or COALESCE statement', at);
  if (type.name === 'NULL') return constantOf(null, nullType, at);
  const live = conditions.findIndex(({ constant }) => constant === true);
  const values = results.map((result) =>
    castTo(
      isNumeric(result.type) && type.name === 'DATE' ? castTo(result, timestamp, zone) : result,
      type,
      zone,
    ),
  );
  const branches = conditions
    .map((condition, index) => ({ condition, value: values[index] }))
    .filter(({ condition }) => condition.constant !== false && condition.constant !== null);
  const last = live === -1 ? values.at(-1) : values[live];
  const before =
    live === -1
      ? branches
      : branches.slice(
          0,
          branches.findIndex(({ condition }) => condition.constant === true),
        );
  if (before.length === 0 && last) return { ...last, at };
  const whens = before
    .map(({ condition, value }) => `WHEN ${condition.sql} THEN ${value?.sql}`)
    .join(' ');
  return { type, at, sql: `(CASE ${whens} ELSE ${last?.sql} END)` };
}
