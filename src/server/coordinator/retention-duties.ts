// Segments that nobody is to see any more become unused (Druid: RunRules, MarkOvershadowedSegmentsAsUnused).
import { isDrop, rulesAt } from '../../model/retention-rule.ts';
import { listDataSources, revisionOf } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import type { Duty } from './duties.ts';
import type { RetentionRules } from './retention-rules.ts';
import type { ServedSegments } from './served-segments.ts';

// As many segments of a datasource as one run marks: whoever asks meanwhile waits for as long as that takes. The next run goes on.
const mostAtOnce = 20_000;

/** Marks unused what a drop rule matches first, at most so many of a datasource in one run. */
export function runRules({ metadata, segments }: Storage, rules: RetentionRules, atMost = mostAtOnce): Duty {
  const seen = new Map<string, { readonly state: string; readonly nowMs: number }>();
  return {
    name: 'org.apache.druid.server.coordinator.duty.RunRules',
    run(nowMs) {
      for (const dataSource of listDataSources(metadata)) {
        const applied = rules.withDefaults(dataSource);
        if (!applied.some(isDrop)) continue;
        // Time alone moves the periods of rules slowly: what has not changed is looked at once in a while.
        const state = `${revisionOf(metadata, dataSource)} ${rules.revision}`;
        const last = seen.get(dataSource);
        if (last?.state === state && nowMs - last.nowMs < 60_000) continue;
        const ruleOf = rulesAt(applied, nowMs);
        const dropped = segments
          .timeline(dataSource)
          .visible()
          .flatMap(({ segment }) => {
            const rule = ruleOf(segment.interval);
            return rule && isDrop(rule) ? [segment] : [];
          });
        segments.mark(dropped.slice(0, atMost), false, nowMs);
        if (dropped.length <= atMost) seen.set(dataSource, { state: `${revisionOf(metadata, dataSource)} ${rules.revision}`, nowMs });
      }
    },
  };
}

/**
 * Marks unused what newer segments hide, once the Coordinator has led for `waitMs`: until then others may not know the newer ones. What no server has
 * hides nothing. At most so many of a datasource in one run.
 */
export function markOvershadowed(
  { metadata, segments }: Storage,
  served: ServedSegments,
  startMs: number,
  waitMs: () => number,
  atMost = mostAtOnce,
): Duty {
  const seen = new Map<string, unknown>(); // timelines, which are the same until they change
  return {
    name: 'org.apache.druid.server.coordinator.duty.MarkOvershadowedSegmentsAsUnused',
    run(nowMs) {
      if (nowMs - startMs < waitMs()) return;
      for (const dataSource of listDataSources(metadata)) {
        const timeline = served.timeline(dataSource);
        if (seen.get(dataSource) === timeline) continue;
        const hidden = segments.used(dataSource).filter((segment) => timeline.isOvershadowed(segment));
        segments.mark(hidden.slice(0, atMost), false, nowMs);
        if (hidden.length <= atMost) seen.set(dataSource, served.timeline(dataSource));
      }
    },
  };
}
