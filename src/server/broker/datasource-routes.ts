// Endpoints for the data that a Broker can query (the specification, "Legacy metadata endpoints";
// Druid: ClientInfoResource).
import { formatInterval, type Interval, parseInterval } from '../../model/interval.ts';
import { addPeriod, parsePeriod } from '../../model/period.ts';
import type { VisibleSegment } from '../../model/timeline.ts';
import type { ListedServer } from '../cluster/listed.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import type { Routes } from '../handlers/routes.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import { noIntervals } from '../statements/sql-refusals.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import { locate } from './candidates.ts';

export interface BrokerView {
  readonly served: ServedSegments;
  readonly servers: () => readonly ListedServer[];
  // ISO period of the default interval, which ends now
  readonly defaultHistory: string;
  readonly now: () => number;
}

type View = Pick<
  Routes<'broker'>,
  'candidates' | 'datasource' | 'datasources' | 'dimensions' | 'metrics'
>;

export function brokerDatasourceRoutes({ served, servers, defaultHistory, now }: BrokerView): View {
  const intervalOf = (text: string | undefined): Interval => {
    if (text) return parseInterval(text); // an empty one counts as absent
    const end = now();
    return { start: addPeriod(end, parsePeriod(defaultHistory), -1), end };
  };
  const columns = (dataSource: string, interval: string | undefined) => {
    const segments = served.of(dataSource, [intervalOf(interval)]).map(({ segment }) => segment);
    return {
      dimensions: [...new Set(segments.flatMap(({ dimensions }) => dimensions))],
      metrics: [...new Set(segments.flatMap(({ metrics }) => metrics))],
    };
  };
  return {
    datasources: () => served.dataSources(),
    datasource({ params: { dataSource }, query }) {
      return query.full
        ? columnsByInterval(served.of(dataSource, [intervalOf(query.interval)]))
        : columns(dataSource, query.interval);
    },
    dimensions: ({ params, query }) => columns(params.dataSource, query.interval).dimensions,
    metrics: ({ params, query }) => columns(params.dataSource, query.interval).metrics,
    candidates({ params, query: { intervals, numCandidates } }) {
      if (intervals === undefined) throw noIntervals();
      const found = locate(
        [params.dataSource],
        intervals.split(',').map(parseInterval),
        numCandidates,
        { served, servers },
      );
      return JsonPieces.list(found, (candidate, lacked) => candidate(lacked));
    },
  };
}

// Adjacent intervals with the same columns are merged.
function columnsByInterval(visible: readonly VisibleSegment<SegmentRecord>[]) {
  const pieces = visible
    .flatMap(({ segment, intervals }) => intervals.map((interval) => ({ interval, segment })))
    .sort((a, b) => a.interval.start - b.interval.start);
  const merged: { interval: Interval; dimensions: string[]; metrics: string[] }[] = [];
  for (const { interval, segment } of pieces) {
    const { dimensions, metrics } = segment;
    const last = merged.at(-1);
    const isSame =
      last &&
      haveSame(last.dimensions, dimensions) &&
      haveSame(last.metrics, metrics) &&
      interval.start <= last.interval.end;
    if (isSame)
      last.interval = {
        start: last.interval.start,
        end: Math.max(last.interval.end, interval.end),
      };
    else merged.push({ interval, dimensions: [...dimensions], metrics: [...metrics] });
  }
  return Object.fromEntries(
    merged.map(({ interval, ...columns }) => [formatInterval(interval), { ...columns }]),
  );
}

const haveSame = (some: readonly string[], others: readonly string[]) =>
  some.length === others.length &&
  [...some].sort().every((name, at) => name === [...others].sort()[at]);
