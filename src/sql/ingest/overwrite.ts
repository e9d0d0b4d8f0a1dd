// OVERWRITE WHERE: a condition on `__time` as a list of intervals
// (docs/multi-stage-query/reference.md, "REPLACE specific time ranges").
import { bucketStart, type Granularity } from '../../model/granularity.ts';
import {
  condense,
  eternity,
  formatInterval,
  type Interval,
  intersection,
  without,
} from '../../model/interval.ts';
import type { Binary, Expression } from '../ast.ts';
import { SqlError } from '../sql-error.ts';
import { granularityShown } from './partitioned-by.ts';

/**
 * The intervals in which the condition holds. `millisOf` reads a TIMESTAMP literal and returns
 * undefined for anything else. Throws SqlError for another column, another operator, an empty
 * result, and for an interval that is not aligned to the granularity.
 */
export function overwrittenIntervals(
  where: Expression,
  granularity: Granularity,
  millisOf: (expression: Expression) => bigint | undefined,
): readonly Interval[] {
  const intervals = condense(intervalsOf(where, millisOf));
  if (intervals.length === 0) {
    throw new SqlError(
      'The OVERWRITE WHERE clause produced no time intervals, are the bounds overly restrictive?',
    );
  }
  for (const interval of intervals) {
    if (isAligned(interval.start, granularity) && isAligned(interval.end, granularity)) continue;
    throw new SqlError(
      `OVERWRITE WHERE clause identified interval [${formatInterval(interval)}] which is not aligned with PARTITIONED BY granularity [${granularityShown(granularity)}]`,
    );
  }
  return intervals;
}

const isAligned = (instant: number, granularity: Granularity): boolean => {
  if (granularity.type === 'all') return instant === eternity.start || instant === eternity.end;
  return bucketStart(granularity, instant) === instant;
};

type MillisOf = (expression: Expression) => bigint | undefined;

function intervalsOf(where: Expression, millisOf: MillisOf): readonly Interval[] {
  if (where.kind === 'unary' && where.operator === 'NOT')
    return without(eternity, intervalsOf(where.operand, millisOf));
  if (where.kind === 'between' && !where.symmetric) {
    const low = compare('>=', millisIn(where.low, millisOf), where.operand);
    const high = compare('<=', millisIn(where.high, millisOf), where.operand);
    const inside = overlap(low, high);
    return where.negated ? without(eternity, inside) : inside;
  }
  if (where.kind !== 'binary') throw unsupportedOperation(where);
  if (where.operator === 'AND')
    return overlap(intervalsOf(where.left, millisOf), intervalsOf(where.right, millisOf));
  if (where.operator === 'OR')
    return [...intervalsOf(where.left, millisOf), ...intervalsOf(where.right, millisOf)];
  return compare(where.operator, millisIn(where.right, millisOf), where.left);
}

function compare(
  operator: Binary['operator'],
  millis: number,
  column: Expression,
): readonly Interval[] {
  if (column.kind !== 'identifier' || column.names.at(-1) !== '__time') {
    throw new SqlError('OVERWRITE WHERE clause only supports filtering on the __time column');
  }
  switch (operator) {
    case '=':
      return [{ start: millis, end: millis + 1 }];
    case '<':
      return [{ start: eternity.start, end: millis }];
    case '<=':
      return [{ start: eternity.start, end: millis + 1 }];
    case '>':
      return [{ start: millis + 1, end: eternity.end }];
    case '>=':
      return [{ start: millis, end: eternity.end }];
    default:
      throw new SqlError(`Unsupported operation [${operator}] in OVERWRITE WHERE clause.`);
  }
}

function millisIn(expression: Expression, millisOf: MillisOf): number {
  const millis = expression.kind === 'literal' ? millisOf(expression) : undefined;
  if (millis === undefined)
    throw new SqlError('Cannot get a timestamp from sql expression in OVERWRITE WHERE clause');
  return Number(millis);
}

const overlap = (left: readonly Interval[], right: readonly Interval[]): readonly Interval[] =>
  left.flatMap((a) => right.flatMap((b) => intersection(a, b) ?? []));

const unsupportedOperation = ({ kind }: Expression) =>
  new SqlError(`Unsupported operation [${kind.toUpperCase()}] in OVERWRITE WHERE clause.`);
