// Which segments a native query would read, and where they are (the specification, "/svc/v2/candidates").
import type { LocatedSegment, NativeQuery } from '../../contract/native.ts';
import { formatInterval, type Interval } from '../../model/interval.ts';
import { tableNames } from '../../sql/native/data-source.ts';
import { intervalsOf } from '../../sql/native/query-parts.ts';
import { checkQueryType } from '../../sql/native/translate-native.ts';
import { dataServersOf } from '../cluster.ts';
import type { ServedSegments } from '../coordinator/served-segments.ts';
import type { ListedServer } from './sys-tables.ts';

export interface CandidatesSettings {
  readonly served: ServedSegments;
  readonly servers: () => readonly ListedServer[];
}

/** The segments of a query's datasources in its intervals. @throws SqlError for a query that is none */
export function candidatesOf(query: NativeQuery, numCandidates: number | undefined, settings: CandidatesSettings): LocatedSegment[] {
  checkQueryType(query);
  const intervals = intervalsOf(query.intervals);
  return [...new Set(tableNames(query.dataSource))].flatMap((dataSource) => located(dataSource, intervals, numCandidates, settings));
}

/** The same for one datasource. */
export function located(
  dataSource: string,
  intervals: readonly Interval[],
  numCandidates: number | undefined,
  { served, servers }: CandidatesSettings,
): LocatedSegment[] {
  const all = dataServersOf(servers());
  const locations = numCandidates !== undefined && numCandidates > 0 ? all.slice(0, numCandidates) : all;
  const visible = served.of(dataSource, intervals.length > 0 ? intervals : undefined);
  return visible.flatMap(({ segment, intervals: seen }) =>
    seen.map((interval) => ({
      interval: formatInterval(interval),
      version: segment.version,
      partitionNumber: segment.partitionNum,
      size: segment.sizeBytes,
      locations,
    })),
  );
}
