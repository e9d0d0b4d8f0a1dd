// Segments that nobody is to see any more become unused (Druid: RunRules,
// MarkOvershadowedSegmentsAsUnused).
import { isDrop, rulesAt } from '../../model/retention-rule.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import type { ServedSegments } from '../segments/served-segments.ts';
import { listDataSources, revisionOf, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import type { Duty } from './duties.ts';

// As many segments as one step marks: whoever asks meanwhile waits for as long as that takes.
const mostAtOnce = 5000;

/** Marks unused what a drop rule matches first, at most so many in one step. */
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
        // Time alone moves the periods of rules slowly: what has not changed is looked at once in a
        // while.
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
 * Marks unused what newer segments hide, once the Coordinator has led for `waitMs`: until then
 * others may not know the newer ones. What no server has hides nothing. At most so many are marked
 * in one step.
 */
export function markOvershadowed(
  { metadata, segments }: Storage,
  served: ServedSegments,
  startMs: number,
  waitMs: () => number,
  atOnce = mostAtOnce,
): Duty {
  const seen = new Map<string, unknown>(); // timelines, which are the same until they change
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
          .used(dataSource)
          .filter((segment) => timeline.isOvershadowed(segment));
        const mark = (some: readonly SegmentRecord[]) => segments.mark(some, false, nowMs);
        const state = () => revisionOf(metadata, dataSource);
        if (yield* inSteps(hidden, atOnce, mark, state))
          seen.set(dataSource, served.timeline(dataSource));
      }
    },
  };
}

// Others have their turn between two steps. What they change then may mean other segments: the rest
// is left to the next run. Returns whether nothing is left.
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
