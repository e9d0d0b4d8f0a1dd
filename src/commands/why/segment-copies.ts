// Copies of a segment: the wanted, loaded and queued ones on each tier, and the reason for a
// missing one.

import type { Context } from '../../cli/command/command.ts';
import type { Finding } from '../../cli/command/findings.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { cluster, type Server } from '../../contract/cluster.ts';
import { config } from '../../contract/config.ts';
import { datasources } from '../../contract/datasources.ts';
import type { DataSegment } from '../../contract/segments.ts';
import { isBroadcast, type RetentionRule, replicantsOf } from '../../model/retention-rule.ts';
import { commandLine } from '../../model/shell-text.ts';

interface TierCopies {
  readonly tier: string;
  readonly wanted: number;
  readonly servers: readonly Server[];
  readonly loaded: readonly string[];
  readonly queued: readonly string[];
}

export async function copiesOf(
  { call }: Context,
  dataSource: string,
  segmentId: string,
  { size }: DataSegment,
  rule: RetentionRule | undefined,
): Promise<readonly Finding[]> {
  const [located, servers, queues, dynamic] = await Promise.all([
    ifKnown(call(datasources.segment, { params: { dataSource, segmentId } })),
    call(cluster.servers, { query: { simple: true } }).then((all) =>
      all.flatMap((one) => (typeof one === 'string' ? [] : [one])),
    ),
    ifKnown(call(cluster.loadQueue)),
    ifKnown(call(config.get)),
  ]);
  const holders = located?.servers ?? [];
  const queued = Object.entries(queues ?? {}).flatMap(([server, queue]) =>
    holds(queue.segmentsToLoad, segmentId) ? [server] : [],
  );
  const wanted =
    rule === undefined ? {} : isBroadcast(rule) ? countsByTier(servers) : replicantsOf(rule);
  const tiers = [
    ...new Set([
      ...Object.keys(wanted),
      ...servers.filter(({ host }) => holders.includes(host)).map(({ tier }) => tier),
    ]),
  ];
  const places = tiers.map((tier): TierCopies => {
    const here = servers.filter((server) => server.tier === tier);
    const names = here.map(({ host }) => host);
    return {
      tier,
      wanted: wanted[tier] ?? 0,
      servers: here,
      loaded: holders.filter((host) => names.includes(host)),
      queued: queued.filter((host) => names.includes(host)),
    };
  });
  const isServed = holders.length > 0;
  return [
    ...places.map((place) =>
      findingOfTier(place, Number(size), dynamic?.decommissioningNodes ?? [], isServed),
    ),
    ...(dynamic?.pauseCoordination
      ? [
          {
            check: 'coordination',
            state: 'warning',
            says: 'Coordination is paused: segments are not loaded, moved or dropped',
            remedy: 'svcctl config coordinator set pauseCoordination=false',
          } as const,
        ]
      : []),
    isServed
      ? {
          check: 'available',
          state: 'ok',
          says: `Queries see it, on ${holders.map((host) => `[${host}]`).join(', ')}`,
        }
      : {
          check: 'available',
          state: tiers.length > 0 ? 'critical' : 'note',
          says: 'No server has it, so queries do not see it',
          remedy:
            queued.length > 0
              ? 'svcctl servers loadqueue --watch'
              : commandLine`svcctl datasources load-status ${dataSource}`,
        },
  ];
}

function findingOfTier(
  { tier, wanted, servers, loaded, queued }: TierCopies,
  size: number,
  leaving: readonly string[],
  isServed: boolean,
): Finding {
  const check = `tier ${tier}`;
  const facts = {
    tier,
    wanted,
    loaded,
    queued,
    servers: servers.map(({ host, currSize, maxSize }) => ({ host, currSize, maxSize })),
  };
  const counts = `${loaded.length} of ${wanted} ${wanted === 1 ? 'copy' : 'copies'} loaded${queued.length > 0 ? `, ${queued.length} queued` : ''}`;
  if (loaded.length >= wanted) return { check, state: 'ok', says: counts, facts };
  const state = isServed ? 'warning' : 'critical';
  const staying = servers.filter(({ host }) => !leaving.includes(host));
  if (servers.length === 0)
    return {
      check,
      state,
      says: `${counts}: the tier has no server`,
      remedy: 'svcctl servers tiers',
      facts,
    };
  if (staying.length < wanted && loaded.length >= staying.length) {
    const drained =
      servers.length > staying.length
        ? `, ${servers.length - staying.length} of them being drained`
        : '';
    return {
      check,
      state: isServed ? 'note' : state,
      says: `${counts}: the tier has ${servers.length} ${servers.length === 1 ? 'server' : 'servers'}${drained}, and each holds one copy at most`,
      remedy: drained
        ? commandLine`svcctl servers enable ${String(leaving[0])}`
        : 'svcctl rules get _default',
      facts,
    };
  }
  const roomy = staying.filter(
    ({ host, currSize, maxSize }) =>
      !loaded.includes(host) && Number(maxSize) - Number(currSize) >= size,
  );
  if (roomy.length === 0)
    return {
      check,
      state,
      says: `${counts}: no other server of the tier has room for ${formatBytes(size)}`,
      remedy: 'svcctl servers list --sort -used',
      facts,
    };
  const next =
    queued.length > 0
      ? `it is in the load queue of ${queued.map((host) => `[${host}]`).join(', ')}`
      : 'the Coordinator has not assigned it yet';
  return {
    check,
    state: isServed ? 'note' : 'warning',
    says: `${counts}: ${next}`,
    remedy: 'svcctl cluster duties',
    facts,
  };
}

function countsByTier(servers: readonly Server[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { tier } of servers) counts[tier] = (counts[tier] ?? 0) + 1;
  return counts;
}

// Some versions list segments by name, others as objects.
const holds = (queue: unknown, segmentId: string) =>
  Array.isArray(queue) &&
  queue.some(
    (item) =>
      item === segmentId || (item as { identifier?: unknown } | null)?.identifier === segmentId,
  );
