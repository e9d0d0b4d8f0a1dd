// Copies of a segment on each tier: how many are wanted, loaded and queued, and the reason for a
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
  readonly loaded: readonly string[]; // servers that have the segment
  readonly queued: readonly string[]; // servers that have it in their load queue
}

interface Shortage extends TierCopies {
  readonly sizeBytes: number;
  readonly leaving: readonly string[]; // servers that are being drained
  readonly isServed: boolean; // by a server of any tier
}

type Verdict = Pick<Finding, 'state' | 'says' | 'remedy'>;

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
  const tiers = tiersOf(servers, holders, queued, rule);
  const isServed = holders.length > 0;
  const leaving = dynamic?.decommissioningNodes ?? [];
  return [
    ...tiers.map((copies) =>
      findingOfTier({ ...copies, sizeBytes: Number(size), leaving, isServed }),
    ),
    ...(dynamic?.pauseCoordination ? [coordinationFinding] : []),
    isServed
      ? servedFinding(holders)
      : notServedFinding(dataSource, tiers.length > 0, queued.length > 0),
  ];
}

// The tiers that the rule names, and those that have a copy.
function tiersOf(
  servers: readonly Server[],
  holders: readonly string[],
  queued: readonly string[],
  rule: RetentionRule | undefined,
): TierCopies[] {
  const wanted =
    rule === undefined ? {} : isBroadcast(rule) ? countsByTier(servers) : replicantsOf(rule);
  const holding = servers.filter(({ host }) => holders.includes(host)).map(({ tier }) => tier);
  return [...new Set([...Object.keys(wanted), ...holding])].map((tier) => {
    const ofTier = servers.filter((server) => server.tier === tier);
    const names = ofTier.map(({ host }) => host);
    return {
      tier,
      wanted: wanted[tier] ?? 0,
      servers: ofTier,
      loaded: holders.filter((host) => names.includes(host)),
      queued: queued.filter((host) => names.includes(host)),
    };
  });
}

function findingOfTier(copies: Shortage): Finding {
  const { tier, wanted, servers, loaded, queued } = copies;
  const counts = `${loaded.length} of ${wanted} ${wanted === 1 ? 'copy' : 'copies'} loaded${queued.length > 0 ? `, ${queued.length} queued` : ''}`;
  const verdict =
    loaded.length >= wanted ? ({ state: 'ok', says: '' } as const) : shortageOf(copies);
  return {
    check: `tier ${tier}`,
    ...verdict,
    says: `${counts}${verdict.says}`,
    facts: {
      tier,
      wanted,
      loaded,
      queued,
      servers: servers.map(({ host, currSize, maxSize }) => ({ host, currSize, maxSize })),
    },
  };
}

// The reason for a missing copy, as the end of a sentence.
function shortageOf({
  wanted,
  servers,
  loaded,
  queued,
  sizeBytes,
  leaving,
  isServed,
}: Shortage): Verdict {
  const state = isServed ? 'warning' : 'critical';
  if (servers.length === 0)
    return { state, says: ': the tier has no server', remedy: 'svcctl servers tiers' };
  const staying = servers.filter(({ host }) => !leaving.includes(host));
  if (staying.length < wanted && loaded.length >= staying.length) {
    const drainedCount = servers.length - staying.length;
    const drained = drainedCount > 0 ? `, ${drainedCount} of them being drained` : '';
    return {
      state: isServed ? 'note' : 'critical',
      says: `: the tier has ${servers.length} ${servers.length === 1 ? 'server' : 'servers'}${drained}, and each holds one copy at most`,
      remedy: drained
        ? commandLine`svcctl servers enable ${String(leaving[0])}`
        : 'svcctl rules get _default',
    };
  }
  const hasRoom = staying.some(
    ({ host, currSize, maxSize }) =>
      !loaded.includes(host) && Number(maxSize) - Number(currSize) >= sizeBytes,
  );
  if (!hasRoom)
    return {
      state,
      says: `: no other server of the tier has room for ${formatBytes(sizeBytes)}`,
      remedy: 'svcctl servers list --sort -used',
    };
  return {
    state: isServed ? 'note' : 'warning',
    says:
      queued.length > 0
        ? `: it is in the load queue of ${listOf(queued)}`
        : ': the Coordinator has not assigned it yet',
    remedy: 'svcctl cluster duties',
  };
}

const coordinationFinding: Finding = {
  check: 'coordination',
  state: 'warning',
  says: 'Coordination is paused: segments are not loaded, moved or dropped',
  remedy: 'svcctl config coordinator set pauseCoordination=false',
};

const servedFinding = (holders: readonly string[]): Finding => ({
  check: 'available',
  state: 'ok',
  says: `Queries see it, on ${listOf(holders)}`,
});

const notServedFinding = (dataSource: string, isWanted: boolean, isQueued: boolean): Finding => ({
  check: 'available',
  state: isWanted ? 'critical' : 'note',
  says: 'No server has it, so queries do not see it',
  remedy: isQueued
    ? 'svcctl servers loadqueue --watch'
    : commandLine`svcctl datasources load-status ${dataSource}`,
});

const listOf = (hosts: readonly string[]) => hosts.map((host) => `[${host}]`).join(', ');

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
