// Segments that a native query would read, and their servers (the specification,
// "/svc/v2/candidates").
import type { NativeQuery } from '../../contract/native.ts';
import { formatInterval, type Interval } from '../../model/interval.ts';
import type { VisibleSegment } from '../../model/timeline.ts';
import { checkLimit } from '../../sql/limits.ts';
import { tableNames } from '../../sql/native/data-source.ts';
import { intervalsOf } from '../../sql/native/query-parts.ts';
import { checkQueryType } from '../../sql/native/translate-native.ts';
import { type DataServer, dataServersOf, dataServersText } from '../cluster/cluster.ts';
import type { ListedServer } from '../cluster/listed.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { SegmentRecord } from '../storage/segments.ts';

export interface CandidatesSettings {
  readonly served: ServedSegments;
  readonly servers: () => readonly ListedServer[];
}

/** The JSON of a candidate without the fields that the version lacks. */
export type Candidate = (lacked: ReadonlySet<string>) => string;

/**
 * The segments of a query's datasources in its intervals.
 * Throws SqlError for an invalid query.
 */
export function candidatesOf(
  query: NativeQuery,
  numCandidates: number | undefined,
  settings: CandidatesSettings,
): Iterable<Candidate> {
  checkQueryType(query);
  const intervals = intervalsOf(query.intervals);
  const names = [...new Set(tableNames(query.dataSource))];
  checkLimit('tables', names.length);
  return locate(names, intervals, numCandidates, settings);
}

/** The segments of the given datasources. */
export function locate(
  dataSources: readonly string[],
  intervals: readonly Interval[],
  numCandidates: number | undefined,
  { served, servers }: CandidatesSettings,
): Iterable<Candidate> {
  const all = dataServersOf(servers());
  const locations =
    numCandidates !== undefined && numCandidates > 0 ? all.slice(0, numCandidates) : all;
  const visible = dataSources.flatMap((dataSource) =>
    served.of(dataSource, intervals.length > 0 ? intervals : undefined),
  );
  return candidatesIn(visible, locations);
}

function* candidatesIn(
  visible: readonly VisibleSegment<SegmentRecord>[],
  locations: readonly DataServer[],
): Iterable<Candidate> {
  const locationsText = dataServersText(locations);
  for (const { segment, intervals } of visible) {
    const { version, partitionNum, sizeBytes } = segment;
    for (const interval of intervals)
      yield (lacked) =>
        `{"interval":"${formatInterval(interval)}","version":${JSON.stringify(version)},"partitionNumber":${partitionNum},"size":${sizeBytes},"locations":${locationsText(lacked)}}`;
  }
}
