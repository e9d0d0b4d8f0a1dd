// OVER: allowed frames (Calcite: SqlWindow.validate, Druid: DruidSqlValidator.validateWindow) and
// their DuckDB text.
import { type EngineVersion, lacksOf } from '../../model/engine-version.ts';
import type {
  Bound,
  Expression,
  Frame,
  Identifier,
  Literal,
  OrderItem,
  Position,
  Select,
  Window,
} from '../ast.ts';
import { fingerprint } from '../expressions/rewrite.ts';
import { orderableText } from '../expressions/signed-zero.ts';
import type { Typed } from '../expressions/typed.ts';
import { containsWindow } from '../functions/call-kinds.ts';
import { invalidSql, SqlError } from '../sql-error.ts';
import { type OrderTerm, termText } from './select-text.ts';

/** Windows by their names in the WINDOW clause. */
export type NamedWindows = ReadonlyMap<string, Window>;

/** The windows of a WINDOW clause. Each is checked, even if no function uses it. */
export function namedWindows(select: Select): NamedWindows {
  const windows = new Map<string, Window>();
  const specifications = new Set<string>();
  for (const { name, window, at } of select.windows) {
    if (windows.has(name)) throw invalidSql('Duplicate window names not allowed', at);
    const specification = fingerprint(window, (identifier) => identifier.names.join('.'));
    if (specifications.has(specification))
      throw invalidSql('Duplicate window specification not allowed in the same window clause', at);
    specifications.add(specification);
    const complete = completeWindow(window, windows);
    checkWindow(complete);
    windows.set(name, complete);
  }
  return windows;
}

/**
 * The checked window of a function. `isRank` functions need an ORDER BY; `isUnframed` functions
 * take no frame.
 */
export function windowOf(
  over: Window | Identifier,
  named: NamedWindows,
  { isRank, isUnframed }: WindowNeeds,
): Window {
  const window = over.kind === 'window' ? completeWindow(over, named) : findWindow(over, named);
  if (over.kind === 'window' && window.frame) refuseRangeDistance(window.frame, over.at);
  if (over.kind === 'identifier' && window.frame) refuseRangeDistance(window.frame, over.at);
  if (isRank && window.orderBy.length === 0) {
    throw invalidSql(
      'RANK or DENSE_RANK functions require ORDER BY clause in window specification',
      over.at,
    );
  }
  checkWindow(window);
  if (isUnframed && window.frame)
    throw invalidSql(
      'ROW/RANGE not allowed with RANK, DENSE_RANK, ROW_NUMBER, PERCENTILE_CONT/DISC or LAG/LEAD functions',
      window.frame.at,
    );
  return window;
}

/** Refuses a window whose expressions contain another one. */
export function refuseWindowsInWindow({ partitionBy, orderBy }: Window, at: Position): void {
  const clause = partitionBy.some(containsWindow)
    ? 'PARTITION BY'
    : orderBy.some(({ expression }) => containsWindow(expression))
      ? 'ORDER BY'
      : undefined;
  if (clause) throw invalidSql(`${clause} expression should not contain OVER clause`, at);
}

/** Refuses a frame that starts or ends at a row offset from the current row. */
export function refuseFrameOffsets({ frame }: Window, at: Position): void {
  if (frame && (isDistance(frame.start) || (frame.end && isDistance(frame.end))))
    throw invalidSql(
      'Framing of FIRST_VALUE/LAST_VALUE is only allowed with UNBOUNDED or CURRENT ROW.',
      at,
    );
}

interface WindowNeeds {
  readonly isRank: boolean;
  readonly isUnframed: boolean;
}

/**
 * The rows that a window function reads: single rows in order (ROW_NUMBER, LAG), an end of a frame
 * (FIRST_VALUE), the rows of a frame in order (ARRAY_AGG), or a frame as a whole (SUM, RANK).
 */
export type WindowReach = 'rows' | 'ends' | 'items' | 'frame';

/**
 * The text in the parentheses of OVER. `resolve` returns the values of its expressions. `ties`
 * orders rows that ORDER BY leaves equal, by their input order; it is not added where equal rows
 * count as one (RANGE, ranks). The ends of a RANGE are those of ROWS (Druid: WindowFirstProcessor).
 * Without ORDER BY, versions before 37 take the whole partition for a frame of rows.
 */
