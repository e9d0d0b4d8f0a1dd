// Clauses that all kinds of SELECT share: windows, order and limits over the rows of FROM.

import { lacksOf } from '../../model/engine-version.ts';
import type { Call, Expression, Select, Window } from '../ast.ts';
import { withoutConcatenations } from '../expressions/concatenations.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { conjuncts, contains, fingerprint, walk } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import {
  containsWindow,
  illegalAggregate,
  isPlainAggregate,
  isRankFunction,
  isUnframed,
} from '../functions/call-kinds.ts';
import { unparse } from '../parse/unparse.ts';
import {
  isEndOfFrame,
  isEstimate,
  refuseWithoutOver,
  resolveAggregateCall,
  windowReach,
} from '../resolution/aggregate-call.ts';
import { columnsOfUnion, unionOf } from '../resolution/native-union.ts';
import {
  columnText,
  findColumn,
  type Source,
  timeOfRows,
  type Union,
} from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { QueryScope, type QueryScopeParts } from '../resolution/scope.ts';
import type { OrderPart, Tail } from '../resolution/select-items.ts';
import {
  expandAliases,
  type NamedItem,
  selectItems,
  withWrittenOrdinals,
} from '../resolution/select-items.ts';
import {
  asResult,
  type Clauses,
  limitClauses,
  type OrderTerm,
  orderedText,
  selectList,
  selectText,
} from '../resolution/select-text.ts';
import type {
  ConditionAbove,
  QueryContext,
  ResultColumn,
  ResultOrder,
  Translation,
} from '../resolution/translation.ts';
import {
  isDescending,
  type NamedWindows,
  namedWindows,
  refuseFrameOffsets,
  refuseWindowsInWindow,
  windowOf,
  windowText,
} from '../resolution/window.ts';
import { invalidSql } from '../sql-error.ts';
import { isText } from '../types.ts';
import {
  allOf,
  conditionsAbove,
  withCastsBelow,
  withConditionsBelow,
  withoutMoved,
} from './conditions-below.ts';
import { withDecidedColumns } from './decided-columns.ts';
import { decidedConstants } from './decided-constants.ts';
import { withDirectCasts, withDirectOrder } from './direct-casts.ts';
import { withoutImpossible, withoutImpossibleItems } from './impossible-branches.ts';
import { resolveFrom } from './resolve-from.ts';
import { orderOfSource, RowPlaces, withPlaces } from './row-places.ts';
import { resolveWhere } from './where-clause.ts';
import { limitedWindow } from './window-limit.ts';

/** The clauses of one SELECT. A grouped query must call `group` before it resolves any item. */
export class SelectClauses {
  readonly select: Select;
  readonly tail: Tail;
  readonly translation: Translation;
  readonly source: Source | undefined;
  readonly items: readonly NamedItem[];
  readonly rows: QueryScope; // the rows of FROM, the only rows that windows can read
  readonly where: Typed | undefined;
  readonly places: RowPlaces;
  readonly filter: Expression | undefined; // WHERE without what a query in FROM applies
  readonly #context: QueryContext;
  readonly #windows: NamedWindows;
  readonly #orderBefore = new Map<string, readonly OrderTerm[]>(); // by window
  #windowOrder: readonly OrderTerm[] = [];
  #rewrite = (expression: Expression): Expression => expression;
  #ties: readonly OrderTerm[];
  readonly isDistinctAsGroups: boolean; // the groups stand for SELECT DISTINCT
  #decided: ((expression: Expression) => Expression) | undefined;

