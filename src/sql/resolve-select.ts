// One SELECT: its clauses in the order in which they work.

import { isAggregateCall, isRankFunction, isWindowFunction, resolveAggregateCall, windowReach } from './aggregate-call.ts';
import type { Call, Expression, Identifier, OrderItem, Select, Window } from './ast.ts';
import { constantOf } from './casts.ts';
import { identifier } from './duckdb-text.ts';
import { filterForm } from './filter-form.ts';
import { GroupedRows, groupKeys, identifyIn } from './group.ts';
import { refuseJoinKeys, refuseNativeOrder } from './native-limits.ts';
import { selectPlan } from './query-plan.ts';
import { findColumn, type RelationColumn, type Source, STAR_COLUMN } from './relation.ts';
import { resolveExpression } from './resolve-expression.ts';
import { resolveFrom } from './resolve-from.ts';
import { conjuncts, walk } from './rewrite.ts';
import { QueryScope } from './scope.ts';
import { expandAliases, expandOrder, expandOrdinal, type NamedItem, selectItems } from './select-items.ts';
import { invalidSql, unsupportedSql } from './sql-error.ts';
import { timeRangeOf } from './time-range.ts';
import type { ResolvedQuery, ResultColumn, ResultOrder, Surroundings, Translation } from './translation.ts';
import type { Typed } from './typed.ts';
import { boolean, isText } from './types.ts';
import { direction, type NamedWindows, namedWindows, windowOf, windowText } from './window.ts';

/** What stands after the body of a query. */
export interface Tail {
  readonly orderBy: readonly OrderItem[];
  readonly limit: bigint | undefined;
  readonly offset: bigint | undefined;
}

/** Resolves a SELECT with the ORDER BY, LIMIT and OFFSET that follow it. */
export function resolveSelect(written: Select, tail: Tail, translation: Translation, surroundings: Surroundings): ResolvedQuery {
  return new SelectResolution(written, tail, translation, surroundings).resolve();
}

interface OrderPart {
  readonly expression: Expression;
  readonly index?: number;
  readonly direction: string;
  readonly item: OrderItem;
}

class SelectResolution {
  readonly #select: Select;
  readonly #tail: Tail;
  readonly #translation: Translation;
  readonly #surroundings: Surroundings;
  readonly #source: Source | undefined;
  readonly #items: readonly NamedItem[];
  readonly #windows: NamedWindows;
  readonly #windowOrder: string[] = [];
  readonly #rows: QueryScope;
  readonly #where: Typed | undefined;
  // In a grouped query: keys marked as such, and how the groups come.
  #rewrite = (expression: Expression): Expression => expression;
  #ties: readonly string[];

  constructor(written: Select, tail: Tail, translation: Translation, surroundings: Surroundings) {
    this.#tail = tail;
    this.#translation = translation;
    this.#surroundings = surroundings;
    this.#source = written.from && resolveFrom(written.from, translation, surroundings);
    this.#rows = this.#scope({ aggregate: (call) => this.#rowAggregate(call) });
    this.#where = written.where && this.#whereCondition(written.where);
    this.#items = selectItems(written, this.#source);
    this.#windows = namedWindows(written);
    this.#select = this.#distinctAsGroups(written);
    this.#ties = this.#sourceOrderTexts();
    refuseBareWindowFunctions(written);
  }

  resolve(): ResolvedQuery {
    const order = this.#tail.orderBy.map((item): OrderPart => ({ ...expandOrder(item, this.#items), direction: direction(item), item }));
    const having = this.#select.having && expandAliases(this.#select.having, this.#items, isAggregateHere);
    const expressions = [
      ...this.#items.map((item) => item.expression),
      ...order.map((part) => part.expression),
      ...(having ? [having] : []),
    ];
    const isGrouped = this.#select.groupBy !== undefined || having !== undefined || expressions.some(containsAggregate);
    return isGrouped ? this.#grouped(order, having) : this.#plain(order);
  }

  // ── Without groups ───────────────────────────────────────────────────────────────────────────────────────────────────

