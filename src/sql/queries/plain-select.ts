// A SELECT without groups.

import type { Expression, Identifier } from '../ast.ts';
import type { TimeRange } from '../catalog.ts';
import { emptyPlan, scanPlan } from '../explain/scan-plan.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { isFieldOfTexts } from '../expressions/filter-form.ts';
import { contains, isOfQuery } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { containsWindow } from '../functions/call-kinds.ts';
import { columnOfCast } from '../resolution/aggregate-call.ts';
import { originOfValues } from '../resolution/each-value.ts';
import { isApartBelowFilter, noteSource } from '../resolution/inlined-rows.ts';
import { refuseUnionsIn } from '../resolution/native-union.ts';
import {
  allColumns,
  findColumn,
  type RelationColumn,
  type Source,
  type SourceKind,
  STAR_COLUMN,
} from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { isOfSeveral, resolveForRow } from '../resolution/row-value.ts';
import type { NamedItem, OrderPart } from '../resolution/select-items.ts';
import { ordinals, resultColumns } from '../resolution/select-text.ts';
import type { FilteredQuery, ResolvedQuery, ResultOrder } from '../resolution/translation.ts';
import { failureSql, invalidWords, unwritableWords } from '../runtime/own-words.ts';
import { quote } from '../runtime/quoted.ts';
import { duckdbTypeOf, multiValueVarchar, typeText } from '../types.ts';
import { decidedAboveJoin } from './joined-rows.ts';
import { refuseNativeOrder, refuseSortBelowItems } from './native-limits.ts';
import { selectPlan } from './query-plan.ts';
import { orderOfSource } from './row-places.ts';
import { orderTerm, refuseHiddenOrder, type SelectClauses } from './select-clauses.ts';
import { sortedBelowCasts } from './sort-below-casts.ts';
import { conditionOf } from './where-clause.ts';
import {
  refuseListedRows,
  refuseUnreadTable,
  refuseWindowUnion,
  whereOfWindows,
} from './window-source.ts';

