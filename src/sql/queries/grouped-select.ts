// A SELECT with groups: of GROUP BY, of DISTINCT, or one group of all rows.

import type { Call, Expression } from '../ast.ts';
import { groupedPlan } from '../explain/grouped-plan.ts';
import { emptyPlan } from '../explain/scan-plan.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { filterForm, isRead } from '../expressions/filter-form.ts';
import { isList } from '../expressions/multi-value.ts';
import { withReversedLookups } from '../expressions/reversed-lookups.ts';
import { contains } from '../expressions/rewrite.ts';
import { hasSignedZero } from '../expressions/signed-zero.ts';
import { asStored, type Typed, withText } from '../expressions/typed.ts';
import { refuseDistinctIsNull } from '../functions/aggregates.ts';
import {
  containsWindow,
  isAggregateCall,
  isPlainAggregate,
  isWindowFunction,
} from '../functions/call-kinds.ts';
import {
  type KnownGroups,
  refuseWithoutOver,
  resolveAggregateCall,
} from '../resolution/aggregate-call.ts';
import { itemsOf } from '../resolution/dimension-values.ts';
import { GroupedRows, type GroupKey, groupKeys, identifyIn } from '../resolution/group.ts';
import { isApartBelowGroups, noteInlined, noteSource } from '../resolution/inlined-rows.ts';
import { typedColumn } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { resolveForRow } from '../resolution/row-value.ts';
import type { QueryScope } from '../resolution/scope.ts';
import { expandOrdinals, type OrderPart } from '../resolution/select-items.ts';
import {
  type Clauses,
  type OrderTerm,
  orderedText,
  ordinals,
  resultColumns,
} from '../resolution/select-text.ts';
import type { ResolvedQuery, ResultColumn, ResultOrder } from '../resolution/translation.ts';
import { valuesToGroup, withUnnested } from '../resolution/unnest.ts';
import { invalidSql } from '../sql-error.ts';
import { double, isInteger, isNumeric, isText, isTime, type SqlType } from '../types.ts';
import { isConstantList, withoutConstantLists } from './constant-keys.ts';
import { isInChosenPart } from './divided-groups.ts';
import { afterHaving, refuseUngroupedIn } from './having-first.ts';
import { countedTimes } from './lost-times.ts';
import { selectPlan } from './query-plan.ts';
import { inScannedOrder } from './scanned-keys.ts';
import { orderTerm, type SelectClauses } from './select-clauses.ts';
import { sortedBelowCasts } from './sort-below-casts.ts';
import { refuseUnplannableGroups } from './unplannable-groups.ts';
import { conditionOf } from './where-clause.ts';

/**
 * The query of a SELECT with groups. Its items, HAVING, QUALIFY and ORDER BY can use only keys and
 * aggregates. The groups become a query of their own if a key is needed more than once; otherwise
 * one SELECT holds all clauses.
 */
