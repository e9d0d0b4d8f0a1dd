// Endpoints for servers, tiers, intervals and loaded segments (the specification, "Legacy metadata
// endpoints").

import type { Server } from '../../contract/cluster.ts';
import {
  byStartThenEnd,
  contains,
  type Interval,
  parsePathInterval,
} from '../../model/interval.ts';
import { asDouble, formatJson } from '../../model/json.ts';
import { defaultTier } from '../../model/retention-rule.ts';
import type { ListedServer } from '../cluster/listed.ts';
import { JsonPieces } from '../handlers/json-pieces.ts';
import type { Caller, Routes } from '../handlers/routes.ts';
import { segmentJson, segmentList, segmentText } from '../segments/segment-json.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import { listDataSources, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import type { LoadQuery, LoadStatus } from './load-status.ts';
import { unknownHere } from './refusals.ts';
import { intervalMap, sizeAndCount } from './served-datasources.ts';

export interface ClusterView {
  readonly service: string;
  readonly storage: Storage;
  readonly served: ServedSegments;
  readonly load: LoadStatus;
  readonly servers: () => readonly ListedServer[]; // one of each role
}

type LegacyView = Omit<
  Routes<'cluster'>,
  'coordinatorLeader' | 'isCoordinatorLeader' | 'overlordLeader' | 'isOverlordLeader' | 'duties'
>;

export const clusterRoutes = (view: ClusterView): LegacyView => ({
  ...loadRoutes(view),
  ...intervalRoutes(view),
  ...serverRoutes(view),
  ...tierRoutes(view),
  ...nodeRoutes(view),
});

function loadRoutes({
  storage,
  load,
  servers,
}: ClusterView): Pick<LegacyView, 'loadStatus' | 'loadQueue'> {
  return {
    loadStatus({ query }) {
      const wanted = listDataSources(storage.metadata).map((name) => ({
        name,
        segments: visibleOf(storage, name),
      }));
      if (query.full && !query.simple) return byTier(load, wanted, query);
      return Object.fromEntries(
        wanted.map(({ name, segments }) => [name, shareOrCount(load, name, segments, query)]),
      );
    },
    loadQueue({ query }) {
      const empty = query.simple
        ? {
            segmentsToLoad: 0,
            segmentsToDrop: 0,
            segmentsToLoadSize: 0,
            segmentsToDropSize: 0,
            expectedLoadTimeMillis: 0,
          }
        : { segmentsToLoad: [], segmentsToDrop: [], ...(query.full && { segmentsToMove: [] }) };
      return Object.fromEntries(historicals(servers()).map(({ server }) => [server, empty]));
    },
  };
}

function intervalRoutes({ served }: ClusterView): Pick<LegacyView, 'intervals' | 'interval'> {
  const readable = ({ may }: Caller) =>
    listServed(served).filter(({ dataSource }) => may('DATASOURCE', dataSource, 'READ'));
  return {
    intervals: ({ caller }) => intervalMap(readable(caller), sizeByDataSource),
    interval({ params, query, caller }) {
      const inside = within(readable(caller), parsePathInterval(params.interval));
      if (query.simple) return intervalMap(inside, sizeText);
      if (query.full) return intervalMap(inside, sizeByDataSource);
      return inside.length === 0 ? {} : { ...sizeAndCount(inside) };
    },
  };
}

function serverRoutes({
  served,
  servers,
}: ClusterView): Pick<LegacyView, 'servers' | 'server' | 'serverSegments' | 'serverSegment'> {
  const getServer = (name: string) => {
    const [found] = historicals(servers());
    if (found?.server !== name) throw unknownHere();
    return found;
  };
  const withSegments = (server: ListedServer) =>
    JsonPieces.extend(serverJson(server), 'segments', segmentMap(listServed(served)));
  return {
    servers({ query }) {
      const found = historicals(servers());
      if (query.full) return JsonPieces.list(found.map(withSegments), (server) => server);
      return query.simple ? found.map(serverJson) : found.map(({ server }) => server);
    },
    server({ params, query }) {
      const found = getServer(params.server);
      return query.simple ? serverJson(found) : withSegments(found);
    },
    serverSegments({ params, query }) {
      getServer(params.server);
      const segments = listServed(served);
      return query.full ? segmentList(segments) : segments.map(({ id }) => id);
    },
    serverSegment({ params }) {
      getServer(params.server);
      const found = listServed(served).find(({ id }) => id === params.segmentId);
      if (!found) throw unknownHere();
      return segmentJson(found);
    },
  };
}

