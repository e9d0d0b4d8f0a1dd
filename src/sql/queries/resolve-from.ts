// FROM: tables, common tables, queries, joins, and rows made from values.
import type {
  DerivedTable,
  Expression,
  From,
  Join,
  Position,
  Query,
  TableAlias,
  TableFunction,
  TableRef,
} from '../ast.ts';
import type { Table, TableColumn, TimeRange } from '../catalog.ts';
import { nativeJoin, nativeUnnest } from '../explain/native-join.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { conjuncts, contains } from '../expressions/rewrite.ts';
import { startColumn, startUnits } from '../expressions/time-starts.ts';
import {
  isApartBelowFilter,
  isApartOnLeft,
  isApartOnRight,
  isReadApart,
  noteSource,
  queryRead,
} from '../resolution/inlined-rows.ts';
import type { NativePlan, PlannedSource } from '../resolution/native-plan.ts';
import {
  allColumns,
  columnText,
  findColumn,
  nullableRelation,
  type RangeOf,
  type Relation,
  type RelationColumn,
  type RowOrder,
  type Source,
  type SourceKind,
  type Union,
} from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { QueryScope } from '../resolution/scope.ts';
import { intersect } from '../resolution/time-range.ts';
import type {
  QueryContext,
  ResolvedQuery,
  ResultColumn,
  ResultOrder,
  Translation,
} from '../resolution/translation.ts';
import { unnestSource } from '../resolution/unnest.ts';
import { invalidSql, SqlError } from '../sql-error.ts';
import type { QueryPlan, StatementJoin } from '../statement.ts';
import { boolean, type SqlType, sqlTypeOfNative, timestamp, varchar } from '../types.ts';
import { conditionsOn, qualifiedConditions, selectsCast } from './conditions-below.ts';
import { resolveTableFunction } from './extern.ts';
import { filteredRows } from './filtered-rows.ts';
import { joinCondition, keyNamed, namesInCommon, sharedColumns } from './join-keys.ts';
import { noteJoin } from './join-sides.ts';
import { rightOf } from './lateral.ts';
import { refuseLookupValues, refuseMixedSources, refuseOuterJoin } from './native-limits.ts';
import { pivotQuery, unpivotSource } from './pivot.ts';

/** The source that FROM yields. `left` is the source visible to a lateral item (UNNEST). */
export function resolveFrom(
  from: From,
  translation: Translation,
  context: QueryContext,
  left?: Source,
): Source {
  switch (from.kind) {
    case 'table':
      return tableSource(from, translation, context);
    case 'tableFunction':
      return tableFunctionSource(from, translation, context);
    case 'derived':
      return derivedSource(from, translation, context, left);
    case 'unnest':
      return unnestSource(from, translation, scopeOver(translation, context, left));
    case 'join':
      return joinSource(from, translation, context, left);
    case 'pivot': {
      const source = resolveFrom(from.source, translation, context, left);
      return querySource(pivotQuery(from, allColumns(source)), from.alias, translation, context);
    }
    case 'unpivot':
      return unpivotSource(from, resolveFrom(from.source, translation, context, left), translation);
  }
}

/** A scope without aggregates: that of FROM and ON. */
function scopeOver(
  translation: Translation,
  { outer, commonTables }: QueryContext,
  source: Source | undefined,
): QueryScope {
  return new QueryScope({
    translation,
    commonTables,
    ...(outer && { outer }),
    ...(source && { source }),
    resolve: resolveExpression,
    aggregate: (call) => {
      throw invalidSql('Aggregate expression is illegal in ON clause', call.at);
    },
  });
}

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────

function tableSource(ref: TableRef, translation: Translation, context: QueryContext): Source {
  const [name = ''] = ref.names;
  const common = ref.names.length === 1 ? context.commonTables.find(name) : undefined;
  if (common) {
    const above = conditionsOn({ name, ...ref.alias }, context.above ?? []);
    const { written } = common;
    const isInlined = above.length > 0 || context.countsCasts;
    if (written && isInlined && selectsCast(written.query, written.commonTables)) {
      const { outer } = context;
      return querySource(written.query, ref.alias ?? { name }, translation, {
        commonTables: written.commonTables,
        ...(outer && { outer }),
        above,
        ...(context.countsCasts && { countsCasts: true }),
        ...(context.reader && { reader: context.reader }),
      });
    }
    const alias = translation.alias(ref.alias?.name ?? name);
    const from =
      alias === common.label
        ? identifier(common.label)
        : `${identifier(common.label)} AS ${identifier(alias)}`;
    return rowsSource({
      ...common,
      alias,
      name: ref.alias?.name ?? name,
      renamed: ref.alias,
      at: ref.at,
      from,
      reader: context.reader,
    });
  }
  const table = findTable(ref.names, translation, ref.at);
  if (translation.engine !== 'native' && (table.kind === 'system' || table.kind === 'information'))
    throw new SqlError(
      `Cannot query table(s) [${table.schema}.${table.name}] with SQL engine [${translation.engine}]`,
      {
        context: { sourceType: 'sql' },
      },
    );
  return scanSource(table, ref.alias, translation, ref.at);
}

