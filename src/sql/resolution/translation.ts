// State shared by the translation of one statement.

import type { Expression, Identifier, Query } from '../ast.ts';
import type { Catalog, TimeRange } from '../catalog.ts';
import type { Environment, Scope } from '../expressions/typed.ts';
import type {
  Extern,
  InlinedRows,
  KnownValues,
  QueryPlan,
  Resource,
  StatementJoin,
} from '../statement.ts';
import type { SqlType } from '../types.ts';
import type { NativePlan } from './native-plan.ts';
import type { RelationColumn, SourceKind, Union } from './relation.ts';

export type EngineName = 'native' | 'msq-task';

/** The environment of the statement, and the facts collected while its parts are resolved. */
export interface Translation {
  readonly catalog: Catalog;
  readonly environment: Environment;
  readonly engine: EngineName;
  readonly resources: Resource[];
  readonly externs: Extern[];
  readonly joins: StatementJoin[];
  readonly inlined: InlinedRows[];
  readonly inlinedQueries: Set<Query>; // queries within expressions
  readonly knownValues: readonly KnownValues[]; // of queries behind IN
  readonly files: Set<string>; // files that its scans read
  readonly read: { numRows: number }; // rows of the segments in its scans
  readonly keptValues: number; // values that aggregates keep until the last row
  readonly commonTexts: string[]; // texts of all WITH clauses; each may name those before it
  readonly readsClock: boolean; // the time of the statement was asked for
  /** A DuckDB alias similar to the wanted one, unique in the statement. */
  alias(wanted: string): string;
  /** A query below another: in FROM, as a value, in IN. */
  resolveQuery(query: Query, context: QueryContext): ResolvedQuery;
  /** Throws the refusal of `Environment.inPlanning`, once all names and types are resolved. */
  refusePlan(): void;
  /**
   * A function that drops what was refused in planning since now. The planner replaces a query that
   * it knows to be empty before it converts anything of it.
   */
  planApart(): () => void;
}

/** Context of a query besides its own FROM. */
export interface QueryContext {
  readonly outer?: OuterScope;
  readonly commonTables: CommonTables;
  readonly top?: boolean; // its rows are the final result, so their order counts
  readonly isIngested?: true; // its rows are sorted again when they are stored
  readonly outerLimit?: number;
  // For a query in FROM: the conditions of the query around it
  readonly above?: readonly ConditionAbove[];
  // For a query in FROM: the query around it estimates distinct values
  readonly countsCasts?: true;
  // For a query in FROM: the part of the query around it that may need its rows first
  readonly reader?: 'filter' | 'left' | 'right';
}

/** A condition of WHERE on the columns of a query in FROM, which that query may apply itself. */
export interface ConditionAbove {
  readonly condition: Expression;
  /** Marks the condition as applied below, so that the query above skips it. */
  move(): void;
}

/** Common tables by name. The innermost WITH comes first. */
export interface CommonTables {
  find(name: string): ResolvedTable | undefined;
}

export interface ResolvedTable {
  readonly label: string; // its name in DuckDB
  readonly columns: readonly ResultColumn[];
  readonly order: readonly ResultOrder[];
  readonly plan: QueryPlan;
  readonly rows: SourceKind;
  readonly files: readonly string[];
  readonly stored?: ResolvedQuery['stored'];
  readonly isEmpty?: true;
  readonly isSorted?: ResolvedQuery['isSorted'];
  readonly union?: Union;
  readonly filtered?: FilteredQuery;
  readonly native?: ResolvedQuery['native'];
  // Its query, unless WITH renames the columns, and the tables that the query knows
  readonly written?: { readonly query: Query; readonly commonTables: CommonTables };
}

/** The scope of the query around a correlated one. */
export interface OuterScope extends Scope {
  /** The value of a column of the outer query; undefined when there is no such name. */
  find(
    names: readonly string[],
    at: Parameters<Scope['column']>[1],
  ): ReturnType<Scope['column']> | undefined;
}

export interface ResultColumn {
  readonly name: string;
  readonly label: string; // unique among the columns under DuckDB's comparison of names
  readonly type: SqlType;
  readonly nullable: boolean;
  readonly timeRange?: TimeRange; // of a table's times, unchanged
  readonly isNull?: true; // the planner knows that it is null in each row
  readonly isDecided?: true; // the planner knows that all rows have the same value
  readonly isTextOfFloat?: true; // the text of a FLOAT column
  readonly isOfNoGroup?: true; // an aggregate of groups of which there are none
  readonly place?: number | null; // as in RelationColumn
  readonly valuesOf?: string; // as in Typed
  // For a cast whose distinct values are estimated: the column below it, and its label
  readonly counted?: { readonly type: SqlType; readonly label: string };
  readonly isSeveral?: true; // computed from each value of a multi-value string; not a text
}

/** A query that only filters the rows of a table and chooses columns. */
export interface FilteredQuery {
  readonly where: Expression;
  readonly table: readonly RelationColumn[]; // all columns of the table
  readonly chosen: readonly RelationColumn[];
  columnOf(identifier: Identifier): RelationColumn | undefined; // the column that WHERE names
}

export interface ResultOrder {
  readonly index: number;
  readonly descending: boolean;
}

/**
 * A resolved query: its text, without parentheses and without the WITH of the queries around it.
 */
export interface ResolvedQuery {
  readonly sql: string;
  readonly columns: readonly ResultColumn[];
  readonly order: readonly ResultOrder[]; // order of the rows, or their order if it were requested
  readonly plan: QueryPlan;
  // Files that the text reads, except for queries inside its expressions
  readonly files: readonly string[];
  // The kind of data source that the engine reads if a query above only needs these rows
  readonly rows: SourceKind;
  // If the query only chooses columns of one datasource: their names there, undefined for computed
  // ones
  readonly stored?: readonly (string | undefined)[];
  readonly filtered?: FilteredQuery;
  readonly isConditional?: boolean; // as in UnionArm
  readonly isEmpty?: true; // the planner knows that it has no rows
  // For several literal rows: whether they ascend by these columns
  readonly isSorted?: (indexes: readonly number[]) => boolean;
  // LIMIT or OFFSET leave out rows; `isSorted` if ORDER BY decides which
  readonly cut?: { readonly isSorted: boolean };
  readonly isWindowed?: true; // it computed window functions
  readonly isDivisible?: true; // its groups can be computed part by part
  readonly keepsRows?: true; // it has one row for each row of its only table, and no others
  readonly union?: Union; // set if it is just these queries one after the other
  native?(): NativePlan | undefined; // the engine's native query, if there is one
  // For a union, whose queries the engine runs one after the other
  nativeArms?(): readonly (NativePlan | undefined)[];
}
