// Endpoints of the metadata store (the specification, "Legacy metadata endpoints").

import { setImmediate as nextTurn } from 'node:timers/promises';
import { unifiedColumns } from '../../model/column-types.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant } from '../../model/instant.ts';
import {
  condense,
  contains,
  type Interval,
  overlapsAny,
  parsePathInterval,
} from '../../model/interval.ts';
import { parseSegmentId } from '../../model/segment.ts';
import type { Timeline } from '../../model/timeline.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import type { Routes } from '../handlers/routes.ts';
import type { RealtimeRows } from '../segments/realtime-rows.ts';
import {
  dataSourcePieces,
  segmentJson,
  segmentList,
  segmentText,
} from '../segments/segment-json.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { Metadata } from '../storage/metadata.ts';
import {
  eachSegment,
  findSegment,
  listDataSources,
  type SegmentRecord,
} from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { intervalInBody, intervalInQuery } from './given-interval.ts';
import {
  invalidLastSegment,
  invalidLimit,
  noIntervalsSaid,
  realtimeWithoutStatus,
  segmentIdNotParsed,
  unknownHere,
} from './refusals.ts';

/**
 * `realtime` are the unpublished segments of streams; undefined where the Coordinator does not
 * track their schema.
 */
export function metadataRoutes(
  { metadata, segments }: Storage,
  served: ServedSegments,
  dialect: Dialect,
  realtime: Pick<RealtimeRows, 'dataSources' | 'segments'> | undefined,
  now: () => number,
): Routes<'metadata'> {
  const usedOf = (dataSource: string) => segments.listUsed(dataSource);
  const full = (name: string) =>
    dataSourcePieces(name, usedOf(name), { created: formatInstant(now()) });
  const listSegments = async (
    dataSource: string,
    query: { full?: boolean },
    intervals?: readonly string[] | null,
  ) => {
    const wanted = intervals && condense(await parseInTurns(intervals));
    const found = usedOf(dataSource).filter(
      (segment) => !wanted || overlapsAny(wanted, segment.interval),
    );
    return query.full ? segmentList(found) : found.map(({ id }) => id);
  };
  return {
    datasources({ query, caller }) {
      const includeUnused = Boolean(query.includeUnused || query.includeDisabled);
      const names = listDataSources(metadata, { includeUnused }).filter((name) =>
        caller.may('DATASOURCE', name, 'READ'),
      );
      return query.full && !includeUnused ? JsonPieces.list(names.map(full), (one) => one) : names;
    },
    datasource({ params: { dataSource } }) {
      if (usedOf(dataSource).length === 0) throw unknownHere();
      return full(dataSource);
    },
    segmentsOf({ params: { dataSource }, query, body }) {
      if (usedOf(dataSource).length === 0) throw unknownHere();
      return listSegments(
        dataSource,
        query,
        dialect.segmentsByBody === 'filtered' ? body : undefined,
      );
    },
    segmentsIn({ params: { dataSource }, query, body }) {
      if (body.length === 0) throw noIntervalsSaid();
      return listSegments(dataSource, query, body);
    },
    segment({ params: { dataSource, segmentId }, query }) {
      if (dialect.unparsableSegmentIds === 'invalidInput' && !parseSegmentId(dataSource, segmentId))
        throw segmentIdNotParsed(segmentId, dataSource);
      const found = findSegment(metadata, segmentId);
      if (found?.dataSource !== dataSource || (!found.used && !query.includeUnused))
        throw unknownHere();
      return segmentJson(found);
    },
    unusedSegments({ params: { dataSource }, query }) {
      if (dialect.unusedSegmentFaults === 'invalidInput') checkUnusedQuery(dataSource, query);
      return JsonPieces.list(unusedSegments(metadata, dataSource, query), unusedText);
    },
    schemas({ body }) {
      if (dialect.dataSourceSchemas === 'notFound') throw unknownHere();
      const known = new Set(served.dataSources());
      const asked = new Set(body?.filter((dataSource) => known.has(dataSource)) ?? known);
      return [...asked].map((dataSource) => ({
        dataSource,
        rowSignature: rowSignature(served, dataSource),
      }));
    },
    bootstrapSegments: ({ caller }) =>
      segmentList(
        served
          .dataSources()
          .filter((name) => caller.may('DATASOURCE', name, 'READ'))
          .flatMap((name) => served.broadcast(name).map(({ segment }) => segment)),
      ),
    segments({ query, caller }) {
      if (query.includeRealtimeSegments && !query.includeOvershadowedStatus)
        throw realtimeWithoutStatus();
      const ofStreams = query.includeRealtimeSegments ? realtime : undefined;
      const wanted = query.datasources?.length
        ? query.datasources
        : listAllDataSources(metadata, ofStreams);
      const readable = wanted.filter((dataSource) => caller.may('DATASOURCE', dataSource, 'READ'));
      const known = readable.map((dataSource) => ({
        used: usedOf(dataSource),
        timeline: segments.timeline(dataSource),
        unpublished: ofStreams?.segments(dataSource) ?? [],
      }));
      const listed = listWithStatus(known);
      return query.includeOvershadowedStatus
        ? JsonPieces.list(listed, ({ segment, status }, lacked) =>
            segmentText(segment, lacked, status()),
          )
        : JsonPieces.list(listed, ({ segment }, lacked) => segmentText(segment, lacked));
    },
  };
}

