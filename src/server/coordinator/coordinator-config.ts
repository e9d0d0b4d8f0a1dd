// Dynamic configuration of the Coordinator (the specification, "Coordinator dynamic configuration";
// Druid: CoordinatorDynamicConfig).
import { availableParallelism } from 'node:os';
import type { CoordinatorConfigChange, CoordinatorDynamicConfig } from '../../contract/config.ts';
import { requestLimits } from '../../model/limits.ts';
import { requestLimitExceeded } from '../checks/refusals.ts';
import type { HistoryParts } from '../configuration/audit-history.ts';
import { AuditedConfig } from '../configuration/audited-config.ts';
import type { AuditInfo } from '../storage/audit.ts';
import { noteDecommissioned } from './decommissioning.ts';
import { negativeSlots, notAShare } from './refusals.ts';

/**
 * Default configuration: the specification's fields, with the defaults of the releases that had
 * them.
 */
export const defaultCoordinatorConfig = {
  millisToWaitBeforeDeleting: 900_000,
  mergeBytesLimit: 524_288_000,
  mergeSegmentsLimit: 100,
  maxSegmentsToMove: 100,
  percentOfSegmentsToConsiderPerMove: 100,
  useBatchedSegmentSampler: true,
  replicantLifetime: 15,
  replicationThrottleLimit: 500,
  balancerComputeThreads: Math.max(1, Math.floor(availableParallelism() / 2)),
  emitBalancingStats: false,
  killDataSourceWhitelist: [],
  killTaskSlotRatio: 0.1,
  maxKillTaskSlots: 2_147_483_647,
  killPendingSegmentsSkipList: [],
  maxSegmentsInNodeLoadingQueue: 500,
  decommissioningNodes: [],
  decommissioningMaxPercentOfMaxSegmentsToMove: 70,
  pauseCoordination: false,
  replicateAfterLoadTimeout: false,
  maxNonPrimaryReplicantsToLoad: 2_147_483_647,
  useRoundRobinSegmentAssignment: true,
  smartSegmentLoading: true,
  debugDimensions: null,
  turboLoadingNodes: [],
  cloneServers: {},
  historicalTierAliases: {},
} satisfies CoordinatorDynamicConfig;

type Field = Exclude<keyof typeof defaultCoordinatorConfig, 'debugDimensions'>;
type Complete = { [Name in Field]: NonNullable<CoordinatorDynamicConfig[Name]> } & Pick<
  CoordinatorDynamicConfig,
  'debugDimensions'
>;

export class CoordinatorConfig {
  readonly #stored: AuditedConfig<CoordinatorDynamicConfig>;
  readonly #now: () => number;

  constructor(parts: HistoryParts) {
    this.#stored = new AuditedConfig('coordinator.config', parts);
    this.#now = parts.now;
  }

  get(): Complete {
    return { ...defaultCoordinatorConfig, ...this.#stored.find() } as Complete;
  }

  /**
   * Changes the fields that are present and not null; unknown fields are ignored. Refuses shares
   * outside 0 to 1.
   */
  change(given: CoordinatorConfigChange, auditInfo: AuditInfo): void {
    const { killTaskSlotRatio: ratio, maxKillTaskSlots: slots } = given;
    if (typeof ratio === 'number' && !(ratio >= 0 && ratio <= 1))
      throw notAShare('killTaskSlotRatio', ratio);
    if (typeof slots === 'number' && slots < 0) throw negativeSlots('maxKillTaskSlots', slots);
    for (const [name, value] of Object.entries(given)) {
      const count = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
      if (count > requestLimits.configurationItems.most)
        throw requestLimitExceeded('configurationItems', count, name);
    }
    const known = Object.entries(given).filter(
      ([name, value]) => name in defaultCoordinatorConfig && value !== null,
    );
    const changed = known.map(([name, value]) => [name, holdsNames(name) ? namesIn(value) : value]);
    const config: CoordinatorDynamicConfig = { ...this.get(), ...Object.fromEntries(changed) };
    const balancerComputeThreads = Math.max(1, config.balancerComputeThreads ?? 1);
    const leaving = config.decommissioningNodes ?? [];
    this.#stored.set({ ...config, balancerComputeThreads }, auditInfo, (tx) =>
      noteDecommissioned(tx, leaving, this.#now()),
    );
  }

  history = (query: Parameters<AuditedConfig<unknown>['history']>[0]) =>
    this.#stored.history(query);
}

const holdsNames = (name: string) =>
  ['killDataSourceWhitelist', 'killPendingSegmentsSkipList', 'decommissioningNodes'].includes(name);

// A list of names, or one text with commas between them; each name once. The real engine reads any
// other value as an empty list.
const namesIn = (given: unknown): string[] => [
  ...new Set(
    Array.isArray(given) ? given.map(String) : typeof given === 'string' ? given.split(',') : [],
  ),
];
