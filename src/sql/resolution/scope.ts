// Scope of an expression: the names it can use, and its subqueries.
import type { Call, Expression, Position, Query } from '../ast.ts';
import { constantOf } from '../expressions/casts.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { isAmong } from '../expressions/membership.ts';
import { isList, joinedValue, singleValued } from '../expressions/multi-value.ts';
import { comparable, roundedToFloat } from '../expressions/operators.ts';
import { orderableText } from '../expressions/signed-zero.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import { invalidSql, unknownFunction, unsupportedSql } from '../sql-error.ts';
import { boolean, isText, typeText, varchar } from '../types.ts';
import { noteQuery } from './inlined-rows.ts';
import { refuseUnion } from './native-union.ts';
import {
  findColumn,
  type RelationColumn,
  type Source,
  timeOfRows,
  typedColumn,
  unknownColumn,
} from './relation.ts';
import { orderedText } from './select-text.ts';
import type { CommonTables, OuterScope, ResolvedQuery, Translation } from './translation.ts';

export interface QueryScopeParts {
  readonly translation: Translation;
  readonly source?: Source;
  readonly outer?: OuterScope;
  readonly commonTables: CommonTables;
  readonly isWithoutQueries?: boolean;
  /** The meaning of a source column here: the column itself, a grouped value, or a refusal. */
  readonly reveal?: (column: RelationColumn, names: readonly string[], at: Position) => Typed;
  /** The value of a generated name that replaces an expression. */
  readonly marked?: (names: readonly string[], at: Position) => Typed | undefined;
  /** Replaces columns that WHERE decides by constants. */
  readonly decided?: (expression: Expression) => Expression;
  /** The place of a row, to find the last or another one, as DuckDB text if rows have places. */
  readonly placeOfRow?: (isLast: boolean) => string | undefined;
  /** Whether the planner knows that the query has no rows. */
  readonly isEmpty?: () => boolean;
  /** Called when a query below uses a name that it does not define itself. */
  readonly noteUse?: () => void;
  /** The meaning of an aggregate or a window function here. */
  readonly aggregate: (call: Call) => Typed;
  /** Resolves an operand in this scope. */
  readonly resolve: (expression: Expression, scope: QueryScope) => Typed;
}

/** The scope of one clause of one query: its FROM, then the queries around it. */
export class QueryScope implements OuterScope {
  readonly environment: Environment;
  readonly #parts: QueryScopeParts;

  constructor(parts: QueryScopeParts) {
    const { environment } = parts.translation;
    this.environment = parts.isWithoutQueries
      ? { ...environment, isWithoutQueries: true }
      : environment;
    this.#parts = parts;
  }