/** The query of a SELECT without groups. Its items, QUALIFY and ORDER BY read its rows. */
export function plainSelect(
  clauses: SelectClauses,
  writtenOrder: readonly OrderPart[],
): ResolvedQuery {
  const values = clauses.items.map((item, index) => writtenValue(item.expression, index, clauses));
  const extra: CountedColumn[] = [];
  const columns = resultColumns(clauses.items, values, (index) => clauses.isDecided(index)).map(
    (column, index) => {
      const [item, value] = [clauses.items[index], values[index]];
      const isSeveral =
        !clauses.isTop &&
        item &&
        value &&
        !containsWindow(item.expression) &&
        isOfSeveral(item.expression, value, clauses.rows);
      const counted = item && countedBelow(item.expression, clauses);
      if (counted) extra.push(counted);
      const valuesOf = item && value && originOfValues(item.expression, value, clauses.rows);
      return {
        ...column,
        ...(item && isPassedOn(clauses) && { place: placeOf(item.expression, clauses) }),
        ...(valuesOf !== undefined && { valuesOf }),
        ...(counted && { counted: { type: counted.type, label: counted.label } }),
        ...(isSeveral && { isSeveral }),
        ...(item && clauses.isOfNoGroup(item.expression) && { isOfNoGroup: true as const }),
        ...(value?.storedText !== undefined && !clauses.isCut && { isTextOfFloat: true as const }),
      };
    },
  );
  const qualify = clauses.qualify && conditionOf('QUALIFY', clauses.qualify, clauses.rows);
  // Literal rows sort null last
  const isWritten = clauses.source?.isSorted !== undefined && !clauses.where;
  const resolve = (expression: Expression) => resolveExpression(expression, clauses.rows);
  const isWindowed = [...clauses.items, ...writtenOrder].some(({ expression }) =>
    containsWindow(expression),
  );
  const order =
    isWindowed || clauses.select.distinct || clauses.translation.engine !== 'native'
      ? writtenOrder
      : sortedBelowCasts(writtenOrder, (expression) =>
          expression.kind === 'identifier' ? resolve(expression).type : undefined,
        );
  const terms = order.map((part) => ({
    ...orderTerm(part, values, resolve),
    ...(isWritten && !part.descending && { nulls: 'LAST' as const }),
  }));
  if (clauses.select.distinct) refuseHiddenOrder(order);
  const hasWindows = clauses.windowOrder.length > 0 || isWindowed;
  const rows = rowsOf(clauses, hasWindows);
  const isEmpty = clauses.isEmpty || clauses.tail.limit === 0n;
  const { union } = clauses;
  clauses.translation.environment.inPlanning(() => {
    if (clauses.isOrdered && !hasWindows && !isEmpty) refuseOrder(clauses, order);
    const isWindowQuery = hasWindows && !isEmpty && clauses.translation.engine === 'native';
    if (isWindowQuery) refuseWindowSource(clauses, order);
    if (!union) refuseUnionsIn(clauses.source);
    if (isWindowQuery) refuseWindowUnion(clauses.source);
  });
  const stored = storedColumns(clauses, hasWindows);
  const filtered = hasWindows ? undefined : filteredQuery(clauses);
  const natural = clauses.select.distinct
    ? columns.map((_, index) => ({ index, descending: false }))
    : sourceOrder(clauses.source, values);
  const naturalTerms = clauses.select.distinct
    ? ordinals(natural)
    : hasWindows
      ? [...clauses.windowOrder, ...clauses.ties]
      : orderOfSource(clauses.source);
  const newest = isEmpty || hasWindows ? undefined : findNewest(clauses, order);
  if (newest?.startMs !== undefined) clauses.source?.restrict(newest.by, () => newest);
  if (order[0]?.descending && timeIn(clauses.source, order[0])) clauses.source?.readNewestFirst?.();
  const from = fromText(clauses, order, hasWindows);
  const written = {
    items: [
      clauses.list(values, columns),
      ...extra.map(({ sql, label }) => `${sql} AS ${identifier(label)}`),
    ].join(', '),
    distinct: clauses.select.distinct,
    from,
    where: hasWindows
      ? whereOfWindows(
          clauses.items.map(({ expression }) => expression),
          clauses.where?.sql,
          resolve,
        )
      : newest && from
        ? whereOfNewest(newest, from, clauses.where?.sql)
        : clauses.where?.sql,
    qualify: qualify?.sql,
    order: order.length > 0 ? terms : naturalTerms,
  };
  return {
    columns,
    order: clauses.resultOrder(order) ?? natural,
    plan: selectPlan({
      source: clauses.source,
      items: clauses.items,
      values,
      where: clauses.where,
      kind: hasWindows ? 'windowOperator' : 'scan',
      order: clauses.tail.orderBy,
      limit: clauses.tail.limit,
    }),
    rows,
    native: () => (isEmpty ? emptyPlan(columns) : scanPlan(clauses, order, hasWindows)),
    sql: isSortedByOperator(clauses, hasWindows)
      ? clauses.sortedText(written, order, values, columns, resolve)
      : order.length === 0 && isCutBeforeLookups(clauses, hasWindows)
        ? clauses.textOfFirst(written)
        : order.length === 0 && isFilteredByLookups(clauses, hasWindows)
          ? clauses.textInRowOrder(written)
          : clauses.text(written),
    files: clauses.source?.files() ?? [],
    ...(union && { union }),
    ...(stored && { stored }),
    ...(filtered && { filtered }),
    ...(isEmpty && { isEmpty: true }),
    ...sortedness(clauses, values, hasWindows),
    ...(clauses.isCut && { cut: { isSorted: order.length > 0 } }),
    ...(hasWindows && { isWindowed: true }),
    ...(keepsRows(clauses) && { keepsRows: true }),
  };
}

// A SELECT whose projection the planner merges with that of the query around it.
const isPassedOn = ({ source, select, items, isCut }: SelectClauses): boolean =>
  source?.kind === 'table' && !isCut && !select.distinct && !isWindowedIn(items);

function placeOf(expression: Expression, { source }: SelectClauses): number | null {
  if (!source || expression.kind !== 'identifier') return null;
  return findColumn(source, expression.names, expression.at)?.place ?? null;
}

const keepsRows = ({ select, isCut }: SelectClauses): boolean =>
  select.from?.kind === 'tableFunction' &&
  !(select.where || select.distinct || select.qualify || isCut);

/** A column that the query above counts instead of an item. */
interface CountedColumn extends Typed {
  readonly label: string;
}

