// SQL statements as tasks: POST sql/task (the specification, "SQL-based ingestion").
import { randomUUID } from 'node:crypto';
import type { SqlRequest } from '../../contract/sql.ts';
import { headerFor } from '../../model/dialect.ts';
import type { StatementList } from '../../sql/ast.ts';
import type { Catalog } from '../../sql/catalog.ts';
import { parseStatements } from '../../sql/parse.ts';
import { segmentGranularity } from '../../sql/partitioned-by.ts';
import { SqlError } from '../../sql/sql-error.ts';
import type { IngestStatement, SelectStatement, TranslatedStatement } from '../../sql/statement.ts';
import { rowOfPlan } from '../broker/plan-row.ts';
import { refusalOf } from '../broker/sql-refusals.ts';
import { type CheckedSqlRequest, checkSqlRequest } from '../broker/sql-request.ts';
import { mustBeAllowed } from '../permissions.ts';
import { Refusal } from '../refusals.ts';
import { type Answered, answer, type Caller } from '../routes.ts';
import { checkStatement } from './multi-stage/check-statement.ts';
import type { SegmentSource } from './multi-stage/segment-source.ts';
import { selectDestinationIn } from './multi-stage/select-destination.ts';
import { settingsIn } from './multi-stage/settings.ts';
import { ownerKey } from './statement-payload.ts';
import type { TaskQueue } from './task-queue.ts';
import { statementOf } from './types/query-controller.ts';

export interface SqlTasksParts {
  readonly service: string;
  readonly queue: TaskQueue;
  readonly now: () => number; // milliseconds since 1970
  readonly allowedFolders: readonly string[]; // where exports may go
  readonly catalog: (source: SegmentSource) => Catalog;
}

/** The task that a statement became, or the answer to an EXPLAIN. */
export type SqlTaskAnswer = { readonly taskId: string; readonly state: string } | Record<string, string>[];

export class SqlTasks {
  readonly #parts: SqlTasksParts;

  constructor(parts: SqlTasksParts) {
    this.#parts = parts;
  }

  /** Starts a statement as a task. What cannot be read or planned is refused, and no task comes of it. */
  submit(request: SqlRequest, caller: Caller): SqlTaskAnswer | Answered<SqlTaskAnswer> {
    const given = request.context?.sqlQueryId;
    this.parsed(request.query, typeof given === 'string' ? given : randomUUID());
    const checked = checkSqlRequest(request);
    try {
      const { statement, taskId } = this.start(checked, caller);
      return statement.kind === 'explain' ? answer([rowOfPlan(statement)], { status: 200 }) : { taskId, state: 'RUNNING' };
    } catch (error) {
      const refusal = refusalOf(error, undefined);
      if (!(refusal instanceof Refusal)) throw refusal;
      throw new Refusal(refusal.category, refusal.message, {
        code: refusal.category === 'forbidden' ? 'general' : 'invalidInput',
        ...refusal.details,
        family: 'failedTask',
        taskId: checked.queryId,
      });
    }
  }

  /** Makes the task of a statement and returns both; an EXPLAIN makes none. Throws SqlError or a Refusal. */
  start(checked: CheckedSqlRequest, caller: Caller): { readonly statement: TranslatedStatement; readonly taskId: string } {
    const { queue, catalog, now, allowedFolders } = this.#parts;
    const { text, context, parameters, queryId } = checked;
    const taskId = `query-${queryId}`;
    const payload = { sqlQuery: text, sqlQueryContext: context, parameters };
    const statement = statementOf(payload, catalog, now());
    mustBeAllowed(caller, statement.resources);
    if (statement.kind === 'explain') return { statement, taskId };
    checkStatement(statement, settingsIn(statement.context), { catalog: catalog('NONE'), allowedFolders });
    const destination = destinationOf(statement);
    const dataSource = 'dataSource' in destination ? destination.dataSource : '__query_select';
    const select = statement.kind === 'select' ? statement : statement.query;
    queue.submit({
      type: 'query_controller',
      id: taskId,
      dataSource,
      ...payload,
      sqlQueryContext: statement.context,
      spec: {
        destination,
        columnMappings: select.columns.map(({ name }, at) => ({ queryColumn: `c${at}`, outputColumn: name })),
        context: { [ownerKey]: caller.identity },
      },
      sqlTypeNames: select.columns.map(({ type }) => type.name),
      nativeTypeNames: select.columns.map(({ nativeType }) => nativeType),
    });
    return { statement, taskId };
  }

  /**
   * Refuses, with the headers of the query endpoint, what the real engine's parser refuses; what its planner refuses passes. Returns the settings
   * that SET makes.
   */
  parsed(text: string, queryId: string): StatementList['settings'] {
    const { service } = this.#parts;
    try {
      if (text.trim() === '')
        throw new SqlError('Statement list is missing a non-SET statement to execute', { context: { sourceType: 'sql' } });
      const { statement, settings } = parseStatements(text);
      if ((statement.kind === 'insert' || statement.kind === 'replace') && statement.partitionedBy)
        segmentGranularity(statement.partitionedBy);
      return settings;
    } catch (error) {
      if (!(error instanceof SqlError) || isPlanned(error)) return [];
      throw refusalOf(error, { [headerFor(service, 'SQL-Query-Id')]: queryId, [headerFor(service, 'Query-Id')]: queryId });
    }
  }
}

// The parser here knows more than the real one, which leaves statements, clauses and their absence to the planner.
const isPlanned = ({ message }: SqlError) => /^(Operation \[|Missing time chunk|Unsupported SQL statement)/.test(message);

function destinationOf(statement: SelectStatement | IngestStatement) {
  if (statement.kind === 'select') return { type: selectDestinationIn(statement.context) };
  const { target, partitionedBy } = statement;
  return target.kind === 'export'
    ? { type: 'export', exportStorageProvider: target.destination, resultFormat: target.format }
    : { type: 'dataSource', dataSource: target.name, segmentGranularity: partitionedBy };
}