  #plain(order: readonly OrderPart[]): ResolvedQuery {
    const values = this.#items.map((item) => resolveExpression(item.expression, this.#rows));
    const columns = resultColumns(this.#items, values);
    const qualify = this.#select.qualify && this.#condition('QUALIFY', this.#expandedQualify(this.#select.qualify), this.#rows);
    const orderTexts = order.map((part) => this.#orderText(part, values, (expression) => resolveExpression(expression, this.#rows)));
    if (this.#select.distinct) refuseHiddenOrder(order);
    const hasWindows = this.#windowOrder.length > 0 || this.#items.some((item) => containsWindow(item.expression));
    const rows = this.#plainRows(hasWindows);
    if (this.#isOrdered && !hasWindows)
      refuseNativeOrder(
        this.#translation.engine,
        this.#source?.kind ?? 'inline',
        order.map((part) => sortedName(part, this.#items)),
      );
    const natural = this.#select.distinct ? columns.map((_, index) => ({ index, descending: false })) : this.#sourceOrder(values);
    const naturalTexts = this.#select.distinct ? ordinals(natural) : hasWindows ? this.#windowOrder : this.#sourceOrderTexts();
    return {
      columns,
      order: this.#resultOrder(order) ?? natural,
      plan: selectPlan({
        source: this.#source,
        items: this.#items,
        values,
        where: this.#where,
        kind: hasWindows ? 'windowOperator' : 'scan',
        order: this.#tail.orderBy,
        limit: this.#tail.limit,
      }),
      rows,
      sql: this.#text({
        items: selectList(values, columns),
        distinct: this.#select.distinct,
        from: this.#source?.text(),
        where: this.#where?.sql,
        qualify: qualify?.sql,
        order: order.length > 0 ? orderTexts : naturalTexts,
      }),
    };
  }

  #plainRows(hasWindows: boolean): ResolvedQuery['rows'] {
    if (!this.#source) return 'inline';
    const isBounded = this.#tail.limit !== undefined || this.#tail.offset !== undefined;
    return hasWindows || this.#select.distinct || (isBounded && this.#source.kind !== 'metadata') ? 'query' : this.#source.kind;
  }

  // ── With groups ──────────────────────────────────────────────────────────────────────────────────────────────────────

  #grouped(order: readonly OrderPart[], having: Expression | undefined): ResolvedQuery {
    const identify = identifyIn(this.#source);
    const { keys, sets } = groupKeys(
      this.#select.groupBy ?? [],
      identify,
      (expression) => expandOrdinal(expression, this.#items),
      (expression) => this.#keyValue(expression),
      () => this.#translation.alias('grouped'),
    );
    const groups = new GroupedRows(keys, sets, identify, this.#translation.alias('groups'));
    const rewrite = (expression: Expression) => groups.rewrite(expression, isAggregateHere);
    const items = this.#items.map((item) => rewrite(item.expression));
    const parts = order.map((part) => ({ ...part, expression: rewrite(part.expression) }));
    const condition = having && rewrite(having);
    groups.layered =
      sets !== undefined ||
      needsLayer(groups, items, [
        ...parts.filter(({ index }) => index === undefined).map((part) => part.expression),
        ...(condition ? [condition] : []),
      ]);
    this.#rewrite = rewrite;
    this.#ties = keys.map((key) => `${groups.textOf(key)} ${ASCENDING}`);
    const scope: QueryScope = this.#scope({
      aggregate: (call) => this.#groupAggregate(call, groups, scope),
      reveal: (column, names, at) => groups.column(column, names, at),
      marked: (names, at) => groups.marked(names, at),
    });
    const values = items.map((expression) => resolveExpression(expression, scope));
    const columns = resultColumns(this.#items, values);
    const havingValue = condition && this.#condition('HAVING', condition, scope);
    const qualify = this.#select.qualify && this.#condition('QUALIFY', rewrite(this.#expandedQualify(this.#select.qualify)), scope);
    const orderTexts = parts.map((part) => this.#orderText(part, values, (expression) => resolveExpression(expression, scope)));
    if (this.#select.distinct) refuseHiddenOrder(parts);
    const natural = this.#groupOrder(groups, items);
    const texts =
      this.#windowOrder.length > 0 && order.length === 0
        ? this.#windowOrder
        : [...orderTexts, ...natural.texts.filter((text) => !orderTexts.includes(text) && !orderTexts.includes(descendingOf(text)))];
    return {
      columns,
      order: this.#resultOrder(order) ?? (this.#windowOrder.length > 0 ? [] : natural.order),
      plan: selectPlan({
        source: this.#source,
        items: this.#items,
        values,
        where: this.#where,
        kind: groupedKind(groups, order, this.#tail),
        order: this.#tail.orderBy,
        limit: this.#tail.limit,
        groups,
        having: havingValue,
      }),
      rows: this.#source?.kind === 'metadata' ? 'metadata' : 'query',
      sql: this.#groupedText(groups, { values, columns, having: havingValue?.sql, qualify: qualify?.sql, order: texts }),
    };
  }

  #groupedText(groups: GroupedRows, { values, columns, having, qualify, order }: GroupedTexts): string {
    const from = [this.#source?.text(), ...groups.keys.flatMap(({ unnested }) => unnested ?? [])]
      .filter((text) => text !== undefined)
      .join(' CROSS JOIN ');
    const below = { from: from === '' ? undefined : from, where: this.#where?.sql };
    const list = selectList(values, columns);
    if (!groups.layered) {
      const groupBy = groups.keys.map((key) => {
        const index = key.isColumn ? -1 : values.findIndex(({ sql }) => sql === key.typed.sql);
        return index >= 0 ? String(index + 1) : key.typed.sql;
      });
      const empty = this.#select.groupBy && groupBy.length === 0 && groups.aggregates.length === 0 ? '()' : undefined;
      return this.#text({
        ...below,
        items: list,
        distinct: this.#select.distinct,
        groupBy: groupBy.length > 0 ? groupBy.join(', ') : empty,
        having,
        qualify,
        order,
      });
    }
    const inner = [
      `SELECT ${[...[...groups.keys, ...groups.aggregates].map(({ typed, label }) => `${typed.sql} AS ${identifier(label)}`), ...setNumber(groups)].join(', ') || '1'}`,
      ...(below.from ? [`FROM ${below.from}`] : []),
      ...(below.where ? [`WHERE ${below.where}`] : []),
      ...groupByClause(groups),
    ].join(' ');
    return this.#text({
      items: list,
      distinct: this.#select.distinct,
      from: `(${inner}) AS ${identifier(groups.alias)}`,
      where: having,
      qualify,
      order,
    });
  }

  #groupAggregate(call: Call, groups: GroupedRows, scope: QueryScope): Typed {
    if (call.over) return this.#windowCall(call, scope);
    if (isWindowFunction(call)) throw unsupportedSql(`SQL query requires '${call.name}' operator that is not supported.`);
    return groups.aggregate(call, () => resolveAggregateCall(call, this.#belowAggregate));
  }

  get #belowAggregate(): QueryScope {
    return this.#scope({
      aggregate: (call) => {
        throw invalidSql(
          call.over ? 'Windowed aggregate expression is illegal in aggregate' : 'Aggregate expressions cannot be nested',
          call.at,
        );
      },
    });
  }

  // Groups come sorted by their keys, null first; grouping sets one after the other.
  #groupOrder(
    groups: GroupedRows,
    items: readonly Expression[],
  ): { readonly order: readonly ResultOrder[]; readonly texts: readonly string[] } {
    if (this.#select.distinct) {
      const order = items.map((_, index) => ({ index, descending: false }));
      return { order, texts: ordinals(order) };
    }
    const indexes = groups.keys.map((key) => items.findIndex((item) => groups.keyOf(item) === key));
    const shown = indexes.findIndex((index) => index < 0);
    const order = (shown < 0 ? indexes : indexes.slice(0, shown)).map((index) => ({ index, descending: false }));
    const texts = groups.keys.map((key, position) => {
      const index = indexes[position] ?? -1;
      const isOrdinal = index >= 0 && key.typed.type.name !== 'ARRAY';
      return `${isOrdinal ? String(index + 1) : orderedText({ ...key.typed, sql: groups.textOf(key) })} ${ASCENDING}`;
    });
    const set = groups.sets && groups.sets.length > 1 ? [`${identifier(groups.alias)}."set" ${ASCENDING}`] : [];
    return { order: set.length > 0 ? [] : order, texts: [...set, ...texts] };
  }

  // ── Clauses ──────────────────────────────────────────────────────────────────────────────────────────────────────────

  #scope(clause: Pick<ConstructorParameters<typeof QueryScope>[0], 'aggregate' | 'reveal' | 'marked'>): QueryScope {
    const { outer, commonTables } = this.#surroundings;
    return new QueryScope({
      translation: this.#translation,
      commonTables,
      resolve: resolveExpression,
      ...(outer && { outer }),
      ...(this.#source && { source: this.#source }),
      ...clause,
    });
  }

  #whereCondition(written: Expression): Typed {
    const scope = this.#scope({
      aggregate: (call) => {
        throw invalidSql(
          call.over ? 'Windowed aggregate expression is illegal in WHERE clause' : 'Aggregate expression is illegal in WHERE clause',
          call.at,
        );
      },
    });
    const where = filterForm(written, (expression) => {
      const { type, constant } = resolveExpression(expression, scope);
      return isText(type) && constant === undefined;
    });
    const condition = contradicts(where, (name) => scope.find(name.names, name.at)?.type.multiValue === true)
      ? constantOf(false, boolean, where.at)
      : this.#condition('WHERE', where, scope);
    if (this.#source?.kind === 'join') refuseJoinKeys('WHERE', where, scope);
    this.#source?.restrict(where, (expression, relation) => {
      const isTimeColumn = (part: Expression) =>
        part.kind === 'identifier' && part.names.at(-1) === '__time' && isColumnOf(part, relation.columns, this.#source);
      return timeRangeOf(expression, isTimeColumn, (part) => resolveExpression(part, scope));
    });
    return condition;
  }

  #expandedQualify(qualify: Expression): Expression {
    return expandAliases(qualify, this.#items, () => false);
  }

  #condition(clause: string, expression: Expression, scope: QueryScope): Typed {
    const value = resolveExpression(expression, scope);
    if (value.type.name === 'BOOLEAN') return value;
    if (value.type.name === 'NULL') return { ...value, sql: 'NULL::BOOLEAN' };
    throw invalidSql(`${clause} clause must be a condition`, expression.at);
  }

  #keyValue(expression: Expression): Typed {
    const scope = this.#scope({
      aggregate: (call) => {
        throw invalidSql(
          call.over ? 'Windowed aggregate expression is illegal in GROUP BY clause' : 'Aggregate expression is illegal in GROUP BY clause',
          call.at,
        );
      },
    });
    return resolveExpression(expression, scope);
  }

  #rowAggregate(call: Call): Typed {
    if (call.over) return this.#windowCall(call, this.#rows);
    throw unsupportedSql(`SQL query requires '${call.name}' operator that is not supported.`);
  }

  #windowCall(call: Call, scope: QueryScope): Typed {
    const { over, ...aggregate } = call;
    if (!over) throw new TypeError('A window call has OVER');
    const window = windowOf(over, this.#windows, isRankFunction(call));
    // Aggregates may stand below a window; another window may not.
    const inWindow = scope.with((inner) => {
      if (inner.over) throw invalidSql('Aggregate expressions cannot be nested', inner.at);
      return scope.aggregate(inner);
    });
    const resolve = (expression: Expression) =>
      resolveExpression(over.kind === 'identifier' ? this.#rewrite(expression) : expression, inWindow);
    const text = windowText(window, windowReach(call), resolve, this.#ties);
    if (this.#windowOrder.length === 0) this.#windowOrder.push(...windowRowOrder(window, resolve));
    return resolveAggregateCall(aggregate, inWindow, text);
  }

  // DISTINCT without windows and aggregates is a grouping by everything, so that multi-value strings are unnested and rows come sorted.
  #distinctAsGroups(select: Select): Select {
    const isPlain =
      !select.groupBy &&
      !select.having &&
      !this.#items.some((item) => containsAggregate(item.expression) || containsWindow(item.expression));
    if (!select.distinct || !isPlain || !this.#source) return select;
    const groupBy = this.#items.map(({ expression }) => ({ kind: 'expression' as const, expression, at: expression.at }));
    return { ...select, distinct: false, groupBy };
  }

  // ── Order and limits ─────────────────────────────────────────────────────────────────────────────────────────────────

  // Below another query an order means nothing unless it decides which rows there are.
  get #isOrdered(): boolean {
    return this.#surroundings.top === true || this.#tail.limit !== undefined || this.#tail.offset !== undefined;
  }

  #orderText(
    { expression, index, direction: way }: OrderPart,
    values: readonly Typed[],
    resolve: (expression: Expression) => Typed,
  ): string {
    if (index !== undefined && values[index]?.type.name !== 'ARRAY') return `${index + 1} ${way}`;
    const value = (index === undefined ? undefined : values[index]) ?? resolve(expression);
    return `${value.constant === undefined ? orderedText(value) : `(${value.sql})`} ${way}`;
  }

  #resultOrder(order: readonly OrderPart[]): readonly ResultOrder[] | undefined {
    if (order.length === 0 || !this.#isOrdered) return undefined;
    const hidden = order.findIndex(({ index }) => index === undefined);
    return (hidden < 0 ? order : order.slice(0, hidden)).flatMap(({ index, item }) =>
      index === undefined ? [] : [{ index, descending: item.descending }],
    );
  }

  #sourceOrder(values: readonly Typed[]): readonly ResultOrder[] {
    const order: ResultOrder[] = [];
    for (const { column, descending } of this.#source?.order ?? []) {
      const text = column.text();
      const index = values.findIndex(({ sql }) => sql === text);
      if (index < 0) break;
      order.push({ index, descending });
    }
    return order;
  }

  #sourceOrderTexts(): readonly string[] {
    return (this.#source?.order ?? []).map(({ column, descending }) => `${column.text()} ${descending ? DESCENDING : ASCENDING}`);
  }

  #text({ items, distinct, from, where, groupBy, having, qualify, order }: Clauses): string {
    const { limit, offset } = this.#tail;
    return [
      `SELECT ${distinct ? 'DISTINCT ' : ''}${items}`,
      ...(from === undefined ? [] : [`FROM ${from}`]),
      ...(where === undefined ? [] : [`WHERE ${where}`]),
      ...(groupBy === undefined ? [] : [`GROUP BY ${groupBy}`]),
      ...(having === undefined ? [] : [`HAVING ${having}`]),
      ...(qualify === undefined ? [] : [`QUALIFY ${qualify}`]),
      ...(this.#isOrdered && order.length > 0 ? [`ORDER BY ${order.join(', ')}`] : []),
      ...limitClauses(limit, offset),
    ].join(' ');
  }
}

