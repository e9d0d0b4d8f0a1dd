// FROM: tables, common tables, queries, joins, and rows made from values.
import type {
  DerivedTable,
  From,
  Position,
  Query,
  TableAlias,
  TableFunction,
  TableRef,
} from '../ast.ts';
import type { Table, TableColumn, TableSegment, TimeRange, Wanted } from '../catalog.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { startColumn, startUnits } from '../expressions/time-starts.ts';
import { markColumn } from '../expressions/unique-marks.ts';
import { checkLimit } from '../limits.ts';
import { isReadApart, queryRead } from '../resolution/inlined-rows.ts';
import type { NativePlan, PlannedSource } from '../resolution/native-plan.ts';
import {
  allColumns,
  columnText,
  type Relation,
  type RelationColumn,
  type RowOrder,
  type Source,
  type SourceKind,
  type Union,
} from '../resolution/relation.ts';
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
import type { QueryPlan } from '../statement.ts';
import { boolean, type SqlType, sqlTypeOfNative, timestamp, varchar } from '../types.ts';
import { conditionsOn, selectsReadThrough } from './conditions-below.ts';
import { resolveTableFunction } from './extern.ts';
import { filteredRows } from './filtered-rows.ts';
import { scopeOver } from './from-scope.ts';
import { joinSource } from './join-source.ts';
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
      return joinSource(from, translation, context, left, resolveFrom);
    case 'pivot': {
      const source = resolveFrom(from.source, translation, context, left);
      return querySource(pivotQuery(from, allColumns(source)), from.alias, translation, context);
    }
    case 'unpivot':
      return unpivotSource(
        from,
        resolveFrom(from.source, translation, context, left),
        translation,
        context,
      );
  }
}

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────

function tableSource(ref: TableRef, translation: Translation, context: QueryContext): Source {
  const [name = ''] = ref.names;
  const common = ref.names.length === 1 ? context.commonTables.find(name) : undefined;
  if (common) {
    const above = conditionsOn({ name, ...ref.alias }, context.above ?? []);
    const { written } = common;
    const isInlined = above.length > 0 || context.countsCasts;
    if (written && isInlined && selectsReadThrough(written.query, written.commonTables)) {
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
  let numbered: readonly TableSegment[] | undefined;
  let files: readonly string[] = [];
  if (table.kind === 'datasource') addResource(translation, table.name);
  const own = identifiersOf(table.columns);
  const columns = table.columns.map((column, place) =>
    scanColumn(
      column,
      place,
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
    numberSegments() {
      const segments = table.segments?.([range]);
      if (!segments || segments.length === 1) return undefined;
      if (segments.length > 0) numbered = segments;
      const text = numbered ? `${identifier(alias)}.${identifier(NUMBER)}` : 'NULL';
      return { text, count: segments.length };
    },
    text() {
      const intervals =
        range.startMs === undefined && range.endMs === undefined ? {} : { intervals: [range] };
      const columns = wantedColumns(table, used);
      const wanted = { columns, ...intervals, ...(isNewestFirst && { isNewestFirst }) };
      const scan = table.scan(wanted);
      ({ files } = scan);
      for (const file of files) translation.files.add(file);
      translation.read.numRows += scan.numRows ?? 0;
      const sql = numbered ? scanNumbered(numbered, wanted) : scan.sql;
      return `${sql} AS ${identifier(alias)}`;
    },
    files: () => files,
    used: () => columns.filter(({ stored }) => stored !== undefined && used.has(stored)),
    native() {
      const dataSource = nativeDataSource(table);
      return dataSource && { dataSource, depth: 0 };
    },
  };
}

// Users cannot write it, so it is the name of no column.
const NUMBER = '\u0001segment';

function scanNumbered(segments: readonly TableSegment[], wanted: Wanted): string {
  const rows = segments
    .map(
      (segment, number) =>
        `SELECT *, ${number} AS ${identifier(NUMBER)} FROM ${segment.scan(wanted).sql}`,
    )
    .join(' UNION ALL ');
  checkLimit('expansion', rows.length);
  return `(${rows})`;
}

function nativeDataSource({ kind, name }: Table): PlannedSource['dataSource'] | undefined {
  if (kind === 'datasource') return { type: 'table', name };
  return kind === 'lookup' ? { type: 'lookup', lookup: name } : undefined;
}

function scanColumn(
  column: TableColumn,
  place: number,
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
    place,
    ...(column.newest && { newest: column.newest }),
    ...(column.tableRows !== undefined && { tableRows: column.tableRows }),
    ...(column.statistics && { statistics: column.statistics }),
    native: () => column.name,
    get timeRange() {
      return column.name === '__time' ? timeRange() : undefined;
    },
    text: () => (column.multiValue ? `druid_nonempty(${read(column.name)})` : read(column.name)),
    ...(column.multiValue && { values: () => read(column.name) }),
    ...(column.hasStarts && {
      startOf(unit) {
        read(column.name);
        return read(startColumn(unit));
      },
    }),
    ...(column.statistics?.hasMarks && { mark: () => read(markColumn(column.name)) }),
  };
}

// A relation of files needs at least one column, even if rows are only counted. Generated rows need
// none, since generating a column costs time.
function wantedColumns(table: Table, used: ReadonlySet<string>): readonly string[] {
  const names = table.columns.map(({ name }) => name);
  const wanted = [
    ...names,
    ...startUnits.map(startColumn),
    ...table.columns.flatMap(({ name, statistics }) =>
      statistics?.hasMarks ? [markColumn(name)] : [],
    ),
  ].filter((name) => used.has(name));
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
  const schemaOfTable = second === undefined ? undefined : first;
  const alike =
    catalog.findTable(schemaOfTable, name.toLowerCase()) ??
    catalog.findTable(schemaOfTable, name.toUpperCase());
  if (alike)
    throw invalidSql(
      `Object '${name}' not found within '${schema}'; did you mean '${alike.name}'?`,
      at,
    );
  if (second !== undefined && schemas.includes(first))
    throw invalidSql(`Object '${name}' not found within '${first}'`, at);
  const near = second && schemas.find((known) => known.toLowerCase() === first.toLowerCase());
  throw invalidSql(`Object '${first}' not found${near ? `; did you mean '${near}'?` : ''}`, at);
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
