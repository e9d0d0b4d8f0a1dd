// Statements that run as tasks, as the Broker sees them; the Overlord has the tasks.
import type { StatementList } from '../../sql/ast.ts';
import type { TranslatedStatement } from '../../sql/statement.ts';
import type { Caller } from '../handlers/routes.ts';
import type { PlanningOptions } from '../planning/planner.ts';
import type { CheckedSqlRequest } from './sql-request.ts';

export interface StatementTasks {
  /**
   * Makes the task of a statement and returns both; an EXPLAIN makes none. Throws SqlError or a
   * Refusal.
   */
  start(
    checked: CheckedSqlRequest,
    caller: Caller,
    options: PlanningOptions,
  ): Promise<{ readonly statement: TranslatedStatement; readonly taskId: string }>;
  /**
   * Refuses what the real engine's parser refuses; returns the settings that SET makes. Throws a
   * Refusal.
   */
  parsed(text: string, queryId: string, signal: AbortSignal): Promise<StatementList['settings']>;
}