  column(names: readonly string[], at: Position): Typed {
    const found = this.find(names, at);
    if (found) return found;
    throw unknownColumn(this.#parts.source ? [this.#parts.source] : [], names, at);
  }

  /** Whether the Broker aggregates the rows, or adds up aggregates of several data sources. */
  get isOnBroker(): boolean {
    const { kind, unions = [] } = this.#parts.source ?? {};
    return kind === 'query' || kind === 'inline' || unions.length > 0;
  }

  /** The number of rows at most, if they are those of one table, and read once. */
  get mostRows(): number | undefined {
    const { source, outer } = this.#parts;
    if (source?.kind !== 'table' || outer) return undefined;
    return source.relations[0]?.columns.find(({ tableRows }) => tableRows !== undefined)?.tableRows;
  }

  /** The expression with constants instead of the columns that WHERE decides. */
  decided(expression: Expression): Expression {
    return this.#parts.decided?.(expression) ?? expression;
  }

  /** Whether the planner knows that the query has no rows. */
  get isEmpty(): boolean {
    return this.#parts.isEmpty?.() ?? false;
  }

  /** Whether the name is that of a column which the engine reads and does not compute. */
  isStored(names: readonly string[], at: Position): boolean {
    const { source } = this.#parts;
    const column = source && findColumn(source, names, at);
    if (!column) return false;
    const isOfGroups = source.kind === 'query' && !source.cut;
    const isOfTable = column.stored !== undefined || source.filtered?.origin(column) !== undefined;
    return isOfTable || isOfGroups || source.kind === 'unnest';
  }

  /** Whether the engine reads the entries of a dictionary row by row, and not by vectors. */
  isReadByRow(names: readonly string[], at: Position): boolean {
    const { source } = this.#parts;
    if (source?.kind !== 'unnest' && source?.kind !== 'join') return false;
    const column = findColumn(source, names, at);
    return column?.stored !== undefined || column?.isOfDictionary === true;
  }

  find(names: readonly string[], at: Position): Typed | undefined {
    const { source, outer, reveal, marked, noteUse } = this.#parts;
    noteUse?.();
    const mark = marked?.(names, at);
    if (mark) return mark;
    const own = source && findColumn(source, names, at);
    if (!own) return outer?.find(names, at);
    return reveal ? reveal(own, names, at) : typedColumn(own, at);
  }

  /** The time of a row, for functions that use it implicitly: that of the leftmost table. */
  timeColumn(at: Position): Typed {
    const columns = this.#parts.source?.relations.flatMap((relation) => relation.columns) ?? [];
    const time = columns.find(({ name }) => name === '__time');
    const { reveal } = this.#parts;
    if (time) return reveal ? reveal(time, ['__time'], at) : typedColumn(time, at);
    throw unsupportedSql(
      "LATEST and EARLIEST aggregators implicitly depend on the __time column, but the table queried doesn't contain a __time column.  Please use LATEST_BY or EARLIEST_BY and specify the column explicitly.",
      'ADMIN',
    );
  }

  /**
   * The order in which the engine reads the rows, as DuckDB text: by the times of the leftmost
   * table, or the order of the query below.
   */
  rowOrder(at: Position): string {
    const { source } = this.#parts;
    const time = source && timeOfRows(source);
    if (time) return typedColumn(time, at).sql;
    return (source?.order ?? [])
      .map(
        ({ column, descending }) =>
          `${orderedText(typedColumn(column, at))}${descending ? ' DESC' : ''}`,
      )
      .join(', ');
  }

  /** The place by which an aggregate takes the last or another of the rows, if it needs one. */
  placeOfRow(isLast: boolean): string | undefined {
    return this.#parts.placeOfRow?.(isLast);
  }

  subquery(query: Query): Typed {
    const resolved = this.#resolveQuery(query);
    const [column, second] = resolved.columns;
    if (!column || second) {
      const fields = resolved.columns.map(({ name, type }) => `${typeText(type)} ${name}`);
      throw invalidSql(
        `Cannot apply '$SCALAR_QUERY' to arguments of type '$SCALAR_QUERY(<RECORDTYPE(${fields.join(', ').toUpperCase()})>)'. Supported form(s): '$SCALAR_QUERY(<RECORDTYPE(SINGLE FIELD)>)'`,
        query.body.at,
      );
    }
    return { type: column.type, sql: `(${resolved.sql})`, at: query.at, nullable: true };
  }

  exists(_query: Query, at: Position): Typed {
    throw unknownFunction('EXISTS', at);
  }

  inQuery(operand: readonly Expression[], query: Query, negated: boolean, at: Position): Typed {
    const operator = negated ? 'NOT IN' : 'IN';
    const resolved = this.#resolveQuery(query, operator, ({ columns }) => {
      if (columns.length !== operand.length)
        throw invalidSql(`Values passed to ${operator} operator must have compatible types`, at);
    });
    const values = operand.map((expression) => this.#parts.resolve(expression, this));
    const pairs = this.#compare('IN', values, resolved, at);
    const [only] = pairs.values;
    if (negated && resolved.isEmpty) return constantOf(true, boolean, at);
    const known = negated ? undefined : this.#knownValues(query);
    if (known && only && isText(only.type) && !isList(only))
      return { ...isAmong(only, known, at, this.environment), type: boolean };
    if (only && isList(only))
      return { type: boolean, sql: anyIsAmong(only, pairs.rows, negated), at };
    const left =
      pairs.values.length === 1 ? only?.sql : `(${pairs.values.map(({ sql }) => sql).join(', ')})`;
    return { type: boolean, sql: `(${left} ${negated ? 'NOT IN' : 'IN'} (${pairs.rows}))`, at };
  }

