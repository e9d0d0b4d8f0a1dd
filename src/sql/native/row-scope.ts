// Names over the rows of a source: virtual columns first, then the source's own columns. An unknown
// name is null (Druid: ColumnSelectorFactory).
import type { Interval } from '../../model/interval.ts';
import type { Expression, Position } from '../ast.ts';
import { castTo } from '../expressions/casts.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { isList } from '../expressions/multi-value.ts';
import { startColumn } from '../expressions/time-starts.ts';
import {
  type Environment,
  type Scope,
  scopeWith,
  type Typed,
  withText,
} from '../expressions/typed.ts';
import { markColumn } from '../expressions/unique-marks.ts';
import { checkLimit } from '../limits.ts';
import { pairedType, pairText, pairValue } from '../pairs.ts';
import { itemsOf } from '../resolution/dimension-values.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { bigint, isText, isTime, type SqlType, varchar } from '../types.ts';
import { areOfComputedText } from './expressions.ts';
import { has, malformed, NOWHERE, type Node, textIn } from './members.ts';
import { floatText } from './native-values.ts';
import { givenColumn, missingSql, type NativeSource, type SourceColumn } from './source.ts';
import { virtualColumnIn } from './virtual-columns.ts';

export class RowScope implements Scope {
  readonly environment: Environment;
  readonly source: NativeSource;
  readonly #virtual: ReadonlyMap<string, Node>;
  readonly #text: (name: string) => string;
  readonly #used = new Set<string>();
  readonly #resolving = new Set<string>();
  readonly #values = new Map<string, Typed>();
  #isBySegment = false;
  #isNumbered = false;
  #timesFilled = 0; // uses of `isFilledHere`
  #hidden = 0; // depth of virtual columns whose own name means the source column

  /** `text` returns the DuckDB name of a source column. */
  constructor(
    source: NativeSource,
    environment: Environment,
    virtualColumns: readonly Node[] = [],
    text: (name: string) => string = (name) => `${rowAlias}.${identifiersOf(source.columns)(name)}`,
  ) {
    this.#text = text;
    this.source = source;
    this.environment = environment;
    this.#virtual = virtualColumnIn.byName(virtualColumns, environment.version);
  }

