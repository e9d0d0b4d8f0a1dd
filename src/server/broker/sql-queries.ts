// SQL over HTTP: a request is read, translated, run and written while its rows arrive (the specification, "SQL queries").
import type { SqlQueryInfo, SqlRequest } from '../../contract/sql.ts';
import { type Dialect, headerFor } from '../../model/dialect.ts';
import type { Catalog } from '../../sql/catalog.ts';
import type { ExplainStatement, SelectStatement } from '../../sql/statement.ts';
import type { AccessRules } from '../access-rules.ts';
import type { Engine } from '../engine/engine.ts';
import { isCostlyToPlan } from '../engine/planning-cost.ts';
import { mustBeAllowed } from '../permissions.ts';
import type { Planner } from '../planning/planner.ts';
import { type Answered, answer, type Caller, type Surroundings, userOf } from '../routes.ts';
import { type BrokerConfig, dataSourcesIn } from './broker-config.ts';
import { planColumns, rowOfPlan } from './plan-row.ts';
import { type Outcome, QueryList } from './query-list.ts';
import { type Batch, contentTypeOf, createResultWriter, type ResultWriter } from './result-writer.ts';
import { RunningQueries, type RunningQuery } from './running-queries.ts';
import { refusalOf, unknownEngine, unknownQuery } from './sql-refusals.ts';
import { type CheckedSqlRequest, checkSqlRequest, planningTimeoutMsOf, printingOf, timeoutMsOf } from './sql-request.ts';

export interface SqlQueriesSettings {
  readonly service: string;
  readonly dialect: Dialect;
  readonly engine: Engine;
  readonly planner: Planner;
  readonly now: () => number; // milliseconds since 1970
  readonly defaultTimeoutMs: number;
  readonly config: BrokerConfig;
  readonly access: AccessRules;
  /** What a caller may read. */
  catalog(caller: Caller): Catalog;
  /** Keeps what can be read now until the function that it returns is called. */
  hold(): () => void;
}

export class SqlQueries {
  readonly #settings: SqlQueriesSettings;
  readonly #running: RunningQueries;
  readonly #list: QueryList;

  constructor(settings: SqlQueriesSettings) {
    this.#settings = settings;
    this.#list = new QueryList(settings.now);
    this.#running = new RunningQueries(settings.hold);
  }

  /**
   * Runs a query. The answer comes once the first rows (or the end) are there, so that what fails before has a status of its own; the rows are a
   * stream that cuts off when the query fails later. Refuses what cannot be read, planned or run.
   */
  async run(request: SqlRequest, { caller, signal, largeBody }: Surroundings): Promise<Answered<AsyncIterable<string>>> {
    const { config, access, defaultTimeoutMs } = this.#settings;
    const checked = checkSqlRequest({ ...request, context: config.contextOf(request.context) });
    const headers = this.#headersOf(checked);
    try {
      const startedMs = performance.now();
      const query = this.#running.start(checked.queryId, caller.identity, signal);
      const listed = this.#list.add(checked.queryId, caller.identity, checked.text);
      try {
        const statement = await this.#translated(checked, caller, query, largeBody);
        const { columns, context, resources } = outputOf(statement);
        const ofContext = [...access.ofContext(request.context), ...access.ofSettings(context, checked.context)];
        mustBeAllowed(caller, [...access.ofStatement(statement), ...ofContext]);
        query.reads(resources);
        listed.runs();
        config.check({
          id: checked.queryId,
          type: statement.kind === 'select' ? statement.queryType : undefined,
          dataSources: dataSourcesIn(resources),
          context,
        });
        const timeoutMs = leftOf(timeoutMsOf(context, defaultTimeoutMs), startedMs);
        const writer = createResultWriter(columns, { ...checked.result, ...printingOf(context) });
        const batches = statement.kind === 'explain' ? planOf(statement) : await this.#rowsOf(statement, query, timeoutMs, caller);
        return answer(this.#written(writer, batches, query, listed.ended), {
          headers: { ...headers, ...this.#contextHeader(), ...contentTypeOf(checked.result.format, this.#settings.dialect) },
        });
      } catch (error) {
        listed.ended(query.signal.aborted ? 'CANCELED' : 'FAILED');
        query.end();
        throw error;
      }
    } catch (error) {
      throw refusalOf(error, headers);
    }
  }

  /** The queries that a caller may see: those that run, and on request the last that have ended. */
  list(caller: Caller, includesEnded: boolean): SqlQueryInfo[] {
    return this.#list.list(caller, includesEnded);
  }

  /** Cancels all running queries with this id. Refuses when there is none, and a caller who may not read what one of them reads. */
  cancel(queryId: string, caller: Caller): void {
    mustBeAllowed(caller, this.#running.resourcesOf(queryId));
    if (!this.#running.cancel(queryId, caller)) throw unknownQuery();
  }

  async #translated(
    { text, context, parameters }: CheckedSqlRequest,
    caller: Caller,
    { signal }: RunningQuery,
    body: string | undefined,
  ): Promise<SelectStatement | ExplainStatement> {
    const { catalog, now, planner, defaultTimeoutMs } = this.#settings;
    if (!engines.includes(context.engine ?? 'native')) throw unknownEngine(context.engine);
    const timeoutMs = planningTimeoutMsOf(context, defaultTimeoutMs);
    const options = { signal, timeoutMs, user: userOf(caller), body };
    return planner.sql({ text, context, parameters, nowMs: now(), engine: 'native' }, catalog(caller), options);
  }

  async #rowsOf(
    { duckdb, size }: SelectStatement,
    { signal }: RunningQuery,
    timeoutMs: number,
    caller: Caller,
  ): Promise<AsyncIterable<Batch>> {
    const { chunks } = await this.#settings.engine.query(duckdb, {
      signal,
      timeoutMs,
      user: userOf(caller),
      isolated: isCostlyToPlan(size),
    });
    return chunks;
  }

  async *#written(
    writer: ResultWriter,
    batches: AsyncIterable<Batch>,
    query: RunningQuery,
    ended: (outcome: Outcome) => void,
  ): AsyncIterable<string> {
    try {
      yield writer.head();
      for await (const batch of batches) yield writer.rows(batch);
      ended('SUCCESS');
      yield writer.tail();
    } finally {
      ended(query.signal.aborted ? 'CANCELED' : 'FAILED');
      query.end();
    }
  }

  #headersOf({ queryId, result }: CheckedSqlRequest): Record<string, string> {
    const { service } = this.#settings;
    return {
      [headerFor(service, 'SQL-Query-Id')]: queryId,
      [headerFor(service, 'Query-Id')]: queryId,
      ...(result.header && { [headerFor(service, 'SQL-Header-Included')]: 'yes' }),
    };
  }

  // What historicals report of a query besides its rows, such as missing segments: with one process there is nothing to report.
  #contextHeader(): Record<string, string> {
    return { [headerFor(this.#settings.service, 'Response-Context')]: '{}' };
  }
}

// The remaining time of a query after planning; 0 stands for unlimited.
const leftOf = (timeoutMs: number, startedMs: number) =>
  timeoutMs > 0 ? Math.max(1, Math.ceil(timeoutMs - (performance.now() - startedMs))) : timeoutMs;

const engines: readonly unknown[] = ['native', 'msq-task'];

const outputOf = (statement: SelectStatement | ExplainStatement) =>
  statement.kind === 'select' ? statement : { columns: planColumns, context: statement.context, resources: statement.resources };

async function* planOf(statement: ExplainStatement): AsyncGenerator<Batch> {
  yield { rowCount: 1, columns: Object.values(rowOfPlan(statement)).map((value) => [value]) };
}
