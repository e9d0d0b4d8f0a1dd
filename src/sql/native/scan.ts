// scan (docs/querying/scan-query.md): rows as they are, segment by segment or in the order of time.
import { lackedBy } from '../../model/engine-version.ts';
import { castTo } from '../expressions/casts.ts';
import { identifiersOf, type Named } from '../expressions/column-names.ts';
import type { Typed } from '../expressions/typed.ts';
import { bigint, isTime, json, nativeTypeOf } from '../types.ts';
import {
  asText,
  cannotRun,
  has,
  listIn,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  notSupported,
  textIn,
  textOr,
  wholeOr,
} from './members.ts';
import { type QueryParts, scopeOf, whereOf } from './query-parts.ts';
import type { RowScope } from './row-scope.ts';
import type { NativeSource } from './source.ts';
import type { ScanStatement, ScanStep } from './statement.ts';

/** @throws SqlError for a query that cannot be */
export function scan(parts: QueryParts): ScanStatement {
  const { query, source, intervals } = parts;
  const names = columnsOf(parts);
  const order = orderOf(query);
  if (has(query, 'columns') && order.some(({ name }) => !names.includes(name)))
    throw malformed('The __time column must be selected if the results are time-ordered.');
  if (order.length > 0 && !source.segments)
    throw cannotRun('Time-ordering on scan queries is only supported for rows of segments.');
  const limit = wholeOr(query, 'limit', 0);
  const offset = wholeOr(query, 'offset', 0);
  const batchSize = wholeOr(query, 'batchSize', 20_480);
  if (batchSize <= 0) throw malformed('batchSize must be greater than 0');
  if (limit < 0) throw malformed('limit must be greater than 0');
  if (offset < 0) throw malformed('offset must be greater than or equal to 0');
  const format = textOr(query, 'resultFormat', 'list');
  if (format === 'valueVector') throw notSupported('valueVector is not supported now');
  if (format !== 'list' && format !== 'compactedList')
    throw malformed(
      `Unknown resultFormat [${format}]; known are [list, compactedList, valueVector]`,
    );
  const most = limit > 0 ? ` LIMIT ${limit + offset}` : '';
  const scope = scopeOf(parts);
  const lacked = lackedBy(parts.environment.version).replyDetails;
  const steps =
    order.length === 0 && source.segments
      ? stepsOf(parts, names, most)
      : [
          {
            sql: `${selectOf(parts, source, names, '-1')}${orderText(order, names)}${most}`,
            segments: [],
          },
        ];
  return {
    kind: 'scan',
    steps: source.segments && source.segments(intervals).length === 0 ? [] : steps,
    fields: names.map((name) => ({ name, type: scannedValue(scope, name).type })),
    nativeTypes: names.map((name) => {
      if (name !== '__time' && !scope.has(name)) return undefined;
      if (isUntyped(parts, scope, name)) return undefined;
      const { computedType } = scope.column([name], NOWHERE);
      const declared = scope.declaredType(name);
      return computedType === undefined
        ? (declared ?? nativeTypeOf(scannedValue(scope, name).type) ?? undefined)
        : shownType(declared ?? computedType, computedType);
    }),
    // Older versions show an id that the Broker makes up.
    rowsId: lacked.has('NULL SEGMENT ID OF ROWS WITHOUT SEGMENT') ? source.id : undefined,
    asList: format === 'list',
    batchSize,
    offset,
    limit: limit > 0 ? limit : undefined,
  };
}

const isUntyped = ({ source }: QueryParts, scope: RowScope, name: string): boolean =>
  !scope.virtualColumns.includes(name) &&
  source.columns.some((column) => column.name === name && column.isUntyped);

// What is computed has the type of its expression, but that a FLOAT is not computed, and that texts
// may be declared as numbers (Druid: ExpressionPlan.inferColumnCapabilities).
function shownType(declared: string, computed: string): string {
  const isComputed = computed === 'STRING' ? !isNumber(declared) : declared !== 'FLOAT';
  return isComputed ? computed : declared;
}