function countedBelow(expression: Expression, clauses: SelectClauses): CountedColumn | undefined {
  const { countsCasts, isCut, items, rows, select, translation } = clauses;
  if (!countsCasts || isCut || select.distinct) return undefined;
  if (items.some((item) => containsWindow(item.expression))) return undefined;
  const column =
    expression.kind === 'identifier'
      ? resolveExpression(expression, rows).counted
      : columnOfCast(expression, rows);
  return column && { ...column, at: expression.at, label: translation.alias('counted') };
}

// A result cannot hold several values unless they are texts: a row that has them fails.
function writtenValue(
  expression: Expression,
  index: number,
  { isTop, isCut, items, rows, source, translation }: SelectClauses,
): Typed {
  const list = isTop || isCut || isWindowedIn(items) ? listOf(expression, source) : undefined;
  if (list !== undefined) return { type: multiValueVarchar, sql: list, at: expression.at };
  const value = resolveExpression(expression, rows);
  const isLiteral = isTop && !source && value.type.name === 'ARRAY' && isComputed(value);
  if (isLiteral && !items.some((item) => isNeverLiteral(item.expression, rows)))
    return notNullArray(
      value,
      items
        .map(({ expression }) => expression)
        .filter(isDeclaredNullable)
        .map((item) => resolveExpression(item, rows)),
    );
  if (!isTop || translation.engine !== 'native' || containsWindow(expression)) return value;
  const showsLists = rows.environment.version < 37 && !isWindowedIn(items);
  if (showsLists && isFieldOfTexts(expression) && isOfTable(expression.args[0], source)) {
    const part = resolveExpression({ ...expression, name: 'JSON_QUERY', json: {} }, rows);
    return { ...value, sql: bindOnce([part.sql], ([json]) => `druid_json_shown(${json})`) };
  }
  if (!isOfSeveral(expression, value, rows)) return value;
  const words = `${unwritableWords}Cannot coerce field [v${index}] from type [java.util.ArrayList] to type [${value.type.name}]`;
  return resolveForRow(expression, rows, failureSql(quote(words)));
}

const listOf = (expression: Expression, source: Source | undefined): string | undefined =>
  source && expression.kind === 'identifier'
    ? findColumn(source, expression.names, expression.at)?.list?.()
    : undefined;

const isOfTable = (expression: Expression | undefined, source: Source | undefined): boolean =>
  source !== undefined &&
  expression?.kind === 'identifier' &&
  findColumn(source, expression.names, expression.at)?.stored !== undefined;

const isWindowedIn = (items: readonly NamedItem[]): boolean =>
  items.some(({ expression }) => containsWindow(expression));

const isComputed = ({ constant }: Typed) => constant === undefined || constant === null;

const isNeverLiteral = (expression: Expression, rows: SelectClauses['rows']): boolean =>
  expression.kind === 'array' || resolveExpression(expression, rows).type.complex !== undefined;

// Functions whose result may be null for the planner, whatever their arguments are.
const nullableCalls: ReadonlySet<string> = new Set(
  'ARRAY_APPEND ARRAY_CONCAT ARRAY_OFFSET_OF ARRAY_PREPEND ARRAY_QUANTILE ARRAY_SLICE ARRAY_TO_MV BITWISE_AND BITWISE_COMPLEMENT BITWISE_CONVERT_DOUBLE_TO_LONG_BITS BITWISE_CONVERT_LONG_BITS_TO_DOUBLE BITWISE_OR BITWISE_SHIFT_LEFT BITWISE_SHIFT_RIGHT BITWISE_XOR CONTAINS_STRING DECODE_BASE64_UTF8 GREATEST ICONTAINS_STRING IPV4_PARSE IPV4_STRINGIFY JSON_KEYS JSON_PATHS JSON_VALUE LEAST LOOKUP MV_APPEND MV_CONCAT MV_FILTER_NONE MV_FILTER_ONLY MV_OFFSET MV_OFFSET_OF MV_ORDINAL MV_PREPEND MV_SLICE PARSE_LONG REGEXP_EXTRACT REGEXP_REPLACE SAFE_DIVIDE STRING_TO_ARRAY STRING_TO_MV SUBSTR SUBSTRING TIME_PARSE TO_JSON_STRING'.split(
    ' ',
  ),
);