  quantified(
    operand: Expression,
    operator: string,
    quantifier: 'ANY' | 'ALL',
    query: Query,
    at: Position,
  ): Typed {
    const resolved = this.#resolveQuery(query);
    if (resolved.columns.length !== 1)
      throw invalidSql(
        `Values passed to ${operator} ${quantifier} operator must have compatible types`,
        at,
      );
    const { values, rows } = this.#compare(
      operator,
      [this.#parts.resolve(operand, this)],
      resolved,
      at,
    );
    const [value] = values;
    if (value && isList(value))
      throw unsupportedSql(`[${operator} ${quantifier}] is not supported for a multi-value string`);
    return { type: boolean, sql: `(${value?.sql} ${operator} ${quantifier} (${rows}))`, at };
  }

  aggregate(call: Call): Typed {
    return this.#parts.aggregate(call);
  }

  /** The same scope for places where DuckDB does not accept queries. */
  withoutQueries(): QueryScope {
    return new QueryScope({ ...this.#parts, isWithoutQueries: true });
  }

  /** The same scope with another meaning of aggregates. */
  with(aggregate: (call: Call) => Typed): QueryScope {
    return new QueryScope({ ...this.#parts, aggregate });
  }

  // Pairs values with the rows of a query, each pair in one comparable type. A multi-value string
  // yields as many rows as it has values.
  #compare(
    operator: string,
    values: readonly Typed[],
    { sql, columns }: ResolvedQuery,
    at: Position,
  ) {
    const names = columns.map((_, index) => identifier(`v${index}`));
    const pairs = columns.map(({ type }, index) => {
      const read = { type: singleValued(type), sql: names[index] ?? '', at };
      const [value = read] = values.slice(index);
      // IN asks the operand for values of its type.
      const isOfFloat = operator === 'IN' && value.type.name === 'FLOAT';
      const row = isOfFloat ? roundedToFloat(read) : read;
      const [left = value, right = row] = comparable(
        operator,
        [value, row],
        at,
        this.environment.timeZone,
      );
      const bits = (side: Typed) => ({ ...side, sql: orderableText(side) });
      // IN is a join, whose hash table tells -0.0 from 0.0.
      return operator === 'IN' ? { left: bits(left), right: bits(right) } : { left, right };
    });
    const known = `AS "among" (${names.join(', ')})`;
    const list = (items: readonly string[]) => items.join(', ');
    const single = columns.map(({ type }, index) =>
      type.multiValue ? `unnest(druid_values(${names[index]}))` : `${names[index]}`,
    );
    const each = columns.some(({ type }) => type.multiValue)
      ? `SELECT ${list(single)} FROM (${sql}) ${known}`
      : sql;
    const converted = pairs.map(({ right }) => right.sql);
    const rows =
      list(converted) === list(names) ? each : `SELECT ${list(converted)} FROM (${each}) ${known}`;
    return { values: pairs.map(({ left }) => left), rows };
  }

  #knownValues({ at }: Query): readonly Typed[] | undefined {
    const found = this.#parts.translation.knownValues.find(
      ({ among: { line, column } }) => line === at.line && column === at.column,
    );
    return found?.values.map((value) => constantOf(value, varchar, at));
  }

  #resolveQuery(
    query: Query,
    operator?: 'IN' | 'NOT IN',
    check?: (resolved: ResolvedQuery) => void,
  ): ResolvedQuery {
    const { translation, commonTables } = this.#parts;
    const { inlined, inlinedQueries } = translation;
    const before = inlined.length;
    let isCorrelated = false;
    const outer = new QueryScope({
      ...this.#parts,
      noteUse() {
        isCorrelated = true;
      },
    });
    const resolved = translation.resolveQuery(query, { outer, commonTables });
    check?.(resolved);
    // An expression is resolved several times. Rows of a correlated query cannot be counted.
    if (isCorrelated || inlinedQueries.has(query)) inlined.length = before;
    else noteQuery(translation, resolved, operator, query.at);
    inlinedQueries.add(query);
    if (resolved.union)
      refuseUnion(
        resolved.union,
        resolved.columns.map((_, index) => index),
      );
    return resolved;
  }
}

// A multi-value string is among the rows when any of its values is. NOT IN needs a join, and rows
// with several values are not joined.
function anyIsAmong(value: Typed, rows: string, negated: boolean): string {
  if (!negated)
    return `list_has_any(${value.sql}, (SELECT list("value") FROM (${rows}) AS "among" ("value")))`;
  return `${joinedValue(value).sql} NOT IN (${rows})`;
}
