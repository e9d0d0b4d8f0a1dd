// The segments of a datasource, counted by interval: what rules look at, without a hundred thousand documents.
import type { Context } from '../../cli/command.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { sql } from '../../contract/sql.ts';
import { parseInstant } from '../../model/instant.ts';
import type { Interval } from '../../model/interval.ts';

export interface CountedInterval {
  readonly interval: Interval;
  readonly segments: number;
  readonly size: number; // bytes
}

const query = `SELECT "start", "end", COUNT(*), SUM("size") FROM sys.segments
WHERE datasource = ? AND is_published = 1 AND is_overshadowed = 0 GROUP BY 1, 2`;

/** Intervals in no order; those that something newer hides are left out. */
export async function usedIntervals({ call }: Pick<Context, 'call'>, dataSource: string): Promise<CountedInterval[]> {
  const body = { query, resultFormat: 'arrayLines', parameters: [{ type: 'VARCHAR', value: dataSource }] };
  const counted: CountedInterval[] = [];
  for await (const rows of rowsOf(await call(sql.query, { body }), 'arrayLines')) {
    for (const [start, end, segments, size] of rows as readonly [string, string, number, number][])
      counted.push({ interval: { start: parseInstant(start), end: parseInstant(end) }, segments: Number(segments), size: Number(size) });
  }
  return counted;
}
