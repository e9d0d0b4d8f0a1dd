// State shared by the translation of one statement.

import type { Expression, Query } from '../ast.ts';
import type { Catalog } from '../catalog.ts';
import type { Environment, Scope } from '../expressions/typed.ts';
import type { Extern, InlinedRows, QueryPlan, Resource, StatementJoin } from '../statement.ts';
import type { SqlType } from '../types.ts';
import type { NativePlan } from './native-plan.ts';
import type { SourceKind, Union } from './relation.ts';

export type Engine = 'native' | 'msq-task';

/** The statement's surroundings, and what its parts note while they are resolved. */
export interface Translation {
  readonly catalog: Catalog;
  readonly environment: Environment;
  readonly engine: Engine;
  readonly resources: Resource[];
  readonly externs: Extern[];
  readonly joins: StatementJoin[];
  readonly inlined: InlinedRows[];
  readonly inlinedQueries: Set<Query>; // within expressions
  readonly files: Set<string>; // that its scans read
  readonly commonTexts: string[]; // of WITH, wherever it stands: each may name those before it
  /** A DuckDB alias like the wanted one that nothing else in the statement has. */
  alias(wanted: string): string;
  /** A query below another: in FROM, as a value, in IN. */
  resolveQuery(query: Query, surroundings: QueryContext): ResolvedQuery;
}

/** What a query sees besides its own FROM. */
export interface QueryContext {
  readonly outer?: OuterScope;
  readonly commonTables: CommonTables;
  readonly top?: boolean; // its rows are the answer, so their order counts
  readonly outerLimit?: number;
  // Of a query in FROM: what the query around it asks of its rows
  readonly above?: readonly ConditionAbove[];
}

/** A condition of WHERE on the columns of a query in FROM, which that query may meet itself. */
export interface ConditionAbove {
  readonly condition: Expression;
  /** Says that the query below filters by it, so that the query above need not. */
  move(): void;
}

/** Common tables by name; the nearest WITH comes first. */
export interface CommonTables {
  find(name: string): CommonTable | undefined;
}

export interface CommonTable {
  readonly label: string; // what DuckDB calls it
  readonly columns: readonly ResultColumn[];
  readonly order: readonly ResultOrder[];
  readonly plan: QueryPlan;
  readonly rows: SourceKind;
  readonly files: readonly string[];
  readonly stored?: ResolvedQuery['stored'];
  readonly isEmpty?: true;
  readonly isSorted?: ResolvedQuery['isSorted'];
  readonly union?: Union;
  readonly native?: ResolvedQuery['native'];
}

/** The scope of a query around a correlated one. */
export interface OuterScope extends Scope {
  /** The value of a column out there; undefined when there is no such name. */
  find(
    names: readonly string[],
    at: Parameters<Scope['column']>[1],
  ): ReturnType<Scope['column']> | undefined;
}

export interface ResultColumn {
  readonly name: string;
  readonly label: string; // unique among the columns, however DuckDB compares names
  readonly type: SqlType;
  readonly nullable: boolean;
  readonly isNull?: true; // in each row, as the planner knows
  readonly isDecided?: true; // the same in each row, as the planner knows
  readonly isSeveral?: true; // no text, but computed for each value of a multi-value string
}

export interface ResultOrder {
  readonly index: number;
  readonly descending: boolean;
}

/** A query understood: its text, without parentheses and without WITH of the queries around it. */
export interface ResolvedQuery {
  readonly sql: string;
  readonly columns: readonly ResultColumn[];
  readonly order: readonly ResultOrder[]; // rows of this text come so, or would if it were asked to
  readonly plan: QueryPlan;
  // That the text reads, but for queries inside of its expressions
  readonly files: readonly string[];
  // What the engine reads when a query above this one needs nothing but these rows
  readonly rows: SourceKind;
  // Of a query of columns of one datasource and nothing else: their names there, where they are not
  // computed
  readonly stored?: readonly (string | undefined)[];
  readonly isEmpty?: true; // it has no rows, as the planner knows
  // Of several rows that are written: whether they ascend by these columns
  readonly isSorted?: (indexes: readonly number[]) => boolean;
  // LIMIT or OFFSET leave out rows; whether ORDER BY says of which
  readonly cut?: { readonly isSorted: boolean };
  readonly isWindowed?: true; // window functions were computed
  readonly union?: Union; // it is these queries one after the other, and nothing else
  native?(): NativePlan | undefined; // the native query of the engine, where there is one
  // Of a union, which the engine runs one after the other
  nativeArms?(): readonly (NativePlan | undefined)[];
}
