// What the metadata store knows, over HTTP (the specification, "Legacy metadata endpoints").
import { unifiedColumns } from '../../model/column-types.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant } from '../../model/instant.ts';
import { contains, overlaps, parseInterval } from '../../model/interval.ts';
import { isBroadcast, rulesAt } from '../../model/retention-rule.ts';
import { parseSegmentId } from '../../model/segment.ts';
import type { Timeline } from '../../model/timeline.ts';
import { JsonPieces } from '../json-pieces.ts';
import type { Routes } from '../routes.ts';
import { eachSegment, findSegment, listDataSources, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { noIntervalsSaid, realtimeWithoutStatus, segmentIdNotParsed, unknownHere } from './refusals.ts';
import type { RetentionRules } from './retention-rules.ts';
import { dataSourcePieces, segmentJson, segmentList, segmentText } from './segment-json.ts';
import type { ServedSegments } from './served-segments.ts';

export function metadataRoutes(
  { metadata, segments }: Storage,
  served: ServedSegments,
  rules: RetentionRules,
  dialect: Dialect,
  now: () => number,
): Routes<'metadata'> {
  const usedOf = (dataSource: string) => segments.used(dataSource);
  const full = (name: string) => dataSourcePieces(name, usedOf(name));
  const listed = (dataSource: string, query: { full?: boolean }, intervals?: readonly string[] | null) => {
    const wanted = intervals?.map(parseInterval);
    const found = usedOf(dataSource).filter((segment) => !wanted || wanted.some((interval) => overlaps(interval, segment.interval)));
    return query.full ? segmentList(found) : found.map(({ id }) => id);
  };
  return {
    datasources({ query, caller }) {
      const includeUnused = Boolean(query.includeUnused || query.includeDisabled);
      const names = listDataSources(metadata, { includeUnused }).filter((name) => caller.may('DATASOURCE', name, 'READ'));
      return query.full ? JsonPieces.list(names.map(full), (one) => one) : names;
    },
    datasource({ params: { dataSource } }) {
      if (usedOf(dataSource).length === 0) throw unknownHere();
      return full(dataSource);
    },
    segmentsOf({ params: { dataSource }, query, body }) {
      if (usedOf(dataSource).length === 0) throw unknownHere();
      return listed(dataSource, query, dialect.segmentsByBody === 'filtered' ? body : undefined);
    },
    segmentsIn({ params: { dataSource }, query, body }) {
      if (body.length === 0) throw noIntervalsSaid();
      return listed(dataSource, query, body);
    },
    segment({ params: { dataSource, segmentId }, query }) {
      if (!parseSegmentId(dataSource, segmentId)) throw segmentIdNotParsed(segmentId, dataSource);
      const found = findSegment(metadata, segmentId);
      if (!found || (!found.used && !query.includeUnused)) throw unknownHere();
      return segmentJson(found);
    },
    unusedSegments({ params: { dataSource }, query: { interval, limit, lastSegmentId, sortOrder = 'ASC' } }) {
      const which = { dataSource, used: false, ...(interval && { interval: parseInterval(interval) }) };
      const last = lastSegmentId === undefined ? undefined : findSegment(metadata, lastSegmentId);
      const isListed = last?.dataSource === dataSource && !last.used && (!which.interval || contains(which.interval, last.interval));
      const isReversed = sortOrder.toUpperCase() === 'DESC';
      const from = { ...(isListed && { after: last }), ...(limit !== undefined && { max: limit }) };
      return JsonPieces.list(eachSegment(metadata, { ...which, ...from, isReversed }), unusedText);
    },
    schemas({ body }) {
      if (dialect.dataSourceSchemas === 'notFound') throw unknownHere();
      return (body ?? served.dataSources()).flatMap((dataSource) => {
        const columns = served.of(dataSource).map(({ segment }) => segment.columns);
        if (columns.length === 0) return [];
        const rowSignature = unifiedColumns(columns.toReversed()).map(({ name, type }) => ({ name, type }));
        return [{ dataSource, rowSignature }];
      });
    },
    bootstrapSegments({ caller }) {
      const readable = served.dataSources().filter((name) => caller.may('DATASOURCE', name, 'READ'));
      const wanted = readable.flatMap((dataSource) => {
        const ruleOf = rulesAt(rules.withDefaults(dataSource), now());
        const isEverywhere = ({ interval }: SegmentRecord) => {
          const rule = ruleOf(interval);
          return rule !== undefined && isBroadcast(rule);
        };
        return served
          .of(dataSource)
          .map(({ segment }) => segment)
          .filter(isEverywhere);
      });
      return segmentList(wanted);
    },
    segments({ query, caller }) {
      if (query.includeRealtimeSegments && !query.includeOvershadowedStatus) throw realtimeWithoutStatus();
      const wanted = query.datasources?.length ? query.datasources : listDataSources(metadata);
      const readable = wanted.filter((dataSource) => caller.may('DATASOURCE', dataSource, 'READ'));
      const known = readable.map((dataSource) => ({ used: usedOf(dataSource), timeline: segments.timeline(dataSource) }));
      return JsonPieces.list(textsOf(known, query.includeOvershadowedStatus === true), (text) => text);
    },
  };
}

function* textsOf(known: readonly { used: readonly SegmentRecord[]; timeline: Timeline<SegmentRecord> }[], withStatus: boolean) {
  for (const { used, timeline } of known) {
    for (const segment of used) {
      yield withStatus ? segmentText(segment, statusText(segment, timeline)) : segmentText(segment);
    }
  }
}

const statusText = (segment: SegmentRecord, timeline: Timeline<SegmentRecord>) =>
  `,"overshadowed":${timeline.isOvershadowed(segment)},"replicationFactor":1,"numRows":${segment.numRows},"realtime":false`;

function unusedText(segment: SegmentRecord): string {
  const [created, updated] = [formatInstant(segment.createdMs), formatInstant(segment.usedStatusLastUpdatedMs)];
  return `{"dataSegment":${segmentText(segment)},"createdDate":"${created}","usedStatusLastUpdatedDate":"${updated}"}`;
}