  constructor(given: Select, tail: Tail, translation: Translation, context: QueryContext) {
    this.translation = translation;
    this.tail = tail;
    this.#context = context;
    const moved = new Set<Expression>();
    this.source =
      given.from &&
      resolveFrom(given.from, translation, {
        ...context,
        ...(given.where && { reader: 'filter' as const }),
        ...(this.#estimates(given) && { countsCasts: true as const }),
        above: conditionsAbove(given, this.isCut, moved, context.above ?? []),
      });
    this.places = new RowPlaces(this.source, translation);
    if (this.source)
      this.tail = { ...tail, orderBy: withDirectOrder(tail.orderBy, given, this.source) };
    this.rows = this.scope({ aggregate: (call) => this.#rowAggregate(call) });
    const { version } = translation.environment;
    const plain = this.#withoutImpossible(
      this.#withoutConcatenations(withWrittenOrdinals(given, version)),
    );
    const written = this.source ? withDirectCasts(plain, this.source) : plain;
    const { above = [] } = context;
    const filtered =
      this.source && (written.having || above.length > 0)
        ? this.#withConditionsBelow(written, this.source, above)
        : written;
    const where = filtered.where && withoutMoved(filtered.where, moved);
    this.filter = where;
    this.where =
      where &&
      resolveWhere(
        where,
        this.source,
        isGrouped(written),
        this.scopeWithoutAggregates('in WHERE clause'),
      );
    const items = selectItems(written, this.source);
    const decided =
      this.source && withDecidedColumns(written, filtered, items, tail.orderBy, this.source, moved);
    this.items = decided?.items ?? items;
    const select = decided?.select ?? filtered;
    refuseAggregatesInNamed(select);
    this.#windows = namedWindows(select);
    this.select = this.#distinctAsGroups(select);
    this.isDistinctAsGroups = select !== this.select;
    this.#ties = orderOfSource(this.source);
    const isWindowed = this.items.some(({ expression }) => containsWindow(expression));
    const time =
      isWindowed && !isGrouped(select) && this.source ? timeOfRows(this.source) : undefined;
    if (time) this.#ties = [{ sql: time.text(), descending: false }];
  }

  /**
   * Marks the rows as groups. `rewrite` marks the keys in an expression; `ties` orders groups that
   * a window treats as equal.
   */
  group(rewrite: (expression: Expression) => Expression, ties: readonly OrderTerm[]): void {
    this.#rewrite = rewrite;
    this.#ties = ties;
  }

  /** The order of rows by the windows; empty until a window was resolved. */
  get windowOrder(): readonly OrderTerm[] {
    return this.#windowOrder;
  }

  /** The order of rows that the windows treat as equal. */
  get ties(): readonly OrderTerm[] {
    return this.#ties;
  }

  /** QUALIFY with aliases replaced by their items. */
  get qualify(): Expression | undefined {
    const { qualify } = this.select;
    const condition = qualify && expandAliases(qualify, this.items, () => false);
    if (qualify && condition && !containsWindow(condition))
      throw invalidSql(
        `QUALIFY expression '${unparse(qualify)}' must contain a window function`,
        qualify.at,
      );
    return condition;
  }

  /** Whether these rows are the result of the statement itself. */
  get isTop(): boolean {
    return this.#context.top === true;
  }

  /** Whether the rows are stored without LIMIT or OFFSET, so that their order does not count. */
  get isIngested(): boolean {
    return this.#context.isIngested === true && !this.isCut;
  }

  /** Whether the query around this one estimates distinct values. */
  get countsCasts(): boolean {
    return this.#context.countsCasts === true;
  }

  /** Below another query, an order counts only if it decides which rows remain. */
  get isOrdered(): boolean {
    return (
      this.#context.top === true || this.tail.limit !== undefined || this.tail.offset !== undefined
    );
  }

  /** The union in FROM, if the SELECT only chooses and names its columns. */
  get union(): Union | undefined {
    const { source, tail, select, where } = this;
    const [only, second] = source?.unions ?? [];
    if (
      !source ||
      !only ||
      second ||
      where ||
      select.distinct ||
      select.qualify ||
      (tail.offset ?? 0n) > 0n
    )
      return undefined;
    if (this.isOrdered && tail.orderBy.length > 0) return undefined;
    const columns = columnsOfUnion(this.items, source);
    return columns && unionOf(only.union, columns);
  }

  /** Whether LIMIT or OFFSET leave out rows. */
  get isCut(): boolean {
    return this.tail.limit !== undefined || this.tail.offset !== undefined;
  }

  /** Whether the planner knows that FROM yields no rows. */
  get isEmpty(): boolean {
    return this.source?.isEmpty === true || this.#isNeverMet;
  }

  /** Whether an expression reads an aggregate of groups of which there are none. */
  isOfNoGroup(expression: Expression): boolean {
    const { source } = this;
    return (
      source?.isEmpty === true &&
      contains(
        expression,
        (part) =>
          part.kind === 'identifier' &&
          findColumn(source, part.names, part.at)?.isOfNoGroup === true,
      )
    );
  }

  /** The expression with constants instead of the columns that WHERE decides. */
  decided(expression: Expression): Expression {
    const { where } = this.select;
    this.#decided ??=
      where && this.source ? decidedConstants(where, this.source) : (unchanged) => unchanged;
    return this.#decided(expression);
  }

  /** Whether WHERE allows only one value for the item at an index. */
  isDecided(index: number): boolean {
    const expression = this.items[index]?.expression;
    return expression?.kind === 'identifier' && this.decided(expression) !== expression;
  }

  /** The items of SELECT as DuckDB text, each with the label of its column. */
  list(values: readonly Typed[], columns: readonly ResultColumn[]): string {
    return selectList(this.#context.top === true ? values.map(asResult) : values, columns);
  }

  /** The scope of names and aggregates in a clause. */
  scope(clause: Pick<QueryScopeParts, 'aggregate' | 'reveal' | 'marked'>): QueryScope {
    const { outer, commonTables } = this.#context;
    return new QueryScope({
      translation: this.translation,
      commonTables,
      resolve: resolveExpression,
      ...(outer && { outer }),
      ...(this.source && { source: this.source }),
      decided: (expression) => this.decided(expression),
      isEmpty: () => this.#isEmptyBeforeFilters,
      placeOfRow: (isLast) => this.places.of(isLast),
      ...clause,
    });
  }

  /** The scope of a clause without aggregates. `where` ends the error message for an aggregate. */
  scopeWithoutAggregates(where: string, clause: Pick<QueryScopeParts, 'reveal'> = {}): QueryScope {
    return this.scope({
      ...clause,
      aggregate: (call) => {
        throw illegalAggregate(call, where);
      },
    });
  }

  /** The value of a call with OVER. */
  windowCall(call: Call, scope: QueryScope): Typed {
    const { over, ...aggregate } = call;
    if (!over) throw new TypeError('A window call has OVER');
    if (call.distinct) throw invalidSql('DISTINCT is not supported for window functions', over.at);
    const window = windowOf(over, this.#windows, {
      isRank: isRankFunction(call),
      isUnframed: isUnframed(call),
    });
    const { engine, environment } = this.translation;
    const { syntax } = lacksOf(environment.version);
    if (isEndOfFrame(call) && syntax.has('OFFSETS IN FRAMES OF FIRST_VALUE AND LAST_VALUE'))
      refuseFrameOffsets(window, call.at);
    refuseWindowsInWindow(window, over.at);
    // An aggregate may stand inside a window; another window may not.
    const inWindow = scope.with((inner) => {
      if (inner.over) throw invalidSql('Aggregate expressions cannot be nested', call.at);
      return scope.aggregate(inner);
    });
    const resolve = (expression: Expression) =>
      resolveExpression(
        over.kind === 'identifier' ? this.#rewrite(expression) : expression,
        inWindow,
      );
    const before = this.#sortForWindow(window, call.name === 'ROW_NUMBER', resolve);
    const isOther = ({ sql }: OrderTerm) => !before.some((term) => term.sql === sql);
    const ties = [...before, ...this.#ties.filter(isOther)];
    const text = windowText(window, windowReach(call), resolve, ties, environment.version);
    const value = resolveAggregateCall(aggregate, inWindow, text);
    if (engine === 'native') return value;
    const partition = window.partitionBy.map((expression) => resolve(expression).sql);
    return limitedWindow(value, partition, environment.context);
  }

  /**
   * The columns by which the result is visibly sorted; undefined if ORDER BY uses other
   * expressions.
   */
  resultOrder(order: readonly OrderPart[]): readonly ResultOrder[] | undefined {
    if (order.length === 0 || !this.isOrdered) return undefined;
    const hidden = order.findIndex(({ index }) => index === undefined);
    return (hidden < 0 ? order : order.slice(0, hidden)).flatMap(({ index, item }) =>
      index === undefined ? [] : [{ index, descending: item.descending }],
    );
  }

  /** The text of the SELECT with LIMIT and OFFSET, and with its order where the order matters. */
  text(clauses: Clauses): string {
    const order = this.isOrdered ? clauses.order : [];
    return [
      selectText({ ...clauses, order }),
      ...limitClauses(this.tail.limit, this.tail.offset),
    ].join(' ');
  }

  /** As `text`, but LIMIT and OFFSET choose the rows before the items are computed. */
  textOfFirst({ items, from, where, order, distinct }: Clauses): string {
    const first = this.text({ items: '*', from, where, order, distinct: false });
    const alias = identifier(this.source?.alias ?? '');
    return selectText({ items, distinct, from: `(${first}) AS ${alias}`, order: [] });
  }

  /** As `text`, but the rows that meet WHERE stay in the order of the table. */
  textInRowOrder({ from, ...clauses }: Clauses): string {
    const alias = this.source?.alias ?? '';
    const place = this.translation.alias('place');
    return this.text({
      ...clauses,
      from: withPlaces(from ?? '', alias, place),
      order: [{ sql: identifier(place), descending: false }],
    });
  }

  /**
   * As `text`, for rows that are sorted after they were read or computed. `order` belongs to the
   * first terms. An item is sorted by its label, so that its text occurs once.
   */
  sortedText(
    clauses: Clauses,
    order: readonly OrderPart[],
    values: readonly Typed[],
    columns: readonly ResultColumn[],
    resolve: (expression: Expression) => Typed,
  ): string {
    const isShown = order.every(({ index }) => index !== undefined);
    if (!this.isOrdered || order.length === 0) return this.text(clauses);
    if (!isShown) {
      const terms = clauses.order.map((term, place) => {
        const { expression, index } = order[place] ?? {};
        const isPlain = index === undefined || expression?.kind === 'identifier';
        const value = expression && isPlain && resolve(expression);
        return value && value.constant === undefined ? bySignedBytes(term, value, value.sql) : term;
      });
      return this.text({ ...clauses, order: terms });
    }
    const alias = this.translation.alias('sorted');
    const labels = columns.map(({ label }) => columnText(alias, label));
    const terms = order.flatMap(({ index = 0 }, place): OrderTerm[] => {
      const [term, value, label] = [clauses.order[place], values[index], labels[index]];
      if (!term || !value || label === undefined) return [];
      return [bySignedBytes({ ...term, sql: orderedText({ ...value, sql: label }) }, value, label)];
    });
    return [
      selectText({
        items: labels.join(', '),
        distinct: false,
        from: `(${selectText({ ...clauses, order: [] })}) AS ${identifier(alias)}`,
        order: terms,
      }),
      ...limitClauses(this.tail.limit, this.tail.offset),
    ].join(' ');
  }

  // The engine computes windows in the order of the items. It sorts the rows for a window unless
  // they are already sorted so; equal rows keep their order. Returns the order before that.
  #sortForWindow(
    window: Window,
    isOfRows: boolean,
    resolve: (expression: Expression) => Typed,
  ): readonly OrderTerm[] {
    const name = fingerprint(window, ({ names }) => names.join('.'));
    const print = `${isOfRows ? 'ROWS' : 'RANGE'} ${name}`;
    const known = this.#orderBefore.get(print);
    if (known) return known;
    const before = this.#windowOrder;
    this.#orderBefore.set(print, before);
    const placeOf = ({ sql }: OrderTerm) => this.#ties.findIndex((tie) => tie.sql === sql);
    const sort = windowRowOrder(window, resolve, placeOf);
    const isSame = (one: OrderTerm, other: OrderTerm | undefined) =>
      one.sql === other?.sql && one.descending === other.descending;
    const isSorted = sort.every((term, index) => isSame(term, before[index]));
    const rest = before.filter(({ sql }) => !sort.some((term) => term.sql === sql));
    if (!isSorted) this.#windowOrder = [...sort, ...rest];
    return before;
  }

  get #isNeverMet(): boolean {
    return this.where?.constant === false || this.where?.constant === null;
  }

  // The planner turns CASE into FILTER before it finds that a join has no rows, or that aggregates
  // which it needs are of no groups.
  get #isEmptyBeforeFilters(): boolean {
    const { source, items, select } = this;
    if (!source?.isEmpty || this.#isNeverMet) return this.isEmpty;
    const read = [...items.map(({ expression }) => expression), select.where ?? []].flat();
    return source.kind !== 'join' && !read.some((expression) => this.isOfNoGroup(expression));
  }

  #estimates({ items, having }: Select): boolean {
    const { context } = this.translation.environment;
    return [...items.map(({ expression }) => expression), ...(having ? [having] : [])].some((one) =>
      contains(one, (part) => part.kind === 'call' && isEstimate(part, context)),
    );
  }

