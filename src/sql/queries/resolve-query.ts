// A query: its WITH, its body, and its order and limits.
import type {
  Expression,
  OrderItem,
  Position,
  Query,
  QueryBody,
  SetOperation,
  ValuesClause,
} from '../ast.ts';
import { valuesPlan } from '../explain/scan-plan.ts';
import { castTo, shortDoubleOf } from '../expressions/casts.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { fingerprint } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { isOneSource } from '../resolution/native-union.ts';
import { repeatedName } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { QueryScope } from '../resolution/scope.ts';
import type { Tail } from '../resolution/select-items.ts';
import { expandOrder } from '../resolution/select-items.ts';
import { limitClauses, ordinals, resultColumns, termText } from '../resolution/select-text.ts';
import type {
  CommonTables,
  EngineName,
  QueryContext,
  ResolvedQuery,
  ResolvedTable,
  ResultColumn,
  ResultOrder,
  Translation,
} from '../resolution/translation.ts';
import { isDescending } from '../resolution/window.ts';
import { invalidSql, unknownFunction, unplannable, unsupportedSql } from '../sql-error.ts';
import {
  commonType,
  double,
  isInteger,
  isTime,
  nullType,
  type SqlType,
  timestamp,
  typeOfSideBySide,
} from '../types.ts';
import { refuseNativeOrder, refuseSortedUnion } from './native-limits.ts';
import { resolveSelect } from './resolve-select.ts';

/** Resolves a query where it stands. Its text has no parentheses around it. */
export function resolveQuery(
  query: Query,
  translation: Translation,
  context: QueryContext,
): ResolvedQuery {
  const { texts, commonTables } = resolveCommonTables(query, translation, context);
  const inside = { ...context, commonTables };
  const tail = tailOf(query, translation, inside);
  const resolved = resolveBody(query.body, tail, translation, inside);
  return texts.length === 0
    ? resolved
    : { ...resolved, sql: `WITH ${texts.join(', ')} ${resolved.sql}` };
}

function resolveBody(
  body: QueryBody,
  tail: Tail,
  translation: Translation,
  context: QueryContext,
): ResolvedQuery {
  if (body.kind === 'select') return resolveSelect(body, tail, translation, context);
  if (body.kind === 'values')
    return withTail(resolveValues(body, translation, context), tail, translation.engine, context);
  if (body.kind === 'setOperation')
    return withTail(resolveUnion(body, translation, context), tail, translation.engine, context);
  const { outerLimit: _, isIngested: __, ...below } = context;
  if (isEmptyTail(tail)) return resolveQuery(body, translation, context);
  const resolved = resolveQuery(body, translation, { ...below, top: context.top === true });
  const sql = `SELECT * FROM (${resolved.sql}) AS ${identifier(translation.alias('query'))}`;
  return withTail({ ...resolved, sql }, tail, translation.engine, context);
}

// ── WITH ─────────────────────────────────────────────────────────────────────────────────────────

function resolveCommonTables(
  query: Query,
  translation: Translation,
  context: QueryContext,
): { readonly texts: readonly string[]; readonly commonTables: CommonTables } {
  let { commonTables } = context;
  const texts: string[] = [];
  for (const common of query.with) {
    const { outer } = context;
    const resolved = resolveQuery(common.query, translation, {
      commonTables: query.recursive ? withRecursion(commonTables, common.name) : commonTables,
      ...(outer && { outer }),
    });
    const label = translation.alias(common.name);
    const columns = rename(resolved.columns, common);
    const text = `${identifier(label)} AS (${resolved.sql})`;
    texts.push(text);
    translation.commonTexts.push(text);
    const written = common.columns ? {} : { written: { query: common.query, commonTables } };
    commonTables = withTable(commonTables, common.name, {
      ...resolved,
      label,
      columns,
      ...written,
    });
  }
  return { texts, commonTables };
}

// A query of WITH RECURSIVE that reads its own rows cannot be planned.
const withRecursion = (others: CommonTables, own: string): CommonTables => ({
  find(wanted) {
    if (wanted === own) throw unplannable();
    return others.find(wanted);
  },
});

const withTable = (others: CommonTables, name: string, table: ResolvedTable): CommonTables => ({
  find: (wanted) => (wanted === name ? table : others.find(wanted)),
});

