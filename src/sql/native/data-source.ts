// Readable sources for the data sources of native queries (docs/querying/datasource.md): tables,
// queries, joins and others.
import { formatInterval, type Interval } from '../../model/interval.ts';
import { doubleText } from '../../model/java-text.ts';
import { formatJson } from '../../model/json.ts';
import type { Catalog, Table, TableColumn, TimeRange } from '../catalog.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo } from '../expressions/casts.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { constantText } from '../expressions/duckdb-text.ts';
import { isList, joinedValue } from '../expressions/multi-value.ts';
import { startUnitOf } from '../expressions/time-starts.ts';
import {
  type Constant,
  type Environment,
  type Scope,
  scopeWith,
  type Typed,
} from '../expressions/typed.ts';
import { markedColumnOf } from '../expressions/unique-marks.ts';
import { checkLimit } from '../limits.ts';
import { longOf, parseDouble, parseLong, wrap } from '../runtime/java-values.ts';
import type { Resource } from '../statement.ts';
import {
  arrayOf,
  commonType,
  isInteger,
  isText,
  json,
  multiValueVarchar,
  type SqlType,
  sqlTypeOfNative,
  timestamp,
  varchar,
} from '../types.ts';
import { resolveFilter } from './filter.ts';
import { refuseUnheld, refuseUnjoinable } from './join-condition.ts';
import {
  asText,
  has,
  kindOf,
  listIn,
  listOr,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  textIn,
  textOr,
} from './members.ts';
import { parseNativeExpression } from './parse-expression.ts';
import { nativeCondition } from './resolve.ts';
import { RowScope } from './row-scope.ts';
import {
  derivedSource,
  emptySource,
  givenColumnOf,
  type NativeSource,
  rowsId,
  type SourceColumn,
  wrappedSource,
} from './source.ts';
import { virtualColumnIn } from './virtual-columns.ts';

/** Data that a query reads. */
export interface Met {
  sources: number;
  numRows: number; // of the segments
}

export interface NativeContext {
  readonly catalog: Catalog;
  readonly environment: Environment;
  readonly resources: Resource[]; // resources that are read, collected during resolution
  /** The rows of a query as a source. */
  subquery(query: Node, native: NativeContext): NativeSource;
  readonly depth: number;
  // A groupBy reads it directly, and knows the time of its groups of all time
  readonly isNested: boolean;
  readonly met: Met; // shared by the whole query
}

/**
 * The source for a `dataSource` (a name or parsed JSON). An unknown datasource is a source without
 * rows.
 * Throws SqlError.
 */
export function sourceOf(given: unknown, native: NativeContext): NativeSource {
  checkLimit('dataSourceNesting', native.depth);
  checkLimit('tables', ++native.met.sources);
  if (typeof given === 'string') return tableSource(given, native);
  const node = sourceNode(given);
  return kindOf(kinds, node, 'DataSource')(node, { ...native, depth: native.depth + 1 });
}

/**
 * The names of the datasources that a `dataSource` reads, including those of inner queries.
 * Throws SqlError.
 */
export const tableNames = (given: unknown): string[] => namesIn(given, 0);

function namesIn(given: unknown, depth: number): string[] {
  checkLimit('dataSourceNesting', depth);
  if (typeof given === 'string') return [given];
  const node = sourceNode(given);
  kindOf(kinds, node, 'DataSource');
  if (node.type === 'table' || node.type === 'globalTable') return [textIn(node, 'name')];
  if (node.type === 'query') return namesIn(nodeOf(node.query, 'query').dataSource, depth + 1);
  if (node.type === 'union') return unionParts(node, (each) => namesIn(each, depth + 1)).flat();
  return ['base', 'left', 'right']
    .filter((key) => has(node, key))
    .flatMap((key) => namesIn(node[key], depth + 1));
}

function unionParts<Part>(node: Node, read: (given: unknown) => Part): readonly Part[] {
  if (Array.isArray(node.dataSources)) checkLimit('tables', node.dataSources.length);
  return listIn(node, 'dataSources', read);
}

