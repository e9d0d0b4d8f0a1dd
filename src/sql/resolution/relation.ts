// Resolved FROM: named relations with columns, and their DuckDB text.

import type { Expression, Position } from '../ast.ts';
import type { ColumnStatistics, NewestRows, TimeRange } from '../catalog.ts';
import { shortTextOf } from '../expressions/casts.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import type { StartUnit } from '../expressions/time-starts.ts';
import type { Typed } from '../expressions/typed.ts';
import { invalidSql } from '../sql-error.ts';
import type { StatementJoin } from '../statement.ts';
import type { SqlType } from '../types.ts';

import type { PlannedSource } from './native-plan.ts';

/**
 * A column that can be named. Requesting its text marks it as needed, so that a scan reads only
 * needed columns.
 */
export interface RelationColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly nullable: boolean;
  readonly stored?: string; // its name in the datasource, if it is read unchanged
  // Its place in the table, also in a query that passes it on; null if that query computes it
  readonly place?: number | null;
  readonly isOfDictionary?: true; // its texts are entries of a dictionary, though they are computed
  readonly isDecided?: true; // the planner knows that all rows have the same value
  readonly isTextOfFloat?: true; // the text of a FLOAT column
  readonly isOfNoGroup?: true; // an aggregate of groups of which there are none
  readonly valuesOf?: string; // as in Typed
  readonly counted?: Typed['counted'];
  readonly timeRange?: TimeRange | undefined; // of a table's times, as far as it is known
  readonly newest?: readonly NewestRows[]; // of a table's time, from the newest on
  readonly tableRows?: number; // of its datasource, as far as it is known
  readonly statistics?: ColumnStatistics;
  startOf?(unit: StartUnit): string; // of the bucket of a table's time
  mark?(): string; // of a table's text (unique-marks.ts); null in rows that a join adds
  text(): string;
  /** The list of values that a result shows instead of the text of all values. */
  list?(): string;
  /** A multi-value string of a table, with an empty list where a row has no value. */
  values?(): string;
  /** The native column, where the rows have a native data source. */
  native?(): string | undefined;
}

export interface Relation {
  readonly name?: string; // qualifier of its columns: the alias, or the table's own name
  readonly schema?: string; // `druid.t.a` also names a column of t
  readonly columns: readonly RelationColumn[];
}

export interface RowOrder {
  readonly column: RelationColumn;
  readonly descending: boolean;
}

/** Origin of the rows, which decides what the native engine can sort and join. */
export type SourceKind =
  | 'table'
  | 'inline'
  | 'lookup'
  | 'metadata'
  | 'query'
  | 'join'
  | 'unnest'
  | 'extern';

export interface Source {
  readonly kind: SourceKind;
  readonly relations: readonly Relation[];
  readonly shared: readonly SharedColumn[]; // columns of NATURAL and USING: merged, named once
  readonly order: readonly RowOrder[]; // the rows have this order without an ORDER BY
  readonly plan: unknown; // the data source as EXPLAIN shows it
  readonly unions?: readonly SourceUnion[]; // unions that are read as one data source each
  readonly isEmpty?: true; // the planner knows that it has no rows
  // Rows of a query with LIMIT or OFFSET; `isSorted` if it also has ORDER BY
  readonly cut?: { readonly isSorted: boolean };
  readonly isWindowed?: true; // rows of a query with window functions
  readonly alias?: string; // the single DuckDB name that qualifies all its columns
  // For several literal rows: whether they ascend by these columns
  readonly isSorted?: (columns: readonly RelationColumn[]) => boolean;
  readonly keys?: readonly JoinKey[]; // of the joins that yield the rows
  readonly isUnnested?: true; // rows of a join over rows of arrays
  /** A filter above the rows, which may narrow the scanned time range. */
  restrict(condition: Expression, rangeOf: RangeOf): void;
  /**
   * WHERE without the conditions that these rows apply themselves. Requested after `restrict` with
   * the same condition.
   */
  remaining?(condition: Expression): Expression;
  /**
   * Gives each row the number of its segment, from 0, if a datasource has not exactly one segment.
   * Requested before the text, when the scanned time range is known.
   */
  numberSegments?(): SegmentNumbers | undefined;
  /** Reads the newest rows first, since a query wants only those. */
  readNewestFirst?(): void;
  /** The DuckDB text after FROM. Requested last, when all needed columns are known. */
  text(): string;
  /** The text after FROM of another source's rows with these values beside them. */
  beside?(from: string): string;
  /** The data source for native queries; undefined if these rows have none. */
  native?(): PlannedSource | undefined;
  /** The native name of a column, where it differs from the column's own. */
  nativeName?(column: RelationColumn): string | undefined;
  readonly query?: QueryRead; // for rows that a query yields
  readonly filtered?: FilteredRows; // for rows of a table that a query only filters
  /** The columns whose text was requested. */
  used?(): readonly RelationColumn[];
  /** The files that the text reads. Requested after the text. */
  files(): readonly string[];
  /**
   * The join that yields these rows, if the multi-stage engine has stages for it. Requested after
   * the text.
   */
  join?(): StatementJoin | undefined;
}