/** `LIMIT n`, `OFFSET m`, as far as they are there. */
export function limitClauses(limit: bigint | undefined, offset: bigint | undefined): readonly string[] {
  return [...(limit === undefined ? [] : [`LIMIT ${limit}`]), ...(offset === undefined || offset === 0n ? [] : [`OFFSET ${offset}`])];
}

/** The columns of a result: each with a label that no other has, however DuckDB compares names. */
export function resultColumns(
  items: readonly { readonly name: string }[],
  values: readonly Pick<Typed, 'type' | 'nullable'>[],
): readonly ResultColumn[] {
  const taken = new Set<string>();
  return items.map(({ name }, index) => {
    const value = values[index];
    if (!value) throw new TypeError('Each item has a value');
    let label = name;
    for (let attempt = 1; taken.has(label.toLowerCase()); attempt++) label = `${name}_${attempt}`;
    taken.add(label.toLowerCase());
    return { name, label, type: value.type, nullable: value.nullable !== false };
  });
}

const ASCENDING = 'ASC NULLS FIRST';
const DESCENDING = 'DESC NULLS LAST';

interface Clauses {
  readonly items: string;
  readonly distinct: boolean;
  readonly from: string | undefined;
  readonly where?: string | undefined;
  readonly groupBy?: string | undefined;
  readonly having?: string | undefined;
  readonly qualify?: string | undefined;
  readonly order: readonly string[];
}