function rename(
  columns: readonly ResultColumn[],
  { columns: names, query, at }: Query['with'][number],
): readonly ResultColumn[] {
  if (!names) {
    const repeated = repeatedName(columns);
    if (repeated === undefined) return columns;
    throw invalidSql(
      `Column has duplicate column name '${repeated}' and no column list specified`,
      query.at,
    );
  }
  if (names.length !== columns.length)
    throw invalidSql('Number of WITH-clause columns must match number of query columns', at);
  return columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
}

// ── UNION ALL ────────────────────────────────────────────────────────────────────────────────────

function resolveUnion(
  operation: SetOperation,
  translation: Translation,
  context: QueryContext,
): ResolvedQuery {
  const { operator, all, at } = operation;
  if (operator !== 'UNION') throw unknownFunction(operator, at);
  const { outerLimit: _, isIngested: __, ...below } = context;
  const bodies = unionInputs(operation);
  const [only] = bodies;
  if (!all && only && new Set(bodies.map(meaningOf)).size === 1)
    return resolveBody(distinctRows(only), noTail, translation, context);
  const inputs = bodies.map((body) => resolveBody(body, noTail, translation, below));
  const [first] = inputs;
  if (!first) throw new TypeError('A union has inputs');
  const other = inputs.findIndex(({ columns }) => columns.length !== first.columns.length);
  if (other > 0)
    throw invalidSql(
      `Column count mismatch in UNION${all ? ' ALL' : ''}`,
      columnsAt(bodies[other]) ?? at,
    );
  if (!all) throw unsupportedSql("SQL requires 'UNION' but only 'UNION ALL' is supported.");
  const arms = inputs.filter(({ isEmpty }) => !isEmpty);
  const hasMetadata = arms.some((arm) => arm.rows === 'metadata');
  const isMetadata =
    hasMetadata && arms.every((arm) => arm.rows === 'metadata' || arm.rows === 'inline');
  if (hasMetadata && !isMetadata && translation.engine === 'native') throw unplannable();
  const types = first.columns.map((_, index) => {
    const given = inputs.map((input) => input.columns[index]?.type ?? nullType);
    const type = unionType(given, index, at);
    const isMixed = arms.length > 1 && given.some(({ name }) => !isFloatOrNull(name));
    return type.name === 'FLOAT' && isMixed ? { ...type, holdsDoubles: true as const } : type;
  });
  const columns = first.columns.map((column, index) => ({
    ...column,
    type: types[index] ?? column.type,
    nullable: inputs.some((input) => input.columns[index]?.nullable !== false),
  }));
  const { timeZone } = translation.environment;
  const texts = inputs.map((input) => {
    const needsCast = input.columns.some((column, index) =>
      changesForm(column.type, types[index] ?? column.type),
    );
    if (!needsCast) return `(${input.sql})`;
    const alias = translation.alias('input');
    const items = input.columns.map((column, index) => {
      const value: Typed = {
        type: column.type,
        sql: `${identifier(alias)}.${identifier(column.label)}`,
        at,
      };
      return `${inUnion(value, types[index] ?? column.type, arms.length === 1, timeZone)} AS ${identifier(columns[index]?.label ?? '')}`;
    });
    return `SELECT ${items.join(', ')} FROM (${input.sql}) AS ${identifier(alias)}`;
  });
  return {
    sql: texts.join(' UNION ALL '),
    columns,
    order: [],
    plan: {
      queryType: 'scan',
      dataSource: { type: 'union', dataSources: inputs.map((input) => input.plan.dataSource) },
    },
    nativeArms: () => inputs.map((input) => input.native?.()),
    files: inputs.flatMap((input) => input.files),
    rows: isMetadata ? 'metadata' : arms.every((arm) => arm.stored) ? 'table' : 'query',
    ...(arms.length === 0 && { isEmpty: true }),
    ...(translation.engine === 'native' && arms.length > 1 && !isMetadata && { union: { arms } }),
  };
}

const meaningOf = (body: QueryBody): string => fingerprint(body, ({ names }) => names.join('.'));

