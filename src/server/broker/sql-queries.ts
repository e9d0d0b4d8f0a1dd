// SQL over HTTP: a request is parsed, translated and run, and its rows are written as they arrive
// (the specification, "SQL queries").

import type { ResultFormat, SqlQueryInfo, SqlRequest } from '../../contract/sql.ts';
import { type Dialect, headerFor } from '../../model/dialect.ts';
import type { Catalog } from '../../sql/catalog.ts';
import type {
  ExplainStatement,
  KnownValues,
  OutputColumn,
  SelectStatement,
} from '../../sql/statement.ts';
import { type BrokerConfig, dataSourcesIn } from '../configuration/broker-config.ts';
import type { Engine, QueryOptions, QueryResult } from '../engine/engine.ts';
import { costOf } from '../engine/planning-cost.ts';
import type { AccessRules } from '../handlers/access-rules.ts';
import { mustBeAllowed } from '../handlers/permissions.ts';
import {
  type Answered,
  answer,
  type Caller,
  type RequestContext,
  userOf,
} from '../handlers/routes.ts';
import type { Planner } from '../planning/planner.ts';
import type { OpenQuery, OpensQueries, QueryOutcome } from '../statements/open-query.ts';
import { planColumns, rowOfPlan } from '../statements/plan-row.ts';
import {
  type Batch,
  contentTypeOf,
  createResultWriter,
  encodedColumns,
  type ResultWriter,
  resultPieces,
} from '../statements/result-writer.ts';
import { checkPlannerContext, checkTablesContext } from '../statements/sql-context.ts';
import { refusalOf, unknownEngine, unknownQuery } from '../statements/sql-refusals.ts';
import {
  type CheckedSqlRequest,
  checkSqlRequest,
  planningTimeoutMsOf,
  printingOf,
  timeoutMsOf,
} from '../statements/sql-request.ts';
import { knownValues } from './known-values.ts';
import type { QueryList } from './query-list.ts';
import { RunningQueries, type RunningQuery } from './running-queries.ts';
import { checkSubqueries } from './subquery-limits.ts';

export interface SqlQueriesSettings {
  readonly service: string;
  readonly dialect: Dialect;
  readonly engine: Engine;
  readonly planner: Planner;
  readonly now: () => number; // milliseconds since 1970
  readonly defaultTimeoutMs: number;
  readonly config: BrokerConfig;
  readonly access: AccessRules;
  readonly list: QueryList;
  /** The data that a caller may read, as the context of a query asks for. */
  catalog(caller: Caller, context: Readonly<Record<string, unknown>>): Catalog;
  /** Keeps all readable data until the returned function is called. */
  hold(): () => void;
}

export class SqlQueries implements OpensQueries {
  readonly #settings: SqlQueriesSettings;
  readonly #running: RunningQueries;
  readonly #list: QueryList;

  constructor(settings: SqlQueriesSettings) {
    this.#settings = settings;
    this.#list = settings.list;
    this.#running = new RunningQueries(settings.hold);
  }