interface GroupedTexts extends Pick<Clauses, 'having' | 'qualify' | 'order'> {
  readonly values: readonly Typed[];
  readonly columns: readonly ResultColumn[];
}

// In an array, too, null is the lowest value.
const orderedText = ({ sql, type }: Typed): string => (type.name === 'ARRAY' ? `druid_ordered(${sql})` : sql);

const ordinals = (order: readonly ResultOrder[]) =>
  order.map(({ index, descending }) => `${index + 1} ${descending ? DESCENDING : ASCENDING}`);

const descendingOf = (text: string) => text.replace(ASCENDING, DESCENDING);

// A column keeps its own label; anything else gets one.
function selectList(values: readonly Typed[], columns: readonly ResultColumn[]): string {
  return values
    .map(({ sql }, index) => {
      const label = identifier(columns[index]?.label ?? '');
      return sql.endsWith(`.${label}`) ? sql : `${sql} AS ${label}`;
    })
    .join(', ');
}

const isAggregateHere = (expression: Expression): boolean =>
  expression.kind === 'call' && !expression.over && isAggregateCall(expression) && !isWindowFunction(expression);

function containsAggregate(expression: Expression): boolean {
  return contains(expression, isAggregateHere);
}

function containsWindow(expression: Expression): boolean {
  return contains(expression, (part) => part.kind === 'call' && part.over !== undefined);
}

