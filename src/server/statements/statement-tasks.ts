// Statements that run as tasks: the Broker's interface to the tasks of the Overlord.
import type { StatementList } from '../../sql/ast.ts';
import type { TranslatedStatement } from '../../sql/statement.ts';
import type { Caller } from '../handlers/routes.ts';
import type { PlanningOptions } from '../planning/planner.ts';
import type { CheckedSqlRequest } from './sql-request.ts';

export interface StatementTasks {
  /**
   * Creates the task of a statement and returns both; an EXPLAIN creates none. Throws SqlError or a
   * Refusal.
   */
  start(
    checked: CheckedSqlRequest,
    caller: Caller,
    options: PlanningOptions,
  ): Promise<{ readonly statement: TranslatedStatement; readonly taskId: string }>;
  /**
   * Refuses statements that the real engine's parser refuses; returns the settings of SET. Throws a
   * Refusal.
   */
  parse(text: string, queryId: string, signal: AbortSignal): Promise<StatementList['settings']>;
}
