// What the metadata store knows, over HTTP (the specification, "Legacy metadata endpoints").
import { unifiedColumns } from '../../model/column-types.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant } from '../../model/instant.ts';
import { contains, overlaps, parseInterval } from '../../model/interval.ts';
import { isBroadcast, rulesAt } from '../../model/retention-rule.ts';
import { parseSegmentId } from '../../model/segment.ts';
import type { Timeline } from '../../model/timeline.ts';
import { JsonItems, type Routes } from '../routes.ts';
import { eachSegment, findSegment, listDataSources, listSegments, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { noIntervalsSaid, realtimeWithoutStatus, segmentIdNotParsed, unknownHere } from './refusals.ts';
import type { RetentionRules } from './retention-rules.ts';
import { segmentJson, segmentList, segmentText } from './segment-json.ts';
import type { ServedSegments } from './served-segments.ts';

export function metadataRoutes(
  { metadata, segments }: Storage,
  served: ServedSegments,
  rules: RetentionRules,
  dialect: Dialect,
  now: () => number,
): Routes<'metadata'> {
  const usedOf = (dataSource: string) => segments.used(dataSource);
  const full = (name: string) => ({ name, properties: {}, segments: usedOf(name).map(segmentJson) });
  const listed = (dataSource: string, query: { full?: boolean }, intervals?: readonly string[] | null) => {
    const wanted = intervals?.map(parseInterval);
    const found = usedOf(dataSource).filter((segment) => !wanted || wanted.some((interval) => overlaps(interval, segment.interval)));
    return query.full ? segmentList(found) : found.map(({ id }) => id);
  };
  return {
    datasources({ query }) {
      const names = listDataSources(metadata, { includeUnused: Boolean(query.includeUnused || query.includeDisabled) });
      return query.full ? names.map(full) : names;
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
      if (sortOrder.toUpperCase() !== 'DESC')
        return new JsonItems(
          unusedTexts(eachSegment(metadata, { ...which, ...(isListed && { after: last }), ...(limit !== undefined && { max: limit }) })),
        );
      const ordered = listSegments(metadata, which).reverse();
      const after = isListed ? ordered.findIndex(({ id }) => id === lastSegmentId) + 1 : 0;
      return new JsonItems(unusedTexts(ordered.slice(after, limit === undefined ? undefined : after + limit)));
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
    bootstrapSegments() {
      const wanted = served.dataSources().flatMap((dataSource) => {
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
      return wanted.map(segmentJson);
    },
    segments({ query, caller }) {
      if (query.includeRealtimeSegments && !query.includeOvershadowedStatus) throw realtimeWithoutStatus();
      const wanted = query.datasources?.length ? query.datasources : listDataSources(metadata);
      const readable = wanted.filter((dataSource) => caller.may('DATASOURCE', dataSource, 'READ'));
      return new JsonItems(
        textsOf(
          readable.map((dataSource) => ({ used: usedOf(dataSource), timeline: segments.timeline(dataSource) })),
          query.includeOvershadowedStatus === true,
        ),
      );
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

function* unusedTexts(unused: Iterable<SegmentRecord>) {
  for (const segment of unused) {
    const [created, updated] = [formatInstant(segment.createdMs), formatInstant(segment.usedStatusLastUpdatedMs)];
    yield `{"dataSegment":${segmentText(segment)},"createdDate":"${created}","usedStatusLastUpdatedDate":"${updated}"}`;
  }
}