// The planner merges equal inputs of UNION into one and keeps only its distinct rows.
function distinctRows(body: QueryBody): QueryBody {
  const { at } = body;
  const query: Query = { kind: 'query', with: [], body, orderBy: [], at };
  const items = [{ expression: { kind: 'star', qualifier: [], at }, at }] as const;
  return {
    kind: 'select',
    distinct: true,
    items,
    from: { kind: 'derived', query, lateral: false, at },
    windows: [],
    at,
  };
}

// The place of the columns of a SELECT.
function columnsAt(body: QueryBody | undefined): Position | undefined {
  if (body?.kind !== 'select') return body?.at;
  const [first, last] = [body.items[0]?.at, body.items.at(-1)?.at];
  return first && last && { ...first, endLine: last.endLine, endColumn: last.endColumn };
}

function unionInputs({ left, right, operator, all }: SetOperation): readonly QueryBody[] {
  const isSame = left.kind === 'setOperation' && left.operator === operator && left.all === all;
  return [...(isSame ? unionInputs(left) : [left]), right];
}

// A number keeps its value when other inputs have another type: a FLOAT does not gain digits.
function inUnion(value: Typed, type: SqlType, isOnlyArm: boolean, timeZone: string): string {
  const isOfDoubles = type.name === 'DOUBLE' || type.holdsDoubles === true;
  if (value.type.name === 'FLOAT' && isOfDoubles && !isOnlyArm) return shortDoubleOf(value.sql);
  return castTo(value, isOfDoubles ? double : type, timeZone).sql;
}

const isFloatOrNull = (name: SqlType['name']): boolean => name === 'FLOAT' || name === 'NULL';

function unionType(types: readonly SqlType[], index: number, at: SetOperation['at']): SqlType {
  const type =
    types.every((one) => isTime(one) || isInteger(one)) && types.some(isTime)
      ? timestamp
      : commonType(types);
  if (!type) throw invalidSql(`Type mismatch in column ${index + 1} of UNION ALL`, at);
  return type;
}

// Whether DuckDB represents the two types differently.
const changesForm = (from: SqlType, to: SqlType): boolean =>
  from.name !== to.name ||
  from.multiValue !== to.multiValue ||
  from.name === 'ARRAY' ||
  to.holdsDoubles === true;

// ── VALUES ───────────────────────────────────────────────────────────────────────────────────────

function resolveValues(
  values: ValuesClause,
  translation: Translation,
  context: QueryContext,
): ResolvedQuery {
  const scope = constantScope(translation, context);
  const rows = values.rows.map((row) => row.map((cell) => resolveExpression(cell, scope)));
  const [first = []] = rows;
  if (rows.some((row) => row.length !== first.length))
    throw invalidSql('Values passed to VALUES operator must have compatible types', values.at);
  const types = first.map((_, index) => {
    const type = typeOfSideBySide(rows.map((row) => row[index]?.type ?? nullType));
    if (!type)
      throw invalidSql('Values passed to VALUES operator must have compatible types', values.at);
    return type;
  });
  const { timeZone } = translation.environment;
  const texts = rows.map(
    (row) =>
      `(${row.map((cell, index) => castTo(cell, types[index] ?? cell.type, timeZone).sql).join(', ')})`,
  );
  const items = types.map((type, index) => ({ name: `EXPR$${index}`, type, nullable: true }));
  const columns = resultColumns(items, items);
  const alias = identifier(translation.alias('values'));
  return {
    sql: `SELECT * FROM (VALUES ${texts.join(', ')}) AS ${alias}(${columns.map(({ label }) => identifier(label)).join(', ')})`,
    columns,
    order: [],
    plan: {
      queryType: 'scan',
      dataSource: { type: 'inline', columnNames: columns.map(({ name }) => name) },
    },
    native: () =>
      valuesPlan(
        columns.map(({ name }) => name),
        rows.map((row) =>
          row.map((cell, index) => castTo(cell, types[index] ?? cell.type, timeZone)),
        ),
      ),
    files: [],
    rows: 'inline',
    ...(rows.length > 1 && { isSorted: (indexes: readonly number[]) => ascend(rows, indexes) }),
  };
}

