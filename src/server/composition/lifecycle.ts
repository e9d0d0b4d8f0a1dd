// Lifecycle of a composed service: the order in which its parts start and close.
import { logError } from '../process/log.ts';
import type { Roles } from './roles.ts';
import type { SharedParts } from './shared-parts.ts';

export interface Lifecycle {
  /** Resolves when queries can run; background work starts. */
  start(): Promise<void>;
  /** Resolves when the Coordinator's duties have started. */
  dutiesStarted(): Promise<void>;
  /** Stops running queries. */
  stopQueries(): void;
  close(): Promise<void>;
}

export function lifecycleOf(
  { storage, engine, engineReady, planner, realtime, segmentCache }: SharedParts,
  { overlord, coordinator, broker }: Roles,
): Lifecycle {
  const closing = new AbortController();
  let readAhead = Promise.resolve();
  return {
    async start() {
      await engineReady;
      overlord.startSchedules();
      // Duties read all segments, so they start after the read-ahead.
      readAhead = storage.segments
        .readAhead(closing.signal)
        .catch(logError)
        .then(() => {
          if (closing.signal.aborted) return;
          coordinator.start();
          segmentCache.start();
        });
    },
    dutiesStarted: () => readAhead,
    stopQueries: () => engine.stopQueries(),
    async close() {
      closing.abort();
      await broker.close();
      await readAhead;
      coordinator.close();
      await overlord.close();
      realtime.close();
      await planner.close();
      await segmentCache.close();
      await engine.close();
    },
  };
}
