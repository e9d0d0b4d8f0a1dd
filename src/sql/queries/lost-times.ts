// Times that grouping by a time bucket loses.
import { type Granularity, periodGranularity } from '../../model/granularity.ts';
import { parsePeriod } from '../../model/period.ts';
import { timeFloor } from '../explain/native-expression.ts';
import { contains, isOfQuery } from '../expressions/rewrite.ts';
import { losesTimes } from '../expressions/time-bucket.ts';
import { zoneOf } from '../expressions/time-text.ts';
import type { GroupedRows, GroupKey } from '../resolution/group.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { SelectClauses } from './select-clauses.ts';

/**
 * The condition of the rows that the groups of a table count, as DuckDB text: a time before 1970
 * is not in its bucket of several hours, which begins after it. The engine reads the rows of each
 * bucket if the keys have just one and no limit applies to several keys (Druid: GroupByQuery,
 * Granularity). Undefined for all rows.
 */
export function countedTimes(
  { source, translation, rows, select, tail }: SelectClauses,
  { keys }: GroupedRows,
): string | undefined {
  const isOfTable = source?.kind === 'table' || source?.kind === 'unnest';
  if (translation.engine !== 'native' || !isOfTable) return undefined;
  if (tail.limit !== undefined && keys.length > 1) return undefined;
  if (select.where && contains(select.where, isOfQuery)) return undefined; // it is joined
  const { timeZone } = translation.environment;
  const resolve = (part: GroupKey['expression']) => resolveExpression(part, rows);
  const buckets = keys.flatMap(({ expression, typed }) => {
    const floor = timeFloor(expression, { resolve, timeZone });
    const isOfTime = floor?.of.kind === 'identifier' && floor.of.names.at(-1) === '__time';
    return floor && isOfTime ? [{ floor, typed }] : [];
  });
  const [only, second] = buckets;
  if (!only || second) return undefined;
  const time = resolve(only.floor.of);
  const isLate = (time.timeRange?.startMs ?? -1n) >= 0n;
  if (isLate || !losesTimes(granularityOf(only.floor))) return undefined;
  return `(${time.sql} >= ${only.typed.sql})`;
}

const granularityOf = ({ period, zone }: { period: string; zone: string }): Granularity =>
  periodGranularity(parsePeriod(period), zoneOf(zone));
