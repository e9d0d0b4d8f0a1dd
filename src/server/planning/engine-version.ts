// Statements that the engine reads or plans only since a later version.

import type { LackedByVersion } from '../../model/engine-version.ts';
import type { Call, Expression, StatementList } from '../../sql/ast.ts';
import { invalidSql, SqlError } from '../../sql/sql-error.ts';
import { objectsIn } from './statement-objects.ts';

/** Refuses a parsed statement as a version does that lacks a part of it. @throws SqlError */
export function checkVersion({ statement, settings }: StatementList, { functions, syntax }: LackedByVersion): void {
  if (functions.size === 0 && syntax.size === 0) return;
  const [setting] = settings;
  if (setting && syntax.has('SET')) throw invalidSql('Received an unexpected token [;]', setting.at);
  for (const node of objectsIn(statement)) {
    if (node.recursive === true && syntax.has('WITH RECURSIVE')) throw unexpected('WITH RECURSIVE');
    if (node.qualify !== undefined && syntax.has('QUALIFY'))
      throw invalidSql('Received an unexpected token [QUALIFY]', (node.qualify as Expression).at);
    if (node.kind !== 'call') continue;
    const { name, nameAt, over } = node as unknown as Call;
    if (functions.has(name)) throw invalidSql(`No match found for function signature ${name}`, nameAt);
    if (over !== undefined && syntax.has('OVER')) throw notPlanned(name);
  }
}

const unexpected = (token: string) => new SqlError(`Received an unexpected token [${token}]`, { context: { sourceType: 'sql' } });

const notPlanned = (operator: string) =>
  new SqlError(
    `Query planning failed for unknown reason, our best guess is this [SQL query requires '${operator}' operator that is not supported.]`,
    { code: 'general', persona: 'ADMIN', phase: 'plan' },
  );