export function groupedSelect(
  clauses: SelectClauses,
  writtenOrder: readonly OrderPart[],
  writtenHaving: Expression | undefined,
): ResolvedQuery {
  const { order, groups, rewrite, items, parts, condition, isWindowed } = groupRows(
    clauses,
    writtenOrder,
    writtenHaving,
  );
  const scope: QueryScope = clauses.scope({
    aggregate: (call) => groupAggregate(clauses, call, groups, scope),
    reveal: (column, names, at) => groups.column(column, names, at),
    marked: (names, at) => groups.marked(names, at),
  });
  const having = () =>
    condition &&
    conditionOf(
      'HAVING',
      filterForm(withReversedLookups(condition), {
        typedOf: (expression) => resolveExpression(expression, scope),
        isColumn: (expression) => isRead(expression) || isPlainAggregate(expression),
      }),
      scope,
    );
  const values = afterHaving(
    () => {
      const resolved = items.map((expression) => resolveExpression(expression, scope));
      groups.refuseUngrouped();
      return resolved;
    },
    () => {
      groups.forgetUngrouped();
      if (condition) refuseUngroupedIn(condition, groups, scope);
      having();
    },
  );
  const isOfNoGroup = clauses.isEmpty && groups.keys.length > 0 && !groups.sets;
  const columns = resultColumns(clauses.items, values, (index) => clauses.isDecided(index)).map(
    (column, index) => ({
      ...column,
      ...(isOfNoGroup &&
        isAggregated(clauses.items[index]?.expression) && {
          isOfNoGroup: true as const,
        }),
    }),
  );
  if (condition) refuseUngroupedIn(condition, groups, scope);
  const havingValue = having();
  const qualify = clauses.qualify && conditionOf('QUALIFY', rewrite(clauses.qualify), scope);
  const isTopN =
    clauses.translation.engine === 'native' &&
    !writtenHaving &&
    isTopNQuery(groups, parts, clauses);
  groups.isTopN = isTopN;
  const asked = parts.map((part) => {
    const key = groups.keyOf(part.expression);
    const isSigned = key !== undefined && hasSignedZero(key.typed.type) && !clauses.select.distinct;
    const term = isSigned
      ? { sql: groups.textOf(key), descending: part.descending }
      : orderTerm(part, values, (expression) => resolveExpression(expression, scope));
    return { ...term, ...(isTopN && nullsOfTopN(groups, part)) };
  });
  groups.refuseUngrouped(clauses.isDistinctAsGroups ? 'in the select clause' : 'being grouped');
  clauses.translation.environment.inPlanning(() =>
    refuseUnplannableGroups(clauses, { groups, items, parts, condition }),
  );
  const natural = clauses.isIngested ? unordered : groupOrder(clauses, groups, items);
  const isDivisible =
    clauses.isIngested &&
    groups.keys.length > 0 &&
    !groups.sets &&
    !clauses.select.distinct &&
    !isWindowed;
  const first = order.length === 0 ? clauses.windowOrder : asked;
  const terms = [
    ...first,
    ...natural.terms.filter((term) => !first.some(({ sql }) => sql === term.sql)),
  ];
  const isSortedByOperator =
    clauses.windowOrder.length > 0 && clauses.translation.engine === 'native';
  const isEmpty = isOfNoGroup || clauses.tail.limit === 0n || havingValue?.constant === false;
  return {
    columns,
    order: clauses.resultOrder(order) ?? (clauses.windowOrder.length > 0 ? [] : natural.order),
    plan: selectPlan({
      source: clauses.source,
      items: clauses.items,
      values,
      where: clauses.where,
      kind: groups.keys.length === 0 && !groups.sets ? 'timeseries' : isTopN ? 'topN' : 'groupBy',
      order: clauses.tail.orderBy,
      limit: clauses.tail.limit,
      groups,
      having: havingValue,
    }),
    rows: clauses.source?.kind === 'metadata' ? 'metadata' : 'query',
    native: () =>
      isEmpty
        ? emptyPlan(columns)
        : groupedPlan(clauses, { groups, scope, items, order: parts, having: condition, isTopN }),
    sql: groupedText(clauses, groups, {
      values,
      columns,
      isDivisible,
      having: havingValue?.sql,
      qualify: qualify?.sql,
      order: terms,
      written: isSortedByOperator
        ? (text) =>
            clauses.sortedText(text, parts, values, columns, (expression) =>
              resolveExpression(expression, scope),
            )
        : (text) => clauses.text(text),
    }),
    files: clauses.source?.files() ?? [],
    ...(isEmpty && { isEmpty: true }),
    ...(clauses.isCut && { cut: { isSorted: order.length > 0 } }),
    ...(clauses.windowOrder.length > 0 && { isWindowed: true }),
    ...(isDivisible && { isDivisible }),
  };
}

const isAggregated = (item: Expression | undefined): boolean =>
  item !== undefined && contains(item, isPlainAggregate);

