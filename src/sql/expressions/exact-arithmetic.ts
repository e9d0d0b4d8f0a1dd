// Sums and products of longs. They wrap at 64 bits in Java but fail in DuckDB.
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
  const sum: ExactSum = {
    wide: `druid_wrap(${a.wide}::HUGEINT ${operator} ${b.wide}::HUGEINT)`,
    ...(a.narrow &&
      b.narrow && {
        narrow: {
          sql: `(${a.narrow.sql} ${operator} ${b.narrow.sql})`,
          operands: new Set([...a.narrow.operands, ...b.narrow.operands]),
          sizeOf: sizes(operator, a.narrow.sizeOf, b.narrow.sizeOf),
        },
      }),
  };
  return { sum, sql: guard(sum) };
}

type Narrow = NonNullable<ExactSum['narrow']>;

function sumOf({ sql, sum, constant, isRepeatable }: Typed): ExactSum {
  if (sum) return sum;
  if (typeof constant === 'bigint') {
    const size = constant < 0n ? -constant : constant;
    return { wide: sql, narrow: { sql, operands: new Set(), sizeOf: () => size } };
  }
  return {
    wide: sql,
    ...(isRepeatable && { narrow: { sql, operands: new Set([sql]), sizeOf: (bound) => bound } }),
  };
}

const sizes =
  (operator: RingOperator, a: Narrow['sizeOf'], b: Narrow['sizeOf']): Narrow['sizeOf'] =>
  (bound) =>
    operator === '*' ? a(bound) * b(bound) : a(bound) + b(bound);

function guard({ wide, narrow }: ExactSum): string {
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