/** A stored table that a scan reads. */
function scanSource(
  table: Table,
  renamed: TableAlias | undefined,
  translation: Translation,
  at: Position,
): Source {
  const name = renamed?.name ?? table.name;
  const alias = translation.alias(name);
  const used = new Set<string>();
  let range: TimeRange = {};
  let isNewestFirst = false;
  let files: readonly string[] = [];
  if (table.kind === 'datasource') addResource(translation, table.name);
  const own = identifiersOf(table.columns);
  const columns = table.columns.map((column) =>
    scanColumn(
      column,
      (name) => `${identifier(alias)}.${own(name)}`,
      used,
      () => intersect(column.timeRange ?? {}, range),
    ),
  );
  const relation: Relation = {
    name,
    schema: table.schema,
    columns: renameColumns(columns, renamed, at),
  };
  return {
    kind:
      table.kind === 'datasource'
        ? 'table'
        : table.kind === 'lookup'
          ? 'lookup'
          : table.kind === 'inline'
            ? 'inline'
            : 'metadata',
    relations: [relation],
    shared: [],
    order: [],
    alias,
    plan: {
      type: table.kind === 'lookup' ? 'lookup' : 'table',
      [table.kind === 'lookup' ? 'lookup' : 'name']: table.name,
    },
    restrict(condition, rangeOf) {
      const found = rangeOf(condition, relation);
      if (found) range = intersect(range, found);
    },
    readNewestFirst() {
      isNewestFirst = true;
    },
    text() {
      const intervals =
        range.startMs === undefined && range.endMs === undefined ? {} : { intervals: [range] };
      const columns = wantedColumns(table, used);
      const scan = table.scan({ columns, ...intervals, ...(isNewestFirst && { isNewestFirst }) });
      ({ files } = scan);
      for (const file of files) translation.files.add(file);
      translation.read.numRows += scan.numRows ?? 0;
      return `${scan.sql} AS ${identifier(alias)}`;
    },
    files: () => files,
    used: () => columns.filter(({ stored }) => stored !== undefined && used.has(stored)),
    native() {
      const dataSource = nativeDataSource(table);
      return dataSource && { dataSource, depth: 0 };
    },
  };
}

function nativeDataSource({ kind, name }: Table): PlannedSource['dataSource'] | undefined {
  if (kind === 'datasource') return { type: 'table', name };
  return kind === 'lookup' ? { type: 'lookup', lookup: name } : undefined;
}

function scanColumn(
  column: TableColumn,
  textOf: (name: string) => string,
  used: Set<string>,
  timeRange: () => TimeRange,
): RelationColumn {
  const read = (name: string) => {
    used.add(name);
    return textOf(name);
  };
  return {
    name: column.name,
    type: columnType(column),
    nullable: column.nullable ?? column.name !== '__time',
    stored: column.name,
    ...(column.newest && { newest: column.newest }),
    ...(column.tableRows !== undefined && { tableRows: column.tableRows }),
    ...(column.statistics && { statistics: column.statistics }),
    native: () => column.name,
    get timeRange() {
      return column.name === '__time' ? timeRange() : undefined;
    },
    text: () => read(column.name),
    ...(column.hasStarts && {
      startOf(unit) {
        read(column.name);
        return read(startColumn(unit));
      },
    }),
  };
}

// A relation of files needs at least one column, even if rows are only counted. Generated rows need
// none, since generating a column costs time.
function wantedColumns(table: Table, used: ReadonlySet<string>): readonly string[] {
  const starts = startUnits.map(startColumn);
  const wanted = [...table.columns.map(({ name }) => name), ...starts].filter((name) =>
    used.has(name),
  );
  if (wanted.length > 0 || table.kind === 'system' || table.kind === 'information') return wanted;
  const fallback = table.columns.find(({ name }) => name === '__time') ?? table.columns[0];
  return fallback ? [fallback.name] : [];
}