// The clauses with references to groups in place of keys and aggregates.
function groupRows(
  clauses: SelectClauses,
  writtenOrder: readonly OrderPart[],
  having: Expression | undefined,
) {
  const { environment } = clauses.translation;
  if (having) {
    refuseWindowsInHaving(having);
    refuseDistinctIsNull(having, environment);
  }
  for (const { item } of writtenOrder) refuseDistinctIsNull(item.expression, environment);
  const identify = identifyIn(clauses.source);
  const { source, select, translation } = clauses;
  const given = groupKeys(
    expandOrdinals(clauses.select.groupBy ?? [], clauses.items),
    identify,
    (expression) => resolveKey(expression, clauses.scopeWithoutAggregates('in GROUP BY clause')),
    () => clauses.translation.alias('grouped'),
    clauses.source?.alias,
    (expression) => resolveExpression(expression, valuesScope(clauses)),
  );
  const isNative = translation.engine === 'native';
  const { keys: written, sets } =
    source && isNative ? inScannedOrder(given, source, select, clauses.items, writtenOrder) : given;
  const isPlain = sets === undefined && isNative;
  const keys = isPlain ? withoutConstantLists(written, clauses, writtenOrder) : written;
  const groups = new GroupedRows(keys, sets, identify, clauses.translation.alias('groups'));
  const rewrite = (expression: Expression) => groups.rewrite(expression, isPlainAggregate);
  const isKeptInHaving = (key: GroupKey) => isPlain && isConstantList(key);
  const items = clauses.items.map((item) => rewrite(item.expression));
  const isWindowed = [...clauses.items, ...writtenOrder].some(({ expression }) =>
    containsWindow(expression),
  );
  const order = isWindowed
    ? writtenOrder
    : sortedBelowCasts(writtenOrder, (expression) => typeOfGroup(expression, groups));
  const parts = order.map((part) => ({ ...part, expression: rewrite(part.expression) }));
  const condition = having && groups.rewrite(having, isPlainAggregate, isKeptInHaving);
  groups.layered =
    sets !== undefined ||
    needsLayer(groups, items, [
      ...parts.filter(({ index }) => index === undefined).map((part) => part.expression),
      ...(condition ? [condition] : []),
    ]);
  clauses.group(
    rewrite,
    keys.map((key) => ({ sql: groups.textOf(key), descending: false })),
  );
  return { order, groups, rewrite, items, parts, condition, isWindowed };
}

// The type of a key or an aggregate. Of aggregates it is only known whether they are numbers.
function typeOfGroup(expression: Expression, groups: GroupedRows): SqlType | undefined {
  const key = groups.keyOf(expression);
  if (key || !isPlainAggregate(expression) || expression.kind !== 'call') return key?.typed.type;
  return ['AVG', 'COUNT', 'MAX', 'MIN', 'SUM'].includes(expression.name)
    ? double
    : { name: 'OTHER' };
}

function refuseWindowsInHaving(having: Expression): void {
  if (containsWindow(having))
    throw invalidSql('Window functions are not allowed in HAVING', having.at);
}

// Multi-value strings as lists that are empty without a value.
const valuesScope = (clauses: SelectClauses): QueryScope =>
  clauses.scopeWithoutAggregates('in GROUP BY clause', {
    reveal(column, _, at) {
      const value = typedColumn(column, at);
      return isList(value) ? withText(value, itemsOf(column.values?.() ?? value.sql)) : value;
    },
  });

// A cast of a stored text to a number is grouped by the number that the text spells (Druid:
// DimensionHandlerUtils): `true` is not a number here, and `1.5` is not a long. A cast to a time is
// that of a row.
function resolveKey(expression: Expression, scope: QueryScope): Typed {
  if (expression.kind === 'cast' || expression.kind === 'identifier') {
    const key = resolveExpression(expression, scope);
    if (key.storedText !== undefined) return asStored(key);
  }
  if (expression.kind !== 'cast' || expression.safe || expression.operand.kind !== 'identifier')
    return resolveForRow(expression, scope);
  const value = resolveExpression(expression, scope);
  if (isTime(value.type)) return resolveForRow(expression, scope);
  const { operand } = expression;
  const text = resolveExpression(operand, scope);
  if (!isText(text.type) || !isNumeric(value.type) || isList(text) || text.constant !== undefined)
    return value;
  if (!scope.isStored(operand.names, operand.at)) return value;
  const number = isInteger(value.type)
    ? `druid_parse_long(${text.sql}, 10::BIGINT)`
    : `(CASE WHEN lower(${text.sql}) NOT IN ('true', 'false') THEN ${value.sql} END)`;
  return { ...value, sql: number };
}

