// Duties that mark segments unused: dropped ones and overshadowed ones (Druid: RunRules,
// MarkOvershadowedSegmentsAsUnused).
import { isDrop, rulesAt } from '../../model/retention-rule.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import { listDataSources, revisionOf, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import type { Duty } from './duties.ts';

// The number of segments marked in one step, which limits the delay of other work.
const mostAtOnce = 5000;

/** Marks segments unused whose first matching rule is a drop rule, in steps of limited size. */
export function runRules(
  { metadata, segments }: Storage,
  rules: RetentionRules,
  atOnce = mostAtOnce,
): Duty {
  const seen = new Map<string, { readonly state: string; readonly nowMs: number }>();
  return {
    name: 'org.apache.druid.server.coordinator.duty.RunRules',
    *run(nowMs) {
      for (const dataSource of listDataSources(metadata)) {
        const applied = rules.withDefaults(dataSource);
        if (!applied.some(isDrop)) continue;
        // Time alone changes the effect of rules slowly: unchanged datasources are checked only
        // occasionally.
        const state = () => `${revisionOf(metadata, dataSource)} ${rules.revision}`;
        const last = seen.get(dataSource);
        if (last?.state === state() && Math.abs(nowMs - last.nowMs) < 60_000) continue;
        const ruleOf = rulesAt(applied, nowMs);
        const dropped = segments
          .timeline(dataSource)
          .visible()
          .flatMap(({ segment }) => {
            const rule = ruleOf(segment.interval);
            return rule && isDrop(rule) ? [segment] : [];
          });
        const mark = (some: readonly SegmentRecord[]) => segments.mark(some, false, nowMs);
        if (yield* inSteps(dropped, atOnce, mark, state))
          seen.set(dataSource, { state: state(), nowMs });
      }
    },
  };
}

/**
 * Marks overshadowed segments unused, once the Coordinator has led for `waitMs`: until then, other
 * services may not know the newer segments. Segments that are not loaded overshadow nothing. Steps
 * have a limited size.
 */
export function markOvershadowed(
  { metadata, segments }: Storage,
  served: ServedSegments,
  startMs: number,
  waitMs: () => number,
  atOnce = mostAtOnce,
): Duty {
  const seen = new Map<string, unknown>(); // timelines; an unchanged datasource has the same object
  let sinceMs = startMs;
  return {
    name: 'org.apache.druid.server.coordinator.duty.MarkOvershadowedSegmentsAsUnused',
    *run(nowMs) {
      sinceMs = Math.min(sinceMs, nowMs); // the clock may have been set back
      if (nowMs - sinceMs < waitMs()) return;
      for (const dataSource of listDataSources(metadata)) {
        const timeline = served.timeline(dataSource);
        if (seen.get(dataSource) === timeline) continue;
        const hidden = segments
          .listUsed(dataSource)
          .filter((segment) => timeline.isOvershadowed(segment));
        const mark = (some: readonly SegmentRecord[]) => segments.mark(some, false, nowMs);
        const state = () => revisionOf(metadata, dataSource);
        if (yield* inSteps(hidden, atOnce, mark, state))
          seen.set(dataSource, served.timeline(dataSource));
      }
    },
  };
}

// Other work gets turns between two steps. If it changes the segments, the rest is left to the next
// run. Returns whether the work is complete.
function* inSteps(
  found: readonly SegmentRecord[],
  atOnce: number,
  mark: (some: readonly SegmentRecord[]) => void,
  stateNow: () => unknown,
): Generator<undefined, boolean> {
  for (let from = 0; from < found.length; from += atOnce) {
    if (found.length > atOnce) {
      const state = stateNow();
      yield;
      if (stateNow() !== state) return false;
    }
    mark(found.slice(from, from + atOnce));
  }
  return true;
}
