// Asynchronous statements: query_controller tasks behind the Broker's interface (the specification,
// "Asynchronous statements").
import { randomUUID } from 'node:crypto';
import type { SqlRequest } from '../../contract/sql.ts';
import type { StatementResult } from '../../contract/statements.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatJson, JsonText } from '../../model/json.ts';
import type { ExplainStatement } from '../../sql/statement.ts';
import { contextWith } from '../../sql/translate/parameters.ts';
import { oneOfNames } from '../checks/context-values.ts';
import type { Engine } from '../engine/engine.ts';
import { resultFileQuery } from '../engine/result-file.ts';
import { maskDocument } from '../handlers/masks.ts';
import {
  type Answered,
  answer,
  type Caller,
  type RequestContext,
  userOf,
} from '../handlers/routes.ts';
import { cancellationOf } from '../statements/faults.ts';
import { createNativeWriter } from '../statements/native-result.ts';
import { planColumns, rowOfPlan } from '../statements/plan-row.ts';
import {
  contentTypeOf,
  createResultWriter,
  type ResultWriter,
  resultPieces,
} from '../statements/result-writer.ts';
import { selectDestinationIn } from '../statements/select-destination.ts';
import { refusalOf } from '../statements/sql-refusals.ts';
import {
  type CheckedSqlRequest,
  checkSqlRequest,
  findFormat,
  printingOf,
} from '../statements/sql-request.ts';
import {
  contextIn,
  destinationIn,
  ownerOf,
  resultFormatKey,
  signatureIn,
} from '../statements/statement-payload.ts';
import type { StatementTasks } from '../statements/statement-tasks.ts';
import type { ResultStore } from '../storage/result-store.ts';
import type { StoredResult as KeptResult, ResultPage } from '../storage/statement-results.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import {
  cannotHandle,
  hasFailed,
  negativePage,
  noDurableStorage,
  noExecutionMode,
  notAFilename,
  notYours,
  onlyOnePage,
  reservedParameter,
  stillRunning,
  unknownPage,
  unknownStatement,
  unsupportedExecutionMode,
} from './statement-refusals.ts';
import { type StatementTask, stateOf, statusOf } from './statement-status.ts';

export interface StatementsParts {
  readonly dialect: Dialect;
  readonly tasks: StatementTasks;
  readonly queue: TaskQueue;
  readonly results: ResultStore;
  readonly engine: Engine;
  readonly durableStorage: boolean;
  /** Whether a caller may see (READ) or cancel (WRITE) statements of others. */
  readonly mayManage: (caller: Caller, action: 'READ' | 'WRITE') => boolean;
}

export interface ResultQuery {
  readonly page?: number | undefined;
  readonly resultFormat?: string | undefined;
  readonly filename?: string | undefined;
}

type Status = StatementResult | Record<string, unknown>[];

export class Statements {
  readonly #parts: StatementsParts;

  constructor(parts: StatementsParts) {
    this.#parts = parts;
  }

  /**
   * Starts a statement and returns its first status; returns the plan for an EXPLAIN. Refuses
   * invalid and unsupported statements.
   */
  async submit(
    request: SqlRequest,
    { caller, signal, largeBody: body }: RequestContext,
  ): Promise<Answered<Status>> {
    const { tasks } = this.#parts;
    const { context: given, query } = request;
    if (given && Object.hasOwn(given, resultFormatKey)) throw reservedParameter(resultFormatKey);
    const sqlQueryId = given?.sqlQueryId;
    const settings = await tasks.parse(
      query,
      typeof sqlQueryId === 'string' ? sqlQueryId : randomUUID(),
      signal,
    );
    const checked = checkSqlRequest(request);
    this.#checkContext(contextWith(checked.context, settings));
    const context = { ...checked.context, [resultFormatKey]: checked.result.format };
    try {
      const { statement, taskId } = await tasks.start({ ...checked, context }, caller, {
        signal,
        body,
      });
      return statement.kind === 'explain'
        ? plan(statement, checked)
        : this.#replyAccepted(taskId, caller);
    } catch (error) {
      throw refusalOf(error, undefined);
    }
  }

  /**
   * The status of a statement; `detail` adds the details of its stages. Refuses an unknown
   * statement, and one of another user.
   */
  status(queryId: string, detail: boolean, caller: Caller): Answered<StatementResult> {
    const found = this.#get(queryId, caller, 'READ');
    const status = statusOf(found, detail);
    const { kept } = found;
    if (!status.result?.sampleRecords || !kept) return answer(status, {});
    // The sample is inserted as text: parsing would turn a whole double such as `1.0` into `1`.
    const text = formatJson(
      maskDocument({
        ...status,
        result: { ...status.result, sampleRecords: new JsonText(kept.sample) },
      }),
    );
    return answer(status, { text });
  }