interface GroupedTexts extends Pick<Clauses, 'having' | 'qualify' | 'order'> {
  readonly values: readonly Typed[];
  readonly columns: readonly ResultColumn[];
  readonly isDivisible: boolean;
  /** Text of the outermost SELECT. */
  readonly written: (clauses: Clauses) => string;
}

function groupedText(
  clauses: SelectClauses,
  groups: GroupedRows,
  { values, columns, isDivisible, having, qualify, order, written }: GroupedTexts,
): string {
  const counted = countedTimes(clauses, groups);
  const divided = isDivisible ? isInChosenPart(groups.keys) : undefined;
  const conditions = [clauses.where?.sql, counted, divided].filter((sql) => sql !== undefined);
  const below = clauses.places.below({
    from: groupSource(clauses, groups),
    where: conditions.length > 0 ? conditions.join(' AND ') : undefined,
  });
  const list = clauses.list(values, columns);
  const inner = [
    `SELECT ${[...innerItems(groups), ...setNumber(groups)].join(', ') || '1'}`,
    ...(below.from ? [`FROM ${below.from}`] : []),
    ...(below.where ? [`WHERE ${below.where}`] : []),
    ...groupByClause(groups),
  ].join(' ');
  // Windows read complete groups.
  if (clauses.items.some(({ expression }) => containsWindow(expression)))
    noteInlined(clauses.translation, {
      from: groups.layered
        ? `(${inner}) AS ${identifier(groups.alias)}${having ? ` WHERE ${having}` : ''}`
        : `(${inner}${having ? ` HAVING ${having}` : ''})`,
      columns: [...groups.keys, ...groups.aggregates].map(({ label, typed }) => ({
        sql: identifier(label),
        type: typed.type,
      })),
    });
  // Several grouping sets yield no group for an empty input. Neither does Calcite's own
  // interpreter, which reads the metadata tables.
  const isNoGroup =
    groups.keys.length === 0 ? clauses.source?.kind === 'metadata' : (groups.sets?.length ?? 0) > 1;
  if (!groups.layered) {
    const groupBy = groups.keys.map((key) => {
      const index = key.isColumn ? -1 : values.findIndex(({ sql }) => sql === key.typed.sql);
      return index >= 0 ? String(index + 1) : key.typed.sql;
    });
    // Aggregates that are never null may vanish from the text, which then needs `GROUP BY ()`.
    const isAll = groupBy.length === 0 && (clauses.select.groupBy || groups.aggregates.length > 0);
    return written({
      ...below,
      items: list,
      distinct: clauses.select.distinct,
      groupBy: groupBy.length > 0 ? groupBy.join(', ') : isAll ? '()' : undefined,
      having: isNoGroup
        ? ['COUNT(*) > 0', ...(having ? [`(${having})`] : [])].join(' AND ')
        : having,
      qualify,
      order,
    });
  }
  const rows = isNoGroup ? `${inner} HAVING COUNT(*) > 0` : inner;
  return written({
    items: list,
    distinct: clauses.select.distinct,
    from: `(${rows}) AS ${identifier(groups.alias)}`,
    where: having,
    qualify,
    order,
  });
}

const innerItems = ({ keys, aggregates }: GroupedRows): readonly string[] => [
  ...keys.map(({ grouped, label }) => `${grouped} AS ${identifier(label)}`),
  ...aggregates.map(({ typed, label }) => `${typed.sql} AS ${identifier(label)}`),
];

