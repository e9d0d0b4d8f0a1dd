// SQL statements as tasks: POST sql/task (the specification, "SQL-based ingestion").
import { randomUUID } from 'node:crypto';
import type { SqlRequest } from '../../../contract/sql.ts';
import { type Dialect, headerFor } from '../../../model/dialect.ts';
import { formatInterval } from '../../../model/interval.ts';
import type { StatementList } from '../../../sql/ast.ts';
import { SqlError } from '../../../sql/sql-error.ts';
import type {
  IngestStatement,
  SelectStatement,
  TranslatedStatement,
} from '../../../sql/statement.ts';
import { Refusal } from '../../checks/refusals.ts';
import type { AccessRules } from '../../handlers/access-rules.ts';
import { mustBeAllowed, readableBy } from '../../handlers/permissions.ts';
import { type Answered, answer, type Caller, type RequestContext } from '../../handlers/routes.ts';
import type { Outside } from '../../ingestion/outside.ts';
import type { PlanningOptions } from '../../planning/planner.ts';
import { rowOfPlan } from '../../statements/plan-row.ts';
import { selectDestinationIn } from '../../statements/select-destination.ts';
import { refusalOf } from '../../statements/sql-refusals.ts';
import { type CheckedSqlRequest, checkSqlRequest } from '../../statements/sql-request.ts';
import { ownerKey, resultFormatKey } from '../../statements/statement-payload.ts';
import type { StatementTasks } from '../../statements/statement-tasks.ts';
import type { TaskQueue } from '../../tasks/task-queue.ts';
import { checkStatement } from '../multi-stage/check-statement.ts';
import type { SegmentSource } from '../multi-stage/segment-source.ts';
import { settingsIn } from '../multi-stage/settings.ts';
import { findOverwritten } from '../multi-stage/target.ts';
import { type StatementParts, statementOf } from './controlled-statement.ts';

export interface SqlTasksParts extends StatementParts {
  readonly service: string;
  readonly dialect: Dialect;
  readonly queue: TaskQueue;
  readonly access: AccessRules;
  readonly outside: Outside;
}

/** The task of a statement, or the reply to an EXPLAIN. */
export type SqlTaskAnswer =
  | { readonly taskId: string; readonly state: string }
  | Record<string, string>[];

export class SqlTasks implements StatementTasks {
  readonly #parts: SqlTasksParts;

  constructor(parts: SqlTasksParts) {
    this.#parts = parts;
  }

  /** Starts a statement as a task. Refuses invalid and unsupported statements, without a task. */
  async submit(
    request: SqlRequest,
    { caller, signal, largeBody: body }: RequestContext,
  ): Promise<SqlTaskAnswer | Answered<SqlTaskAnswer>> {
    const given = request.context?.sqlQueryId;
    await this.parse(request.query, typeof given === 'string' ? given : randomUUID(), signal);
    const checked = checkSqlRequest(
      this.#parts.dialect.sqlTaskFormat === 'ignored' ? withoutFormat(request) : request,
    );
    try {
      const { statement, taskId } = await this.start(checked, caller, { signal, body });
      return statement.kind === 'explain'
        ? answer([rowOfPlan(statement)], { status: 200 })
        : { taskId, state: 'RUNNING' };
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

  /**
   * Creates the task of a statement and returns both; an EXPLAIN creates none. Throws SqlError or a
   * Refusal.
   */
  async start(
    checked: CheckedSqlRequest,
    caller: Caller,
    options: PlanningOptions,
  ): Promise<{ readonly statement: TranslatedStatement; readonly taskId: string }> {
    const { queue } = this.#parts;
    const taskId = `query-${checked.queryId}`;
    const payload = payloadOf(checked);
    const statement = await this.plan(checked, caller, options);
    if (statement.kind === 'explain') return { statement, taskId };
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
        columnMappings: select.columns.map(({ name }, at) => ({
          queryColumn: `c${at}`,
          outputColumn: name,
        })),
        context: { [ownerKey]: caller.identity },
      },
      sqlTypeNames: select.columns.map(({ type }) => type.name),
      nativeTypeNames: select.columns.map(({ nativeType }) => nativeType),
    });
    return { statement, taskId };
  }

  /** Plans a statement and checks the caller's permissions. Throws SqlError or a Refusal. */
  async plan(
    checked: CheckedSqlRequest,
    caller: Caller,
    options: PlanningOptions,
  ): Promise<TranslatedStatement> {
    const { catalog, outside, access } = this.#parts;
    const readable = {
      ...this.#parts,
      catalog: (of: SegmentSource) => readableBy(caller, catalog(of)),
    };
    const statement = await statementOf(payloadOf(checked), readable, options);
    const { [resultFormatKey]: _, ...given } = statement.context; // set by the service
    mustBeAllowed(caller, [...access.ofStatement(statement), ...access.ofContext(given)]);
    if (statement.kind !== 'explain')
      checkStatement(statement, settingsIn(statement.context), {
        catalog: catalog('NONE'),
        outside,
      });
    return statement;
  }

  /**
   * Refuses, with the headers of the query endpoint, statements that the real engine's parser
   * refuses, but not those that its planner refuses. Returns the settings of SET.
   */
  async parse(
    text: string,
    queryId: string,
    signal: AbortSignal,
  ): Promise<StatementList['settings']> {
    const { service, planner } = this.#parts;
    try {
      if (text.trim() === '')
        throw new SqlError('Statement list is missing a non-SET statement to execute', {
          context: { sourceType: 'sql' },
        });
      return await planner.settings(text, { signal });
    } catch (error) {
      if (error instanceof Refusal) throw error;
      if (!(error instanceof SqlError) || error.phase === 'plan') return [];
      throw refusalOf(error, {
        [headerFor(service, 'SQL-Query-Id')]: queryId,
        [headerFor(service, 'Query-Id')]: queryId,
      });
    }
  }
}

const payloadOf = ({ text, context, parameters }: CheckedSqlRequest) => ({
  sqlQuery: text,
  sqlQueryContext: context,
  parameters,
});

// The rows of a task go to its report, which has only one format (the specification, "SQL-based
// ingestion").
const withoutFormat = ({
  resultFormat: _,
  header: __,
  typesHeader: ___,
  sqlTypesHeader: ____,
  ...request
}: SqlRequest): SqlRequest => request;

function destinationOf(statement: SelectStatement | IngestStatement) {
  if (statement.kind === 'select') return { type: selectDestinationIn(statement.context) };
  const { target, partitionedBy } = statement;
  if (target.kind === 'export')
    return {
      type: 'export',
      exportStorageProvider: target.destination,
      resultFormat: target.format,
    };
  const replaceTimeChunks = findOverwritten(statement)?.map(formatInterval);
  return {
    type: 'dataSource',
    dataSource: target.name,
    segmentGranularity: partitionedBy,
    ...(replaceTimeChunks && { replaceTimeChunks }),
  };
}