  /** Names of the virtual columns. */
  get virtualColumns(): readonly string[] {
    return [...this.#virtual.keys()];
  }

  /** The declared native type of a virtual column. */
  declaredType(name: string): string | undefined {
    const node = this.#virtual.get(name);
    return node?.type === 'expression' && has(node, 'outputType')
      ? textIn(node, 'outputType').toUpperCase()
      : undefined;
  }

  /** The columns of the source in use. */
  get used(): readonly string[] {
    return [...this.#used];
  }

  column(names: readonly string[], at: Position): Typed {
    const name = names.at(-1) ?? '';
    if (areOfComputedText(names)) return this.#computedText(name, at);
    const virtual = this.#virtual.get(name);
    // Inside its own definition, a name refers to the source's column.
    if (virtual && !this.#resolving.has(name)) return { ...this.#virtualValue(name, virtual), at };
    if (virtual) this.#hidden++;
    const found = this.source.columns.find((column) => column.name === name);
    // Every source has a time. Rows without one are dated 1970 (Druid:
    // RowBasedColumnSelectorFactory).
    if (!found)
      return name === '__time'
        ? { type: bigint, sql: '0::BIGINT', at }
        : { type: varchar, sql: missingSql, at, nullable: true };
    // In native queries, times are numbers of milliseconds.
    const sql = this.#read(name);
    return {
      type: isTime(found.type) ? bigint : found.type,
      sql: found.type.multiValue ? `druid_nonempty(${sql})` : sql,
      at,
      isRepeatable: true,
      ...(found.timeRange && { timeRange: found.timeRange }),
      ...(found.hasStarts && { startOf: (unit) => this.#read(startColumn(unit)) }),
      ...(found.hasMarks && { mark: () => this.#read(markColumn(name)) }),
      ...(found.tableRows !== undefined && { tableRows: found.tableRows }),
      ...(found.isOfDictionary && { isOfDictionary: true }),
      ...(found.isUnnested && { isUnnested: true }),
      ...(found.isComputedPair && { computedText: textOfPair(sql, found.type) }),
    };
  }

  /** The same names, with multi-value strings as lists that are empty without a value. */
  ofValues(): Scope {
    return scopeWith(this, {
      column: (names, at) => {
        const [value, name] = [this.column(names, at), names.at(-1) ?? ''];
        if (!isList(value)) return value;
        return withText(value, itemsOf(this.#virtual.has(name) ? value.sql : this.#read(name)));
      },
    });
  }

  #computedText(name: string, at: Position): Typed {
    const value = this.column([name], at);
    return { type: varchar, sql: value.computedText ?? value.sql, at };
  }

  #read(name: string): string {
    this.#used.add(name);
    return this.#text(name);
  }

  /** Whether a virtual column without a type is another name of a missing column. */
  isMissing(name: string): boolean {
    const node = this.#virtual.get(name);
    return (
      node?.type === 'expression' &&
      !has(node, 'outputType') &&
      this.column([name], NOWHERE).sql === missingSql
    );
  }

  /** The column of documents that a virtual column reads a field of. */
  nestedColumn(name: string): string | undefined {
    const node = this.#virtual.get(name);
    return node?.type === 'nested-field' ? textIn(node, 'columnName') : undefined;
  }

  /** The JSON that a scan shows for a name, if it differs from the value in expressions. */
  shownText(name: string): string | undefined {
    const virtual = this.#virtual.get(name);
    return virtual && virtualColumnIn.shownText(virtual, this);
  }

  /** The JSON that the query itself gives for a name. */
  givenText(name: string): string | undefined {
    if (this.#virtual.has(name)) return undefined;
    const found = this.source.columns.find((column) => column.name === name);
    return found?.hasGiven && this.#read(givenColumn(name));
  }

  /** Whether a name is defined here. */
  has(name: string): boolean {
    return this.#virtual.has(name) || this.source.columns.some((column) => column.name === name);
  }

  /** Whether a name means a text column of segments. */
  isStoredText(name: string): boolean {
    return this.#isStored(name, (column) => isText(column.type));
  }

  #isStored(name: string, isKind: (column: SourceColumn) => boolean = () => true): boolean {
    return (
      (!this.#virtual.has(name) || this.#resolving.has(name)) &&
      this.source.columns.some(
        (column) => column.name === name && column.isStored === true && isKind(column),
      )
    );
  }

  /** Whether the values of a name are entries of a dictionary, or computed from such entries. */
  isDictionary(name: string): boolean {
    return this.isStoredText(name) || this.column([name], NOWHERE).isOfDictionary === true;
  }

  /** The value of an expression; a condition is 1 or 0. */
  value(expression: Expression): Typed {
    const typed = resolveExpression(expression, this);
    return typed.type.name === 'BOOLEAN' ? castTo(typed, bigint, this.environment.timeZone) : typed;
  }

  /** The number of a row's segment; `0` for rows without segments. */
  segment(): string {
    if (!this.source.segments) return '0';
    this.#isBySegment = true;
    return `${rowAlias}.${segmentColumn}`;
  }

  /** The place of a row, in the order in which the rows are read. */
  place(): string {
    this.#isNumbered = true;
    return `${rowAlias}.${placeColumn}`;
  }

  /**
   * As `segment`, but very many segments are read as a single one, the more so if the query reads
   * them for each of `among` columns.
   */
  fewSegment(intervals: readonly Interval[], among = 1): string {
    const { length } = this.source.segments?.(intervals) ?? [];
    return length * among > mostDistinguished ? '0' : this.segment();
  }

  /**
   * Whether the segment of a row has a column, as text over its number; undefined if all have it. A
   * text without values is not stored there. Each segment is asked for each of `among` columns:
   * where these are many, all segments have all columns.
   */
  isFilled(
    name: string,
    intervals: readonly Interval[],
    segment: () => string,
    among = 1, // columns
  ): string | undefined {
    const segments = this.source.segments?.(intervals) ?? [];
    if (!this.#isStored(name) || segments.length * among > mostAsked) return undefined;
    const filled = segments.map(({ stored: { columns, scan } }) => {
      const column = columns.find((each) => each.name === name);
      if (!column || !isText(column.type)) return String(column !== undefined);
      const value = identifiersOf(columns)(name);
      const isValue = column.type.multiValue ? `list_count(${value}) > 0` : `${value} IS NOT NULL`;
      return `EXISTS (SELECT 1 FROM ${scan([name], [])} WHERE ${isValue})`;
    });
    return filled.every((each) => each === 'true')
      ? undefined
      : `(SELECT [${filled.join(', ')}])[${segment()} + 1]`;
  }

  /** As `isFilled`, of the segment of a row that is read. Each use counts as one more column. */
  isFilledHere(name: string, intervals: readonly Interval[]): string | undefined {
    this.#timesFilled++;
    return this.isFilled(name, intervals, () => this.fewSegment(intervals), this.#timesFilled);
  }

  /** The text after FROM. Requested last, because it reads the columns in use. */
  text(intervals: readonly Interval[]): string {
    const rows = this.#rows(intervals);
    const numbered = `(SELECT *, row_number() OVER () AS ${placeColumn} FROM ${rows})`;
    return `${this.#isNumbered ? numbered : rows} AS ${rowAlias}`;
  }

  #rows(intervals: readonly Interval[]): string {
    const used = [...this.#used];
    if (!this.#isBySegment) return this.source.scan(used, intervals);
    const segments = this.source.segments?.(intervals) ?? [];
    const texts = segments.map(
      ({ source }, index) =>
        `SELECT *, ${index} AS ${segmentColumn} FROM ${source.scan(used, intervals)}`,
    );
    const rows =
      texts.join(' UNION ALL ') ||
      `SELECT *, 0 AS ${segmentColumn} FROM ${this.source.scan(used, intervals)}`;
    checkLimit('expansion', rows.length);
    return `(${rows})`;
  }

  // Cached, unless a name in it had another meaning because of the enclosing definition. Without
  // the cache, columns that use others twice would be resolved again and again.
  #virtualValue(name: string, node: Node): Typed {
    const known = this.#values.get(name);
    if (known) return known;
    const hidden = this.#hidden;
    this.#resolving.add(name);
    try {
      const value = virtualColumnIn.value(node, this);
      checkLimit('expansion', value.sql.length);
      if (this.#hidden === hidden) this.#values.set(name, value);
      return value;
    } finally {
      this.#resolving.delete(name);
    }
  }

  subquery(): never {
    throw noQuery();
  }
  exists(): never {
    throw noQuery();
  }
  inQuery(): never {
    throw noQuery();
  }
  quantified(): never {
    throw noQuery();
  }
  aggregate(): never {
    throw malformed('A native expression cannot contain an aggregate function');
  }
}

function textOfPair(pair: string, type: SqlType): string {
  const of = pairedType(type) ?? varchar;
  return pairText(pair, valueText({ type: of, sql: pairValue(pair, of), at: NOWHERE }));
}

const valueText = (value: Typed): string =>
  value.type.name === 'FLOAT' ? floatText(value).sql : castTo(value, varchar, 'UTC').sql;

const segmentColumn = '"number of the segment"';
const placeColumn = '"place of the row"';
const mostDistinguished = 200;
const mostAsked = 64; // planning takes longer than linear in their number

/** The DuckDB name of the rows. */
export const rowAlias = '"row"';

const noQuery = () => malformed('A native expression cannot contain a query');
