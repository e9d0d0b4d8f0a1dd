// Effect of changed rules and compaction on existing segments.
import type { RetentionRuleBody } from '../../../contract/rules.ts';
import { integer, long, object, type Value } from '../../../contract/schema.ts';
import type { DataSegment } from '../../../contract/segments.ts';
import { isSame } from '../../../model/difference.ts';
import { parseInterval } from '../../../model/interval.ts';
import { isDrop, isLoaded, replicantsOf, rulesAt } from '../../../model/retention-rule.ts';
import { checkRules } from '../rules/check-rules.ts';
import type { ConfigurationChange } from './changes.ts';
import type { Live } from './live.ts';

export type Amount = Value<typeof amount>;
export type Touched = Value<typeof touched>;

export const amount = object({ segments: integer, bytes: long });
export const touched = object({
  dropped: amount,
  loaded: amount,
  moved: amount,
  compacted: amount,
});

type Kind = 'dropped' | 'loaded' | 'moved' | 'compacted';

export interface Impact {
  readonly cluster: Amount; // all used segments
  readonly of: ReadonlyMap<ConfigurationChange, Touched>;
  readonly all: Touched;
}

/** Whether a change can affect segments. */
export const concernsSegments = ({ area }: ConfigurationChange): boolean =>
  area === 'rules' || area === 'compaction';

/**
 * Evaluates each segment with the rules before and after all changes. `nowMs` is the end of
 * periods.
 */
export function impactOf(
  changes: readonly ConfigurationChange[],
  live: Live,
  segments: readonly DataSegment[],
  nowMs: number,
): Impact {
  const counts = new Map(changes.map((change) => [change, none()]));
  const [cluster, all] = [{ segments: 0, bytes: 0 }, none()];
  for (const { size } of segments) add(cluster, size);
  const keyOf = (area: string, name: string) =>
    changes.find((change) => change.area === area && change.name === name);
  const count = (change: ConfigurationChange | undefined, kind: Kind, { size }: DataSegment) => {
    const counted = change && counts.get(change);
    if (!counted) return;
    add(counted[kind], size);
    add(all[kind], size);
  };
  const before = (name: string) =>
    (live.get('rules')?.get(name) ?? []) as readonly RetentionRuleBody[];
  const after = (name: string) => {
    const change = keyOf('rules', name);
    if (!change) return before(name);
    return change.kind === 'removed' ? [] : checkRules(change.document);
  };
  for (const [dataSource, ofDatasource] of byDatasource(segments)) {
    const compacting = keyOf('compaction', dataSource);
    if (compacting && compacting.kind !== 'removed')
      for (const segment of ofDatasource) count(compacting, 'compacted', segment);
    const deciding = keyOf('rules', dataSource) ?? keyOf('rules', '_default');
    if (!deciding) continue;
    const [ruleBefore, ruleAfter] = [before, after].map((of) =>
      rulesAt([...of(dataSource), ...of('_default')], nowMs),
    );
    for (const segment of ofDatasource) {
      const interval = parseInterval(segment.interval);
      const kind = effectOf(ruleBefore?.(interval), ruleAfter?.(interval));
      if (kind) count(deciding, kind, segment);
    }
  }
  return { cluster, of: counts, all };
}

// A segment without a matching rule stays unchanged.
function effectOf(
  before: RetentionRuleBody | undefined,
  after: RetentionRuleBody | undefined,
): Kind | undefined {
  const [was, is] = [before, after].map((rule) => !rule || (!isDrop(rule) && isLoaded(rule)));
  if (was && !is) return 'dropped';
  if (!was && is) return 'loaded';
  return was && before && after && !isSame(replicantsOf(before), replicantsOf(after))
    ? 'moved'
    : undefined;
}

function byDatasource(segments: readonly DataSegment[]): ReadonlyMap<string, DataSegment[]> {
  const found = new Map<string, DataSegment[]>();
  for (const segment of segments) {
    const known = found.get(segment.dataSource);
    if (known) known.push(segment);
    else found.set(segment.dataSource, [segment]);
  }
  return found;
}

const none = () => ({
  dropped: nothing(),
  loaded: nothing(),
  moved: nothing(),
  compacted: nothing(),
});
const nothing = () => ({ segments: 0, bytes: 0 as number });

function add(sum: { segments: number; bytes: number }, size: number | bigint): void {
  sum.segments++;
  sum.bytes += Number(size);
}

/** The share of an amount in the cluster, by segments: 0 to 1. */
export const shareOf = ({ segments }: Amount, cluster: Amount): number =>
  cluster.segments === 0 ? 0 : segments / cluster.segments;