/** The SQL type of a column of a table. */
function columnType({ type, multiValue, sqlType }: TableColumn): SqlType {
  if (sqlType === 'TIMESTAMP') return timestamp;
  if (sqlType === 'BOOLEAN') return boolean;
  const known = sqlTypeOfNative(type) ?? varchar;
  return multiValue ? { ...known, multiValue: true } : known;
}

const schemas = ['druid', 'sys', 'INFORMATION_SCHEMA', 'lookup', 'view'];

/** The table that names mean. A missing table is refused with Calcite's message. */
function findTable(names: readonly string[], { catalog }: Translation, at: Position): Table {
  const [first = '', second, third] = names;
  const table =
    second === undefined
      ? catalog.findTable(undefined, first)
      : third === undefined && catalog.findTable(first, second);
  if (table) return table;
  const schema = second === undefined ? 'druid' : first;
  const name = second ?? first;
  const alike = catalog.findTable(second === undefined ? undefined : first, name.toLowerCase());
  if (alike)
    throw invalidSql(
      `Object '${name}' not found within '${schema}'; did you mean '${alike.name}'?`,
      at,
    );
  const within = second !== undefined && schemas.includes(first) ? ` within '${first}'` : '';
  throw invalidSql(`Object '${within ? name : first}' not found${within}`, at);
}

function addResource({ resources }: Translation, name: string): void {
  if (!resources.some((resource) => resource.type === 'DATASOURCE' && resource.name === name)) {
    resources.push({ type: 'DATASOURCE', name, action: 'READ' });
  }
}

function tableFunctionSource(
  from: TableFunction,
  translation: Translation,
  context: QueryContext,
): Source {
  const table = resolveTableFunction(
    from,
    translation,
    scopeOver(translation, context, undefined),
    (name, at) => {
      const found = translation.catalog.findTable(undefined, name);
      if (!found) throw invalidSql(`Table [${name}] not found`, at);
      addResource(translation, found.name);
      return found;
    },
  );
  return {
    ...scanSource(table, from.alias, translation, from.at),
    kind: from.call.name === 'APPEND' ? 'table' : 'extern',
  };
}

// ── Queries ──────────────────────────────────────────────────────────────────────────────────────

function derivedSource(
  from: DerivedTable,
  translation: Translation,
  context: QueryContext,
  left: Source | undefined,
): Source {
  const outer = from.lateral && left ? { outer: scopeOver(translation, context, left) } : {};
  const { above: _, ...lateral } = context;
  return querySource(from.query, from.alias, translation, {
    ...(from.lateral ? lateral : context),
    ...outer,
  });
}

function querySource(
  query: Query,
  renamed: TableAlias | undefined,
  translation: Translation,
  context: QueryContext,
): Source {
  const { commonTables, outer } = context;
  const isWhole =
    query.body.kind === 'select' && query.limit === undefined && query.offset === undefined;
  const above = isWhole ? conditionsOn(renamed, context.above ?? []) : [];
  const resolved = translation.resolveQuery(query, {
    commonTables,
    ...(outer && { outer }),
    ...(above.length > 0 && { above }),
    ...(isWhole && context.countsCasts && { countsCasts: true }),
  });
  const alias = translation.alias(renamed?.name ?? 'query');
  return rowsSource({
    ...resolved,
    alias,
    name: renamed?.name,
    renamed: valuesAlias(query, resolved.columns, renamed),
    at: query.at,
    from: `(${resolved.sql}) AS ${identifier(alias)}`,
    reader: context.reader,
  });
}

// `(VALUES 1, 2) AS v` names its only column after the table (Calcite: AliasNamespace).
function valuesAlias(
  query: Query,
  columns: readonly ResultColumn[],
  renamed: TableAlias | undefined,
): TableAlias | undefined {
  const isNamedAfterTable =
    query.body.kind === 'values' && columns.length === 1 && renamed && !renamed.columns;
  return isNamedAfterTable ? { name: renamed.name, columns: [renamed.name] } : renamed;
}