export function windowText(
  window: Window,
  reach: WindowReach,
  resolve: (expression: Expression) => Typed,
  ties: readonly OrderTerm[],
  version: EngineVersion,
): string {
  const single = (expression: Expression): string => {
    const value = resolve(expression);
    if (value.type.multiValue && value.type.name !== 'BOOLEAN')
      throw multiValueInWindow(expression);
    return orderableText(value);
  };
  const partition = window.partitionBy.map(single);
  // DuckDB refuses to sort by values that are the same for all rows.
  const ordering = window.orderBy.filter(
    ({ expression }) => resolve(expression).constant === undefined,
  );
  const order = ordering.map(
    (item): OrderTerm => ({ sql: single(item.expression), descending: isDescending(item) }),
  );
  const isOfRows =
    window.frame?.unit === 'ROWS' &&
    !lacksOf(version).replyDetails.has('FRAMES OF ROWS WITHOUT ORDER BY');
  const isWhole = window.orderBy.length === 0 && !isOfRows;
  const countsRows =
    (window.frame?.unit === 'ROWS' && !isWhole) ||
    reach === 'rows' ||
    reach === 'ends' ||
    (isWhole && reach === 'items');
  const isNew = (tie: OrderTerm) =>
    !order.some(({ sql }) => sql === tie.sql) && !partition.some((sql) => sql === tie.sql);
  const all = countsRows ? [...order, ...ties.filter(isNew)] : order;
  const frame = frameOf(window, reach, isWhole, all.length > 0);
  return [
    ...(partition.length > 0 ? [`PARTITION BY ${partition.join(', ')}`] : []),
    ...(all.length > 0 ? [`ORDER BY ${all.map(termText).join(', ')}`] : []),
    ...(frame && reach !== 'rows' ? [frame] : []),
  ].join(' ');
}

function frameOf(
  { frame }: Window,
  reach: WindowReach,
  isWhole: boolean,
  isOrdered: boolean,
): string | undefined {
  if (isWhole) return reach !== 'frame' && isOrdered ? WHOLE : undefined;
  if (reach === 'ends') return frame ? frameText({ ...frame, unit: 'ROWS' }) : TO_HERE;
  return frame && frameText(frame);
}

const TO_HERE = 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW';
const WHOLE = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';

/**
 * Whether the item sorts in descending order. Null is the lowest value; the engine refuses any
 * other order of nulls.
 */
export function isDescending({ descending, nulls, at }: OrderItem): boolean {
  if (!descending && nulls === 'LAST')
    throw invalidSql('ASCENDING ordering with NULLS LAST is not supported!', at);
  if (descending && nulls === 'FIRST')
    throw invalidSql('DESCENDING ordering with NULLS FIRST is not supported!', at);
  return descending;
}

function findWindow({ names, at }: Identifier, named: NamedWindows): Window {
  const name = names.join('.');
  const window = named.get(name);
  if (!window) throw invalidSql(`Window '${name}' not found`, at);
  return window;
}

// `OVER (w ORDER BY x)` adds missing clauses to a named window. The planner loses its own frame.
function completeWindow(window: Window, named: NamedWindows): Window {
  if (!window.base)
    return window.frame ? { ...window, frame: completeFrame(window.frame) } : window;
  const base = findWindow(window.base, named);
  if (base.frame)
    throw invalidSql('Referenced window cannot have framing declarations', window.base.at);
  if (window.partitionBy.length > 0)
    throw invalidSql('PARTITION BY not allowed with existing window reference', window.at);
  if (base.orderBy.length > 0 && window.orderBy.length > 0)
    throw invalidSql('ORDER BY not allowed in both base and referenced windows', window.at);
  const { base: _, frame: __, ...own } = window;
  return {
    ...own,
    partitionBy: base.partitionBy,
    orderBy: window.orderBy.length > 0 ? window.orderBy : base.orderBy,
  };
}

// `ROWS 1 FOLLOWING` begins with the current row.
function completeFrame(frame: Frame): Frame {
  const { start, end } = frame;
  if (end || start.kind === 'current' || start.direction === 'PRECEDING') return frame;
  return { ...frame, start: { kind: 'current', at: start.at }, end: start };
}