  // Conditions without concatenations stay the same objects.
  #withoutConcatenations(select: Select): Select {
    const { where } = select;
    if (!where) return select;
    const scope = this.scopeWithoutAggregates('in WHERE clause');
    const resolve = (part: Expression) => resolveExpression(part, scope);
    const isOfText = (part: Expression) => {
      const { type, constant } = resolve(part);
      return isText(type) && constant === undefined;
    };
    const written = conjuncts(where);
    const conditions = written.map((condition) =>
      withoutConcatenations(withoutImpossible(condition, resolve), isOfText),
    );
    return conditions.every((condition, index) => condition === written[index])
      ? select
      : { ...select, where: allOf(conditions) ?? where };
  }

  #withoutImpossible(select: Select): Select {
    return this.source && this.translation.engine === 'native'
      ? withoutImpossibleItems(select, (part) => resolveExpression(part, this.rows))
      : select;
  }

  #withConditionsBelow(select: Select, source: Source, above: readonly ConditionAbove[]): Select {
    const items = selectItems(select, source);
    const isPlain =
      !isGrouped(select) &&
      !select.qualify &&
      !items.some(({ expression }) => containsWindow(expression));
    if (isPlain) return withCastsBelow(select, items, above);
    const scope = this.scopeWithoutAggregates('in GROUP BY clause');
    return withConditionsBelow(
      select,
      items,
      source,
      (key) => resolveExpression(key, scope).type.multiValue === true,
      above,
    );
  }

  #rowAggregate(call: Call): Typed {
    return call.over ? this.windowCall(call, this.rows) : refuseWithoutOver(call, this.rows);
  }

  // DISTINCT without windows and aggregates is a grouping by all items: multi-value strings are
  // unnested and rows come sorted.
  #distinctAsGroups(select: Select): Select {
    const isPlain =
      !select.groupBy &&
      !select.having &&
      !this.items.some(
        (item) => contains(item.expression, isPlainAggregate) || containsWindow(item.expression),
      );
    if (!select.distinct || !isPlain || !this.source) return select;
    const groupBy = this.items.map((_, index) => {
      const expression: Expression = {
        kind: 'literal',
        type: 'integer',
        text: String(index + 1),
        at: select.at,
      };
      return { kind: 'expression' as const, expression, at: select.at };
    });
    return { ...select, distinct: false, groupBy };
  }
}