function tierRoutes({ served, servers }: ClusterView): Pick<LegacyView, 'tiers' | 'tier'> {
  return {
    tiers({ query }) {
      if (!query.simple) return [defaultTier];
      return Object.fromEntries(
        historicals(servers()).map(({ sizeBytes, maxSizeBytes }) => [
          defaultTier,
          { currSize: sizeBytes, maxSize: maxSizeBytes },
        ]),
      );
    },
    tier({ params, query }) {
      const names = params.tier === defaultTier ? served.dataSources() : [];
      if (!query.simple) return names;
      const segmentsOf = (name: string) => served.of(name).map(({ segment }) => segment);
      const byName = names.map((name) => [name, intervalMap(segmentsOf(name), sizeText)] as const);
      return JsonPieces.object(byName, (member) => member);
    },
  };
}

function nodeRoutes({ service, servers }: ClusterView): Pick<LegacyView, 'nodes' | 'nodesOf'> {
  const nodes = (role: NodeRole, among: readonly ListedServer[]) =>
    among
      .filter(({ type }) => type === typeOf[role])
      .map(({ server, port, tlsPort }) => ({
        host: server,
        service: `${service}/${role}`,
        ...(port >= 0 && { plaintextPort: port }),
        ...(tlsPort >= 0 && { tlsPort }),
      }));
  return {
    nodes() {
      const all = servers();
      return Object.fromEntries(nodeRoles.map((role) => [role, nodes(role, all)]));
    },
    nodesOf: ({ params: { nodeRole } }) =>
      nodeRoles.filter((role) => role === nodeRole).flatMap((role) => nodes(role, servers())),
  };
}

const historicals = (servers: readonly ListedServer[]) =>
  servers.filter(({ type }) => type === 'historical').slice(0, 1);

const listServed = (served: ServedSegments): SegmentRecord[] =>
  served.dataSources().flatMap((name) => served.of(name).map(({ segment }) => segment));

const serverJson = ({ server, tier, sizeBytes, maxSizeBytes }: ListedServer): Server => ({
  host: server,
  tier: tier ?? defaultTier,
  type: 'historical',
  priority: 0,
  currSize: sizeBytes,
  maxSize: maxSizeBytes,
});

/**
 * The loaded share of a datasource in percent; with `simple`, the number of segments still to load.
 */
export const shareOrCount = (
  load: LoadStatus,
  name: string,
  segments: readonly SegmentRecord[],
  { simple }: LoadQuery,
): number => {
  const left = load.unavailable(name, segments);
  return simple
    ? left
    : asDouble(segments.length === 0 ? 100 : (100 * (segments.length - left)) / segments.length);
};

/** Missing copies by tier and datasource. */
export function byTier(
  load: LoadStatus,
  wanted: readonly { name: string; segments: readonly SegmentRecord[] }[],
  query: LoadQuery,
) {
  const tiers = new Map<string, Record<string, number>>();
  for (const { name, segments } of wanted) {
    for (const [tier, count] of load.missingCopies(name, segments, query))
      tiers.set(tier, { ...tiers.get(tier), [name]: count });
  }
  return Object.fromEntries(tiers);
}

/** The used segments of a datasource that newer ones do not replace. */
export const visibleOf = (storage: Storage, dataSource: string): SegmentRecord[] =>
  storage.segments
    .timeline(dataSource)
    .visible()
    .map(({ segment }) => segment);

// Server types by role, as named by the Coordinator's interface and by sys.servers.
const typeOf = {
  coordinator: 'coordinator',
  overlord: 'overlord',
  broker: 'broker',
  historical: 'historical',
  middleManager: 'middle_manager',
  router: 'router',
} as const;
type NodeRole = keyof typeof typeOf;
const nodeRoles = Object.keys(typeOf) as readonly NodeRole[];

const sizeText = (segments: readonly SegmentRecord[]) => formatJson(sizeAndCount(segments));

function sizeByDataSource(segments: readonly SegmentRecord[]): string {
  const groups = new Map<string, SegmentRecord[]>();
  for (const segment of segments) {
    const group = groups.get(segment.dataSource);
    if (group) group.push(segment);
    else groups.set(segment.dataSource, [segment]);
  }
  return formatJson(
    Object.fromEntries([...groups].map(([name, group]) => [name, sizeAndCount(group)])),
  );
}

const within = (segments: readonly SegmentRecord[], interval: Interval) =>
  segments
    .filter((segment) => contains(interval, segment.interval))
    .sort((a, b) => byStartThenEnd(a.interval, b.interval));

const segmentMap = (segments: readonly SegmentRecord[]) =>
  JsonPieces.object(segments, (segment, lacked) => [segment.id, segmentText(segment, lacked)]);
