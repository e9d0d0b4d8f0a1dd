// Sums and products of longs. They wrap at 64 bits in Java but fail in DuckDB.
import { chained } from './duckdb-text.ts';
import type { ExactSum, Typed } from './typed.ts';

export type RingOperator = '+' | '-' | '*';

/**
 * `left operator right` of longs, as DuckDB text with bounds for an operator above. Computed with
 * 128 bits and truncated once at the end, which equals truncation after each step. If all operands
 * are columns and constants, rows with small values are computed with 64 bits.
 */
export function exactSum(
  operator: RingOperator,
  left: Typed,
  right: Typed,
): Pick<Typed, 'sql' | 'sum'> {
  const [a, b] = [sumOf(left), sumOf(right)];
  const sum = wideOf(operator, a, b);
  const narrow = narrowOf(operator, a.narrow, b.narrow);
  const result = narrow ? { ...sum, narrow } : sum;
  return { sum: result, sql: guard(result) };
}

type Narrow = NonNullable<ExactSum['narrow']>;

function wideOf(operator: RingOperator, a: ExactSum, b: ExactSum): ExactSum {
  switch (operator) {
    case '+':
      return { plus: [...a.plus, ...b.plus], minus: [...a.minus, ...b.minus] };
    case '-':
      return { plus: [...a.plus, ...b.minus], minus: [...a.minus, ...b.plus] };
    case '*':
      return {
        plus: [`druid_wrap(${[a, b].map((side) => wider(truncated(side))).join(' * ')})`],
        minus: [],
      };
  }
}

function truncated({ plus, minus }: ExactSum): string {
  const [only, another] = plus;
  if (only !== undefined && another === undefined && minus.length === 0) return only;
  const [added, taken] = [plus, minus].map((terms) => chained('+', terms.map(wider)));
  return `druid_wrap(${minus.length > 0 ? `${added} - ${taken}` : added})`;
}

const wider = (long: string): string => `${long}::HUGEINT`;

function narrowOf(
  operator: RingOperator,
  a: Narrow | undefined,
  b: Narrow | undefined,
): Narrow | undefined {
  const steps = (a?.steps ?? 0) + (b?.steps ?? 0) + 1;
  if (!a || !b || steps > mostGuardedSteps) return undefined;
  return {
    sql: `(${a.sql} ${operator} ${b.sql})`,
    steps,
    operands: new Set([...a.operands, ...b.operands]),
    sizeOf: sizes(operator, a.sizeOf, b.sizeOf),
  };
}

const mostGuardedSteps = 64;

function sumOf({ sql, sum, constant, isRepeatable }: Typed): ExactSum {
  if (sum) return sum;
  const wide: ExactSum = { plus: [sql], minus: [] };
  if (typeof constant === 'bigint') {
    const size = constant < 0n ? -constant : constant;
    return { ...wide, narrow: { sql, steps: 0, operands: new Set(), sizeOf: () => size } };
  }
  if (!isRepeatable) return wide;
  const operands = new Set([sql]);
  return { ...wide, narrow: { sql, steps: 0, operands, sizeOf: (bound) => bound } };
}

const sizes =
  (operator: RingOperator, a: Narrow['sizeOf'], b: Narrow['sizeOf']): Narrow['sizeOf'] =>
  (bound) =>
    operator === '*' ? a(bound) * b(bound) : a(bound) + b(bound);

function guard(sum: ExactSum): string {
  const { narrow } = sum;
  const wide = truncated(sum);
  const bound = narrow && operandBound(narrow);
  if (!narrow || bound === undefined || narrow.operands.size > mostGuarded) return wide;
  if (narrow.operands.size === 0) return narrow.sql;
  const tests = [...narrow.operands].map(
    (operand) => `${operand} BETWEEN -${bound}::BIGINT AND ${bound}::BIGINT`,
  );
  return `(CASE WHEN ${tests.join(' AND ')} THEN ${narrow.sql} ELSE ${wide} END)`;
}

const mostGuarded = 20;

/**
 * The largest power of two such that no step overflows while the absolute values of all operands
 * stay below it.
 */
function operandBound({ sizeOf }: Narrow): bigint | undefined {
  for (let exponent = 62n; exponent >= 0n; exponent--) {
    if (sizeOf(1n << exponent) < 1n << 63n) return 1n << exponent;
  }
  return undefined;
}
