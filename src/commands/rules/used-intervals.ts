// Segment counts of a datasource by position in time: the input of rules, without fetching a
// hundred thousand documents.
import type { Context } from '../../cli/command/command.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { sql } from '../../contract/sql.ts';
import { formatInstant, parseInstant } from '../../model/instant.ts';
import type { Interval } from '../../model/interval.ts';

export interface CountedInterval {
  readonly interval: Interval; // representative of all of them
  readonly segments: number;
  readonly size: number; // bytes
}

/**
 * Counts segments in groups: those that begin at or after the same `boundaries` and end after the
 * same ones (ascending, milliseconds since 1970). The order is undefined; overshadowed segments are
 * left out.
 */
export async function findUsedIntervals(
  { call }: Pick<Context, 'call'>,
  dataSource: string,
  boundaries: readonly number[],
): Promise<CountedInterval[]> {
  const usual = boundaries.filter((at) => formatInstant(at).length === defaultLength);
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

// Times with four-digit years are compared as texts and returned as the number of boundaries before
// them. Other times are longer texts and are returned unchanged, most likely for a segment of all
// time.
function queryBy(boundaries: readonly number[]): string {
  const place = (column: string, comparison: string) => {
    const others = `WHEN CHAR_LENGTH(${column}) <> ${defaultLength} THEN ${column}`;
    const cases = boundaries.map(
      (at, before) => `WHEN ${column} ${comparison} '${formatInstant(at)}' THEN '${before}'`,
    );
    return `CASE ${[others, ...cases].join(' ')} ELSE '${boundaries.length}' END`;
  };
  return `SELECT ${place('"start"', '<')}, ${place('"end"', '<=')}, COUNT(*), SUM("size") FROM sys.segments
WHERE datasource = ? AND is_published = 1 AND is_overshadowed = 0 GROUP BY 1, 2`;
}

// The smallest interval after that number of boundaries.
function within(boundaries: readonly number[], place: string): Interval {
  if (!/^\d+ *$/.test(place)) return { start: parseInstant(place), end: parseInstant(place) };
  const before = boundaries[Number(place) - 1];
  if (before !== undefined) return { start: before, end: before + 1 };
  const [first = 0] = boundaries;
  return { start: first - 1, end: first };
}

const defaultLength = '2024-01-01T00:00:00.000Z'.length;
