// Limits on rows that subqueries of a query hold in memory (Druid: ClientQuerySegmentWalker,
// SubqueryGuardrailHelper).
import { inlinedSizes } from '../../sql/resolution/inlined-sizes.ts';
import type { InlinedRows } from '../../sql/statement.ts';
import { javaClassOf, wrongContextValue } from '../checks/context-values.ts';
import { Refusal } from '../checks/refusals.ts';
import type { Engine, QueryOptions } from '../engine/engine.ts';
import { resourceLimitExceeded } from '../engine/refusals.ts';

/**
 * Refuses a query whose inlined rows exceed the limits of its context: `maxSubqueryRows`, or
 * `maxSubqueryBytes` if that is set. Returns the number of each of the inlined rows, where rows are
 * limited.
 */
export async function checkSubqueries(
  inlined: readonly InlinedRows[],
  context: Readonly<Record<string, unknown>>,
  engine: Engine,
  options: QueryOptions,
): Promise<readonly number[] | undefined> {
  const { unit, most } = limitOf(
    context,
    inlined.some(({ isUntyped }) => isUntyped),
  );
  if (inlined.length === 0 || most === unlimited) return undefined;
  const { chunks } = await engine.rows(inlinedSizes(inlined, unit, most), options);
  const sizes = inlined.map((_, index) => Number(chunks[0]?.columns[index]?.[0] ?? 0));
  let held = 0;
  for (const size of sizes) {
    // Reaching the limit is already too much before further rows are read, and for bytes.
    if (held >= most) throw tooMuch(unit, most);
    held += size;
    if (unit === 'rows' ? held > most : size > 0 && held >= most) throw tooMuch(unit, most);
  }
  return unit === 'rows' ? sizes : undefined;
}

interface Limit {
  readonly unit: 'rows' | 'bytes';
  readonly most: number;
}

const unlimited = Number.POSITIVE_INFINITY;
const defaultRows = 100_000;

function limitOf(
  { maxSubqueryRows, maxSubqueryBytes }: Readonly<Record<string, unknown>>,
  isUntyped: boolean,
): Limit {
  const rows = rowsOf(maxSubqueryRows);
  const bytes = bytesOf(maxSubqueryBytes);
  return bytes === undefined || isUntyped
    ? { unit: 'rows', most: rows }
    : { unit: 'bytes', most: bytes };
}

function rowsOf(given: unknown): number {
  if (given === undefined || given === null) return defaultRows;
  const key = 'maxSubqueryRows';
  if (typeof given === 'string' && !/^[+-]?\d{1,10}$/.test(given))
    throw wrongContextValue(key, 'in integer format', given);
  if (!['string', 'number', 'bigint'].includes(typeof given))
    throw wrongContextValue(key, 'an Integer', javaClassOf(given));
  const rows = Math.trunc(Number(given));
  return rows < 0 || rows >= 2 ** 31 - 1 ? unlimited : rows;
}

// Undefined for no byte limit. With `auto`, the engine's memory limit applies.
function bytesOf(given: unknown): number | undefined {
  if (given === undefined || given === null) return undefined;
  const text = typeof given === 'object' ? JSON.stringify(given) : String(given);
  if (text.toLowerCase() === 'disabled') return undefined;
  if (text.toLowerCase() === 'auto') return unlimited;
  if (!/^[+-]?\d+$/.test(text) || BigInt(text) > maxLong)
    throw wrongBytes(
      `Unable to parse the provided maxSubqueryLimit [${text}] to a valid number. Valid values for the maxSubqueryLimits can be 'auto', 'disabled' or a positive integer representing bytes to reserve.`,
    );
  const bytes = Number(text);
  if (bytes < 0) throw wrongBytes('Limit too large');
  return bytes === 0 ? undefined : bytes;
}

const wrongBytes = (message: string) =>
  new Refusal('invalidInput', message, { family: 'druidException' });

const maxLong = 2n ** 63n - 1n;

const tooMuch = (unit: Limit['unit'], most: number) =>
  resourceLimitExceeded(
    unit === 'rows'
      ? `Cannot issue the query, subqueries generated results beyond maximum[${most}] rows. Try setting the 'maxSubqueryBytes' in the query context to 'auto' for enabling byte based limit, which chooses an optimal limit based on memory size and result's heap usage or manually configure the values of either 'maxSubqueryBytes' or 'maxSubqueryRows' in the query context. Manually alter the value carefully as it can cause the broker to go out of memory.`
      : `Cannot issue the query, subqueries generated results beyond maximum[${most}] bytes. Increase the JVM's memory or set the 'maxSubqueryBytes' in the query context to increase the space allocated for subqueries to materialize their results. Manually alter the value carefully as it can cause the broker to go out of memory.`,
  );