const isDeclaredNullable = (expression: Expression): boolean =>
  contains(expression, (part) => part.kind === 'call' && nullableCalls.has(part.name));

// The row of a query without FROM is made of literals unless one of its values is a list of items,
// nested data or a sketch, or is not null where the planner expects a null. A null array is refused
// as a literal.
function notNullArray(value: Typed, nullable: readonly Typed[]): Typed {
  const words = `Cannot handle literal [null:${typeText(value.type)}] of unsupported type [ARRAY].`;
  const refused = failureSql(quote(`${invalidWords}${words}`));
  const others = nullable.map(({ sql }) => ` AND ${sql} IS NULL`).join('');
  const sql = `CASE WHEN ${value.sql} IS NULL${others} THEN ${refused}::${duckdbTypeOf(value.type)} ELSE ${value.sql} END`;
  return { ...value, sql };
}

const mostNewest = 10_000n; // rows, with those of OFFSET

/** The newest rows that a query asks for. */
interface Newest extends TimeRange {
  readonly by: Expression; // the time column
  readonly time: RelationColumn;
  readonly most: bigint;
}

// Undefined for queries that want other rows, or only their times. Without WHERE, the rows of the
// newest segments are enough if there are so many. Conditions are computed twice for the rows since
// then, which is worth it for simple ones in a table of many rows.
function findNewest(
  { source, where, tail, select, items, union }: SelectClauses,
  order: readonly OrderPart[],
): Newest | undefined {
  const [first, ...more] = order;
  const most = (tail.limit ?? mostNewest) + (tail.offset ?? 0n);
  if (
    union ||
    select.distinct ||
    !first?.descending ||
    more.length > 0 ||
    most >= mostNewest ||
    items.length < 2
  )
    return undefined;
  const time = timeIn(source, first);
  if (!time) return undefined;
  if (select.where && ((time.tableRows ?? 0) < leastRows || contains(select.where, isCostly)))
    return undefined;
  const enough = where ? undefined : time.newest?.find(({ numRows }) => numRows >= most);
  return { by: first.expression, time, most, ...(enough && { startMs: enough.sinceMs }) };
}

// The time of a table, if rows are sorted by it.
function timeIn(source: Source | undefined, { expression }: OrderPart): RelationColumn | undefined {
  if (source?.kind !== 'table' || expression.kind !== 'identifier') return undefined;
  const column = findColumn(source, expression.names, expression.at);
  return column?.stored === '__time' ? column : undefined;
}

// The newest rows of a table are sought in two steps, because rows are stored in order of time: the
// oldest of their times, for which only the times are read, and the rows since then, for which the
// rest of the table is skipped.
function whereOfNewest({ time, most }: Newest, from: string, where: string | undefined): string {
  const rows = `${from}${where === undefined ? '' : ` WHERE ${where}`}`;
  const count = most < leastNewest ? leastNewest : most;
  const times = `SELECT ${time.text()} AS t FROM ${rows} ORDER BY 1 DESC LIMIT ${count}`;
  const since = `${time.text()} >= (SELECT coalesce(min(t), ${greatestTime}) FROM (${times}))`;
  return where === undefined ? since : `(${where}) AND ${since}`;
}

const isCostly = (part: Expression): boolean =>
  isOfQuery(part) ||
  !['between', 'binary', 'identifier', 'in', 'is', 'literal', 'parameter', 'unary'].includes(
    part.kind,
  );

// DuckDB 1.5.6 reads the times of fewer rows after their places, and then may lose a column.
const leastNewest = 51n;
const greatestTime = '9223372036854775807'; // of no row: then no row is read again
const leastRows = 200_000;

// Windows read complete rows.
function fromText(
  { source, where, translation }: SelectClauses,
  order: readonly OrderPart[],
  hasWindows: boolean,
): string | undefined {
  const from = source?.text();
  if (!source || from === undefined) return undefined;
  const isApart =
    isApartBelowFilter(source) &&
    (where !== undefined || (order.length > 0 && !isSortedSo(source, order)));
  if (isApart) noteSource(translation, source, from);
  if (hasWindows && source.kind !== 'metadata')
    noteSource(translation, source, where ? `${from} WHERE ${where.sql}` : from);
  return from;
}

