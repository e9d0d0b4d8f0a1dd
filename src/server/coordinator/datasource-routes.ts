// Endpoints for the served view of datasources (the specification, "Legacy metadata endpoints").
import type { Dialect } from '../../model/dialect.ts';
import {
  contains,
  formatInterval,
  type Interval,
  overlaps,
  parseInterval,
  parsePathInterval,
} from '../../model/interval.ts';
import { formatJson } from '../../model/json.ts';
import { addPeriod, parsePeriod } from '../../model/period.ts';
import { defaultTier } from '../../model/retention-rule.ts';
import { type DataServer, dataServersText } from '../cluster/cluster.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import { answer, type Routes } from '../handlers/routes.ts';
import {
  dataSourcePieces,
  segmentJson,
  segmentList,
  segmentText,
} from '../segments/segment-json.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { byTier, shareOrCount, visibleOf } from './cluster-routes.ts';
import type { LoadStatus } from './load-status.ts';
import { refreshUnsaid } from './refusals.ts';
import { byInterval, intervalMap, sizeAndCount, summaryOf } from './served-datasources.ts';

export interface ServedView {
  readonly storage: Storage;
  readonly served: ServedSegments;
  readonly load: LoadStatus;
  readonly dataServers: () => DataServer[]; // the servers of the segments
  readonly dialect: Dialect;
  readonly now: () => number;
}

export function datasourceRoutes(view: ServedView): Routes<'datasources'> {
  const { served, dataServers } = view;
  const segmentsOf = (dataSource: string) => served.of(dataSource).map(({ segment }) => segment);
  const full = (name: string) => dataSourcePieces(name, segmentsOf(name));
  const serverNames = () => dataServers().map(({ name }) => name);

  const showDetails = (
    segments: readonly SegmentRecord[],
    query: { simple?: boolean; full?: boolean },
  ) => {
    if (query.full) {
      const servers = formatJson(serverNames()); // they include all segments of a server
      const withServers = (segment: SegmentRecord, lacked: ReadonlySet<string>) =>
        [segment.id, `{"metadata":${segmentText(segment, lacked)},"servers":${servers}}`] as const;
      return intervalMap(segments, (group) => JsonPieces.object(group, withServers));
    }
    if (query.simple) return intervalMap(segments, (group) => formatJson(sizeAndCount(group)));
    return undefined;
  };
  const inside = (dataSource: string, interval: Interval) =>
    segmentsOf(dataSource).filter((segment) => contains(interval, segment.interval));

  return {
    list({ query, caller }) {
      const names = served.dataSources().filter((name) => caller.may('DATASOURCE', name, 'READ'));
      if (query.full) return JsonPieces.list(names.map(full), (one) => one);
      if (query.simple)
        return names.map((name) => ({ name, properties: summaryOf(segmentsOf(name)) }));
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
      return (
        showDetails(segments, query) ??
        byInterval(segments).map(({ interval }) => formatInterval(interval))
      );
    },
    interval({ params: { dataSource, interval }, query }) {
      const segments = inside(dataSource, parsePathInterval(interval));
      if (segmentsOf(dataSource).length === 0) return undefined;
      return showDetails(segments, query) ?? segments.map(({ id }) => id);
    },
    segments({ params: { dataSource }, query }) {
      const segments = segmentsOf(dataSource);
      if (segments.length === 0) return undefined;
      return query.full ? segmentList(segments) : segments.map(({ id }) => id);
    },
    segment({ params: { dataSource, segmentId } }) {
      const segment = segmentsOf(dataSource).find(({ id }) => id === segmentId);
      return segment && { metadata: segmentJson(segment), servers: serverNames() };
    },
    tiers: ({ params: { dataSource } }) =>
      segmentsOf(dataSource).length === 0 ? [] : [defaultTier],
    serverView({ params: { dataSource, interval } }) {
      const serversText = dataServersText(dataServers());
      const found = inside(dataSource, parsePathInterval(interval));
      return JsonPieces.list(
        found,
        (segment, lacked) =>
          `{"segment":${segmentText(segment, lacked)},"servers":${serversText(lacked)}}`,
      );
    },
    loadStatus: loadStatusRoute(view),
    handoffComplete({
      params: { dataSource },
      query: { interval, partitionNumber = 0, version = '' },
    }) {
      const wanted = interval === undefined ? undefined : parseInterval(interval);
      return segmentsOf(dataSource).some(
        (segment) =>
          segment.partitionNum === partitionNumber &&
          segment.version >= version &&
          (!wanted || contains(segment.interval, wanted)),
      );
    },
  };
}

const loadStatusRoute =
  ({ storage, load, dialect, now }: ServedView): Routes<'datasources'>['loadStatus'] =>
  ({ params: { dataSource }, query }) => {
    if (query.forceMetadataRefresh === undefined) throw refreshUnsaid();
    const interval =
      query.interval === undefined ? lastTwoWeeks(now()) : parsePathInterval(query.interval);
    const all = visibleOf(storage, dataSource);
    const segments = all.filter((segment) => overlaps(segment.interval, interval));
    if (segments.length === 0) {
      const isKnown = all.length > 0 && dialect.nothingLoaded === 'sentence';
      return isKnown ? answer(undefined, { status: 200, text: nothingThere }) : undefined;
    }
    if (query.full && !query.simple) return byTier(load, [{ name: dataSource, segments }], query);
    return { [dataSource]: shareOrCount(load, dataSource, segments, query) };
  };

const nothingThere = 'No used segment found for the given datasource and interval';

const lastTwoWeeks = (now: number): Interval => ({
  start: addPeriod(now, parsePeriod('P2W'), -1),
  end: now,
});
