// Refusals of statements that exceed a limit.
import { type LimitName, limits } from '../model/limits.ts';
import type { Position } from './ast.ts';
import { SqlError } from './sql-error.ts';

/**
 * Refuses a statement that exceeds a limit. `found` may be a partial count if counting stopped at
 * the limit.
 */
export function checkLimit(name: LimitName, found: number, at?: TextPosition): void {
  if (found > limits[name].most) throw limitExceeded(name, found, at);
}

/** The refusal of a statement that exceeds a limit with `found`. */
export function limitExceeded(name: LimitName, found: number, at?: TextPosition): SqlError {
  const { most, what } = limits[name];
  const place = at ? ` (line [${at.line}], column [${at.column}])` : '';
  return new SqlError(
    `Limit [${name}] exceeded: [${found}] of at most [${most}] ${what}${place}. See svcctl help limits`,
    {
      context: {
        sourceType: 'sql',
        limit: name,
        found: String(found),
        most: String(most),
        ...(at && { line: String(at.line), column: String(at.column) }),
      },
    },
  );
}

type TextPosition = Pick<Position, 'line' | 'column'>;