/** An item of ORDER BY with its text. `values` are the values of the items of SELECT. */
export function orderTerm(
  { expression, index, descending }: OrderPart,
  values: readonly Typed[],
  resolve: (expression: Expression) => Typed,
): OrderTerm {
  if (index !== undefined && values[index]?.type.name !== 'ARRAY')
    return { sql: String(index + 1), descending };
  const value = (index === undefined ? undefined : values[index]) ?? resolve(expression);
  // In ORDER BY, DuckDB rejects a literal and reads a number as an ordinal.
  return {
    sql: value.constant === undefined ? orderedText(value) : `(${orderedText(value)} IS NULL)`,
    descending,
  };
}

// Texts that are sorted after they were read or computed compare by their UTF-8 bytes as signed
// numbers (Druid: NaiveSortOperator over frames).
const bySignedBytes = (term: OrderTerm, { type }: Pick<Typed, 'type'>, sql: string): OrderTerm =>
  isText(type) && !type.multiValue ? { ...term, sql: `druid_signed_bytes(${sql})` } : term;

// The engine resolves the definition of a named window before groups exist.
function refuseAggregatesInNamed({ windows }: Select): void {
  for (const { window } of windows) {
    for (const expression of [
      ...window.partitionBy,
      ...window.orderBy.map((item) => item.expression),
    ]) {
      walk(expression, (part) => {
        if (isPlainAggregate(part))
          throw invalidSql(
            'Aggregation inside window is currently not supported with syntax WINDOW W AS <DEF>. Try providing window definition directly without alias',
            part.at,
          );
        return true;
      });
    }
  }
}