interface Rows {
  readonly alias: string;
  readonly name: string | undefined;
  readonly renamed: TableAlias | undefined;
  readonly at: Position;
  readonly from: string;
  readonly reader: QueryContext['reader'];
  readonly columns: readonly ResultColumn[];
  readonly order: readonly ResultOrder[];
  readonly plan: QueryPlan;
  readonly rows: SourceKind;
  readonly files: readonly string[];
  readonly stored?: ResolvedQuery['stored'];
  readonly isEmpty?: true;
  readonly cut?: ResolvedQuery['cut'];
  readonly isWindowed?: true;
  readonly isSorted?: ResolvedQuery['isSorted'];
  readonly union?: Union;
  readonly filtered?: ResolvedQuery['filtered'];
  readonly native?: ResolvedQuery['native'];
}

function rowsSource(rows: Rows): Source {
  const {
    alias,
    name,
    renamed,
    at,
    from,
    reader,
    columns,
    order,
    plan,
    files,
    stored,
    isEmpty,
    cut,
    isWindowed,
    isSorted,
    union,
    filtered,
    native,
  } = rows;
  const used = new Set<number>();
  let planned: NativePlan | undefined;
  const nativePlan = () => {
    planned ??= native?.();
    return planned;
  };
  const query = queryRead(plan, nativePlan);
  const isApart = isReadApart(
    { kind: rows.rows, query, ...(isWindowed && { isWindowed }) },
    reader,
  );
  const named = columns.map(({ valuesOf, counted, ...column }, index): RelationColumn => {
    const storedName = stored?.[index];
    return {
      ...column,
      ...(valuesOf !== undefined && !isApart && { valuesOf }),
      ...(counted &&
        !isApart && { counted: { type: counted.type, sql: columnText(alias, counted.label) } }),
      ...(storedName !== undefined && { stored: storedName }),
      native: () => nativePlan()?.outputs[index],
      text() {
        used.add(index);
        return columnText(alias, column.label);
      },
    };
  });
  const visible = renameColumns(named, renamed, at);
  return {
    kind: rows.rows,
    relations: [{ ...(name !== undefined && { name }), columns: visible }],
    shared: [],
    order: order.flatMap(({ index, descending }): RowOrder[] => {
      const column = visible[index];
      return column ? [{ column, descending }] : [];
    }),
    alias,
    plan: { type: 'query', query: plan },
    query,
    ...(filtered && { filtered: filteredRows(filtered, visible) }),
    ...(union && { unions: [{ union, used }] }),
    ...(isEmpty && { isEmpty }),
    ...(cut && { cut }),
    ...(isWindowed && { isWindowed }),
    ...(isSorted && {
      isSorted: (sorted: readonly RelationColumn[]) =>
        isSorted(sorted.map((column) => visible.indexOf(column))),
    }),
    restrict: () => {},
    text: () => from,
    files: () => files,
    used: () => named.filter((_, index) => used.has(index)),
    native() {
      const inner = nativePlan();
      if (inner?.inline) return { dataSource: inner.inline, depth: inner.depth };
      return inner && { dataSource: { type: 'query', query: inner.query }, depth: inner.depth + 1 };
    },
  };
}

function renameColumns(
  columns: readonly RelationColumn[],
  renamed: TableAlias | undefined,
  at: Position,
): readonly RelationColumn[] {
  if (!renamed?.columns) return columns;
  const names = renamed.columns;
  if (names.length !== columns.length) {
    const listed = columns.map(({ name }) => `'${name}'`).join(', ');
    throw invalidSql(
      `List of column aliases must have same degree as table; table has ${columns.length} columns (${listed}), whereas alias list has ${names.length} columns`,
      at,
    );
  }
  return columns.map((column, index) => ({ ...column, name: names[index] ?? column.name }));
}

// ── Joins ────────────────────────────────────────────────────────────────────────────────────────