function refuseWindowSource(
  { select, source, items }: SelectClauses,
  order: readonly OrderPart[],
): void {
  refuseListedRows(select);
  if (!select.where)
    refuseUnreadTable(
      source,
      [...items, ...order].map(({ expression }) => expression),
    );
}

function refuseOrder(clauses: SelectClauses, order: readonly OrderPart[]): void {
  const { source, items, select, where, translation } = clauses;
  const expressions = items.map(({ expression }) => expression);
  const isJoined = isJoinedWithQueries(clauses);
  const kind = isOfUnsortedValues(clauses, order) ? 'table' : readKind(clauses);
  const sorted = order.map((part) => ({
    expression: part.expression,
    name: sortedName(part, items),
  }));
  refuseNativeOrder(
    translation.engine,
    kind,
    sorted.map(({ name }) => name),
  );
  const isNested =
    source?.cut !== undefined || (source?.isWindowed === true && where !== undefined);
  if (
    translation.engine !== 'native' ||
    (!isJoined && !isNested) ||
    kind === 'table' ||
    kind === 'metadata'
  )
    return;
  if (source?.isEmpty || (source?.cut?.isSorted && isSortedSo(source, order))) return;
  if (source && sorted.some(({ expression }) => isDecidedColumn(expression, source))) return;
  const hidden = order.flatMap(({ expression, index }) => (index === undefined ? expression : []));
  const decide =
    isJoined && source
      ? decidedAboveJoin(select, [...expressions, ...hidden], source)
      : (expression: Expression) => expression;
  refuseSortBelowItems(
    expressions.map(decide),
    sorted.map((part) => ({ ...part, expression: decide(part.expression) })),
    ({ kind: what }) => what === 'identifier' || what === 'subquery',
  );
}

// A column that has the same value in each row is computed above the rows, and so is a sort by it.
const isDecidedColumn = (expression: Expression, source: Source): boolean =>
  expression.kind === 'identifier' &&
  findColumn(source, expression.names, expression.at)?.isDecided === true;

// Whether the rows are already in this order.
const isSortedSo = (source: Source, order: readonly OrderPart[]): boolean =>
  order.every(({ expression, descending }, index) => {
    const known = source.order[index];
    return (
      expression.kind === 'identifier' &&
      known?.descending === descending &&
      findColumn(source, expression.names, expression.at) === known.column
    );
  });

// DuckDB joins rows with lookups in any order, so LIMIT is applied to the table first.
const isCutBeforeLookups = (clauses: SelectClauses, hasWindows: boolean) =>
  isCutTable(clauses, hasWindows) &&
  !(clauses.select.where && containsLookup(clauses.select.where)) &&
  clauses.items.some(({ expression }) => containsLookup(expression));

// The rows for LIMIT are then known only after the join.
const isFilteredByLookups = (clauses: SelectClauses, hasWindows: boolean) =>
  isCutTable(clauses, hasWindows) &&
  clauses.isOrdered &&
  clauses.select.where !== undefined &&
  containsLookup(clauses.select.where);

const isCutTable = ({ isCut, select, source }: SelectClauses, hasWindows: boolean) =>
  isCut &&
  source?.kind === 'table' &&
  source.alias !== undefined &&
  !hasWindows &&
  !select.distinct &&
  !select.qualify;

const containsLookup = (expression: Expression): boolean =>
  contains(expression, (part) => part.kind === 'call' && part.name === 'LOOKUP');

// Rows of joins and queries, which a query on tables cannot sort.
function isSortedByOperator(clauses: SelectClauses, hasWindows: boolean): boolean {
  const { source, translation } = clauses;
  if (translation.engine !== 'native' || source?.kind === 'metadata') return false;
  return (
    hasWindows ||
    isJoinedWithQueries(clauses) ||
    source?.cut !== undefined ||
    source?.isWindowed === true
  );
}

// The data source that the engine reads. Queries within expressions are joined with the table.
function readKind(clauses: SelectClauses): SourceKind {
  const kind = clauses.source?.kind ?? 'inline';
  const isStored = kind === 'table' || kind === 'lookup';
  return isStored && isJoinedWithQueries(clauses) ? 'join' : kind;
}

