// Rows of FROM and WHERE as the part of a native query that all its types share.
import type { Expression, Select } from '../ast.ts';
import type { TimeRange } from '../catalog.ts';
import { parsePath } from '../expressions/json-path.ts';
import { conjuncts, walk } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import type { NativeJson, PlannedSource } from '../resolution/native-plan.ts';
import { findColumn, type Source } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryScope } from '../resolution/scope.ts';
import type { NamedItem, Tail } from '../resolution/select-items.ts';
import { timeRangeOf } from '../resolution/time-range.ts';
import type { Translation } from '../resolution/translation.ts';
import { nativeTypeOf } from '../types.ts';
import { connectedFilter } from './merged-filters.ts';
import { type FilterNames, NotNative, nativeText, quotedName } from './native-expression.ts';
import { nativeFilter } from './native-filter.ts';
import { nativeNameIn } from './native-join.ts';

/** The clauses of one SELECT that affect its native query. */
export interface PlannedClauses {
  readonly select: Select;
  readonly filter: Expression | undefined;
  readonly tail: Tail;
  readonly translation: Translation;
  readonly source: Source | undefined;
  readonly items: readonly NamedItem[];
  readonly rows: QueryScope;
  readonly windowOrder: readonly unknown[];
  readonly qualify: Expression | undefined;
  /** The expression with the columns that WHERE decides as constants. */
  decided(expression: Expression): Expression;
}

/** The rows of FROM: data source, interval, filter, and virtual columns for other parts. */
export class PlannedRows implements FilterNames {
  readonly depth: number;
  readonly isTable: boolean;
  readonly isJoin: boolean;
  readonly timeZone: string;
  readonly #clauses: PlannedClauses;
  #source: PlannedSource;
  readonly #virtual = new Map<string, { readonly name: string; readonly json: NativeJson }>();
  readonly #filters: readonly NativeJson[];

  constructor(clauses: PlannedClauses) {
    const source = clauses.source?.native?.();
    if (!source) throw new NotNative();
    this.#clauses = clauses;
    this.#source = source;
    this.depth = source.depth;
    this.isTable = source.dataSource.type === 'table';
    this.isJoin = source.dataSource.type === 'join';
    this.timeZone = clauses.translation.environment.timeZone;
    // Virtual columns of the filter are numbered first.
    const { filter: where } = clauses;
    const rest = where ? conjuncts(where).filter((part) => !this.#isRange(part)) : [];
    this.#filters = this.isUnnested
      ? this.#filterUnnested(rest)
      : rest.map((part) => nativeFilter(part, this));
  }

  get isUnnested(): boolean {
    return this.#source.dataSource.type === 'unnest';
  }

  // Conditions on the items and on the rows beside them are filters of the data source. Returns the
  // others.
  #filterUnnested(conditions: readonly Expression[]): readonly NativeJson[] {
    const { base, virtualColumn, ...unnest } = this.#source.dataSource;
    const { name: item } = virtualColumn as { readonly name: string };
    const [ofItems, ofRows, others] = [0, 0, 0].map((): NativeJson[] => []);
    for (const condition of conditions) {
      const names = new Set(this.#columnsIn(condition).map((name) => name === item));
      const computed = this.#virtual.size;
      const filter = nativeFilter(condition, this);
      const isPlain = names.size === 1 && this.#virtual.size === computed;
      (isPlain ? (names.has(true) ? ofItems : ofRows) : others)?.push(filter);
    }
    this.#source = {
      ...this.#source,
      dataSource: {
        ...unnest,
        base: ofRows?.length
          ? { type: 'filter', base, filter: connectedFilter('AND', ofRows) }
          : base,
        virtualColumn,
        unnestFilter: ofItems?.length ? connectedFilter('AND', ofItems) : null,
      },
    };
    return others ?? [];
  }

  /** A name that is unique in the query and the queries below it. */
  reserveName(name: string): string {
    return '_'.repeat(this.depth) + name;
  }

  get scope(): QueryScope {
    return this.#clauses.rows;
  }

