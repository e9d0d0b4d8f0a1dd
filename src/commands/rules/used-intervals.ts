// The segments of a datasource, counted by where they lie in time: what rules look at, without a
// hundred thousand documents.
import type { Context } from '../../cli/command/command.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { sql } from '../../contract/sql.ts';
import { formatInstant, parseInstant } from '../../model/instant.ts';
import type { Interval } from '../../model/interval.ts';

export interface CountedInterval {
  readonly interval: Interval; // one that lies as all of them do
  readonly segments: number;
  readonly size: number; // bytes
}

/**
 * Segments counted together where they begin at or after the same `boundaries` and end after the
 * same ones (ascending, milliseconds since 1970), in no order; those that something newer hides are
 * left out.
 */
export async function usedIntervals(
  { call }: Pick<Context, 'call'>,
  dataSource: string,
  boundaries: readonly number[],
): Promise<CountedInterval[]> {
  const usual = boundaries.filter((at) => formatInstant(at).length === usualLength);
  const body = {
    query: queryBy(usual),
    resultFormat: 'arrayLines',
    parameters: [{ type: 'VARCHAR', value: dataSource }],
  };
  const counted: CountedInterval[] = [];
  for await (const rows of rowsOf(await call(sql.query, { body }), 'arrayLines')) {
    for (const [start, end, segments, size] of rows as readonly [
      string,
      string,
      number,
      number,
    ][]) {
      const [{ start: first }, { end: last }] = [within(usual, start), within(usual, end)];
      counted.push({
        interval: { start: first, end: last },
        segments: Number(segments),
        size: Number(size),
      });
    }
  }
  return counted;
}

// Times of four-digit years are compared as texts, and said by how many boundaries lie before them.
// Others are longer, and say themselves: a segment of all of time, most likely.
function queryBy(boundaries: readonly number[]): string {
  const place = (column: string, comparison: string) => {
    const others = `WHEN CHAR_LENGTH(${column}) <> ${usualLength} THEN ${column}`;
    const cases = boundaries.map(
      (at, before) => `WHEN ${column} ${comparison} '${formatInstant(at)}' THEN '${before}'`,
    );
    return `CASE ${[others, ...cases].join(' ')} ELSE '${boundaries.length}' END`;
  };
  return `SELECT ${place('"start"', '<')}, ${place('"end"', '<=')}, COUNT(*), SUM("size") FROM sys.segments
WHERE datasource = ? AND is_published = 1 AND is_overshadowed = 0 GROUP BY 1, 2`;
}

// The least that begins, and ends, so many boundaries later.
function within(boundaries: readonly number[], place: string): Interval {
  if (!/^\d+ *$/.test(place)) return { start: parseInstant(place), end: parseInstant(place) };
  const before = boundaries[Number(place) - 1];
  if (before !== undefined) return { start: before, end: before + 1 };
  const [first = 0] = boundaries;
  return { start: first - 1, end: first };
}

const usualLength = '2024-01-01T00:00:00.000Z'.length;