// A node with a name and another type, or without a type, is a table.
function sourceNode(given: unknown): Node {
  const node = nodeOf(given, 'dataSource');
  if (Array.isArray(node.type) && node.type.length === 0)
    throw malformed('[type] of [dataSource] must be a text', 'mismatch');
  if (typeof node.type === 'object' && node.type !== null)
    throw malformed("'name' must be nonnull: [type] of [dataSource] is not a text");
  const isKnown = typeof node.type === 'string' && Object.hasOwn(kinds, node.type);
  return !isKnown && typeof node.name === 'string' ? { ...node, type: 'table' } : node;
}

type Kind = (node: Node, native: NativeContext) => NativeSource;

const kinds: Readonly<Record<string, Kind>> = {
  table: (node, native) => tableSource(textIn(node, 'name'), native),
  globalTable: (node, native) => tableSource(textIn(node, 'name'), native),
  lookup(node, { catalog, met }) {
    const table = catalog.findTable('lookup', textIn(node, 'lookup'));
    if (!table) return emptySource; // the engine has no rows for it
    return { ...scanTable(table, met), id: rowsId(textIn(node, 'lookup')) };
  },
  query: (node, native) => native.subquery(nodeOf(node.query, 'query'), native),
  union(node, native) {
    const sources = unionParts(node, (each) => sourceOf(each, native));
    if (sources.length === 0)
      throw malformed("'dataSources' must be non-null and non-empty for 'union'");
    return unionOf(sources, native.environment);
  },
  inline: inlineSource,
  filter: (node, native) =>
    has(node, 'filter')
      ? wrappedSource(sourceOf(node.base, native), (base) =>
          filterSource(base, node.filter, native.environment),
        )
      : sourceOf(node.base, native),
  restrict(node, native) {
    const policy = nodeOf(node.policy, 'policy');
    const base = sourceOf(node.base, native);
    if (policy.type === 'noRestriction') return base;
    if (policy.type !== 'row')
      throw malformed(
        `Could not resolve type id '${String(policy.type)}' as a subtype of [Policy]`,
        'typeId',
      );
    return derivedSource(base, (inner) =>
      filterSource(inner, policy.rowFilter, native.environment),
    );
  },
  unnest: (node, native) =>
    wrappedSource(sourceOf(node.base, native), (base) => unnestSource(base, node, native)),
  join(node, native) {
    const right = sourceOf(node.right, native);
    return derivedSource(sourceOf(node.left, native), (left) =>
      joinSources(left, right, node, native),
    );
  },
};

// ── Tables ───────────────────────────────────────────────────────────────────────────────────────

function tableSource(name: string, { catalog, resources, met }: NativeContext): NativeSource {
  resources.push({ type: 'DATASOURCE', name, action: 'READ' });
  const table = catalog.findTable(undefined, name);
  return table ? scanTable(table, met) : emptySource;
}

function scanTable(table: Table, met: Met): NativeSource {
  const columns = table.columns.map(columnOf);
  const read =
    (scan: Table['scan']) => (wanted: readonly string[], intervals: readonly Interval[]) => {
      const { sql, numRows = 0 } = scan({
        columns: wanted,
        ...(intervals.length > 0 && { intervals: intervals.map(rangeOf) }),
      });
      met.numRows += numRows;
      return sql;
    };
  const { segments } = table;
  return {
    columns,
    hasIndexes: true,
    scan: read(table.scan),
    ...(segments && {
      segments: (intervals) =>
        segments(intervals.length > 0 ? intervals.map(rangeOf) : undefined).map(
          ({ scan, ...segment }) => {
            const source = { columns, hasIndexes: true as const, scan: read(scan) };
            return { ...segment, dataSource: table.name, source, stored: source };
          },
        ),
    }),
  };
}

const rangeOf = ({ start, end }: Interval): TimeRange => ({
  startMs: BigInt(start),
  endMs: BigInt(end),
});

function columnOf({
  name,
  type,
  multiValue,
  sqlType,
  timeRange,
  hasStarts,
  tableRows,
  statistics,
}: TableColumn): SourceColumn {
  const known = { isStored: true as const, ...(tableRows !== undefined && { tableRows }) };
  if (sqlType === 'TIMESTAMP')
    return {
      name,
      type: timestamp,
      ...known,
      ...(timeRange && { timeRange }),
      ...(hasStarts && { hasStarts }),
    };
  const plain = sqlTypeOfNative(type) ?? varchar;
  return {
    name,
    type: multiValue ? { ...plain, multiValue: true } : plain,
    ...known,
    ...(statistics?.hasMarks && { hasMarks: true }),
  };
}

