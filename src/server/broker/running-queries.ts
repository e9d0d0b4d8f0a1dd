// Queries while they run, by their ids: ids need not be unique, and cancelling one cancels all that share it.
import type { Resource } from '../../sql/statement.ts';
import { queryCancelled } from '../engine/refusals.ts';

export interface RunningQuery {
  readonly resources: readonly Resource[]; // what it reads
  readonly signal: AbortSignal; // aborted when it is cancelled, and when nobody waits for it any more
  /** Says that it has ended. */
  end(): void;
}

export class RunningQueries {
  readonly #running = new Map<string, Set<{ readonly resources: readonly Resource[]; readonly controller: AbortController }>>();

  readonly #hold: () => () => void;

  /** `hold` keeps the files that a query reads until it lets go of them. */
  constructor(hold: () => () => void) {
    this.#hold = hold;
  }

  /** Notes a query; `signal` is aborted when nobody waits for it any more. */
  start(queryId: string, resources: readonly Resource[], signal: AbortSignal): RunningQuery {
    const controller = new AbortController();
    const query = { resources, controller };
    const abort = () => controller.abort(queryCancelled());
    signal.addEventListener('abort', abort, { once: true });
    const others = this.#running.get(queryId) ?? new Set();
    this.#running.set(queryId, others.add(query));
    const letGo = this.#hold();
    return {
      resources,
      signal: controller.signal,
      end: () => {
        signal.removeEventListener('abort', abort);
        others.delete(query);
        letGo();
        if (others.size === 0 && this.#running.get(queryId) === others) this.#running.delete(queryId);
      },
    };
  }

  /** What the running queries with an id read; none when there is no such query. */
  resourcesOf(queryId: string): readonly Resource[] {
    return [...(this.#running.get(queryId) ?? [])].flatMap(({ resources }) => resources);
  }

  /** Cancels all with this id; returns whether there were any. */
  cancel(queryId: string): boolean {
    const running = this.#running.get(queryId);
    for (const { controller } of running ?? []) controller.abort(queryCancelled());
    return running !== undefined;
  }
}
