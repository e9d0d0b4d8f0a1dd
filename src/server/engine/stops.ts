// The stops of running and waiting queries: by their signals, their ids and their timeouts.
import { longestTimerMs } from '../../model/longest-timer.ts';
import { Refusal } from '../checks/refusals.ts';
import { queryCancelled, queryTimeout } from './refusals.ts';

/**
 * The kinds of work. Tasks, and the segment cache, have separate places and no limit on their wait;
 * rows of streams wait for neither.
 */
export type Lane = 'query' | 'task' | 'stream' | 'cache';

/** What may stop a query. */
export interface StopOptions {
  // Aborting cancels; if the reason is a refusal, the query is refused with it
  readonly signal?: AbortSignal | undefined;
  readonly queryId?: string | undefined; // for `cancel`; several queries may share one
  readonly timeoutMs?: number | undefined; // from now on, with waiting and reading; 0 means none
  readonly lane?: Lane;
}

/** The stop of one query. */
export interface Stop {
  readonly signal: AbortSignal; // aborted when the query has to stop, with the reason
  abort(reason: Error): void;
  forget(): void; // once the query has ended
}

/** The stops of all queries that have not ended. */
export class Stops {
  readonly #byId = new Map<string, Set<Stop>>();
  readonly #byLane = new Map<Lane, Set<Stop>>();

  /** Begins the stop of a query. */
  begin({ signal, queryId = '', timeoutMs = 0, lane = 'query' }: StopOptions): Stop {
    const controller = new AbortController();
    const cancel = () =>
      controller.abort(signal?.reason instanceof Refusal ? signal.reason : queryCancelled());
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });
    const timer =
      timeoutMs > 0
        ? setTimeout(() => controller.abort(queryTimeout()), Math.min(timeoutMs, longestTimerMs))
        : undefined;
    const stop: Stop = {
      signal: controller.signal,
      abort: (reason) => controller.abort(reason),
      forget: () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', cancel);
        remove(this.#byId, queryId, stop);
        remove(this.#byLane, lane, stop);
      },
    };
    add(this.#byId, queryId, stop);
    add(this.#byLane, lane, stop);
    return stop;
  }

  /** Cancels all queries with an id; returns whether there were any. */
  cancel(queryId: string): boolean {
    const stops = this.#byId.get(queryId);
    for (const stop of stops ?? []) stop.abort(queryCancelled());
    return stops !== undefined;
  }

  /** Cancels all work. */
  cancelAll(): void {
    for (const queryId of this.#byId.keys()) this.cancel(queryId);
  }

  /** Stops all work of a lane with a reason. */
  abort(lane: Lane, reason: () => Error): void {
    for (const stop of this.#byLane.get(lane) ?? []) stop.abort(reason());
  }
}

function add<Key>(sets: Map<Key, Set<Stop>>, key: Key, stop: Stop): void {
  sets.set(key, (sets.get(key) ?? new Set<Stop>()).add(stop));
}

function remove<Key>(sets: Map<Key, Set<Stop>>, key: Key, stop: Stop): void {
  const stops = sets.get(key);
  stops?.delete(stop);
  if (stops?.size === 0) sets.delete(key);
}
