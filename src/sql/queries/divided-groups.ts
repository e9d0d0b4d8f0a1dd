// Groups in parts: a statement with too many groups for memory runs once for each part of them.
import type { GroupKey } from '../resolution/group.ts';

/** The session's variables that choose the groups of a part: the number of parts, and the part. */
export const divisionVariables = { parts: 'parts', part: 'part' } as const;

/**
 * The condition of the rows whose groups belong to the chosen part, as DuckDB text. Without the
 * variables, it holds for all rows, and DuckDB leaves it out.
 */
export function isInChosenPart(keys: readonly GroupKey[]): string {
  const { parts, part } = divisionVariables;
  const hash = `hash(${keys.map(({ grouped }) => grouped).join(', ')})`;
  return `coalesce(${hash} % getvariable('${parts}') = getvariable('${part}'), true)`;
}