// ── Made of others ───────────────────────────────────────────────────────────────────────────────

function unionOf(sources: readonly NativeSource[], { timeZone }: Environment): NativeSource {
  const types = new Map<string, SqlType>();
  for (const { name, type } of sources.flatMap(({ columns }) => columns)) {
    const known = types.get(name);
    types.set(name, known ? commonTypeOf(known, type) : type);
  }
  const isStored = sources.every(({ columns }) => columns.every((column) => column.isStored));
  const columns = [...types].map(([name, type]) => ({
    name,
    type,
    ...(isStored && { isStored: true as const }),
  }));
  const as = (source: NativeSource): NativeSource => ({
    columns,
    ...(source.hasIndexes && { hasIndexes: true }),
    scan(wanted, intervals) {
      const own = wanted.filter((name) => source.columns.some((column) => column.name === name));
      const list = wanted.map((name) => {
        const column = source.columns.find((candidate) => candidate.name === name);
        const type = types.get(name) ?? varchar;
        const value: Typed = column
          ? { type: column.type, sql: identifiersOf(source.columns)(name), at: NOWHERE }
          : { type, sql: constantText(null, type), at: NOWHERE };
        return `${unitedAs(type, value, timeZone)} AS ${identifiersOf(columns)(name)}`;
      });
      return `(SELECT ${list.join(', ') || '1 AS "no column"'} FROM ${source.scan(own, intervals)})`;
    },
  });
  const parts = sources.map(as);
  const all = sources.flatMap(({ segments }) => (segments ? [segments] : []));
  return {
    columns,
    ...(sources.every((source) => source.hasIndexes) && { hasIndexes: true as const }),
    ...(sources.length > 1 && { isUnion: true as const }),
    scan: (wanted, intervals) =>
      `(${parts.map((part) => `SELECT * FROM ${part.scan(wanted, intervals)}`).join(' UNION ALL ') || 'SELECT 1 WHERE false'})`,
    ...(all.length === sources.length && {
      segments: (intervals) =>
        all
          .flatMap((segments) =>
            segments(intervals).map((segment) => ({ ...segment, source: as(segment.source) })),
          )
          .sort((one, other) => one.interval.start - other.interval.start),
    }),
  };
}

// A column of arrays in one of the sources is one in all of them.
function commonTypeOf(one: SqlType, other: SqlType): SqlType {
  if (one.name !== 'ARRAY' && other.name !== 'ARRAY') return commonType([one, other]) ?? varchar;
  const elementOf = (type: SqlType) => (type.name === 'ARRAY' ? (type.element ?? varchar) : type);
  return arrayOf(commonTypeOf(elementOf(one), elementOf(other)));
}

// A single value is an array of one.
function unitedAs(type: SqlType, value: Typed, timeZone: string): string {
  const isSingle = type.name === 'ARRAY' && value.type.name !== 'ARRAY';
  if (!isSingle) return castTo(value, type, timeZone).sql;
  const sql = isList(value)
    ? value.sql
    : `CASE WHEN ${value.sql} IS NOT NULL THEN [${value.sql}] END`;
  const list = { ...value, type: arrayOf(isList(value) ? varchar : value.type), sql };
  return castTo(list, type, timeZone).sql;
}

function filterSource(base: NativeSource, filter: unknown, environment: Environment): NativeSource {
  return {
    columns: base.columns,
    scan(wanted, intervals) {
      const scope = new RowScope(base, environment);
      const list = wanted.map(
        (name) => `${plainValue(scope, name)} AS ${identifiersOf(base.columns)(name)}`,
      );
      const where = resolveFilter(filter, scope).sql;
      return `(SELECT ${list.join(', ') || '1 AS "no column"'} FROM ${scope.text(intervals)} WHERE ${where})`;
    },
  };
}