function contains(expression: Expression, matches: (part: Expression) => boolean): boolean {
  let found = false;
  walk(expression, (part) => {
    found ||= matches(part);
    return !found;
  });
  return found;
}

// A key that is more than a column may stand once, as a whole item of SELECT; otherwise the groups become a query of their own.
function needsLayer(groups: GroupedRows, items: readonly Expression[], others: readonly Expression[]): boolean {
  return groups.keys.some((key) => {
    if (key.isColumn) return false;
    const exact = items.filter((item) => groups.keyOf(item) === key).length;
    const isNested = items.some((item) => groups.keyOf(item) !== key && contains(item, (part) => groups.keyOf(part) === key));
    const isElsewhere = others.some((other) => contains(other, (part) => groups.keyOf(part) === key));
    return exact > 1 || isNested || isElsewhere || (exact === 0 && key.typed.constant !== undefined);
  });
}

function groupByClause({ keys, sets }: GroupedRows): readonly string[] {
  const ordinalsOf = (indexes: readonly number[]) => indexes.map((index) => index + 1).join(', ');
  if (!sets) return keys.length > 0 ? [`GROUP BY ${ordinalsOf(keys.map((_, index) => index))}`] : [];
  return [`GROUP BY GROUPING SETS (${sets.map((set) => `(${ordinalsOf(set)})`).join(', ')})`];
}

