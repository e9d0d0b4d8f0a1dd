// Shared types of the two parts of translation: expressions (function table, types, casts) and
// queries (names, grouping, joins, windows).
import type { EngineVersion } from '../../model/engine-version.ts';
import type { Call, Expression, Position, Query } from '../ast.ts';
import type { ColumnStatistics, TimeRange } from '../catalog.ts';
import type { SqlType } from '../types.ts';
import type { StartUnit } from './time-starts.ts';

/** A resolved expression: its type and its DuckDB text. */
export interface Typed {
  readonly type: SqlType;
  // DuckDB text usable as an operand anywhere (with parentheses where needed)
  readonly sql: string;
  readonly at: Position;
  readonly constant?: Constant; // value known during planning
  readonly nullable?: boolean; // false: never null
  readonly isLiteral?: true; // a literal, with a sign or in a cast
  readonly isUnexpected?: true; // null, where the planner counts on a value
  readonly isRepeatable?: true; // a column, whose text may be repeated at no cost
  readonly timeRange?: TimeRange; // of a table's times; a hint, since further rows may come
  readonly startOf?: StartOf; // of the bucket of a table's times
  readonly mark?: () => string; // of a column of texts that a table stores with their marks
  readonly tableRows?: number; // of the datasource of a column; a hint
  readonly statistics?: ColumnStatistics; // of a column
  // For an argument of an aggregate: the range of its whole numbers or its marks, if a group may
  // have a bit for each of them
  readonly bits?: () => BitRange | undefined;
  // For an argument of an aggregate over all rows: a query in parentheses of the distinct values of
  // a text, as `v`
  readonly distinctRows?: (value: string) => string;
  readonly sum?: ExactSum; // for sums and products of longs
  // For a native value whose type varies by row: the value as JSON, beside its text
  readonly variant?: string;
  // The text of a computed native array, by which rows are grouped
  readonly arrayText?: string;
  // The native type of an expression that declares another type
  readonly computedType?: string;
  readonly computedText?: string; // its text in that type
  // For a field of nested data that is read as a whole number: its stored text, from which the
  // planner casts it to a fraction or to a text
  readonly fieldText?: string;
  readonly isOfDouble?: true; // a whole number that the engine computes as a double
  // Text of a FLOAT as the engine makes it where it reads the column itself, in groups and in some
  // aggregates: 0.1 instead of 0.10000000149011612
  readonly storedText?: string;
  // For a column of a query: the multi-value column below it from whose values its own values are
  // computed one by one
  readonly valuesOf?: string;
  // For a cast in a query below: the column of the cast, which estimates of distinct values read
  readonly counted?: { readonly type: SqlType; readonly sql: string };
  // An expression over one stored text, computed per entry of the dictionary
  readonly isOfDictionary?: true;
  readonly isUnnested?: true; // an item of an unnested value of a native query
  readonly kept?: KeptValues; // of a native query's virtual column that leaves out other values
}

/** Which values of a column are kept, as DuckDB text. */
export interface KeptValues {
  readonly of: Expression;
  condition(value: string): string;
}

/** Whole numbers from `least` to `most`, a multiple of eight of them. */
export interface BitRange {
  readonly least: number;
  readonly most: number;
}

/** The text of a column with the start of the bucket that contains a time. */
export type StartOf = (unit: StartUnit) => string;

/** A tree of sums and products of longs. Its size is the largest absolute value of any step. */
export interface ExactSum {
  readonly plus: readonly string[]; // longs, one at least; their sum may need 128 bits
  readonly minus: readonly string[];
  readonly narrow?: {
    readonly sql: string;
    readonly steps: number;
    readonly operands: ReadonlySet<string>;
    readonly sizeOf: (operandSize: bigint) => bigint;
  };
}

/** The value with another text and without other known facts. */
export function withText({ type, at, nullable }: Typed, sql: string): Typed {
  return { type, at, sql, ...(nullable !== undefined && { nullable }) };
}

/** The value as groups and aggregates read it: a column itself instead of its text. */
export const asStored = (value: Typed): Typed =>
  value.storedText === undefined ? value : withText(value, value.storedText);

/** The scope with another environment, or with another meaning of names. */
export const scopeWith = (
  scope: Scope,
  change: Partial<Pick<Scope, 'column' | 'environment'>>,
): Scope => ({
  environment: scope.environment,
  column: (names, at) => scope.column(names, at),
  subquery: (query) => scope.subquery(query),
  exists: (query, at) => scope.exists(query, at),
  inQuery: (...given) => scope.inQuery(...given),
  quantified: (...given) => scope.quantified(...given),
  aggregate: (call) => scope.aggregate(call),
  ...change,
});

/**
 * A constant value. Times are milliseconds (bigint), exact integers are bigint, arrays are lists of
 * constants.
 */
export type Constant = string | bigint | number | boolean | null | readonly Constant[];

/**
 * The context of an expression: the meaning of names, subqueries, aggregates and windows. The query
 * part implements it.
 */
export interface Scope {
  readonly environment: Environment;
  column(names: readonly string[], at: Position): Typed;
  /** A query as a value: `( SELECT ... )`. */
  subquery(query: Query): Typed;
  /** `EXISTS (query)`, `x IN (query)`, `x > ALL (query)`. */
  exists(query: Query, at: Position): Typed;
  inQuery(operand: readonly Expression[], query: Query, negated: boolean, at: Position): Typed;
  quantified(
    operand: Expression,
    operator: string,
    quantifier: 'ANY' | 'ALL',
    query: Query,
    at: Position,
  ): Typed;
  /** A call whose text contains a query, such as LOOKUP, in a form allowed here. */
  calledQuery?(value: Typed, call: Call): Typed;
  /**
   * An aggregate (with or without OVER) or a window function. Only the query part knows whether it
   * is allowed here; it calls back into the aggregate table.
   */
  aggregate(call: Call): Typed;
}

/** Settings of the whole statement or of a part of it. */
export interface Environment {
  // DuckDB does not accept a query here: in a lambda, or in the condition of an outer join
  readonly isWithoutQueries?: boolean;
  // Native expressions may be NaN or infinite; SQL has no literals for these constants
  readonly isNative?: true;
  // The engine computes this native query by vectors
  readonly isByVectors?: true;
  // The Broker aggregates rows of queries itself. No node sends it sketches, so they lose nothing.
  readonly isOnBroker?: boolean;
  // The aggregate is computed for each row of a window, or once for `all` rows of the query
  readonly window?: 'all' | 'each';
  readonly anyIs?: 'first' | 'last'; // the row whose value ANY_VALUE takes
  readonly now: () => bigint; // time of the statement, in milliseconds since 1970
  readonly version: EngineVersion; // engine version whose results are wanted
  readonly timeZone: string; // sqlTimeZone
  readonly context: Readonly<Record<string, unknown>>;
  readonly parameters: readonly Typed[]; // bound values of `?`, with their number checked
  lookup(name: string): string | undefined; // a DuckDB relation (k, v)
  readonly mostRows?: number; // that the aggregate reads, if it is known
  /**
   * Checks what the engine checks after all names and types of the statement: the first refusal
   * waits until they are resolved.
   */
  inPlanning(check: () => void): void;
  /** Reserves memory for values that an aggregate keeps. False: they are too many. */
  keepValues?(count: number): boolean;
}
