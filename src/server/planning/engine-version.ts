// Statements that older versions of the engine cannot parse or plan.

import type { LackedByVersion } from '../../model/engine-version.ts';
import type { Call, Expression, Frame, Literal, StatementList } from '../../sql/ast.ts';
import { findFunction } from '../../sql/functions/functions.ts';
import { invalidSql, SqlError } from '../../sql/sql-error.ts';
import { objectsIn } from './statement-objects.ts';

/** Refuses a parsed statement that the given version does not support. Throws SqlError. */
export function checkVersion(
  { statement, settings, endsAt }: StatementList,
  { functions, syntax }: LackedByVersion,
): void {
  if (functions.size === 0 && syntax.size === 0) return;
  const [setting] = settings;
  if (endsAt && syntax.has('SET')) throw invalidSql('Received an unexpected token [;]', endsAt);
  if (setting && syntax.has('SET'))
    throw invalidSql('Received an unexpected token [;]', setting.at);
  // The digits of the smallest long, which has no positive counterpart
  const least = new Set<unknown>();
  for (const node of objectsIn(statement)) {
    if (node.recursive === true && syntax.has('WITH RECURSIVE')) throw unexpected('WITH RECURSIVE');
    if (node.qualify !== undefined && syntax.has('QUALIFY'))
      throw invalidSql('Received an unexpected token [QUALIFY]', (node.qualify as Expression).at);
    if (node.exclude !== undefined && syntax.has('EXCLUDE IN FRAMES'))
      throw invalidSql('Received an unexpected token [EXCLUDE]', (node as unknown as Frame).at);
    if (isLeastLong(node)) least.add(node.operand);
    if (syntax.has('NUMBER BEYOND 64 BITS') && !least.has(node)) refuseBeyondLong(node);
    if (node.kind !== 'call') continue;
    const { name, nameAt, over } = node as unknown as Call;
    // Functions of one row are refused when the types of their arguments are known.
    if (functions.has(name) && !findFunction(name))
      throw invalidSql(`No match found for function signature ${name}`, nameAt);
    if (over !== undefined && syntax.has('OVER')) throw notPlanned(name);
  }
}

type Properties = Readonly<Record<string, unknown>>;

const isLeastLong = ({ kind, operator, operand }: Properties): boolean =>
  kind === 'unary' &&
  operator === '-' &&
  (operand as Literal).type === 'integer' &&
  BigInt((operand as Literal).text) === 2n ** 63n;

function refuseBeyondLong(node: Properties): void {
  if (node.kind !== 'literal' || (node.type !== 'integer' && node.type !== 'decimal')) return;
  const { text, at } = node as unknown as Literal;
  if (BigInt(text.replace('.', '')) >= 2n ** 63n)
    throw invalidSql(`Numeric literal '${text}' out of range`, at);
}

const unexpected = (token: string) =>
  new SqlError(`Received an unexpected token [${token}]`, { context: { sourceType: 'sql' } });

const notPlanned = (operator: string) =>
  new SqlError(
    `Query planning failed for unknown reason, our best guess is this [SQL query requires '${operator}' operator that is not supported.]`,
    { code: 'general', persona: 'ADMIN', phase: 'plan' },
  );