const groupedKind = (groups: GroupedRows, order: readonly OrderPart[], { limit }: Tail) => {
  if (groups.keys.length === 0 && !groups.sets) return 'timeseries' as const;
  const isTopN = groups.keys.length === 1 && order.length === 1 && limit !== undefined && !groups.sets;
  return isTopN ? ('topN' as const) : ('groupBy' as const);
};

function windowRowOrder(window: Window, resolve: (expression: Expression) => Typed): readonly string[] {
  return [
    ...window.partitionBy.map((expression) => `${resolve(expression).sql} ${ASCENDING}`),
    ...window.orderBy.map((item) => `${resolve(item.expression).sql} ${direction(item)}`),
  ];
}

function sortedName({ expression, index }: OrderPart, items: readonly NamedItem[]): string {
  if (expression.kind !== 'identifier') return 'v0';
  return expression.names[0] === STAR_COLUMN && index !== undefined ? (items[index]?.name ?? '') : (expression.names.at(-1) ?? '');
}

function refuseHiddenOrder(order: readonly OrderPart[]): void {
  const hidden = order.find(({ index }) => index === undefined);
  if (hidden) throw invalidSql('Expression is not in the select clause', hidden.item.at);
}

// Calcite looks for a missing OVER only where the item has no alias.
function refuseBareWindowFunctions(select: Select): void {
  for (const { expression, alias } of select.items) {
    if (alias === undefined && expression.kind === 'call' && !expression.over && isWindowFunction(expression)) {
      throw invalidSql('OVER clause is necessary for window functions', expression.at);
    }
  }
}

function isColumnOf(part: Expression, columns: readonly RelationColumn[], source: Source | undefined): boolean {
  const column = part.kind === 'identifier' && source && findColumn(source, part.names, part.at);
  return column !== undefined && column !== false && columns.includes(column);
}

// Which of the grouping sets a row belongs to, so that they come one after the other.
function setNumber({ keys, sets }: GroupedRows): readonly string[] {
  if (!sets || sets.length < 2 || keys.length === 0) return [];
  const bits = (set: readonly number[]) => keys.reduce((mask, _, index) => mask * 2 + (set.includes(index) ? 0 : 1), 0);
  const whens = sets.map((set, index) => `WHEN ${bits(set)} THEN ${index}`).join(' ');
  return [`CASE grouping(${keys.map((key) => key.typed.sql).join(', ')}) ${whens} END AS "set"`];
}

// The planner takes `a = 'x' AND a = 'y'` for false before it knows that a row may hold both.
function contradicts(where: Expression, isMultiValue: (name: Identifier) => boolean): boolean {
  const values = new Map<string, string>();
  return conjuncts(where).some((part) => {
    if (part.kind !== 'binary' || part.operator !== '=' || part.left.kind !== 'identifier' || part.right.kind !== 'literal') return false;
    if (!isMultiValue(part.left)) return false;
    const name = part.left.names.join('.');
    const known = values.get(name);
    values.set(name, part.right.text);
    return known !== undefined && known !== part.right.text;
  });
}
