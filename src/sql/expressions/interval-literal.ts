// INTERVAL literals: a number of months, or of milliseconds.
import type { IntervalLiteral } from '../ast.ts';
import { invalidSql } from '../sql-error.ts';

/**
 * `INTERVAL '1-2' YEAR TO MONTH` is 14 months; `INTERVAL '1 02:03:04.5' DAY TO SECOND` is a number
 * of milliseconds. Throws for a text of another form.
 */
export function intervalOf(
  literal: IntervalLiteral,
):
  | { readonly months: bigint; readonly ms?: never }
  | { readonly months?: never; readonly ms: bigint } {
  const { text, from, to, negative, at } = literal;
  const sign = (text.trim().startsWith('-') ? -1n : 1n) * (negative ? -1n : 1n);
  const digits = text.trim().replace(/^[+-]/, '');
  const fields = fieldsOf(from, to);
  const values = fields && valuesOf(digits, fields);
  if (!fields || !values)
    throw invalidSql(
      `Illegal interval literal format '${text}' for INTERVAL ${from}${to ? ` TO ${to}` : ''}`,
      at,
    );
  if (monthsIn(from)) {
    return {
      months:
        sign *
        fields.reduce(
          (sum, field, index) => sum + BigInt(values[index] ?? 0) * (monthsIn(field) ?? 0n),
          0n,
        ),
    };
  }
  return {
    ms:
      sign *
      BigInt(
        Math.round(
          fields.reduce(
            (sum, field, index) => sum + Number(values[index] ?? 0) * (msIn[field] ?? 0),
            0,
          ),
        ),
      ),
  };
}

// Calcite, and so the engine, reads the number of a QUARTER as months and that of a WEEK as hours.
const monthsIn = (unit: string): bigint | undefined =>
  ({ YEAR: 12n, QUARTER: 1n, MONTH: 1n })[unit];

const msIn: Record<string, number> = {
  WEEK: 3_600_000,
  DAY: 86_400_000,
  HOUR: 3_600_000,
  MINUTE: 60_000,
  SECOND: 1000,
};

// The units of a literal, from the largest to the smallest.
function fieldsOf(from: string, to: string | undefined): readonly string[] | undefined {
  if (to === undefined || from === to) return [from];
  const order = monthsIn(from) ? ['YEAR', 'MONTH'] : ['DAY', 'HOUR', 'MINUTE', 'SECOND'];
  const [start, end] = [order.indexOf(from), order.indexOf(to)];
  return start === -1 || end <= start ? undefined : order.slice(start, end + 1);
}

function valuesOf(text: string, fields: readonly string[]): readonly string[] | undefined {
  const parts = text.split(/[-: ]/);
  const isNumber = (part: string, index: number) =>
    (fields[index] === 'SECOND' ? /^\d+(\.\d+)?$/ : /^\d+$/).test(part);
  return parts.length === fields.length && parts.every(isNumber) ? parts : undefined;
}
