// Measurements over time for sparklines: slots, lag, queries and ingested rows.
import type { Context } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { sql } from '../../contract/sql.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { tasks } from '../../contract/tasks.ts';
import { rowCountsIn } from '../shared/tasks/row-counts.ts';
import type { TopSnapshot } from './snapshot.ts';

/** One measurement; what the service does not say is undefined. */
export interface Measured {
  readonly slots: number | undefined; // in use
  readonly lag: number | undefined; // records behind, of all supervisors
  readonly queries: number | undefined; // begun, per second
  readonly ingested: number | undefined; // rows per second
}

const mostAsked = 5; // tasks and supervisors whose rows are counted, one request each

/** Keeps what rates are computed from: the queries and rows that were seen before. */
export class Meter {
  #seenQueries: ReadonlySet<string> | undefined;
  #rows = new Map<string, number>();
  #atMs: number | undefined;

  /** Measures once. Rates need an earlier measurement. */
  async measure(
    { call }: Pick<Context, 'call'>,
    { slots, supervisors: streams, active }: TopSnapshot,
    nowMs: number,
  ): Promise<Measured> {
    const seconds = this.#atMs === undefined ? undefined : (nowMs - this.#atMs) / 1000;
    this.#atMs = nowMs;
    const [queries, streamed, batch] = await Promise.all([
      this.#queriesBegun(call),
      streamedRows(call, streams.slice(0, mostAsked)),
      this.#batchRows(
        call,
        active.filter(({ state, type }) => state === 'RUNNING' && !/kafka|kinesis/.test(type)),
      ),
    ]);
    const lags = streams.flatMap(({ lag }) => (lag === undefined ? [] : [Number(lag)]));
    return {
      slots: slots?.used,
      lag: lags.length === 0 ? undefined : lags.reduce((sum, lag) => sum + lag, 0),
      queries: queries === undefined || !seconds ? undefined : queries / seconds,
      ingested: seconds ? streamed + batch / seconds : undefined,
    };
  }

  async #queriesBegun(call: Context['call']): Promise<number | undefined> {
    const listed = await ifKnown(call(sql.queries, { query: { includeComplete: true } }));
    if (!listed) return undefined;
    const ids = listed.queries.map(({ sqlQueryId }) => String(sqlQueryId));
    const before = this.#seenQueries;
    this.#seenQueries = new Set(ids);
    return before === undefined ? undefined : ids.filter((id) => !before.has(id)).length;
  }

  async #batchRows(
    call: Context['call'],
    running: readonly { readonly id: string }[],
  ): Promise<number> {
    const rows = new Map<string, number>();
    await Promise.all(
      running.slice(0, mostAsked).map(async ({ id: taskId }) => {
        const reports = await ifKnown(call(tasks.reports, { params: { taskId } }));
        const read = reports && rowCountsIn(reports)?.read;
        if (read !== undefined) rows.set(taskId, read);
      }),
    );
    const before = this.#rows;
    this.#rows = rows;
    return [...rows].reduce(
      (sum, [id, count]) => sum + Math.max(0, count - (before.get(id) ?? 0)),
      0,
    );
  }
}

// The service averages over a minute itself.
async function streamedRows(
  call: Context['call'],
  streams: readonly { readonly id: string; readonly state: string }[],
): Promise<number> {
  const stats = await Promise.all(
    streams
      .filter(({ state }) => state !== 'SUSPENDED')
      .map(({ id }) => ifKnown(call(supervisors.stats, { params: { supervisorId: id } }))),
  );
  const perSecond = stats.flatMap((groups) =>
    Object.values(groups ?? {}).flatMap((group) => Object.values(group).map(processedIn)),
  );
  return perSecond.reduce((sum, rate) => sum + rate, 0);
}

function processedIn(task: Readonly<Record<string, unknown>>): number {
  const averages = task.movingAverages as
    | { readonly buildSegments?: { readonly '1m'?: { readonly processed?: unknown } } }
    | undefined;
  const rate = Number(averages?.buildSegments?.['1m']?.processed ?? 0);
  return Number.isFinite(rate) ? rate : 0;
}
