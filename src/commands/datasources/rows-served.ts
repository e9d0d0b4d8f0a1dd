// Row counts of datasources, which only SQL provides.

import type { Context } from '../../cli/command/command.ts';
import { ServiceError } from '../../client/errors.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { sql } from '../../contract/sql.ts';

const query =
  'SELECT datasource, SUM(num_rows) FROM sys.segments WHERE is_available = 1 AND is_overshadowed = 0 GROUP BY 1';

/** Rows by datasource; empty when the service does not provide them. */
export async function rowsServed({
  call,
}: Pick<Context, 'call'>): Promise<ReadonlyMap<string, number | bigint>> {
  const counts = new Map<string, number | bigint>();
  try {
    for await (const rows of rowsOf(
      await call(sql.query, { body: { query, resultFormat: 'arrayLines' } }),
      'arrayLines',
    )) {
      for (const row of rows as readonly [string, number | bigint][]) counts.set(row[0], row[1]);
    }
  } catch (error) {
    // If SQL is forbidden or missing, print the list without row counts
    if (!(error instanceof ServiceError)) throw error;
  }
  return counts;
}
