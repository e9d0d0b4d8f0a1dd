// The served view of datasources over HTTP (the specification, "Legacy metadata endpoints").
import { contains, formatInterval, type Interval, parsePathInterval } from '../../model/interval.ts';
import { defaultTier } from '../../model/retention-rule.ts';
import type { Routes } from '../routes.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import { segmentJson } from './segment-json.ts';
import { byInterval, sizeOf, summaryOf } from './served-datasources.ts';
import type { ServedSegments } from './served-segments.ts';

/** `server` is the name of the one server that has the segments: host and port. */
export function datasourceRoutes(served: ServedSegments, server: () => string): Partial<Routes<'datasources'>> {
  const segmentsOf = (dataSource: string) => served.of(dataSource).map(({ segment }) => segment);
  const full = (name: string) => ({ name, properties: {}, segments: segmentsOf(name).map(segmentJson) });
  const withServers = (segment: SegmentRecord) => ({ metadata: segmentJson(segment), servers: [server()] });

  const shown = (segments: readonly SegmentRecord[], query: { simple?: boolean; full?: boolean }) => {
    const groups = byInterval(segments);
    const map = <T>(value: (segments: SegmentRecord[]) => T) =>
      Object.fromEntries(groups.map((group) => [formatInterval(group.interval), value(group.segments)]));
    if (query.full) return map((group) => Object.fromEntries(group.map((segment) => [segment.id, withServers(segment)])));
    if (query.simple) return map((group) => ({ size: sizeOf(group), count: group.length }));
    return undefined;
  };
  const inside = (dataSource: string, interval: Interval) =>
    segmentsOf(dataSource).filter((segment) => contains(interval, segment.interval));

  return {
    list({ query }) {
      const names = served.dataSources();
      if (query.full) return names.map(full);
      if (query.simple) return names.map((name) => ({ name, properties: summaryOf(segmentsOf(name)) }));
      return names;
    },
    get({ params: { dataSource }, query }) {
      const segments = segmentsOf(dataSource);
      if (segments.length === 0) return undefined;
      return query.full ? full(dataSource) : summaryOf(segments);
    },
    intervals({ params: { dataSource }, query }) {
      const segments = segmentsOf(dataSource);
      if (segments.length === 0) return undefined;
      return shown(segments, query) ?? byInterval(segments).map(({ interval }) => formatInterval(interval));
    },
    interval({ params: { dataSource, interval }, query }) {
      if (segmentsOf(dataSource).length === 0) return undefined;
      const segments = inside(dataSource, parsePathInterval(interval));
      return shown(segments, query) ?? segments.map(({ id }) => id);
    },
    segments({ params: { dataSource }, query }) {
      const segments = segmentsOf(dataSource);
      if (segments.length === 0) return undefined;
      return query.full ? segments.map(segmentJson) : segments.map(({ id }) => id);
    },
    segment({ params: { dataSource, segmentId } }) {
      const segment = segmentsOf(dataSource).find(({ id }) => id === segmentId);
      return segment && withServers(segment);
    },
    tiers: ({ params: { dataSource } }) => (segmentsOf(dataSource).length === 0 ? undefined : [defaultTier]),
  };
}