const isNumber = (native: string): boolean => ['DOUBLE', 'FLOAT', 'LONG'].includes(native);

/** The names of the columns that a scan shows. */
export function columnsOf(parts: QueryParts): readonly string[] {
  const given = has(parts.query, 'columns') ? listIn(parts.query, 'columns', asText) : [];
  if (given.length > 0) return given;
  const scope = scopeOf(parts);
  return [...new Set([...parts.source.columns.map(({ name }) => name), ...scope.virtualColumns])];
}

/** The rows of a scan as one query with these columns, which are those it shows. */
export function scanRows(parts: QueryParts, columns: Named): string {
  const { query } = parts;
  const scope = scopeOf(parts);
  const list = columns.map(
    ({ name }) => `${scannedValue(scope, name).sql} AS ${identifiersOf(columns)(name)}`,
  );
  const where = whereOf(parts, scope);
  const order = orderOf(query).map(
    ({ name, descending }) => `${scannedValue(scope, name).sql}${descending ? ' DESC' : ''}`,
  );
  const limit = wholeOr(query, 'limit', 0);
  const offset = wholeOr(query, 'offset', 0);
  const bounds = `${limit > 0 ? ` LIMIT ${limit}` : ''}${offset > 0 ? ` OFFSET ${offset}` : ''}`;
  return `SELECT ${list.join(', ') || '1 AS "no column"'} FROM ${scope.text(parts.intervals)}${where}${order.length > 0 ? ` ORDER BY ${order.join(', ')}` : ''}${bounds}`;
}

/** A value as a row of a scan has it: times are milliseconds, conditions 1 and 0. */
export function scannedValue(scope: RowScope, name: string): Typed {
  const value = scope.column([name], NOWHERE);
  if (value.variant !== undefined) return { type: json, sql: value.variant, at: NOWHERE };
  if (isTime(value.type)) return { ...value, type: bigint };
  return value.type.name === 'BOOLEAN' ? castTo(value, bigint, 'UTC') : value;
}

// Many segments in few queries: each reads some of them, and ends where there are enough rows.
function stepsOf(parts: QueryParts, names: readonly string[], most: string): ScanStep[] {
  const segments = parts.source.segments?.(parts.intervals) ?? [];
  const steps = Math.ceil(segments.length / perStep);
  return Array.from({ length: steps }, (_, step) => {
    const some = segments.slice(step * perStep, (step + 1) * perStep);
    const texts = some.map(({ source }, index) => selectOf(parts, source, names, String(index)));
    return { sql: `${texts.join(' UNION ALL ')}${most}`, segments: some.map(({ id }) => id) };
  });
}

const perStep = 50;

function selectOf(
  parts: QueryParts,
  source: NativeSource,
  names: readonly string[],
  segment: string,
): string {
  const own = { ...parts, source };
  const scope = scopeOf(own);
  const list = names.map((name, index) => `, ${scannedValue(scope, name).sql} AS "c${index}"`);
  const where = whereOf(own, scope);
  return `SELECT ${segment}::INTEGER AS "segment"${list.join('')} FROM ${scope.text(parts.intervals)}${where}`;
}

interface Order {
  readonly name: string;
  readonly descending: boolean;
}

function orderOf(query: Node): Order[] {
  if (has(query, 'orderBy')) {
    return listIn(query, 'orderBy', (given) => {
      const node = nodeOf(given, 'orderBy');
      return {
        name: textIn(node, 'columnName'),
        descending: /^desc(ending)?$/i.test(textOr(node, 'order', 'ascending')),
      };
    });
  }
  const order = textOr(query, 'order', 'none').toLowerCase();
  if (order === 'none') return [];
  if (order !== 'ascending' && order !== 'descending')
    throw malformed(`Unknown order [${order}]; known are [ascending, descending, none]`);
  return [{ name: '__time', descending: order === 'descending' }];
}

const orderText = (order: readonly Order[], names: readonly string[]) =>
  order.length === 0
    ? ''
    : ` ORDER BY ${order.map(({ name, descending }) => `"c${names.indexOf(name)}"${descending ? ' DESC' : ''}`).join(', ')}`;