// The stored value: times stay unchanged, and virtual columns do not hide it. A source with starts
// of buckets (time-starts.ts), marks (unique-marks.ts) or values as given passes them on.
function plainValue(scope: RowScope, name: string): string {
  const unit = startUnitOf(name);
  const starts = unit && scope.column(['__time'], NOWHERE).startOf;
  if (starts) return starts(unit);
  const marked = markedColumnOf(name);
  const mark = marked === undefined ? undefined : scope.column([marked], NOWHERE).mark;
  const of = givenColumnOf(name);
  const given = of === undefined ? undefined : scope.givenText(of);
  return given ?? mark?.() ?? scope.column([name], NOWHERE).sql;
}

function unnestSource(
  base: NativeSource,
  node: Node,
  { environment }: NativeContext,
): NativeSource {
  const given = nodeOf(node.virtualColumn, 'virtualColumn');
  // The values are read as computed, whatever type is declared.
  const virtual = given.type === 'expression' ? { ...given, outputType: null } : given;
  const [name = ''] = virtualColumnIn.byName([virtual], environment.version).keys();
  const valueIn = (scope: RowScope) => scope.column([name], NOWHERE);
  const { type: of } = valueIn(new RowScope(base, environment, [virtual]));
  const type = of.name === 'ARRAY' ? (of.element ?? varchar) : { ...of, multiValue: false };
  const unnested = {
    name,
    type,
    isUnnested: true as const,
    ...(of.multiValue && { isOfDictionary: true as const }),
  };
  const columns = [...base.columns.filter((column) => column.name !== name), unnested];
  const own = identifiersOf(columns);
  const rows: NativeSource = {
    columns,
    scan(wanted, intervals) {
      const scope = new RowScope(base, environment, [virtual]);
      const list = wanted.map((column) => {
        if (column !== name) return `${plainValue(scope, column)} AS ${own(column)}`;
        const value = valueIn(scope);
        return `unnest(${itemsOf(value, isTextOfSegments(given, scope))}) AS ${own(name)}`;
      });
      return `(SELECT ${list.join(', ')} FROM ${scope.text(intervals)})`;
    },
  };
  const all: NativeSource = {
    columns,
    scan: (wanted, intervals) =>
      rows.scan(wanted.includes(name) ? wanted : [...wanted, name], intervals),
  };
  return has(node, 'unnestFilter') ? filterSource(all, node.unnestFilter, environment) : all;
}

// A row without values is left out, but has a null where the texts of segments are read.
function itemsOf({ type, sql }: Typed, hasNulls: boolean): string {
  if (type.name === 'ARRAY') return sql;
  if (hasNulls) return `druid_values(${type.multiValue ? sql : `[${sql}]`})`;
  return type.multiValue
    ? bindOnce([sql], ([x]) => `CASE WHEN len(${x}) > 1 OR list_count(${x}) > 0 THEN ${x} END`)
    : `druid_list(${sql})`;
}

// Another name of a stored text, declared as a text if at all (Druid: UnnestCursorFactory,
// useDimensionCursor).
function isTextOfSegments(virtual: Node, scope: RowScope): boolean {
  if (virtual.type !== 'expression' || textOr(virtual, 'outputType', 'STRING') !== 'STRING')
    return false;
  const tree = parseNativeExpression(textIn(virtual, 'expression'));
  return (
    tree.kind === 'name' &&
    scope.source.columns.some(
      ({ name, type, isStored }) => name === tree.name && isStored && isText(type),
    )
  );
}