// Whether rows of constants ascend by these columns, null last; false if a value is not a constant.
function ascend(rows: readonly (readonly Typed[])[], indexes: readonly number[]): boolean {
  return rows.every((row, at) => {
    const before = rows[at - 1];
    if (!before) return true;
    for (const index of indexes) {
      const [one, next] = [before[index]?.constant, row[index]?.constant];
      if (one === undefined || next === undefined || Array.isArray(one) || Array.isArray(next))
        return false;
      if (one === next) continue;
      return next === null || (one !== null && one < next);
    }
    return true;
  });
}

// ── ORDER BY, LIMIT, OFFSET ──────────────────────────────────────────────────────────────────────

const noTail: Tail = { orderBy: [], limit: undefined, offset: undefined };

const isEmptyTail = ({ orderBy, limit, offset }: Tail): boolean =>
  orderBy.length === 0 && limit === undefined && offset === undefined;

function tailOf(
  { orderBy, limit, offset }: Query,
  translation: Translation,
  context: QueryContext,
): Tail {
  const count = (expression: Expression | undefined) =>
    expression && rowCount(expression, translation, context);
  const own = count(limit);
  const { outerLimit } = context;
  const outer = outerLimit === undefined ? undefined : BigInt(outerLimit);
  return {
    orderBy,
    limit: own === undefined || (outer !== undefined && outer < own) ? outer : own,
    offset: count(offset),
  };
}

function rowCount(expression: Expression, translation: Translation, context: QueryContext): bigint {
  const { constant } = resolveExpression(expression, constantScope(translation, context));
  if (typeof constant === 'bigint' && constant >= 0n) return constant;
  if (typeof constant === 'number' && constant >= 0) return BigInt(Math.trunc(constant));
  throw invalidSql('Row count must be a non-negative whole number', expression.at);
}

function constantScope(
  translation: Translation,
  { outer, commonTables }: QueryContext,
): QueryScope {
  return new QueryScope({
    translation,
    commonTables,
    ...(outer && { outer }),
    resolve: resolveExpression,
    aggregate: (call) => {
      throw unsupportedSql(`SQL query requires '${call.name}' operator that is not supported.`);
    },
  });
}

// A union or VALUES can be sorted by its own columns only.
function withTail(
  resolved: ResolvedQuery,
  tail: Tail,
  engine: EngineName,
  context: QueryContext,
): ResolvedQuery {
  const order = tail.orderBy.map((item): ResultOrder => {
    const index = outputIndex(item, resolved.columns);
    return { index, descending: isDescending(item) };
  });
  const counts = context.top || tail.limit !== undefined || tail.offset !== undefined;
  const clauses = [
    ...(counts && order.length > 0 ? [`ORDER BY ${ordinals(order).map(termText).join(', ')}`] : []),
    ...limitClauses(tail.limit, tail.offset),
  ];
  if (clauses.length === 0) return resolved;
  const { union, stored: _, isSorted, native: __, nativeArms: ___, ...rows } = resolved;
  const isWrittenSo =
    tail.limit === undefined &&
    tail.offset === undefined &&
    order.every(({ descending }) => !descending) &&
    isSorted?.(order.map(({ index }) => index));
  if (isSorted && !isWrittenSo)
    refuseNativeOrder(
      engine,
      'table',
      order.map(({ index }) => resolved.columns[index]?.name ?? ''),
    );
  // Queries may run one after the other up to a limit, if their rows are the result or are only
  // passed on to it. Other clauses need the rows of a union together.
  const isInTurn = order.length === 0 && (tail.offset ?? 0n) === 0n;
  if (union && !isInTurn)
    refuseSortedUnion(
      union,
      order.map(({ index }) => index),
    );
  return {
    ...rows,
    sql: `${resolved.sql} ${clauses.join(' ')}`,
    order,
    rows: 'query',
    ...(union && isInTurn && !context.top && !isOneSource(union) && { union }),
    ...(tail.limit === 0n && { isEmpty: true }),
  };
}

function outputIndex(item: OrderItem, columns: readonly ResultColumn[]): number {
  const items = columns.map(({ name }) => ({ name, alias: name, expression: item.expression }));
  const { index } = expandOrder(item, items);
  if (index !== undefined) return index;
  const { expression } = item;
  if (expression.kind === 'identifier')
    throw invalidSql(
      `Column '${expression.names.join('.')}' not found in any table`,
      expression.at,
    );
  throw invalidSql('A union can only be sorted by its columns', item.at);
}
