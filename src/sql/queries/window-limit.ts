// Row limit of windows: the multi-stage engine holds a whole partition in memory (Druid:
// multi-stage-query/reference, "Limits").
import { type Typed, withText } from '../expressions/typed.ts';

/**
 * A window's value, or a failure if a partition has more rows than the context allows;
 * `brokenWindowLimit` reads that failure. `partition` are DuckDB texts.
 */
export function limitedWindow(
  value: Typed,
  partition: readonly string[],
  context: Readonly<Record<string, unknown>>,
): Typed {
  const over = partition.length > 0 ? `PARTITION BY ${partition.join(', ')}` : '';
  return withText(
    value,
    `druid_window(${value.sql}, count(*) OVER (${over}), ${maxRows(context)})`,
  );
}

/**
 * The error for a DuckDB failure about a window with too many rows; undefined for other failures.
 * The message of `druid_window` is JSON.
 */
export function brokenWindowLimit(
  message: string,
): { readonly numRows: number; readonly maxRows: number } | undefined {
  try {
    const failure: unknown = JSON.parse(message);
    if (
      typeof failure !== 'object' ||
      failure === null ||
      !('windowRows' in failure) ||
      !('maxRows' in failure)
    )
      return undefined;
    return { numRows: Number(failure.windowRows), maxRows: Number(failure.maxRows) };
  } catch {
    return undefined;
  }
}

// Values that are not numbers are refused when the context is checked.
function maxRows({ maxRowsMaterializedInWindow }: Readonly<Record<string, unknown>>): number {
  const given = Number(maxRowsMaterializedInWindow ?? defaultMaxRows);
  return Number.isInteger(given) ? given : defaultMaxRows;
}

const defaultMaxRows = 100_000;