  /**
   * The rows of a successful statement, as a stream; empty for one that ingests. Refuses a missing
   * result.
   */
  async results(
    queryId: string,
    { page, resultFormat, filename }: ResultQuery,
    requestContext: RequestContext,
  ) {
    if (page !== undefined && page < 0) throw negativePage();
    const { task, payload, kept } = this.#get(queryId, requestContext.caller, 'READ');
    const state = stateOf(task);
    if (state === 'FAILED') throw hasFailed(queryId, this.#parts.dialect);
    if (state !== 'SUCCESS') throw stillRunning(queryId, state);
    const headers =
      filename === undefined
        ? {}
        : { 'content-disposition': `attachment; filename="${checkFilename(filename)}"` };
    if (!signatureIn(payload) || !kept) return answer(nothing, { headers });
    const isDurable = destinationIn(payload) === 'durableStorage';
    if (isDurable && kept.pages.length === 0) return answer(nothing, { headers });
    const range = page === undefined ? {} : rangeOf(page, kept, isDurable);
    const context = contextIn(payload);
    const submitted =
      this.#parts.dialect.statementFormat === 'submitted'
        ? findFormat(String(context[resultFormatKey]))
        : undefined;
    const format = resultFormat === undefined ? (submitted ?? 'object') : findFormat(resultFormat);
    if (!format) throw cannotHandle(queryId);
    const writer = createNativeWriter(kept.columns, { format, ...printingOf(context) });
    const rows = await this.#readResult(kept, range, writer, requestContext);
    return answer(rows, { headers: { ...contentTypeOf(format, this.#parts.dialect), ...headers } });
  }

  /** Stops a statement. Returns whether it was active: a completed statement is unchanged. */
  cancel(queryId: string, caller: Caller): boolean {
    const { task } = this.#get(queryId, caller, 'WRITE');
    if (task.status !== 'RUNNING') return false;
    this.#parts.queue.shutdown(queryId, cancellationOf('TASK_SHUTDOWN').message);
    return true;
  }

  // The task may have started at once in a free slot: the reply reports the initial state, which
  // every statement has first.
  #replyAccepted(taskId: string, caller: Caller): Answered<StatementResult> {
    const status = statusOf(this.#get(taskId, caller, 'READ'), false);
    return answer(status.state === 'RUNNING' ? { ...status, state: 'ACCEPTED' } : status, {});
  }

  #checkContext(context: Readonly<Record<string, unknown>>): void {
    const mode = oneOfNames(context, 'executionMode', 'ExecutionMode', ['SYNC', 'ASYNC']);
    if (mode === undefined) throw noExecutionMode();
    if (mode !== 'ASYNC') throw unsupportedExecutionMode(mode);
    if (selectDestinationIn(context) === 'durableStorage' && !this.#parts.durableStorage)
      throw noDurableStorage();
  }

  #get(queryId: string, caller: Caller, action: 'READ' | 'WRITE'): StatementTask {
    const { queue, results, dialect, mayManage } = this.#parts;
    const task = queue.find(queryId);
    if (task?.type !== 'query_controller') throw unknownStatement(queryId);
    const payload = queue.payload(queryId);
    const isOwn = ownerOf(payload) === caller.identity;
    if (!isOwn && !(dialect.statementOwner === 'submitterOrState' && mayManage(caller, action)))
      throw notYours();
    return {
      task,
      payload,
      reports: queue.reports(queryId),
      kept: task.status === 'SUCCESS' ? results.find(queryId) : undefined,
    };
  }

  async #readResult(
    { queryId, columns }: KeptResult,
    range: Range,
    writer: ResultWriter,
    { signal, caller }: RequestContext,
  ): Promise<AsyncIterable<string | Uint8Array>> {
    const { engine, results } = this.#parts;
    const { chunks } = await engine.query(
      resultFileQuery(results.fileOf(queryId), columns.length, range),
      {
        signal,
        user: userOf(caller),
      },
    );
    return resultPieces(writer, chunks);
  }
}

const nothing: readonly string[] = [];

interface Range {
  readonly start?: number;
  readonly end?: number;
}

function rangeOf(page: number, { pages }: KeptResult, isDurable: boolean): Range {
  if (!isDurable) {
    if (page > 0) throw onlyOnePage(page);
    return {};
  }
  if (page >= pages.length) throw unknownPage(page);
  const start = rowsIn(pages.slice(0, page));
  return { start, end: start + rowsIn(pages.slice(page, page + 1)) };
}

const rowsIn = (pages: readonly ResultPage[]) =>
  pages.reduce((sum, { numRows }) => sum + numRows, 0);

function checkFilename(name: string): string {
  if (name === '') throw notAFilename('cannot be empty.');
  if (name.length > 255) throw notAFilename('cannot be longer than 255 characters.');
  if (/[/\\:*?"<>|\p{Cc}]/u.test(name))
    throw notAFilename(
      'contains invalid characters. (/, \\, :, *, ?, ", <, >, |, \\0, \\n, or \\r)',
    );
  return Buffer.from(name).toString('latin1'); // headers are bytes
}

// An EXPLAIN is answered at once, in the requested format and with the requested header.
function plan(
  statement: ExplainStatement,
  { result, context }: CheckedSqlRequest,
): Answered<Record<string, unknown>[]> {
  const writer = createResultWriter(planColumns, { ...result, ...printingOf(context) });
  const row = rowOfPlan(statement);
  const text =
    writer.head() +
    Buffer.concat([
      ...writer.rows({ rowCount: 1, columns: Object.values(row).map((value) => [value]) }),
    ]) +
    writer.tail();
  return answer([row], { text });
}