function joinSources(
  left: NativeSource,
  right: NativeSource,
  node: Node,
  native: NativeContext,
): NativeSource {
  const { environment } = native;
  for (const key of ['rightPrefix', 'condition', 'joinType']) textIn(node, key);
  refuseUnheld(node);
  const prefix = textIn(node, 'rightPrefix');
  if (prefix === '' || prefix === '__time')
    throw malformed(`Invalid join clause prefix [${prefix}]`);
  const type = joinTypeIn(node);
  const shown = right.columns.map(({ name, type: of }) => ({ name: `${prefix}${name}`, type: of }));
  const columns = [...left.columns.filter(({ name }) => !name.startsWith(prefix)), ...shown];
  const both: NativeSource = { columns, scan: () => '' }; // only its names are asked for
  const isRight = (name: string) => shown.some((column) => column.name === name);
  const [own, ofLeft, ofRight] = [
    identifiersOf(columns),
    identifiersOf(left.columns),
    identifiersOf(right.columns),
  ];
  const text = (name: string) =>
    isRight(name) ? `r.${ofRight(name.slice(prefix.length))}` : `l.${ofLeft(name)}`;
  const isOuter = type === 'RIGHT' || type === 'FULL';
  return {
    columns,
    ...(isOuter && { isOuter: true as const }),
    scan(wanted, intervals) {
      // Each segment is joined by itself, with all rows of the right side.
      const segments = isOuter ? left.segments?.(intervals) : undefined;
      if (segments !== undefined && segments.length > 0) {
        const texts = segments.map(
          ({ source }) =>
            `SELECT * FROM ${joinSources(source, right, node, native).scan(wanted, intervals)}`,
        );
        const text = `(${texts.join(' UNION ALL ')})`;
        checkLimit('expansion', text.length);
        return text;
      }
      // The engine checks the condition only if there are segments to join.
      if (!left.segments || left.segments(intervals).length > 0)
        refuseUnjoinable(node, native.catalog);
      const scope = new RowScope(both, environment, [], text);
      const on = nativeCondition(textIn(node, 'condition'), withSingleValues(scope)).sql;
      const needed = [...new Set([...wanted, ...scope.used])];
      const leftNames = needed.filter((name) => !isRight(name));
      const rightNames = needed.filter(isRight).map((name) => name.slice(prefix.length));
      const isTimed = left.columns.some(({ name }) => name === '__time');
      const filters = [
        ...(has(node, 'leftFilter') ? [node.leftFilter] : []),
        ...(isOuter && isTimed && intervals.length > 0
          ? [{ type: 'interval', dimension: '__time', intervals: intervals.map(formatInterval) }]
          : []),
      ];
      const leftRows = filters.reduce<NativeSource>(
        (rows, filter) => filterSource(rows, filter, environment),
        left,
      );
      const list = wanted.map((name) => `${text(name)} AS ${own(name)}`);
      const [ofLeftRows, ofRightRows] = [
        leftRows.scan(leftNames, intervals),
        right.scan(rightNames, []),
      ];
      const joined = (from: string, to: string) =>
        `SELECT ${list.join(', ') || '1 AS "no column"'} FROM ${from} AS l ${type} JOIN ${to} AS r ON ${on}`;
      // Rows that are not of segments are few, and keep their order.
      return left.segments || left.hasIndexes || left.indexed
        ? `(${joined(ofLeftRows, ofRightRows)})`
        : `(${joined(numbered(ofLeftRows), numbered(ofRightRows))} ORDER BY l.${rowNumber} NULLS LAST, r.${rowNumber})`;
    },
  };
}

const withSingleValues = (scope: RowScope): Scope =>
  scopeWith(scope, { column: (names, at) => joinedValue(scope.column(names, at)) });

const rowNumber = '"number of the row"';
const numbered = (rows: string) => `(SELECT *, row_number() OVER () AS ${rowNumber} FROM ${rows})`;

const joinTypes = ['INNER', 'LEFT', 'RIGHT', 'FULL'];

// A type is also known by its number.
function joinTypeIn({ joinType }: Node): string {
  if (typeof joinType === 'boolean') throw malformed('[joinType] must be a text', 'mismatch');
  const given = asText(joinType).trim();
  const type = /^\d+$/.test(given) ? joinTypes[Number(given)] : given;
  if (type === undefined || !joinTypes.includes(type))
    throw malformed(`Unknown join type [${given}]; known are [${joinTypes.join(', ')}]`, 'format');
  return type;
}

// ── Rows in the query itself ─────────────────────────────────────────────────────────────────────