function joinSource(
  written: Join,
  translation: Translation,
  context: QueryContext,
  above: Source | undefined,
): Source {
  // The engine has one kind of UNNEST, which leaves out rows with an empty array (Druid:
  // DruidCorrelateUnnestRule).
  const join: Join =
    written.type === 'LEFT' && written.right.kind === 'unnest'
      ? { ...written, type: 'INNER' }
      : written;
  const { left, right, row } = resolveSides(join, translation, context, above);
  const both = sideBySide(
    outerSide(left, join.type === 'RIGHT' || join.type === 'FULL'),
    outerSide(right, join.type === 'LEFT' || join.type === 'FULL'),
  );
  const shared = sharedColumns(join, left, right, both);
  const scopeOf = (source: Source) => scopeOver(translation, context, source);
  const condition = joinCondition(join, left, right, scopeOf(sideBySide(left, right)));
  const operator =
    condition === undefined ? 'CROSS JOIN' : `${join.type === 'CROSS' ? 'INNER' : join.type} JOIN`;
  const hasStages =
    translation.engine === 'msq-task' && !context.outer && !above && right.kind !== 'unnest';
  // Whether WHERE rejects all rows that lack this side
  const isRejected = { left: false, right: false };
  const isOuter = () =>
    (join.type === 'LEFT' && !isRejected.right) ||
    (join.type === 'RIGHT' && !isRejected.left) ||
    (join.type === 'FULL' && !(isRejected.left && isRejected.right));
  // Each row of a sorted left side comes with the rows that it finds on the right, in their order.
  const isRightSorted = left.order.length > 0 && ['INNER', 'LEFT', 'CROSS'].includes(join.type);
  let noted: StatementJoin | undefined;
  return {
    ...both,
    ...(isRightSorted && { order: [...both.order, ...right.order] }),
    ...(right.beside && row !== undefined && { alias: row }),
    kind: kindOfJoin(join, left, right),
    shared: [
      ...shared,
      ...left.shared.filter(
        ({ column }) => !shared.some((other) => other.instead.includes(column)),
      ),
    ],
    plan: planOfJoin(join, left, right),
    restrict(where, rangeOf: RangeOf) {
      isRejected.left ||= rejectsMissing(where, left);
      isRejected.right ||= rejectsMissing(where, right);
      if (join.type !== 'RIGHT' && join.type !== 'FULL') left.restrict(where, rangeOf);
      if (join.type !== 'LEFT' && join.type !== 'FULL') right.restrict(where, rangeOf);
    },
    text() {
      if (join.on && translation.engine === 'native')
        refuseCondition(join.on, left, right, isOuter(), scopeOf);
      const leftText = left.text();
      if (right.kind === 'unnest' ? isApartBelowFilter(left) : isApartOnLeft(left))
        noteSource(translation, left, leftText);
      if (right.beside) return right.beside(leftText);
      const rightText = join.right.kind === 'join' ? `(${right.text()})` : right.text();
      // Rows of a query that may name columns of the left side cannot be counted on their own.
      const isLateral = join.right.kind === 'derived' && join.right.lateral;
      if (isApartOnRight(right) && !isLateral) noteSource(translation, right, rightText);
      if (hasStages)
        noted ??= noteJoin(
          join,
          [
            { source: left, from: leftText },
            { source: right, from: rightText },
          ],
          namesInCommon(join, left, right).map((name) => [
            keyNamed(name, left, join.at),
            keyNamed(name, right, join.at),
          ]),
          translation,
          scopeOf,
        );
      return `${leftText} ${operator} ${rightText}${condition === undefined ? '' : ` ON ${condition}`}`;
    },
    ...(isEmptyJoin(join.type, left, right) && { isEmpty: true }),
    files: () => [...left.files(), ...right.files()],
    used: () => [left, right].flatMap((side) => side.used?.() ?? []),
    join: () => noted,
    ...(join.right.kind === 'unnest'
      ? nativeUnnest(join.right, { left, right, both }, (part) =>
          resolveExpression(part, scopeOf(left)),
        )
      : nativeJoin(join, { left, right, both })),
  };
}

function resolveSides(
  join: Join,
  translation: Translation,
  context: QueryContext,
  above: Source | undefined,
): { readonly left: Source; readonly right: Source; readonly row: string | undefined } {
  if (join.natural && (join.on || join.using))
    throw invalidSql('Cannot specify NATURAL keyword with ON or USING clause', join.at);
  const { above: conditions = [], ...plain } = context;
  const contextOf = (isWhole: boolean, reader: QueryContext['reader']): QueryContext => ({
    ...plain,
    ...(isWhole && { above: qualifiedConditions(conditions) }),
    ...(join.right.kind !== 'unnest' && reader && { reader }),
  });
  const keepsLeft = join.type !== 'RIGHT' && join.type !== 'FULL';
  const keepsRight = join.type !== 'LEFT' && join.type !== 'FULL';
  const left = resolveFrom(join.left, translation, contextOf(keepsLeft, 'left'), above);
  const row = join.type === 'CROSS' && !above ? left.alias : undefined;
  const before = above ? sideBySide(above, left) : left;
  const right =
    join.right.kind === 'unnest' && !join.right.ordinality
      ? unnestSource(join.right, translation, scopeOver(translation, context, before), row)
      : resolveFrom(rightOf(join), translation, contextOf(keepsRight, 'right'), before);
  refuseSameNames(left, right, join.right.at);
  if (translation.engine === 'native') refuseMixedSources(left, right);
  return { left, right, row };
}

