// Load status: wanted and loaded replicas of segments (Druid: DruidCoordinator,
// SegmentReplicationStatusManager). The one Historical holds one replica of each segment; further
// replicas stay missing.
import {
  defaultTier,
  isBroadcast,
  isLoaded,
  replicantsOf,
  rulesAt,
} from '../../model/retention-rule.ts';
import { isTombstone } from '../../model/segment.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import type { SegmentRecord } from '../storage/segments.ts';

export interface LoadQuery {
  readonly simple?: boolean;
  readonly full?: boolean;
  readonly computeUsingClusterView?: boolean;
}

export class LoadStatus {
  readonly #served: ServedSegments;
  readonly #rules: RetentionRules;
  readonly #now: () => number;

  constructor(served: ServedSegments, rules: RetentionRules, now: () => number) {
    this.#served = served;
    this.#rules = rules;
    this.#now = now;
  }

  /** How many of the segments (as the store has them now) a rule wants loaded that are not. */
  unavailable(dataSource: string, segments: readonly SegmentRecord[]): number {
    const loaded = new Set(this.#served.of(dataSource).map(({ segment }) => segment));
    const rules = this.#rules.withDefaults(dataSource);
    const ruleOf = rulesAt(rules, this.#now());
    const loading = new Set(rules.filter(isLoaded));
    const isWanted = ({ interval, shardSpec }: SegmentRecord) => {
      const rule = ruleOf(interval);
      return rule !== undefined && loading.has(rule) && !isTombstone(shardSpec);
    };
    return segments.filter((segment) => !loaded.has(segment) && isWanted(segment)).length;
  }

  /**
   * Copies that are missing, by tier; as the cluster sees it, no tier can have more copies of a
   * segment than it has servers.
   */
  missingCopies(
    dataSource: string,
    segments: readonly SegmentRecord[],
    { computeUsingClusterView = false }: LoadQuery,
  ) {
    const ruleOf = rulesAt(this.#rules.withDefaults(dataSource), this.#now());
    const loaded = new Set(this.#served.of(dataSource).map(({ segment }) => segment));
    const missing = new Map<string, number>();
    for (const segment of segments) {
      const rule = ruleOf(segment.interval);
      if (!rule || isTombstone(segment.shardSpec)) continue;
      for (const [tier, wanted] of Object.entries(
        isBroadcast(rule) ? { [defaultTier]: 1 } : replicantsOf(rule),
      )) {
        const servers = tier === defaultTier ? 1 : 0;
        const copies = servers > 0 && loaded.has(segment) ? 1 : 0;
        const possible = computeUsingClusterView ? Math.min(wanted, servers) : wanted;
        missing.set(tier, (missing.get(tier) ?? 0) + Math.max(0, possible - copies));
      }
    }
    return missing;
  }
}
