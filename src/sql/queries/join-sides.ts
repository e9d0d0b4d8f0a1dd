// The two sides of a join as separately readable inputs, for the stages of the multi-stage engine.
import type { Expression, Join } from '../ast.ts';
import { conjuncts } from '../expressions/rewrite.ts';
import type { Scope } from '../expressions/typed.ts';
import type { Source } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { Translation } from '../resolution/translation.ts';
import { SqlError } from '../sql-error.ts';
import type { JoinSide, StatementJoin } from '../statement.ts';

interface Side {
  readonly source: Source;
  readonly from: string; // DuckDB text after FROM
}

type Key = JoinSide['keys'][number];

/**
 * Adds a join to the statement's joins and returns it. The texts of its sides must have been
 * requested. `named` are the keys of NATURAL and USING; `scopeOf` returns the scope of an
 * expression over one side.
 */
export function noteJoin(
  join: Join,
  [left, right]: readonly [Side, Side],
  named: readonly (readonly [Key, Key])[],
  { joins, commonTexts }: Translation,
  scopeOf: (source: Source) => Scope,
): StatementJoin {
  const keyOf = (expression: Expression, { source }: Side): Key | undefined =>
    keyIn(expression, scopeOf(source));
  const pairOf = (part: Expression): readonly [Key, Key] | undefined => {
    if (part.kind !== 'binary' || part.operator !== '=') return undefined;
    const [mine, theirs] = [keyOf(part.left, left), keyOf(part.right, right)];
    if (mine && theirs) return [mine, theirs];
    const [swapped, other] = [keyOf(part.right, left), keyOf(part.left, right)];
    return swapped && other && [swapped, other];
  };
  const given = join.on ? conjuncts(join.on).map(pairOf) : [];
  const pairs = [...named, ...given.flatMap((pair) => (pair ? [pair] : []))];
  const common = commonTexts.length === 0 ? '' : `WITH ${commonTexts.join(', ')} `;
  const sideOf = ({ source, from }: Side, keys: readonly Key[]): JoinSide => {
    const inner = source.join?.();
    return {
      common,
      from,
      keys,
      files: source.files(),
      sources: sourcesIn(source.plan),
      ...(inner && { join: inner }),
    };
  };
  const noted: StatementJoin = {
    joinType: join.type === 'CROSS' ? 'INNER' : join.type,
    left: sideOf(
      left,
      pairs.map(([key]) => key),
    ),
    right: sideOf(
      right,
      pairs.map(([, key]) => key),
    ),
    isEquality: given.every((pair) => pair !== undefined),
  };
  joins.push(noted);
  return noted;
}

// A key over the columns of one side; undefined if the expression names a column of the other side.
function keyIn(expression: Expression, scope: Scope): Key | undefined {
  try {
    const { sql, constant } = resolveExpression(expression, scope);
    return constant === undefined ? { sql, name: nameOf(expression) ?? sql } : undefined;
  } catch (error) {
    if (error instanceof SqlError) return undefined;
    throw error;
  }
}

const nameOf = (expression: Expression) =>
  expression.kind === 'identifier' ? expression.names.at(-1) : undefined;

// The names of tables and the relations of external inputs, anywhere in a data source as EXPLAIN
// shows it.
function sourcesIn(plan: unknown): string[] {
  if (typeof plan !== 'object' || plan === null) return [];
  const own =
    'type' in plan && plan.type === 'table' && 'name' in plan && typeof plan.name === 'string'
      ? [plan.name]
      : [];
  return [...new Set([...own, ...Object.values(plan).flatMap(sourcesIn)])];
}
