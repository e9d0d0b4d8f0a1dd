// Where an expression of a query stands: what names mean there, and what a query below it becomes.
import type { Call, Expression, Position, Query } from './ast.ts';
import { identifier } from './duckdb-text.ts';
import { findColumn, type RelationColumn, type Source, typedColumn, unknownColumn } from './relation.ts';
import { invalidSql } from './sql-error.ts';
import type { CommonTables, OuterScope, ResolvedQuery, Translation } from './translation.ts';
import type { Environment, Typed } from './typed.ts';
import { boolean } from './types.ts';

export interface QueryScopeParts {
  readonly translation: Translation;
  readonly source?: Source;
  readonly outer?: OuterScope;
  readonly commonTables: CommonTables;
  /** What a column of the source is here: itself, or a grouped value, or refused. */
  readonly reveal?: (column: RelationColumn, names: readonly string[], at: Position) => Typed;
  /** The value of a name that was not written but put in place of an expression. */
  readonly marked?: (names: readonly string[], at: Position) => Typed | undefined;
  /** What an aggregate or a window function becomes here. */
  readonly aggregate: (call: Call) => Typed;
  /** How to resolve an operand of this scope. */
  readonly resolve: (expression: Expression, scope: QueryScope) => Typed;
}

/** The scope of one clause of one query: its FROM, then the queries around it. */
export class QueryScope implements OuterScope {
  readonly environment: Environment;
  readonly #parts: QueryScopeParts;

  constructor(parts: QueryScopeParts) {
    this.environment = parts.translation.environment;
    this.#parts = parts;
  }

  column(names: readonly string[], at: Position): Typed {
    const found = this.find(names, at);
    if (found) return found;
    throw unknownColumn(this.#parts.source ? [this.#parts.source] : [], names, at);
  }

  find(names: readonly string[], at: Position): Typed | undefined {
    const { source, outer, reveal, marked } = this.#parts;
    const mark = marked?.(names, at);
    if (mark) return mark;
    const own = source && findColumn(source, names, at);
    if (!own) return outer?.find(names, at);
    return reveal ? reveal(own, names, at) : typedColumn(own, at);
  }

  /** The time of a row, for functions that use it without saying so: that of the leftmost table. */
  timeColumn(at: Position): Typed {
    const columns = this.#parts.source?.relations.flatMap((relation) => relation.columns) ?? [];
    const time = columns.find(({ name }) => name === '__time');
    return time ? typedColumn(time, at) : this.column(['__time'], at);
  }

  subquery(query: Query): Typed {
    const resolved = this.#resolveQuery(query);
    const [column, second] = resolved.columns;
    if (!column || second) throw invalidSql('Cannot apply SCALAR_QUERY to a query of several columns', query.at);
    return { type: column.type, sql: `(${resolved.sql})`, at: query.at, nullable: true };
  }

  exists(query: Query): Typed {
    throw invalidSql('No match found for function signature EXISTS', query.at);
  }

  inQuery(operand: readonly Expression[], query: Query, negated: boolean, at: Position): Typed {
    const resolved = this.#resolveQuery(query);
    if (resolved.columns.length !== operand.length) {
      throw invalidSql(`Values passed to ${negated ? 'NOT IN' : 'IN'} operator must have compatible types`, at);
    }
    const values = operand.map((expression) => this.#parts.resolve(expression, this));
    const [only] = values;
    if (only?.type.multiValue) return { type: boolean, sql: anyIsAmong(only, resolved, negated), at };
    const left = values.length === 1 ? only?.sql : `(${values.map(({ sql }) => sql).join(', ')})`;
    return { type: boolean, sql: `(${left} ${negated ? 'NOT IN' : 'IN'} (${resolved.sql}))`, at };
  }

  quantified(operand: Expression, operator: string, quantifier: 'ANY' | 'ALL', query: Query, at: Position): Typed {
    const resolved = this.#resolveQuery(query);
    const value = this.#parts.resolve(operand, this);
    return { type: boolean, sql: `(${value.sql} ${operator} ${quantifier} (${resolved.sql}))`, at };
  }

  aggregate(call: Call): Typed {
    return this.#parts.aggregate(call);
  }

  /** The same scope where aggregates mean something else. */
  with(aggregate: (call: Call) => Typed): QueryScope {
    return new QueryScope({ ...this.#parts, aggregate });
  }

  #resolveQuery(query: Query): ResolvedQuery {
    const { translation, commonTables } = this.#parts;
    return translation.resolveQuery(query, { outer: this, commonTables });
  }
}

// A multi-value string is among the rows when any of its values is.
function anyIsAmong(value: Typed, { sql, columns }: ResolvedQuery, negated: boolean): string {
  const label = identifier(columns[0]?.label ?? '');
  const any = `list_has_any(${value.sql}, (SELECT list(${label}) FROM (${sql})))`;
  return negated ? `(NOT ${any})` : any;
}