/** A column of a join's right side, and the value of the first table that it equals. */
export interface JoinKey {
  readonly column: RelationColumn;
  readonly value: Expression;
}

export interface SegmentNumbers {
  readonly text: string; // of a row's number
  readonly count: number;
}

/** Queries whose rows follow one another. */
export interface Union {
  readonly arms: readonly UnionArm[];
}

/** A query of a union. */
export interface UnionArm {
  readonly columns: readonly { readonly type: SqlType }[];
  // Names in the datasource, if the query only chooses columns of one datasource
  readonly stored?: readonly (string | undefined)[];
  readonly rows: SourceKind;
  // WHERE reads no column: the planner computes it, and the query has all rows or none
  readonly isConditional?: boolean;
}

/** A union in FROM and its needed columns. */
export interface SourceUnion {
  readonly union: Union;
  readonly used: ReadonlySet<number>;
}

/** The range of `__time` that a condition implies for a relation. */
export type RangeOf = (condition: Expression, relation: Relation) => TimeRange | undefined;

export interface SharedColumn {
  readonly column: RelationColumn;
  readonly instead: readonly RelationColumn[];
}

/** All columns in the order of `SELECT *`. */
export function allColumns(source: Source): readonly RelationColumn[] {
  const hidden = new Set(source.shared.flatMap(({ instead }) => instead));
  const columns = source.relations
    .flatMap((relation) => relation.columns)
    .filter((column) => !hidden.has(column));
  return [...source.shared.map(({ column }) => column), ...columns];
}

/**
 * The time column by which the engine reads the rows of stored tables: that of the leftmost table.
 * Undefined for other rows.
 */
export function timeOfRows({ kind, relations: [first] }: Source): RelationColumn | undefined {
  return kind === 'table' || kind === 'join'
    ? first?.columns.find(({ name }) => name === '__time')
    : undefined;
}

/** The relation that a qualifier (`t`, `druid.t`) names. */
export function findRelation(source: Source, qualifier: readonly string[]): Relation | undefined {
  const name = qualifier.at(-1);
  const schema = qualifier.at(-2);
  return source.relations.find(
    (relation) =>
      relation.name !== undefined &&
      relation.name === name &&
      (schema === undefined || relation.schema === schema),
  );
}

/**
 * The column that names mean in this source; undefined when there is no such name. Refuses
 * ambiguous names and columns that their table does not have.
 */
export function findColumn(
  source: Source,
  names: readonly string[],
  at: Position,
): RelationColumn | undefined {
  const name = names.at(-1) ?? '';
  if (names[0] === STAR_COLUMN) return allColumns(source)[Number(name)];
  if (names.length > 1) {
    const relation = findRelation(source, names.slice(0, -1));
    if (!relation) return undefined;
    const columns = relation.columns.filter((column) => column.name === name);
    if (columns.length > 1) throw ambiguousColumn(name, at);
    if (!columns[0])
      throw invalidSql(
        `Column '${name}' not found in table '${names.slice(0, -1).join('.')}'${suggestName(name, relation.columns)}`,
        at.parts?.at(-1) ?? at,
      );
    return columns[0];
  }
  const columns = allColumns(source).filter((column) => column.name === name);
  if (columns.length > 1) throw ambiguousColumn(name, at);
  return columns[0];
}

