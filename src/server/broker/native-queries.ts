// Native queries over HTTP: a query is translated and run, and its rows are written as they arrive
// (the specification, "Native queries").
import { randomUUID } from 'node:crypto';
import type { NativeQuery } from '../../contract/native.ts';
import { type Dialect, headerFor } from '../../model/dialect.ts';
import { formatJson } from '../../model/json.ts';
import type { Catalog } from '../../sql/catalog.ts';
import type { NativeStatement } from '../../sql/native/statement.ts';
import { queryTypeOf, unknownQueryType } from '../../sql/native/translate-native.ts';
import { type BrokerConfig, dataSourcesIn } from '../configuration/broker-config.ts';
import type { Engine } from '../engine/engine.ts';
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
import { nextTurn } from '../process/turns.ts';
import { planningTimeoutMsOf, timeoutMsOf } from '../statements/sql-request.ts';
import type { Read } from './native-read.ts';
import {
  checkContext,
  failedInThread,
  nativeRefusalOf,
  negativeTimeout,
  queryIdNoText,
} from './native-refusals.ts';
import { nativeItems } from './native-writer.ts';
import { prettyJson } from './pretty-json.ts';
import { longestListed, type QueryList } from './query-list.ts';
import type { RunningQueries, RunningQuery } from './running-queries.ts';
import { checkSubqueries } from './subquery-limits.ts';

export interface NativeQueriesSettings {
  readonly service: string;
  readonly dialect: Dialect;
  readonly engine: Engine;
  readonly planner: Planner;
  readonly running: RunningQueries;
  readonly now: () => number; // milliseconds since 1970
  readonly defaultTimeoutMs: number;
  readonly config: BrokerConfig;
  readonly access: AccessRules;
  readonly list: QueryList;
  /** The data that a caller may read, as the context of a query asks for. */
  catalog(caller: Caller, context: Readonly<Record<string, unknown>>): Catalog;
}

export class NativeQueries {
  readonly #settings: NativeQueriesSettings;

  constructor(settings: NativeQueriesSettings) {
    this.#settings = settings;
  }

  /**
   * Runs a query. Resolves when its first rows (or the end) are available, so that earlier failures
   * have a status of their own. The items are a stream, which is cut off when the query fails
   * later. Refuses invalid and unsupported queries.
   */
  async run(
    given: NativeQuery,
    pretty: boolean,
    { caller, signal, largeBody }: RequestContext,
  ): Promise<Answered<AsyncIterable<string>>> {
    const { service, dialect, catalog, now, defaultTimeoutMs, running, config, access, planner } =
      this.#settings;
    const context = config.contextOf(given.context);
    const query = { ...given, context };
    if (
      context.queryId !== undefined &&
      context.queryId !== null &&
      typeof context.queryId !== 'string'
    )
      throw queryIdNoText(context.queryId);
    const queryId = typeof context.queryId === 'string' ? context.queryId : randomUUID();
    const headers = { [headerFor(service, 'Query-Id')]: queryId };
    try {
      if (dialect.queryTypes === 'real' && queryTypeOf(given.queryType) !== given.queryType)
        throw unknownQueryType(given.queryType);
      const startedMs = performance.now();
      const started = this.#listed(
        running.start(queryId, caller.identity, signal),
        { queryId, identity: caller.identity },
        largeBody === undefined ? given : { queryType: given.queryType },
      );
      try {
        const planning = {
          signal: started.signal,
          timeoutMs: planningTimeoutMsOf(context, defaultTimeoutMs),
          user: userOf(caller),
          body: largeBody,
        };
        const statement = await planner.native(
          { query, nowMs: now() },
          catalog(caller, context),
          planning,
        );
        mustBeAllowed(caller, [...statement.resources, ...access.ofContext(given.context)]);
        started.reads(statement.resources);
        config.check({
          id: queryId,
          type: given.queryType,
          dataSources: dataSourcesIn(statement.resources),
          context,
        });
        const timeoutMs = timeoutMsOf(context, defaultTimeoutMs);
        if (timeoutMs < 0) throw negativeTimeout(timeoutMs);
        checkContext(given, context);
        if (timeoutMs > 0)
          started.endAfter(Math.max(1, Math.ceil(startedMs + timeoutMs - performance.now())));
        const printing = { timesAsLong: isTrue(context.serializeDateTimeAsLong) };
        const read = this.#reader(started, caller, statement);
        const items = await checkSubqueries(statement.inlined, context, this.#settings.engine, {
          signal: started.signal,
          user: caller.identity,
          ...costOf(statement),
        })
          .then(() => nativeItems(statement, { read, signal: started.signal }, printing))
          .catch((error: unknown) => {
            throw failedInThread(error, given);
          });
        return answer(writeItems(items, pretty, started), {
          headers: { ...headers, [headerFor(service, 'Response-Context')]: '{}' },
          signal: started.signal,
        });
      } catch (error) {
        started.end();
        throw error;
      }
    } catch (error) {
      throw nativeRefusalOf(error, headers, dialect.queryTypes === 'real');
    }
  }

  /**
   * Cancels all running queries with this id; an unknown id is not an error. Refuses a caller
   * without write permission on their resources.
   */
  cancel(queryId: string, caller: Caller): void {
    const { running } = this.#settings;
    mustBeAllowed(
      caller,
      running.resourcesOf(queryId).map((resource) => ({ ...resource, action: 'WRITE' })),
    );
    running.cancel(queryId, caller);
  }

  // The same query, in the list of queries until its end.
  #listed(
    query: RunningQuery,
    { queryId, identity }: { readonly queryId: string; readonly identity: string },
    given: Pick<NativeQuery, 'queryType'>,
  ): RunningQuery {
    const text = formatJson(given);
    // Secrets in a part of a JSON text cannot be found.
    const shown = text.length <= longestListed ? text : formatJson({ queryType: given.queryType });
    const listed = this.#settings.list.add(queryId, identity, shown, 'native');
    listed.runs();
    return {
      ...query,
      end() {
        query.end();
        listed.ended(query.signal.aborted ? 'CANCELED' : 'SUCCESS');
      },
    };
  }

  #reader(query: RunningQuery, { identity: user }: Caller, statement: NativeStatement): Read {
    const { engine } = this.#settings;
    const { signal: asked } = query;
    return async (sql) => {
      const options = { signal: asked, user, ...costOf(statement) };
      const { chunks, signal } = await engine.query(sql, options);
      query.stopWith(signal);
      return chunks;
    };
  }
}

const isTrue = (value: unknown) => value === true || value === 'true';

async function* writeItems(
  items: AsyncIterable<string>,
  pretty: boolean,
  { signal, end }: RunningQuery,
): AsyncIterable<string> {
  try {
    let isFirst = true;
    let text = pretty ? '[ ' : '[';
    for await (const item of items) {
      text += (isFirst ? '' : pretty ? ', ' : ',') + (pretty ? prettyJson(item) : item);
      isFirst = false;
      if (text.length < chunkLength) continue;
      yield text;
      text = '';
      // Some items need no DuckDB, such as those of empty buckets: other work gets turns in
      // between.
      await nextTurn();
      signal.throwIfAborted();
    }
    yield `${text}${pretty && !isFirst ? ' ' : ''}]`;
  } finally {
    end();
  }
}

const chunkLength = 64 * 1024;
