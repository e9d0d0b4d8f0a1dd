// Planner that does not block the event loop. Small statements are planned in the service, one per
// turn of the event loop, which is faster than a message to a process. All others are planned in
// processes, which can be killed at any moment.

import { type EngineVersion, newestVersion } from '../../model/engine-version.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';
import type { StatementList } from '../../sql/ast.ts';
import type { Catalog } from '../../sql/catalog.ts';
import { parseStatements } from '../../sql/parse/parse.ts';
import type {
  ExplainStatement,
  SelectStatement,
  TranslatedStatement,
} from '../../sql/statement.ts';
import { Admission } from '../engine/admission.ts';
import { queryTimeout } from '../engine/refusals.ts';

import { KeptPlans } from './kept-plans.ts';
import type { Lacking } from './lacking.ts';
import type { Job } from './messages.ts';
import {
  type NativeRequest,
  type PlanningRequest,
  type PlanningResult,
  type PlanRequest,
  type Plans,
  planOf,
} from './plan.ts';
import { PlanningProcesses, type PlanningProcessesSettings } from './planning-processes.ts';
import { isLight } from './weight.ts';

export interface PlanningOptions {
  readonly signal?: AbortSignal | undefined; // aborting ends the planning
  readonly timeoutMs?: number | undefined; // 0 means none
  readonly user?: string | undefined; // the statement's user: one user cannot occupy all processes
  readonly body?: string | undefined; // JSON of the HTTP request, when it is large
}

interface PlannedEngine {
  readonly lacking?: readonly Lacking[];
  readonly version?: EngineVersion;
  readonly mostKeptValues?: number;
}

export class Planner {
  readonly #processes: PlanningProcesses;
  readonly #kept = new KeptPlans();
  readonly #here = new Admission(1, Number.POSITIVE_INFINITY);

  readonly #engine: Required<PlannedEngine>;

  /**
   * `lacking` are the disabled extensions, `version` is that of the engine: missing features are
   * refused. The aggregates of a statement may keep `mostKeptValues` in memory, by default none.
   */
  constructor({
    lacking = [],
    version = newestVersion,
    mostKeptValues = 0,
    ...settings
  }: PlanningProcessesSettings & PlannedEngine) {
    this.#processes = new PlanningProcesses(settings);
    this.#engine = { lacking, version, mostKeptValues };
  }

  /**
   * The translation of a statement. Rejects with SqlError, with errors of the catalog, or with the
   * reason why the planning was aborted.
   */
  sql(
    request: Omit<PlanningRequest, 'kind'> & { readonly engine: 'native' },
    catalog: Catalog,
    options?: PlanningOptions,
  ): Promise<SelectStatement | ExplainStatement>;
  sql(
    request: Omit<PlanningRequest, 'kind'>,
    catalog: Catalog,
    options?: PlanningOptions,
  ): Promise<TranslatedStatement>;
  sql(
    request: Omit<PlanningRequest, 'kind'>,
    catalog: Catalog,
    options: PlanningOptions = {},
  ): Promise<TranslatedStatement> {
    return this.#plan(
      { kind: 'sql', ...request, ...this.#engine },
      catalog,
      options,
    ) as Promise<TranslatedStatement>;
  }

  /** The translation of a native query. Rejects as `sql` does. */
  native(
    request: Omit<NativeRequest, 'kind'>,
    catalog: Catalog,
    options: PlanningOptions = {},
  ): Promise<Plans['native']> {
    return this.#plan({ kind: 'native', ...request, ...this.#engine }, catalog, options) as Promise<
      Plans['native']
    >;
  }

  /** The SETs before a statement. Rejects with SqlError for an invalid text. */
  settings(text: string, options: PlanningOptions = {}): Promise<Plans['settings']> {
    return this.#plan({ kind: 'settings', text }, noCatalog, options) as Promise<Plans['settings']>;
  }

  /** Ends all processes. */
  close(): Promise<void> {
    return this.#processes.close();
  }

  async #plan(
    request: PlanRequest,
    catalog: Catalog,
    { signal, timeoutMs = 0, user, body }: PlanningOptions,
  ): Promise<PlanningResult> {
    const isSmall = isSmallRequest(request);
    const kept = isSmall && request.kind === 'sql' && this.#kept.find(request, catalog);
    if (kept) return kept;
    const leave = await this.#here.enter(signal ?? endless, user);
    try {
      signal?.throwIfAborted();
      const list = isSmall ? parseIfSmall(request) : undefined;
      if (list && request.kind === 'sql')
        return this.#kept.keep(request, catalog, (noted) => planOf(request, noted, list));
      if (list !== undefined) return planOf(request, catalog, list ?? undefined);
    } finally {
      setImmediate(leave); // other requests get a turn before the next plan
    }
    const ending = new AbortController();
    const end = () => ending.abort(signal?.reason);
    signal?.addEventListener('abort', end, { once: true });
    const timer =
      timeoutMs > 0
        ? setTimeout(() => ending.abort(queryTimeout()), Math.min(timeoutMs, longestTimerMs))
        : undefined;
    try {
      return await this.#processes.plan(jobOf(request, body), catalog, ending.signal, user);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
    }
  }
}

const endless = new AbortController().signal;

const noCatalog: Catalog = { findTable: () => undefined, findLookup: () => undefined };

// A request is measured before its statement is parsed.
function isSmallRequest(request: PlanRequest): boolean {
  if (request.kind === 'native') return isLight(request.query, smallQuery);
  if (request.text.length > smallTextLength) return false;
  return (
    request.kind !== 'sql' ||
    (isLight(request.parameters, smallQuery) && isLight(request.context, smallQuery))
  );
}

// The parsed statement of a small request that is planned in the service (null for a native query),
// undefined for all others. Some translations repeat a part of the statement at each level of
// nesting, so a deep statement counts as large even if it is short.
function parseIfSmall(request: PlanRequest): StatementList | null | undefined {
  if (request.kind === 'native') return null;
  const list = parseStatements(request.text);
  return list.size.depth <= smallDepth && list.size.groupingSets <= smallGroupingSets
    ? list
    : undefined;
}

const smallTextLength = 4096;
const smallDepth = 20;
const smallGroupingSets = 64;
const smallQuery = { values: 1000, letters: 8192, depth: 20 };

// Copying a light value takes less time than its JSON.
function jobOf(request: PlanRequest, body: string | undefined): Job {
  if (body === undefined) return { request };
  if (request.kind === 'native')
    return { request: { ...request, query: { context: request.query.context } }, body };
  return request.kind === 'sql' && !isLight(request.parameters, smallQuery)
    ? { request: { ...request, parameters: [] }, body }
    : { request };
}