// Refuses conditions that the native engine cannot join by.
function refuseCondition(
  condition: Expression,
  left: Source,
  right: Source,
  isOuter: boolean,
  scopeOf: (source: Source) => ReturnType<typeof scopeOver>,
): void {
  if (right.kind === 'lookup') refuseLookupValues(condition, right);
  if (isOuter) {
    const isNever = (part: Expression) =>
      part.kind === 'is' && part.what === 'NULL' && isNeverNull(part.operand, [left, right]);
    refuseOuterJoin(
      conjuncts(condition).filter((part) => !isNever(part)),
      [scopeOf(left), scopeOf(right)],
      scopeOf(sideBySide(left, right)),
    );
  }
}

// The planner does not read the side of an outer join that has no rows (Calcite: PruneEmptyRules).
function kindOfJoin(join: Join, left: Source, right: Source): SourceKind {
  if (right.kind === 'unnest') return kindOfUnnest(left.kind, join.right);
  if (!isEmptyJoin(join.type, left, right)) {
    if (right.isEmpty) return left.kind;
    if (left.isEmpty && right.kind !== 'table') return right.kind;
  }
  return left.kind === 'metadata' && right.kind === 'metadata' ? 'metadata' : 'join';
}

const planOfJoin = (join: Join, left: Source, right: Source): Source['plan'] =>
  right.kind === 'unnest'
    ? { type: 'unnest', base: left.plan, virtualColumn: right.plan }
    : {
        type: 'join',
        left: left.plan,
        right: right.plan,
        joinType: join.type === 'CROSS' ? 'INNER' : join.type,
      };

function isEmptyJoin(type: Join['type'], left: Source, right: Source): boolean {
  const isLeftKept = type === 'LEFT' || type === 'FULL';
  const isRightKept = type === 'RIGHT' || type === 'FULL';
  return (left.isEmpty === true && !isRightKept) || (right.isEmpty === true && !isLeftKept);
}

// Rows beside a literal array are joined with its values. An array from the rows themselves is
// unnested.
function kindOfUnnest(rows: SourceKind, unnest: From): SourceKind {
  if (rows !== 'table' && rows !== 'query') return rows;
  const isWritten =
    unnest.kind === 'unnest' &&
    !unnest.args.some((argument) => contains(argument, ({ kind }) => kind === 'identifier'));
  return isWritten ? 'join' : 'unnest';
}

// A comparison with a column is never true if its row is missing. The planner does not recognize
// this for lists and ranges.
function rejectsMissing(where: Expression, side: Source): boolean {
  return conjuncts(where).some((part) => {
    const isStrict =
      (part.kind === 'binary' && ['=', '<>', '<', '<=', '>', '>='].includes(part.operator)) ||
      part.kind === 'like' ||
      (part.kind === 'is' && part.what === 'NULL' && part.negated);
    if (!isStrict || contains(part, ({ kind }) => kind === 'call' || kind === 'case')) return false;
    return contains(
      part,
      (inner) => inner.kind === 'identifier' && Boolean(findColumn(side, inner.names, inner.at)),
    );
  });
}

const isNeverNull = (operand: Expression, sides: readonly Source[]): boolean =>
  operand.kind === 'identifier' &&
  sides.some((side) => {
    const column = findColumn(side, operand.names, operand.at);
    return column && !column.nullable;
  });

function sideBySide(left: Source, right: Source): Source {
  return {
    kind: 'join',
    relations: [...left.relations, ...right.relations],
    shared: [...left.shared, ...right.shared],
    order: left.order,
    plan: undefined,
    unions: [...(left.unions ?? []), ...(right.unions ?? [])],
    restrict: () => {},
    text: () => '',
    files: () => [],
  };
}

function outerSide(source: Source, isOptional: boolean): Source {
  return isOptional
    ? { ...source, order: [], relations: source.relations.map(nullableRelation) }
    : source;
}

function refuseSameNames(left: Source, right: Source, at: Position): void {
  const taken = new Set(left.relations.map(({ name }) => name));
  const again = right.relations.find(({ name }) => name !== undefined && taken.has(name));
  if (again) throw invalidSql(`Duplicate relation name '${again.name}' in FROM clause`, at);
}
