// The meeting point of the two halves of translation: expressions (function table, types, casts)
// and queries (names, grouping, joins, windows).
import type { EngineVersion } from '../../model/engine-version.ts';
import type { Call, Expression, Position, Query } from '../ast.ts';
import type { SqlType } from '../types.ts';

/** An expression whose meaning is known: its type, and how DuckDB says it. */
export interface Typed {
  readonly type: SqlType;
  // DuckDB text that can stand as an operand anywhere (parenthesized where needed)
  readonly sql: string;
  readonly at: Position;
  readonly constant?: Constant; // known while planning
  readonly nullable?: boolean; // false: never null
  readonly isRepeatable?: true; // a column: its text may stand several times at no cost
  readonly sum?: ExactSum; // of longs
  // Of a native value whose type differs from row to row: the value as JSON, beside its text
  readonly variant?: string;
  // The native type of an expression that declares another one
  readonly computedType?: string;
}

/**
 * A tree of sums and products of longs. The size of the tree is the largest value of any step,
 * without its sign.
 */
export interface ExactSum {
  readonly wide: string; // with 128 bits
  readonly narrow?: {
    readonly sql: string;
    readonly operands: ReadonlySet<string>;
    readonly sizeOf: (operandSize: bigint) => bigint;
  };
}

/** The value with another text, of which nothing else is known. */
export function withText({ type, at, nullable }: Typed, sql: string): Typed {
  return { type, at, sql, ...(nullable !== undefined && { nullable }) };
}

/** The scope with another environment, or with names that mean something else. */
export const scopeWith = (
  scope: Scope,
  change: Partial<Pick<Scope, 'column' | 'environment'>>,
): Scope => ({
  environment: scope.environment,
  column: (names, at) => scope.column(names, at),
  subquery: (query) => scope.subquery(query),
  exists: (query) => scope.exists(query),
  inQuery: (...given) => scope.inQuery(...given),
  quantified: (...given) => scope.quantified(...given),
  aggregate: (call) => scope.aggregate(call),
  ...change,
});

/** Times are milliseconds (bigint), exact integers bigint, arrays lists of constants. */
export type Constant = string | bigint | number | boolean | null | readonly Constant[];

/**
 * Where an expression stands: what names mean there, and what happens to subqueries, aggregates and
 * windows. The query half implements it.
 */
export interface Scope {
  readonly environment: Environment;
  column(names: readonly string[], at: Position): Typed;
  /** A query as a value: `( SELECT ... )`. */
  subquery(query: Query): Typed;
  /** `EXISTS (query)`, `x IN (query)`, `x > ALL (query)`. */
  exists(query: Query): Typed;
  inQuery(operand: readonly Expression[], query: Query, negated: boolean, at: Position): Typed;
  quantified(
    operand: Expression,
    operator: string,
    quantifier: 'ANY' | 'ALL',
    query: Query,
    at: Position,
  ): Typed;
  /** A call whose text holds a query, such as LOOKUP, as it may stand here. */
  calledQuery?(value: Typed, call: Call): Typed;
  /**
   * An aggregate (with or without OVER), or a window function: only the query half knows whether it
   * may stand here. It calls back into the aggregate table.
   */
  aggregate(call: Call): Typed;
}

/** What is fixed for the whole statement, and for a part of it. */
export interface Environment {
  // DuckDB takes no query here: in a lambda, or in the condition of an outer join
  readonly isWithoutQueries?: boolean;
  readonly nowMs: bigint;
  readonly version: EngineVersion; // of the engine whose results are wanted
  readonly timeZone: string; // sqlTimeZone
  readonly context: Readonly<Record<string, unknown>>;
  readonly parameters: readonly Typed[]; // bound values of `?`; their count was checked
  lookup(name: string): string | undefined; // a DuckDB relation (k, v)
}