const isGrouped = ({ distinct, groupBy, having, items }: Select): boolean =>
  distinct ||
  groupBy !== undefined ||
  having !== undefined ||
  items.some(({ expression }) => contains(expression, isPlainAggregate));

/** With DISTINCT, ORDER BY may use only selected expressions. */
export function refuseHiddenOrder(order: readonly OrderPart[]): void {
  const hidden = order.find(({ index }) => index === undefined)?.item;
  if (!hidden) return;
  const { expression, at } = hidden;
  const shown = expression.kind === 'identifier' ? expression.names.join('.') : unparse(expression);
  throw invalidSql(`Expression '${shown}' is not in the select clause`, at);
}

// The columns of PARTITION BY come in the order of `placeOf`, whatever their order in the window.
function windowRowOrder(
  { partitionBy, orderBy }: Window,
  resolve: (expression: Expression) => Typed,
  placeOf: (term: OrderTerm) => number,
): readonly OrderTerm[] {
  const termOf = (expression: Expression, descending: boolean): readonly OrderTerm[] => {
    const { constant, sql } = resolve(expression);
    return constant === undefined ? [{ sql, descending }] : [];
  };
  const partition = partitionBy.flatMap((expression) => termOf(expression, false));
  return [
    ...partition.sort((one, other) => placeOf(one) - placeOf(other)),
    ...orderBy.flatMap((item) => termOf(item.expression, isDescending(item))),
  ];
}