function checkWindow({ frame, orderBy, at }: Window): void {
  if (!frame) return;
  const isRange = frame.unit === 'RANGE';
  const bounds = frame.end ? [frame.start, frame.end] : [frame.start];
  if (isRange && !isPeerRange(frame)) {
    if (orderBy.length > 1)
      throw invalidSql('RANGE clause cannot be used with compound ORDER BY clause', frame.at);
    if (orderBy.length === 0)
      throw invalidSql('Window specification must contain an ORDER BY clause', at);
  }
  for (const bound of bounds) {
    if (bound.kind === 'offset' && !isRange && !isRowCount(bound.offset)) {
      throw invalidSql('ROWS value must be a non-negative integral constant', bound.offset.at);
    }
  }
  checkBounds(frame);
}

// From the first or current row to the current or last row: equal rows decide, not distances.
function isPeerRange({ start, end }: Frame): boolean {
  const isStart =
    start.kind === 'current' || (start.kind === 'unbounded' && start.direction === 'PRECEDING');
  return (
    isStart &&
    (!end || end.kind === 'current' || (end.kind === 'unbounded' && end.direction === 'FOLLOWING'))
  );
}

function checkBounds({ start, end }: Frame): void {
  if (start.kind === 'unbounded' && start.direction === 'FOLLOWING') {
    throw invalidSql(
      'UNBOUNDED FOLLOWING cannot be specified for the lower frame boundary',
      start.at,
    );
  }
  if (!end) return;
  if (end.kind === 'unbounded' && end.direction === 'PRECEDING') {
    throw invalidSql(
      'UNBOUNDED PRECEDING cannot be specified for the upper frame boundary',
      end.at,
    );
  }
  const isPreceding = end.kind === 'offset' && end.direction === 'PRECEDING';
  if (start.kind === 'current' && isPreceding) throw badUpper('PRECEDING', 'CURRENT ROW', end.at);
  if (start.kind === 'offset' && start.direction === 'FOLLOWING') {
    if (isPreceding) throw badUpper('PRECEDING', 'FOLLOWING', end.at);
    if (end.kind === 'current') throw badUpper('CURRENT ROW', 'FOLLOWING', end.at);
  }
}

function refuseRangeDistance({ unit, start, end }: Frame, at: Position): void {
  if (unit === 'ROWS' || !(isDistance(start) || (end && isDistance(end)))) return;
  throw invalidSql(
    'Order By with RANGE clause currently supports only UNBOUNDED or CURRENT ROW. Use ROWS clause instead.',
    at,
  );
}

const badUpper = (upper: string, lower: string, at: Position) =>
  invalidSql(`Upper frame boundary cannot be ${upper} when lower boundary is ${lower}`, at);

const isDistance = (bound: Bound): boolean => bound.kind === 'offset';

// A whole number, also when written with a point: 1, 1.00.
const isRowCount = (offset: Expression): offset is Literal =>
  offset.kind === 'literal' &&
  (offset.type === 'integer' || (offset.type === 'decimal' && /^\d+\.0*$/.test(offset.text)));

function frameText({ unit, start, end, exclude }: Frame): string {
  const range = end ? `BETWEEN ${boundText(start)} AND ${boundText(end)}` : boundText(start);
  return `${unit} ${range}${exclude ? ` EXCLUDE ${exclude}` : ''}`;
}

function boundText(bound: Bound): string {
  if (bound.kind === 'current') return 'CURRENT ROW';
  if (bound.kind === 'unbounded') return `UNBOUNDED ${bound.direction}`;
  return `${isRowCount(bound.offset) ? Math.trunc(Number(bound.offset.text)) : 0} ${bound.direction}`;
}

/** The refusal of several values in a column that a window reads. */
export function multiValueInWindow(expression: Expression): SqlError {
  const column = expression.kind === 'identifier' ? expression.names.join('.') : 'v0';
  return new SqlError(
    `Encountered a multi value column [${column}]. Window processing does not support MVDs. Consider using UNNEST or MV_TO_ARRAY.`,
  );
}