function inlineSource(node: Node): NativeSource {
  const names = listIn(node, 'columnNames', asText);
  const natives = listOr(node, 'columnTypes', (native) => {
    if (native !== null && typeof native !== 'string')
      throw malformed('[columnTypes] must be texts', 'mismatch');
    return native ?? undefined;
  });
  if (has(node, 'columnTypes') && natives.length !== names.length)
    throw malformed('columnNames and columnTypes must be the same length');
  refuseConflicts(names, natives);
  const rows = listIn(node, 'rows', (row) => {
    if (!Array.isArray(row))
      throw malformed(
        '[rows] of [inline] must be lists of values',
        typeof row === 'string' ? 'definition' : 'mismatch',
      );
    return row as readonly unknown[];
  });
  const columns = names.map((name, index) => {
    const values = rows.map((row) => row[index]);
    const native = natives[index] ?? guessedType(values);
    const single = sqlTypeOfNative(native);
    if (single === undefined) throw malformed(`Cannot parse type [${native}]`);
    const type = isText(single) && values.some(Array.isArray) ? multiValueVarchar : single;
    return {
      name,
      type,
      ...(natives[index] === undefined && { isUntyped: true as const }),
      ...(!values.every((value) => isAsTyped(value, type)) && { hasGiven: true as const }),
    };
  });
  const givenValues = (name: string) => {
    const at = names.indexOf(givenColumnOf(name) ?? '');
    const texts = rows.map((row) => inlineValue(row[at] ?? null, json));
    return constantText(texts, arrayOf(json));
  };
  return {
    columns,
    id: rowsId('inline'),
    scan(wanted) {
      const lists = wanted.map((name) => {
        const at = names.indexOf(name);
        if (at < 0) return `unnest(${givenValues(name)}) AS ${identifiersOf(columns)(name)}`;
        const type = columns[at]?.type ?? varchar;
        const element = type.multiValue ? arrayOf(varchar) : type;
        const given = rows.map((row) => row[at] ?? null);
        const values = constantText(
          given.map((value) => inlineValue(type.multiValue ? listOf(value) : value, element)),
          arrayOf(element),
        );
        const list = type.name === 'FLOAT' ? `${values}::FLOAT[]` : values;
        return `unnest(${list}) AS ${identifiersOf(columns)(name)}`;
      });
      return lists.length === 0
        ? `(SELECT 1 AS "no column" FROM range(${rows.length}))`
        : `(SELECT ${lists.join(', ')})`;
    },
  };
}

// A name may stand twice, with one type (Druid: RowSignature.Builder).
function refuseConflicts(names: readonly string[], natives: readonly (string | undefined)[]): void {
  const known = new Map<string, string | undefined>();
  for (const [index, name] of names.entries()) {
    const own = natives[index];
    const first = known.has(name) ? known.get(name) : own;
    if (first !== own)
      throw malformed(
        `Column[${name}] has conflicting types [${first ?? 'null'}] and [${own ?? 'null'}]`,
      );
    known.set(name, own);
  }
}

// Whether a value that the query gives has the type of its column: a scan shows it unchanged.
function isAsTyped(value: unknown, type: SqlType): boolean {
  if (value === undefined || value === null || type.name === 'OTHER') return true;
  if (type.multiValue && Array.isArray(value))
    return value.every((item) => item === null || typeof item === 'string');
  if (isText(type)) return typeof value === 'string';
  return isInteger(type) && (typeof value === 'bigint' || Number.isInteger(value));
}

const listOf = (value: unknown) => (value === null || Array.isArray(value) ? value : [value]);

// A value in the type of its column; null if it does not fit.
function inlineValue(value: unknown, type: SqlType): Constant {
  if (value === null) return null;
  if (type.name === 'ARRAY')
    return Array.isArray(value)
      ? value.map((item) => inlineValue(item, type.element ?? varchar))
      : null;
  if (isText(type)) return inlineText(value);
  if (type.name === 'OTHER') return formatJson(value);
  if (isInteger(type)) {
    if (typeof value === 'bigint') return wrap(value);
    if (typeof value === 'number') return longOf(value);
    return typeof value === 'string' ? parseLong(value.trim()) : null;
  }
  const number = typeof value === 'string' ? parseDouble(value.trim()) : value;
  if (typeof number !== 'number' && typeof number !== 'bigint') return null;
  return type.name === 'FLOAT' ? Math.fround(Number(number)) : Number(number);
}

function inlineText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' && !Number.isSafeInteger(value)) return doubleText(value);
  return formatJson(value);
}

function guessedType(values: readonly unknown[]): string {
  const known = values.filter((value) => value !== null && value !== undefined);
  if (
    known.length === 0 ||
    !known.every((value) => typeof value === 'number' || typeof value === 'bigint')
  )
    return 'STRING';
  return known.every((value) => typeof value === 'bigint' || Number.isInteger(value))
    ? 'LONG'
    : 'DOUBLE';
}
