// Time range of a WHERE clause: a hint for skipping segments. The condition itself is still
// evaluated.
import { InvalidTime } from '../../model/instant.ts';
import type { Binary, Expression } from '../ast.ts';
import type { TimeRange } from '../catalog.ts';
import { castTo } from '../expressions/casts.ts';
import { conjuncts } from '../expressions/rewrite.ts';
import { parseInterval } from '../expressions/time-text.ts';
import type { Typed } from '../expressions/typed.ts';
import { isTime, timestamp } from '../types.ts';

/**
 * The milliseconds within which the condition can hold, from its conjuncts that compare a time
 * column with a constant or with an interval. `isTimeColumn` recognizes that column; `resolve`
 * evaluates the constant; times in texts are those of `zone`.
 */
export function timeRangeOf(
  condition: Expression,
  isTimeColumn: (expression: Expression) => boolean,
  resolve: (expression: Expression) => Typed,
  zone: string,
): TimeRange {
  const millisOf = (expression: Expression) => constantMillis(resolve(expression), zone);
  return conjuncts(condition)
    .map((written): TimeRange => {
      const part = withoutNot(written);
      if (part.kind === 'call') {
        const [column, interval] = part.args;
        return part.name === 'TIME_IN_INTERVAL' && column && isTimeColumn(column)
          ? rangeOfInterval(interval, zone)
          : {};
      }
      if (
        part.kind === 'between' &&
        !part.negated &&
        !part.symmetric &&
        isTimeColumn(part.operand)
      ) {
        return intersect(compare('>=', millisOf(part.low)), compare('<=', millisOf(part.high)));
      }
      if (part.kind !== 'binary') return {};
      if (isTimeColumn(part.left)) return compare(part.operator, millisOf(part.right));
      if (isTimeColumn(part.right))
        return compare(mirrored[part.operator] ?? part.operator, millisOf(part.left));
      return {};
    })
    .reduce(intersect, {});
}

/** Whether no time is within a range. */
export const isEmptyRange = ({ startMs, endMs }: TimeRange): boolean =>
  startMs !== undefined && endMs !== undefined && startMs >= endMs;

/** The intersection of two ranges. */
export function intersect(a: TimeRange, b: TimeRange): TimeRange {
  const startMs = later(a.startMs, b.startMs);
  const endMs = earlier(a.endMs, b.endMs);
  return { ...(startMs !== undefined && { startMs }), ...(endMs !== undefined && { endMs }) };
}

const mirrored: Readonly<Partial<Record<Binary['operator'], Binary['operator']>>> = {
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function compare(operator: Binary['operator'], millis: bigint | undefined): TimeRange {
  if (millis === undefined) return {};
  switch (operator) {
    case '=':
      return { startMs: millis, endMs: millis + 1n };
    case '<':
      return { endMs: millis };
    case '<=':
      return { endMs: millis + 1n };
    case '>':
      return { startMs: millis + 1n };
    case '>=':
      return { startMs: millis };
    default:
      return {};
  }
}

// `NOT (a < b)` is `a >= b`.
function withoutNot(condition: Expression): Expression {
  if (condition.kind !== 'unary' || condition.operator !== 'NOT') return condition;
  const { operand } = condition;
  const negated = operand.kind === 'binary' ? negations[operand.operator] : undefined;
  return operand.kind === 'binary' && negated ? { ...operand, operator: negated } : condition;
}

const negations: Readonly<Partial<Record<Binary['operator'], Binary['operator']>>> = {
  '<': '>=',
  '<=': '>',
  '>': '<=',
  '>=': '<',
  '<>': '=',
};

// A text that is not an interval gives no range: its function refuses it.
function rangeOfInterval(interval: Expression | undefined, zone: string): TimeRange {
  if (interval?.kind !== 'literal' || interval.type !== 'string') return {};
  try {
    const { start, end } = parseInterval(interval.text, zone);
    return { startMs: BigInt(start), endMs: BigInt(end) };
  } catch (error) {
    if (error instanceof InvalidTime) return {};
    throw error;
  }
}

// Undefined for a text that is not a time, which the comparison refuses.
function constantMillis(value: Typed, zone: string): bigint | undefined {
  const { constant, type } = value;
  if (typeof constant === 'bigint' && isTime(type)) return constant;
  if (typeof constant !== 'string') return undefined;
  const parsed = castTo(value, timestamp, zone).constant;
  return typeof parsed === 'bigint' ? parsed : undefined;
}

const later = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b > a) ? b : a;
const earlier = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b < a) ? b : a;