// The values of each multi-value string are unnested in a query of their own. In one query DuckDB
// would pair them.
function groupSource(
  { source, translation }: SelectClauses,
  { keys, isTopN }: GroupedRows,
): string | undefined {
  let from = source?.text();
  if (source && from !== undefined && isApartBelowGroups(source))
    noteSource(translation, source, from);
  const { groupByEnableMultiValueUnnesting: given } = translation.environment.context;
  const takesApart = String(given) !== 'false';
  for (const { unnested, expression } of keys) {
    if (!unnested) continue;
    const { alias, label } = unnested;
    const name = expression.kind === 'identifier' ? expression.names.at(-1) : undefined;
    const list = isTopN ? unnested.list : valuesToGroup(unnested.list, name ?? label, takesApart);
    if (from !== undefined && source?.alias !== undefined)
      from = withUnnested(from, source.alias, [{ list, label }]);
    else
      from = [
        ...(from === undefined ? [] : [from]),
        `unnest(${list}) AS ${identifier(alias)}(${identifier(label)})`,
      ].join(' CROSS JOIN ');
  }
  return from;
}

function groupAggregate(
  clauses: SelectClauses,
  call: Call,
  groups: GroupedRows,
  scope: QueryScope,
): Typed {
  if (call.over) return clauses.windowCall(call, scope);
  if (isWindowFunction(call)) refuseWithoutOver(call, belowAggregate(clauses, call));
  return groups.aggregate(call, () =>
    resolveAggregateCall(
      call,
      belowAggregate(clauses, call),
      undefined,
      finestOf(groups),
      knownGroups(clauses, groups),
    ),
  );
}

function knownGroups(clauses: SelectClauses, groups: GroupedRows): KnownGroups | undefined {
  const most = mostGroups(groups);
  if (most === undefined) return undefined;
  const { source, where } = clauses;
  if (groups.keys.length > 0 || source?.kind !== 'table') return { most };
  return {
    most,
    distinctRows(value, filter) {
      const conditions = [where?.sql, filter].filter((sql) => sql !== undefined);
      const condition = conditions.map((sql) => `(${sql})`).join(' AND ');
      return `(SELECT ${value} AS v FROM ${source.text()}${condition && ` WHERE ${condition}`} GROUP BY 1)`;
    },
  };
}

// About the largest number of groups. A null is a group, too.
function mostGroups({ keys, sets }: GroupedRows): number | undefined {
  if (sets) return undefined;
  let groups = 1;
  for (const { typed } of keys) {
    const { range, distinct } = typed.statistics ?? {};
    const values = range ? range[1] - range[0] + 1 : distinct;
    if (values === undefined) return undefined;
    groups *= values + 1;
  }
  return groups;
}

// The groups of grouping sets that have all keys, as a DuckDB condition. The engine computes the
// other groups from them.
const finestOf = ({ keys, sets = [] }: GroupedRows): string | undefined =>
  sets.length > 1 ? `grouping(${keys.map(({ grouped }) => grouped).join(', ')}) = 0` : undefined;

function belowAggregate(clauses: SelectClauses, { filter, at }: Call): QueryScope {
  if (filter && contains(filter, (part) => part.kind === 'call' && isAggregateCall(part)))
    throw invalidSql('FILTER must not contain aggregate expression', filter.at);
  return clauses.scope({
    aggregate: (inner) => {
      if (!inner.over) resolveAggregateCall(inner, belowAggregate(clauses, inner));
      throw invalidSql('Aggregate expressions cannot be nested', at);
    },
  });
}

interface GroupOrder {
  readonly order: readonly ResultOrder[];
  readonly terms: readonly OrderTerm[];
}

const unordered: GroupOrder = { order: [], terms: [] };

// Groups come sorted by their keys, null first, and one grouping set after the other.
function groupOrder(
  clauses: SelectClauses,
  groups: GroupedRows,
  items: readonly Expression[],
): GroupOrder {
  if (clauses.select.distinct) {
    const order = items.map((_, index) => ({ index, descending: false }));
    return { order, terms: ordinals(order) };
  }
  const indexes = groups.keys.map((key) => items.findIndex((item) => groups.keyOf(item) === key));
  const shown = indexes.findIndex((index) => index < 0);
  const order = (shown < 0 ? indexes : indexes.slice(0, shown)).map((index) => ({
    index,
    descending: false,
  }));
  const terms = groups.keys.map((key, position): OrderTerm => {
    const index = indexes[position] ?? -1;
    const isOrdinal =
      index >= 0 && key.typed.type.name !== 'ARRAY' && !hasSignedZero(key.typed.type);
    return {
      sql: isOrdinal ? String(index + 1) : orderedText({ ...key.typed, sql: groups.textOf(key) }),
      descending: false,
    };
  });
  const set = hasSetNumber(groups)
    ? [{ sql: `${identifier(groups.alias)}."set"`, descending: false }]
    : [];
  return { order: set.length > 0 ? [] : order, terms: [...set, ...terms] };
}

