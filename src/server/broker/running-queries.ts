// Queries while they are planned and run, by their ids: ids need not be unique, and cancelling one
// cancels all that share it.
import type { Resource } from '../../sql/statement.ts';
import { queryCancelled, queryTimeout } from '../engine/refusals.ts';
import type { Caller } from '../handlers/routes.ts';
import { longestTimerMs } from '../process/clock.ts';

export interface RunningQuery {
  // Aborted when it is cancelled, when its time is over, and when nobody waits for it any more
  readonly signal: AbortSignal;
  /** Says what it reads, once it is planned. */
  reads(resources: readonly Resource[]): void;
  /**
   * Ends it after a time, from now on: its planning, its statements, and what is computed between
   * and after them.
   */
  endAfter(timeoutMs: number): void;
  /** Says that it has ended. */
  end(): void;
}

interface Entry {
  readonly identity: string; // who asked
  readonly controller: AbortController;
  resources: readonly Resource[] | undefined; // undefined while it is planned
}

export class RunningQueries {
  readonly #running = new Map<string, Set<Entry>>();

  readonly #hold: () => () => void;

  /** `hold` keeps the files that a query reads until it lets go of them. */
  constructor(hold: () => () => void) {
    this.#hold = hold;
  }

  /** Notes a query before it is planned; `signal` is aborted when its client has gone. */
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

  /** What the running queries with an id read; none when there is no such query. */
  resourcesOf(queryId: string): readonly Resource[] {
    return [...(this.#running.get(queryId) ?? [])].flatMap(({ resources }) => resources ?? []);
  }

  /**
   * Cancels all with this id; returns whether there were any. Only who asked, and who may change
   * the state of the service, cancels one that reads nothing of its own, and one that is still
   * planned: what that reads is not known.
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
