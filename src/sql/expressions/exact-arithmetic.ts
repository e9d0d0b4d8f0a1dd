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
  const sum: ExactSum = { terms: termsOf(operator, a.terms, b.terms) };
  const narrow = narrowOf(operator, a.narrow, b.narrow);
  const result = narrow ? { ...sum, narrow } : sum;
  return { sum: result, sql: guard(result) };
}

type Narrow = NonNullable<ExactSum['narrow']>;

function termsOf(
  operator: RingOperator,
  left: readonly string[],
  right: readonly string[],
): readonly string[] {
  switch (operator) {
    case '+':
      return [...left, ...right];
    case '-':
      return [...left, ...right.map((term) => `-(${term})`)];
    case '*':
      return [`${truncated(left)}::HUGEINT * ${truncated(right)}::HUGEINT`];
  }
}

const truncated = (terms: readonly string[]): string => `druid_wrap(${chained('+', terms)})`;

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
  const terms = [`${sql}::HUGEINT`];
  if (typeof constant === 'bigint') {
    const size = constant < 0n ? -constant : constant;
    return { terms, narrow: { sql, steps: 0, operands: new Set(), sizeOf: () => size } };
  }
  if (!isRepeatable) return { terms };
  return { terms, narrow: { sql, steps: 0, operands: new Set([sql]), sizeOf: (bound) => bound } };
}

const sizes =
  (operator: RingOperator, a: Narrow['sizeOf'], b: Narrow['sizeOf']): Narrow['sizeOf'] =>
  (bound) =>
    operator === '*' ? a(bound) * b(bound) : a(bound) + b(bound);

function guard({ terms, narrow }: ExactSum): string {
  const wide = truncated(terms);
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