  resolve(expression: Expression): Typed {
    return resolveExpression(expression, this.#clauses.rows);
  }

  column(expression: Expression): string | undefined {
    const { source } = this.#clauses;
    if (expression.kind !== 'identifier' || !source) return undefined;
    const column = findColumn(source, expression.names, expression.at);
    if (!column) return undefined;
    const name = nativeNameIn(source, column);
    if (name === undefined) throw new NotNative();
    return name;
  }

  columnFor(expression: Expression): string {
    const column = this.column(expression);
    if (column !== undefined) return column;
    const text = nativeText(expression, this);
    // A time as a number is the column itself.
    const same = this.#columnsIn(expression).find((name) => quotedName(name) === text);
    if (same !== undefined) return same;
    const known = this.#virtual.get(text) ?? this.#virtualColumn(expression, text);
    this.#virtual.set(text, known);
    return known.name;
  }

  #columnsIn(expression: Expression): readonly string[] {
    const names: string[] = [];
    walk(expression, (part) => {
      const name = this.column(part);
      if (name !== undefined) names.push(name);
      return true;
    });
    return names;
  }

  #virtualColumn(expression: Expression, text: string) {
    const name = this.reserveName(`v${this.#virtual.size}`);
    const outputType = typeOf(this.resolve(expression));
    const own =
      this.#nestedField(expression, name, outputType) ?? this.#filteredValues(expression, name);
    return { name, json: own ?? { type: 'expression', name, expression: text, outputType } };
  }

  // A value at a known path of a column of nested data.
  #nestedField(expression: Expression, name: string, type: string): NativeJson | undefined {
    if (expression.kind !== 'call' || !['JSON_QUERY', 'JSON_VALUE'].includes(expression.name))
      return undefined;
    const [data, path] = expression.args;
    const columnName = data && this.column(data);
    const written = path && this.resolve(path).constant;
    if (columnName === undefined || typeof written !== 'string') return undefined;
    return {
      type: 'nested-field',
      columnName,
      outputName: name,
      expectedType: type,
      pathParts: parsePath(written).map((part) =>
        typeof part === 'string'
          ? { type: 'field', field: part }
          : { type: 'arrayElement', index: part },
      ),
      processFromRaw: expression.name === 'JSON_QUERY',
    };
  }

  // The values of a multi-value column that are in a list, or not in it.
  #filteredValues(expression: Expression, name: string): NativeJson | undefined {
    if (expression.kind !== 'call') return undefined;
    const isAllowList = expression.name === 'MV_FILTER_ONLY';
    if (!isAllowList && expression.name !== 'MV_FILTER_NONE') return undefined;
    const [first, second] = expression.args;
    const dimension = first && this.column(first);
    const values = second && this.resolve(second).constant;
    if (dimension === undefined || !Array.isArray(values)) return undefined;
    const delegate = { type: 'default', dimension, outputName: dimension, outputType: 'STRING' };
    return { type: 'mv-filtered', name, delegate, values, isAllowList };
  }

  /** Members that all query types share. Requested last. */
  parts(): NativeJson {
    const { filter: where } = this.#clauses;
    const range = where ? this.#rangeOf(where) : {};
    const filters = this.#filters;
    const virtualColumns = [...this.#virtual.values()]
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ json }) => json);
    return {
      dataSource: this.#source.dataSource,
      intervals: { type: 'intervals', intervals: intervalsOf(range) },
      ...(virtualColumns.length > 0 && { virtualColumns }),
      ...(filters.length > 0 && {
        filter: connectedFilter('AND', filters),
      }),
    };
  }

  // A condition that the interval covers is left out of the filter of a table.
  #isRange(part: Expression): boolean {
    if (!this.isTable) return false;
    const { startMs, endMs } = this.#rangeOf(part);
    return startMs !== undefined || endMs !== undefined;
  }

  #rangeOf(condition: Expression): TimeRange {
    if (!this.isTable && !this.isUnnested) return {};
    const isTimeColumn = (part: Expression) => this.column(part) === '__time';
    return timeRangeOf(condition, isTimeColumn, (part) => this.resolve(part), this.timeZone);
  }
}

/** The native type of a value; STRING where the engine has no other. */
export const typeOf = ({ type }: Pick<Typed, 'type'>): string => nativeTypeOf(type) ?? 'STRING';

const ETERNITY = ['-146136543-09-08T08:23:32.096Z', '146140482-04-24T15:36:27.903Z'] as const;

/** The interval of a query as ISO 8601 texts; none if it is empty. */
export function intervalsOf({ startMs, endMs }: TimeRange): readonly string[] {
  if (startMs !== undefined && endMs !== undefined && startMs >= endMs) return [];
  const [first, last] = [startMs, endMs].map((millis) =>
    millis === undefined ? undefined : new Date(Number(millis)).toISOString(),
  );
  return [`${first ?? ETERNITY[0]}/${last ?? ETERNITY[1]}`];
}