/**
 * First name of a column that `*` stands for; the second is its index among all columns. Users
 * cannot write it, so it is never ambiguous.
 */
export const STAR_COLUMN = '\0column';

/** The first name that several columns have; undefined when all names differ. */
export function repeatedName(columns: readonly { readonly name: string }[]): string | undefined {
  const names = new Set<string>();
  for (const { name } of columns) {
    if (names.has(name)) return name;
    names.add(name);
  }
  return undefined;
}

/**
 * The refusal of an unknown name: the table or the column, and a name that differs only in case.
 */
export function unknownColumn(
  sources: readonly Source[],
  names: readonly string[],
  at: Position,
): Error {
  const name = names.at(-1) ?? '';
  if (names.length > 1) {
    const table = names.slice(0, -1).join('.');
    const relations = sources
      .flatMap((source) => source.relations)
      .map((relation) => ({ name: relation.name ?? '' }));
    const tableAt = at.parts ? { ...at, ...endOf(at.parts.at(-2)) } : at;
    return invalidSql(`Table '${table}' not found${suggestName(table, relations)}`, tableAt);
  }
  return invalidSql(
    `Column '${name}' not found in any table${suggestName(name, sources.flatMap(allColumns))}`,
    at,
  );
}

const endOf = (at: Position | undefined) => at && { endLine: at.endLine, endColumn: at.endColumn };

/** A column of a query below in DuckDB: an alias and the column's label there. */
export function columnText(alias: string, label: string): string {
  return `${identifier(alias)}.${identifier(label)}`;
}

/** A column as the expression that names it at this position of the statement. */
export function typedColumn(column: RelationColumn, at: Position): Typed {
  return {
    type: column.type,
    sql: column.text(),
    at,
    nullable: column.nullable,
    isRepeatable: true,
    ...(column.timeRange && { timeRange: column.timeRange }),
    ...(column.valuesOf !== undefined && { valuesOf: column.valuesOf }),
    ...(column.counted && { counted: column.counted }),
    ...(column.isTextOfFloat && {
      storedText: shortTextOf(`druid_text_to_double(${column.text()})`),
    }),
    ...(column.startOf && { startOf: column.startOf }),
    ...(column.mark && { mark: column.mark }),
    ...(column.tableRows !== undefined && { tableRows: column.tableRows }),
    ...(column.statistics && { statistics: column.statistics }),
  };
}

/** The same columns as nullable ones, for the side of an outer join that may be missing. */
export function nullableRelation(relation: Relation): Relation {
  const columns = relation.columns.map((column) => ({ ...column, nullable: true }));
  return { ...relation, columns };
}

function suggestName(name: string, known: readonly { readonly name: string }[]): string {
  const alike = known.find(
    (other) => other.name.toLowerCase() === name.toLowerCase() && other.name !== '',
  );
  return alike ? `; did you mean '${alike.name}'?` : '';
}

/** The refusal of a name that several columns have. */
export const ambiguousColumn = (name: string, at: Position) =>
  invalidSql(`Column '${name}' is ambiguous`, at);

/** The rows of a table that meet a condition, of which a query only chooses and names columns. */
export interface FilteredRows {
  readonly condition: Expression | undefined; // what it says of the chosen columns
  readonly isWhole: boolean; // it says nothing of other columns
  readonly table: readonly RelationColumn[]; // all columns of the table
  /** The column of the table that a chosen column is. */
  origin(column: RelationColumn): RelationColumn | undefined;
}

/** A query from the point of view of the native engine that reads its rows. */
export interface QueryRead {
  readonly isFiltered: boolean;
  readonly isCut: boolean; // has LIMIT or OFFSET
  /** The type of the native query that yields the rows. */
  type(): string;
}
