// Load status: configured and loaded replicas of segments (Druid: DruidCoordinator,
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

  /** The number of segments (as currently stored) that should be loaded by a rule but are not. */
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
   * Missing copies by tier. In the cluster view, a tier cannot have more copies of a segment than
   * servers.
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
