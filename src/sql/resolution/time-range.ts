// Time range of a WHERE clause: a hint for skipping segments. The condition itself is still
// evaluated.
import type { Binary, Expression } from '../ast.ts';
import type { TimeRange } from '../catalog.ts';
import { conjuncts } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { isTime } from '../types.ts';

/**
 * The milliseconds within which the condition can hold, from its conjuncts that compare a time
 * column with a constant. `isTimeColumn` recognizes that column; `resolve` evaluates the constant.
 */
export function timeRangeOf(
  condition: Expression,
  isTimeColumn: (expression: Expression) => boolean,
  resolve: (expression: Expression) => Typed,
): TimeRange {
  const millisOf = (expression: Expression) => constantMillis(resolve(expression));
  return conjuncts(condition)
    .map((part): TimeRange => {
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

function constantMillis({ constant, type }: Typed): bigint | undefined {
  return typeof constant === 'bigint' && isTime(type) ? constant : undefined;
}

const later = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b > a) ? b : a;
const earlier = (a: bigint | undefined, b: bigint | undefined) =>
  a === undefined || (b !== undefined && b < a) ? b : a;