function isJoinedWithQueries({ source, items, select }: SelectClauses): boolean {
  const written = select.where ? [select.where] : [];
  return (
    source?.kind === 'join' ||
    [...written, ...items.map(({ expression }) => expression)].some((one) => contains(one, isQuery))
  );
}

// A query within an expression is joined with the rows.
const isQuery = (expression: Expression): boolean =>
  expression.kind === 'subquery' || (expression.kind === 'in' && !Array.isArray(expression.among));

// Literal rows cannot be sorted, but may already be written in the requested order.
function isOfUnsortedValues(
  { source, where, tail }: SelectClauses,
  order: readonly OrderPart[],
): boolean {
  if (!source?.isSorted || where) return false;
  const columns = order.map(({ expression }) =>
    expression.kind === 'identifier'
      ? findColumn(source, expression.names, expression.at)
      : undefined,
  );
  const known = columns.flatMap((column) => column || []);
  if (known.length < columns.length) return false;
  const isBounded = tail.limit !== undefined || tail.offset !== undefined;
  return (
    isBounded ||
    order.some(({ descending, item }) => descending || item.nulls === 'FIRST') ||
    !source.isSorted(known)
  );
}

// A SELECT that only chooses columns of literal rows yields literal rows. Computed columns have no
// known order, but constants fit any order.
function sortedness(
  clauses: SelectClauses,
  values: readonly Typed[],
  hasWindows: boolean,
): Pick<ResolvedQuery, 'isSorted'> {
  const { source, items, where, select } = clauses;
  const written = source?.isSorted;
  if (
    !source ||
    !written ||
    where ||
    hasWindows ||
    select.distinct ||
    clauses.isCut ||
    isJoinedWithQueries(clauses)
  )
    return {};
  return {
    isSorted(indexes) {
      const varying = indexes.filter((index) => values[index]?.constant === undefined);
      const columns = varying.flatMap((index) => {
        const expression = items[index]?.expression;
        return (
          (expression?.kind === 'identifier' &&
            findColumn(source, expression.names, expression.at)) ||
          []
        );
      });
      return columns.length === varying.length && written(columns);
    },
  };
}

// The column names in the table, if the rows are unchanged rows of that table.
function storedColumns(
  { source, items, select, where, tail }: SelectClauses,
  hasWindows: boolean,
): ResolvedQuery['stored'] {
  if (source?.kind !== 'table' || hasWindows || select.distinct || select.qualify) return undefined;
  if ((where && where.constant !== true) || tail.limit !== undefined || tail.offset !== undefined)
    return undefined;
  return items.map(({ expression }) =>
    expression.kind === 'identifier'
      ? findColumn(source, expression.names, expression.at)?.stored
      : undefined,
  );
}

// The filter and the chosen columns of a SELECT that does no more than filter the rows of a table.
function filteredQuery({ source, select, items, isCut }: SelectClauses): FilteredQuery | undefined {
  const { where, distinct, qualify } = select;
  if (source?.kind !== 'table' || !where || distinct || qualify || isCut) return undefined;
  const columnOf = ({ names, at }: Identifier) => findColumn(source, names, at);
  const chosen = items.flatMap(
    ({ expression }) => (expression.kind === 'identifier' && columnOf(expression)) || [],
  );
  if (chosen.length < items.length) return undefined;
  return { where, table: allColumns(source), chosen, columnOf };
}

function rowsOf(clauses: SelectClauses, hasWindows: boolean): ResolvedQuery['rows'] {
  if (!clauses.source) return 'inline';
  return hasWindows ||
    clauses.select.distinct ||
    (clauses.isCut && clauses.source.kind !== 'metadata')
    ? 'query'
    : readKind(clauses);
}

function sourceOrder(source: Source | undefined, values: readonly Typed[]): readonly ResultOrder[] {
  const order: ResultOrder[] = [];
  for (const { column, descending } of source?.order ?? []) {
    const text = column.text();
    const index = values.findIndex(({ sql }) => sql === text);
    if (index < 0) break;
    order.push({ index, descending });
  }
  return order;
}

function sortedName({ expression, index }: OrderPart, items: readonly NamedItem[]): string {
  if (expression.kind !== 'identifier') return 'v0';
  return expression.names[0] === STAR_COLUMN && index !== undefined
    ? (items[index]?.name ?? '')
    : (expression.names.at(-1) ?? '');
}
