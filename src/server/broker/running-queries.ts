// Queries during planning and execution, by their ids. Ids need not be unique, and cancelling an id
// cancels all queries that share it.
import { longestTimerMs } from '../../model/longest-timer.ts';
import type { Resource } from '../../sql/statement.ts';
import { queryCancelled, queryTimeout } from '../engine/refusals.ts';
import type { Caller } from '../handlers/routes.ts';

export interface RunningQuery {
  // Aborted on cancellation, on timeout, when a result is stopped, and when the client disconnects
  readonly signal: AbortSignal;
  /** Sets the resources that it reads, after planning. */
  reads(resources: readonly Resource[]): void;
  /**
   * Sets a timeout from now on, for planning, statements, and computations between and after them.
   */
  endAfter(timeoutMs: number): void;
  /** Stops the query when a result that it reads is stopped. */
  stopWith(result: AbortSignal): void;
  /** Reports the end of the query. */
  end(): void;
}

interface Entry {
  readonly identity: string; // the submitter
  readonly controller: AbortController;
  resources: readonly Resource[] | undefined; // undefined during planning
}

export class RunningQueries {
  readonly #running = new Map<string, Set<Entry>>();

  readonly #hold: () => () => void;

  /** `hold` keeps the files that a query reads until the returned function is called. */
  constructor(hold: () => () => void) {
    this.#hold = hold;
  }

  /** Adds a query before it is planned; `signal` is aborted when its client disconnects. */
  start(queryId: string, identity: string, signal: AbortSignal): RunningQuery {
    const controller = new AbortController();
    const query: Entry = { identity, controller, resources: undefined };
    const abort = () => controller.abort(queryCancelled());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const others = this.#running.get(queryId) ?? new Set();
    this.#running.set(queryId, others.add(query));
    const letGo = this.#hold();
    let timer: NodeJS.Timeout | undefined;
    return {
      signal: controller.signal,
      reads: (resources) => {
        query.resources = resources;
      },
      endAfter(timeoutMs) {
        timer = setTimeout(
          () => controller.abort(queryTimeout()),
          Math.min(timeoutMs, longestTimerMs),
        );
      },
      stopWith(result) {
        result.addEventListener('abort', () => controller.abort(result.reason), { once: true });
      },
      end: () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        others.delete(query);
        letGo();
        if (others.size === 0 && this.#running.get(queryId) === others)
          this.#running.delete(queryId);
      },
    };
  }

  /** The resources that the running queries with an id read; empty without such a query. */
  resourcesOf(queryId: string): readonly Resource[] {
    return [...(this.#running.get(queryId) ?? [])].flatMap(({ resources }) => resources ?? []);
  }

  /**
   * Cancels all queries with this id; returns whether there were any. A query without resources, or
   * one still being planned (whose resources are unknown), can be cancelled only by its submitter
   * and by callers who may change the state of the service.
   */
  cancel(queryId: string, { identity, may }: Caller): boolean {
    const mayAll = may('STATE', 'STATE', 'WRITE');
    const running = [...(this.#running.get(queryId) ?? [])].filter(
      ({ resources, identity: owner }) =>
        owner === identity || (resources !== undefined && (resources.length > 0 || mayAll)),
    );
    for (const { controller } of running) controller.abort(queryCancelled());
    return running.length > 0;
  }
}