const listAllDataSources = (
  metadata: Metadata,
  streams: Pick<RealtimeRows, 'dataSources'> | undefined,
): readonly string[] =>
  [...new Set([...listDataSources(metadata), ...(streams?.dataSources() ?? [])])].sort();

interface UnusedQuery {
  readonly interval?: string;
  readonly limit?: number;
  readonly lastSegmentId?: string;
  readonly sortOrder?: string;
}

function checkUnusedQuery(
  dataSource: string,
  { interval, limit, lastSegmentId }: UnusedQuery,
): void {
  if (limit !== undefined && limit < 0) throw invalidLimit(limit);
  if (lastSegmentId !== undefined && !parseSegmentId(dataSource, lastSegmentId))
    throw invalidLastSegment(lastSegmentId);
  if (interval) intervalInQuery(interval, parsePathInterval);
}

function unusedSegments(
  metadata: Metadata,
  dataSource: string,
  { interval, limit, lastSegmentId, sortOrder = 'ASC' }: UnusedQuery,
): Iterable<SegmentRecord> {
  const which = {
    dataSource,
    used: false,
    ...(interval && { interval: parsePathInterval(interval) }),
  };
  const last = lastSegmentId === undefined ? undefined : findSegment(metadata, lastSegmentId);
  const isListed =
    last?.dataSource === dataSource &&
    !last.used &&
    (!which.interval || contains(which.interval, last.interval));
  return eachSegment(metadata, {
    ...which,
    ...(isListed && { after: last }),
    ...(limit && { max: limit }), // 0 means no limit, as in the real engine
    isReversed: sortOrder.toUpperCase() === 'DESC',
  });
}

function rowSignature(served: ServedSegments, dataSource: string) {
  const columns = served.of(dataSource).map(({ segment }) => segment.columns);
  return unifiedColumns(columns.toReversed()).map(({ name, type }) => ({ name, type }));
}

// Other work gets turns while many intervals are parsed.
async function parseInTurns(texts: readonly string[]): Promise<Interval[]> {
  const intervals: Interval[] = [];
  for (const text of new Set(texts))
    if (intervals.push(intervalInBody(text)) % 1000 === 0) await nextTurn();
  return intervals;
}

interface KnownSegments {
  readonly used: readonly SegmentRecord[];
  readonly timeline: Timeline<SegmentRecord>;
  readonly unpublished: readonly SegmentRecord[];
}

function* listWithStatus(known: readonly KnownSegments[]) {
  for (const { used, timeline, unpublished } of known) {
    for (const segment of used) yield { segment, status: () => statusText(segment, timeline) };
    for (const segment of unpublished) yield { segment, status: () => realtimeStatusText(segment) };
  }
}

const statusText = (segment: SegmentRecord, timeline: Timeline<SegmentRecord>) =>
  `,"overshadowed":${timeline.isOvershadowed(segment)},"replicationFactor":1,"numRows":${segment.numRows},"realtime":false`;

const realtimeStatusText = ({ numRows }: SegmentRecord) =>
  `,"overshadowed":false,"replicationFactor":null,"numRows":${numRows},"realtime":true`;

function unusedText(segment: SegmentRecord, lacked: ReadonlySet<string>): string {
  const [created, updated] = [
    formatInstant(segment.createdMs),
    formatInstant(segment.usedStatusLastUpdatedMs),
  ];
  return `{"dataSegment":${segmentText(segment, lacked)},"createdDate":"${created}","usedStatusLastUpdatedDate":"${updated}"}`;
}