  /**
   * Runs a query. Resolves when its first rows (or the end) are available, so that earlier failures
   * have a status of their own. The rows are a stream, which is cut off when the query fails later.
   * Refuses invalid and unsupported queries.
   */
  async run(
    request: SqlRequest,
    requestContext: RequestContext,
  ): Promise<Answered<AsyncIterable<string | Uint8Array>>> {
    const checked = this.#checkRequest(request);
    const headers = this.#headersOf(checked);
    try {
      const query = await this.#begin(checked, request, requestContext, checked.result.format);
      const writer = createResultWriter(query.columns, {
        ...checked.result,
        ...printingOf(query.context),
      });
      return answer(writeRows(writer, query), {
        headers: {
          ...headers,
          ...this.#contextHeader(),
          ...contentTypeOf(checked.result.format, this.#settings.dialect),
        },
        signal: query.signal,
      });
    } catch (error) {
      throw refusalOf(error, headers);
    }
  }

  /**
   * Starts a query whose rows are read on demand; its first rows are available when this resolves.
   * The caller must end it. Refuses the same queries as `run`.
   */
  async open(request: SqlRequest, requestContext: RequestContext): Promise<OpenQuery> {
    try {
      return await this.#begin(this.#checkRequest(request), request, requestContext);
    } catch (error) {
      throw refusalOf(error, undefined);
    }
  }

  /** The columns of a query's result. Refuses the same queries as `run`, but runs nothing. */
  async columns(
    request: SqlRequest,
    requestContext: RequestContext,
  ): Promise<readonly OutputColumn[]> {
    try {
      const checked = this.#checkRequest(request);
      const query = this.#running.start(
        checked.queryId,
        requestContext.caller.identity,
        requestContext.signal,
      );
      try {
        const statement = await this.#translate(
          checked,
          requestContext.caller,
          query,
          requestContext.largeBody,
        );
        this.#check(statement, checked, request, requestContext.caller);
        return outputOf(statement).columns;
      } finally {
        query.end();
      }
    } catch (error) {
      throw refusalOf(error, undefined);
    }
  }

  /**
   * The queries that a caller may see: running ones and, on request, recently completed and native
   * ones.
   */
  list(caller: Caller, which: Parameters<QueryList['list']>[1]): SqlQueryInfo[] {
    return this.#list.list(caller, which);
  }

  /**
   * Cancels all running queries with this id. Refuses an unknown id, and a caller without read
   * permission on the resources of one of the queries.
   */
  cancel(queryId: string, caller: Caller): void {
    mustBeAllowed(caller, this.#running.resourcesOf(queryId));
    if (!this.#running.cancel(queryId, caller)) throw unknownQuery();
  }

  #checkRequest(request: SqlRequest): CheckedSqlRequest {
    return checkSqlRequest({
      ...request,
      context: this.#settings.config.contextOf(request.context),
    });
  }

  async #begin(
    checked: CheckedSqlRequest,
    request: SqlRequest,
    { caller, signal, largeBody }: RequestContext,
    format?: ResultFormat, // of the text that is made of the rows
  ): Promise<OpenQuery> {
    const startedMs = performance.now();
    const query = this.#running.start(checked.queryId, caller.identity, signal);
    const listed = this.#list.add(checked.queryId, caller.identity, checked.text);
    const end = (outcome: QueryOutcome) => {
      listed.ended(query.signal.aborted && outcome === 'FAILED' ? 'CANCELED' : outcome);
      query.end();
    };
    try {
      const statement = await this.#translate(checked, caller, query, largeBody);
      this.#check(statement, checked, request, caller);
      const { columns, context, resources } = outputOf(statement);
      checkPlannerContext(context); // with the parameters of SET
      query.reads(resources);
      listed.runs();
      this.#settings.config.check({
        id: checked.queryId,
        type: statement.kind === 'select' ? statement.queryType : undefined,
        dataSources: dataSourcesIn(resources),
        context,
      });
      const timeoutMs = remainingMs(
        timeoutMsOf(context, this.#settings.defaultTimeoutMs),
        startedMs,
      );
      if (statement.kind === 'explain')
        return {
          columns,
          context,
          signal: query.signal,
          batches: planOf(statement),
          end: async (outcome) => end(outcome),
        };
      if (resources.some(({ type }) => type === 'DATASOURCE')) checkTablesContext(context);
      const { engine } = this.#settings;
      const options = { ...this.#optionsOf(statement, query, caller), timeoutMs };
      const sizes = await checkSubqueries(statement.inlined, context, engine, options);
      const known = sizes ? await knownValues(statement, sizes, engine, options) : [];
      const again =
        known.length > 0 && (await this.#translate(checked, caller, query, largeBody, known));
      const planned = again && again.kind === 'select' ? again : statement;
      const encoded = format && encodedColumns(columns, format);
      const { chunks, close } = await this.#rowsOf(planned, query, timeoutMs, caller, encoded);
      return {
        columns,
        context,
        signal: query.signal,
        batches: chunks,
        async end(outcome) {
          end(outcome);
          await close();
        },
      };
    } catch (error) {
      end('FAILED');
      throw error;
    }
  }

  #check(
    statement: Statement,
    checked: CheckedSqlRequest,
    request: SqlRequest,
    caller: Caller,
  ): void {
    const { access } = this.#settings;
    const ofContext = [
      ...access.ofContext(request.context),
      ...access.ofSettings(outputOf(statement).context, checked.context),
    ];
    mustBeAllowed(caller, [...access.ofStatement(statement), ...ofContext]);
  }

  async #translate(
    { text, context, parameters }: CheckedSqlRequest,
    caller: Caller,
    { signal }: RunningQuery,
    body: string | undefined,
    known?: readonly KnownValues[],
  ): Promise<Statement> {
    const { catalog, now, planner, defaultTimeoutMs } = this.#settings;
    if (!engines.includes(context.engine ?? 'native')) throw unknownEngine(context.engine);
    checkPlannerContext(context);
    const timeoutMs = planningTimeoutMsOf(context, defaultTimeoutMs);
    const options = { signal, timeoutMs, user: userOf(caller), body };
    return planner.sql(
      { text, context, parameters, nowMs: now(), engine: 'native', knownValues: known },
      catalog(caller, context),
      options,
    );
  }

  async #rowsOf(
    statement: SelectStatement,
    query: RunningQuery,
    timeoutMs: number,
    caller: Caller,
    encoded: readonly number[] | undefined,
  ): Promise<QueryResult> {
    const options = { ...this.#optionsOf(statement, query, caller), timeoutMs, encoded };
    const result = await this.#settings.engine.query(statement.duckdb, options);
    query.stopWith(result.signal);
    return result;
  }

  #optionsOf(statement: SelectStatement, { signal }: RunningQuery, caller: Caller): QueryOptions {
    return { signal, user: userOf(caller), ...costOf(statement) };
  }

  #headersOf({ queryId, result }: CheckedSqlRequest): Record<string, string> {
    const { service } = this.#settings;
    return {
      [headerFor(service, 'SQL-Query-Id')]: queryId,
      [headerFor(service, 'Query-Id')]: queryId,
      ...(result.header && { [headerFor(service, 'SQL-Header-Included')]: 'yes' }),
    };
  }

  // Response context of historicals, such as missing segments: with one process, it is always
  // empty.
  #contextHeader(): Record<string, string> {
    return { [headerFor(this.#settings.service, 'Response-Context')]: '{}' };
  }
}

// The rows of a query as text, written while they are computed.
async function* writeRows(
  writer: ResultWriter,
  { batches, end }: OpenQuery,
): AsyncIterable<string | Uint8Array> {
  let outcome: QueryOutcome = 'FAILED';
  try {
    yield* resultPieces(writer, batches);
    outcome = 'SUCCESS';
  } finally {
    await end(outcome);
  }
}

// Remaining time of a query after planning; 0 means unlimited.
const remainingMs = (timeoutMs: number, startedMs: number) =>
  timeoutMs > 0 ? Math.max(1, Math.ceil(timeoutMs - (performance.now() - startedMs))) : timeoutMs;

const engines: readonly unknown[] = ['native', 'msq-task'];

type Statement = SelectStatement | ExplainStatement;

const outputOf = (statement: Statement) =>
  statement.kind === 'select'
    ? statement
    : { columns: planColumns, context: statement.context, resources: statement.resources };

async function* planOf(statement: ExplainStatement): AsyncGenerator<Batch> {
  yield { rowCount: 1, columns: Object.values(rowOfPlan(statement)).map((value) => [value]) };
}