// A key that is more than a column may occur once, as a whole item of SELECT. Otherwise the groups
// become a query of their own.
function needsLayer(
  groups: GroupedRows,
  items: readonly Expression[],
  others: readonly Expression[],
): boolean {
  return groups.keys.some((key) => {
    if (key.grouped !== key.typed.sql) return true;
    if (key.isColumn) return false;
    if (key.typed.type.name === 'ARRAY') return true; // DuckDB does not find its expression again in ORDER BY
    const exact = items.filter((item) => groups.keyOf(item) === key).length;
    const isNested = items.some(
      (item) => groups.keyOf(item) !== key && contains(item, (part) => groups.keyOf(part) === key),
    );
    const isElsewhere = others.some((other) =>
      contains(other, (part) => groups.keyOf(part) === key),
    );
    return (
      exact > 1 || isNested || isElsewhere || (exact === 0 && key.typed.constant !== undefined)
    );
  });
}

function groupByClause({ keys, sets }: GroupedRows): readonly string[] {
  const ordinalsOf = (indexes: readonly number[]) => indexes.map((index) => index + 1).join(', ');
  if (!sets)
    return keys.length > 0 ? [`GROUP BY ${ordinalsOf(keys.map((_, index) => index))}`] : [];
  return [`GROUP BY GROUPING SETS (${sets.map((set) => `(${ordinalsOf(set)})`).join(', ')})`];
}

// The number of the grouping set that a row belongs to, for sorting one set after the other.
function setNumber(groups: GroupedRows): readonly string[] {
  const { keys, sets } = groups;
  if (!sets || !hasSetNumber(groups)) return [];
  const bits = (set: readonly number[]) =>
    keys.reduce((mask, _, index) => mask * 2 + (set.includes(index) ? 0 : 1), 0);
  const whens = sets.map((set, index) => `WHEN ${bits(set)} THEN ${index}`).join(' ');
  return [`CASE grouping(${keys.map(({ grouped }) => grouped).join(', ')}) ${whens} END AS "set"`];
}

// Sets without keys are all equal.
const hasSetNumber = ({ keys, sets = [] }: GroupedRows): boolean =>
  sets.length > 1 && keys.length > 0;

// One key, at most one order and a limit (Druid: DruidQuery.toTopNQuery). Repeated sort expressions
// count once. Top values may be approximate, which the context may forbid; keys are exact.
function isTopNQuery(
  groups: GroupedRows,
  order: readonly OrderPart[],
  { tail: { limit, offset = 0n }, translation }: SelectClauses,
): boolean {
  const {
    keys: [key, second],
    sets,
  } = groups;
  if (!key || second || sets || key.typed.type.name === 'ARRAY' || key.typed.type.name === 'OTHER')
    return false;
  if (limit === undefined || limit < 1n || limit > maxTopNLimit || offset > 0n) return false;
  const [first, another] = order;
  if (!first) return true;
  if (groups.keyOf(first.expression) !== key)
    return !another && String(translation.environment.context.useApproximateTopN) !== 'false';
  return order.every(
    ({ index, expression }) => index === first.index || groups.keyOf(expression) === key,
  );
}

const maxTopNLimit = 100_000n;

// A topN query reverses an order but does not move nulls: they are first among its keys and last
// among computed values.
function nullsOfTopN(groups: GroupedRows, { expression }: OrderPart): Pick<OrderTerm, 'nulls'> {
  if (groups.keyOf(expression)) return { nulls: 'FIRST' };
  const isAtTime = expression.kind === 'call' && /^(EARLIEST|LATEST)/.test(expression.name);
  return isAtTime ? {} : { nulls: 'LAST' };
}
