// windowOperator (Druid: WindowOperatorQuery): rows that pass operators, one after the other. These
// sort the rows, divide them into partitions, and compute windows over each partition.
import { identifiersOf } from '../expressions/column-names.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { checkLimit } from '../limits.ts';
import { orderedText } from '../resolution/select-text.ts';
import { bigint, double, type SqlType, varchar } from '../types.ts';
import { aggregatorOf } from './aggregators.ts';
import { resolveFilter } from './filter.ts';
import {
  asText,
  has,
  intOr,
  isNode,
  kindOf,
  listIn,
  listOr,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  notSupported,
  textIn,
  textOr,
  truthOr,
} from './members.ts';
import { type QueryParts, scopeOf, whereOf } from './query-parts.ts';
import { RowScope } from './row-scope.ts';
import { innerValue } from './scan.ts';
import type { NativeSource } from './source.ts';
import type { WindowOperatorStatement } from './statement.ts';

/** Throws SqlError for an invalid query. */
export function windowOperator(parts: QueryParts): WindowOperatorStatement {
  const { query } = parts;
  const leaves = listOr(query, 'leafOperators', (given) => nodeOf(given, 'leafOperators'));
  const operators = listIn(query, 'operatorDefinition', (given) =>
    nodeOf(given, 'operatorDefinition'),
  );
  const { dataSource } = query;
  const isOfRows = isNode(dataSource) && ['inline', 'query'].includes(String(dataSource.type));
  if (leaves.length === 0 && !isOfRows)
    throw malformed('WindowOperatorQuery must run on top of a query or inline data source');
  const context: OperatorContext = { parts, steps: { count: 0 } };
  const rows = [...leaves, ...operators].reduce(
    (before, node) => kindOf(operatorKinds, node, 'OperatorFactory')(node, before, context),
    rowsOf(context),
  );
  const columns = listIn(query, 'outputSignature', (given) => {
    const name = textIn(nodeOf(given, 'outputSignature'), 'name');
    return rows.columns.find((column) => column.name === name) ?? { name, ...missing };
  });
  const items = columns.map(({ text }, index) => `${text} AS "c${index}"`);
  return {
    kind: 'windowOperator',
    sql: `SELECT ${items.join(', ') || '1'} FROM (${rows.sql}) ORDER BY ${place}`,
    fields: columns.map(({ name, type }) => ({ name, type })),
  };
}

interface OperatorContext {
  readonly parts: QueryParts;
  readonly steps: { count: number }; // queries and processors that are nested in one another
}

interface Column {
  readonly name: string;
  readonly type: SqlType;
  readonly text: string; // its label in the rows
}

// A query of the columns, and of the place and the partition of each row.
interface Rows {
  readonly columns: readonly Column[];
  readonly sql: string;
}

// Labels that no column has.
const label = (name: string) => identifier(`\u0001${name}`);
const [place, part, begins, run] = ['place', 'part', 'begins', 'run'].map(label) as [
  string,
  string,
  string,
  string,
];
const below = '"below"'; // the rows below, in a query around them
const missing = { type: varchar, text: 'NULL::VARCHAR' } as const;

function rowsOf(context: OperatorContext): Rows {
  const { parts } = context;
  const scope = scopeOf({ ...parts, query: {} });
  const values = parts.source.columns.map(({ name }) => ({ name, value: innerValue(scope, name) }));
  const columns = values.map(({ name, value }, index) => ({
    name,
    type: value.type,
    text: label(String(index)),
  }));
  const list = values.map(({ value }, index) => `${value.sql} AS ${columns[index]?.text}`);
  const where = whereOf({ ...parts, query: {} }, scope);
  const sql = `SELECT ${list.join(', ') || '1 AS "no column"'} FROM ${scope.text(parts.intervals)}${where}`;
  const own = `*, row_number() OVER () AS ${place}, 0 AS ${part}`;
  return around({ columns, sql }, context, `SELECT ${own} FROM ${below}`);
}

type OperatorKind = (node: Node, rows: Rows, context: OperatorContext) => Rows;

const operatorKinds: Readonly<Record<string, OperatorKind>> = {
  glueingPartition: partition,
  naivePartition: partition,
  naiveSort: sort,
  partitionSort: sort,
  scan,
  window: (node, rows, context) => process(nodeOf(node.processor, 'processor'), rows, context),
};

// One more query of the rows, which are computed first: DuckDB plans windows over windows in
// exponential time.
function around(rows: Rows, { steps }: OperatorContext, query: string): Rows {
  checkLimit('nesting', ++steps.count);
  const sql = `WITH ${below} AS MATERIALIZED (${rows.sql}) ${query}`;
  checkLimit('expansion', sql.length);
  return { ...rows, sql };
}

const columnIn = ({ columns }: Rows, name: string, what: string): Column => {
  const found = columns.find((column) => column.name === name);
  if (!found) throw malformed(`column[${name}] doesn't exist, but ${what} wants it to`);
  return found;
};

// A list of columns, or of what becomes one.
function columnsIn<Item>(node: Node, key: string, item: (given: unknown) => Item): Item[] {
  const given = node[key];
  if (Array.isArray(given)) checkLimit('columns', given.length);
  return listIn(node, key, item);
}

// All partitions are sorted together.
function sort(node: Node, rows: Rows, context: OperatorContext): Rows {
  const terms = columnsIn(node, 'columns', (given) => {
    const one = nodeOf(given, 'columns');
    const { type, text } = columnIn(rows, textIn(one, 'column'), 'a sort');
    const direction = textOr(one, 'direction', 'ASC').toUpperCase();
    return `${orderedText({ type, sql: text, at: NOWHERE })}${direction === 'DESC' ? ' DESC' : ''}`;
  });
  const number = `row_number() OVER (ORDER BY ${[...terms, place].join(', ')})`;
  return around(
    rows,
    context,
    `SELECT * REPLACE (${number} AS ${place}, 0 AS ${part}) FROM ${below}`,
  );
}

// A partition ends where a value changes (Druid: NaivePartitioningOperator).
function partition(node: Node, rows: Rows, context: OperatorContext): Rows {
  const names = columnsIn(node, 'partitionColumns', asText);
  if (names.length === 0) return rows;
  const counted = withRuns(rows, names, 'a partition', '', context);
  return around(
    counted,
    context,
    `SELECT * EXCLUDE (${run}) REPLACE (${run} AS ${part}) FROM ${below}`,
  );
}

// The rows with the number of their run of equal values, counted in each part of `within`.
function withRuns(
  rows: Rows,
  names: readonly string[],
  what: string,
  within: string,
  context: OperatorContext,
): Rows {
  const values = [part, ...names.map((name) => columnIn(rows, name, what).text)];
  const changes = values.map((text) => `${text} IS DISTINCT FROM lag(${text}) OVER "before"`);
  const marked = around(
    rows,
    context,
    `SELECT *, (${changes.join(' OR ')}) AS ${begins} FROM ${below} WINDOW "before" AS (ORDER BY ${place})`,
  );
  const number = `count(*) FILTER (WHERE ${begins}) OVER (${within}ORDER BY ${place} ROWS UNBOUNDED PRECEDING)`;
  return around(marked, context, `SELECT * EXCLUDE (${begins}), ${number} AS ${run} FROM ${below}`);
}

const eachPart = `PARTITION BY ${part} `;
const byPlace = `${eachPart}ORDER BY ${place}`;
const byRun = `${eachPart}ORDER BY ${run}`;
const whole = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';

// ── Scans ────────────────────────────────────────────────────────────────────────────────────────

function scan(node: Node, rows: Rows, context: OperatorContext): Rows {
  if (has(node, 'timeRange') || listOr(node, 'ordering', asIs).length > 0)
    throw notSupported('A scan operator with [timeRange] or [ordering] is not supported');
  const { environment } = context.parts;
  const virtual = has(node, 'virtualColumns')
    ? columnsIn(node, 'virtualColumns', (given) => nodeOf(given, 'virtualColumns'))
    : [];
  const scope = new RowScope(sourceOf(rows), environment, virtual);
  const all = [...rows.columns.map(({ name }) => name), ...scope.virtualColumns];
  const isProjected = has(node, 'projectedColumns');
  const names = [...new Set(isProjected ? columnsIn(node, 'projectedColumns', asText) : all)];
  const values = names.map((name) => innerValue(scope, name));
  const columns = names.map((name, index) => ({
    name,
    type: values[index]?.type ?? varchar,
    text: label(String(index)),
  }));
  const list = values.map(({ sql }, index) => `${sql} AS ${columns[index]?.text}`);
  const where = has(node, 'filter') ? ` WHERE ${resolveFilter(node.filter, scope).sql}` : '';
  const { offset, limit } = boundsOf(has(node, 'offsetLimit') ? nodeOf(node.offsetLimit, '') : {});
  const bounds = `${limit === undefined ? '' : ` LIMIT ${limit}`}${offset > 0 ? ` OFFSET ${offset}` : ''}`;
  const order = bounds === '' ? '' : ` ORDER BY ${place}${bounds}`;
  return around(
    { ...rows, columns },
    context,
    `SELECT ${[...list, place, part].join(', ')} FROM ${scope.text([])}${where}${order}`,
  );
}

const asIs = (given: unknown) => given;

// A limit that is larger than any number of rows does not count.
function boundsOf(node: Node): { readonly offset: number; readonly limit: number | undefined } {
  const [offset = 0, limit] = ['offset', 'limit'].map((key) => {
    const given = node[key];
    if (given === undefined || given === null) return undefined;
    const count = Number(given);
    if (Number.isNaN(count) || count < 0 || typeof given === 'object')
      throw malformed(`[${key}] must be a number of rows, but is [${String(given)}]`, 'mismatch');
    return Math.trunc(count);
  });
  if (offset > Number.MAX_SAFE_INTEGER) throw malformed(`[offset] is too large: [${offset}]`);
  return {
    offset,
    limit: limit === undefined || limit > Number.MAX_SAFE_INTEGER ? undefined : limit,
  };
}

// The rows as a source of named columns, which also has their labels.
function sourceOf({ columns }: Rows): NativeSource {
  const own = identifiersOf(columns);
  const named = (wanted: readonly string[]) =>
    columns
      .filter(({ name }) => wanted.includes(name))
      .map(({ name, text }) => `, ${text} AS ${own(name)}`);
  return {
    columns,
    scan: (wanted) => `(SELECT *${named(wanted).join('')} FROM ${below})`,
  };
}

// ── Processors ───────────────────────────────────────────────────────────────────────────────────

type Processor = (node: Node, rows: Rows, context: OperatorContext) => Rows;

const process: Processor = (node, rows, context) =>
  kindOf(processors, node, 'Processor')(node, rows, context);

const processors: Readonly<Record<string, Processor>> = {
  composing(node, rows, context) {
    checkLimit('nesting', ++context.steps.count);
    return listIn(node, 'processors', (given) => nodeOf(given, 'processors')).reduce(
      (before, one) => process(one, before, context),
      rows,
    );
  },
  rowNumber: (node, rows, context) =>
    added(node, rows, context, bigint, `row_number() OVER (${byPlace})`),
  percentile(node, rows, context) {
    const buckets = intOr(node, 'numBuckets', 0);
    if (buckets < 1) throw malformed(`[numBuckets] must be positive, but is [${buckets}]`);
    return added(node, rows, context, bigint, `ntile(${buckets}) OVER (${byPlace})`);
  },
  rank: (node, rows, context) =>
    truthOr(node, 'asPercent', false)
      ? amongRuns(node, rows, context, double, 'percent_rank')
      : amongRuns(node, rows, context, bigint, 'rank'),
  denseRank: (node, rows, context) => amongRuns(node, rows, context, bigint, 'dense_rank'),
  cumeDist: (node, rows, context) => amongRuns(node, rows, context, double, 'cume_dist'),
  first(node, rows, context) {
    const { type, text } = inputOf(node, rows, 'FIRST');
    return added(node, rows, context, type, `first_value(${text}) OVER (${byPlace} ${whole})`);
  },
  last(node, rows, context) {
    const { type, text } = inputOf(node, rows, 'LAST');
    return added(node, rows, context, type, `last_value(${text}) OVER (${byPlace} ${whole})`);
  },
  offset(node, rows, context) {
    const { type, text } = inputOf(node, rows, 'OFFSET');
    const offset = intOr(node, 'offset', 0);
    return added(node, rows, context, type, `lead(${text}, ${offset}) OVER (${byPlace})`);
  },
  framedAgg: framed,
};

const inputOf = (node: Node, rows: Rows, name: string): Column =>
  columnIn(rows, textIn(node, 'inputColumn'), `window function ${name}`);

// The rows with a column of the node's name, unless they have one of the same name.
function added(
  node: Node,
  rows: Rows,
  context: OperatorContext,
  type: SqlType,
  value: string,
): Rows {
  const name = textIn(node, 'outputColumn');
  const text = label(`w${context.steps.count}`);
  const columns = withColumn(rows, { name, type, text });
  return around({ ...rows, columns }, context, `SELECT *, ${value} AS ${text} FROM ${below}`);
}

const withColumn = ({ columns }: Rows, column: Column): readonly Column[] =>
  columns.some(({ name }) => name === column.name) ? columns : [...columns, column];

function amongRuns(
  node: Node,
  rows: Rows,
  context: OperatorContext,
  type: SqlType,
  rank: string,
): Rows {
  const names = columnsIn(node, 'group', asText);
  const counted = withRuns(rows, names, `window function ${rank}`, eachPart, context);
  const ranked = added(node, counted, context, type, `${rank}() OVER (${byRun})`);
  return around(ranked, context, `SELECT * EXCLUDE (${run}) FROM ${below}`);
}

function framed(node: Node, given: Rows, context: OperatorContext): Rows {
  const { environment } = context.parts;
  const frame = nodeOf(node.frame, 'frame');
  const { names, over } = kindOf(frames, frame, 'WindowFrame')(frame);
  const rows = names ? withRuns(given, names, 'a frame', eachPart, context) : given;
  const scope = new RowScope(sourceOf(rows), environment);
  const aggregators = columnsIn(node, 'aggregations', (one) =>
    aggregatorOf(one, {
      scope,
      leftOut: () => false,
      merging: { isGroupBy: false, segments: 1, starts: [], order: 'ascending' },
      intervals: [],
      window: over,
    }),
  );
  const first = context.steps.count;
  const values = aggregators.map((aggregator, index) => ({
    name: aggregator.name,
    type: aggregator.finalType,
    text: label(`w${first}.${index}`),
    sql: aggregator.final(aggregator.sql),
  }));
  const columns = values.reduce(
    (before, { sql: _, ...column }) => withColumn({ ...rows, columns: before }, column),
    rows.columns,
  );
  const kept = [...rows.columns.map(({ text }) => text), place, part];
  const list = [...kept, ...values.map(({ sql, text }) => `${sql} AS ${text}`)];
  return around({ ...rows, columns }, context, `SELECT ${list.join(', ')} FROM ${scope.text([])}`);
}

interface Frame {
  readonly names?: readonly string[]; // of the columns whose equal values are one group
  readonly over: string;
}

const frames: Readonly<Record<string, (node: Node) => Frame>> = {
  rows: (node) => ({ over: `${byPlace} ROWS ${rangeOf(node)}` }),
  groups: (node) => ({
    names: columnsIn(node, 'orderByColumns', asText),
    over: `${byRun} RANGE ${rangeOf(node)}`,
  }),
};

function rangeOf(node: Node): string {
  const [lower, upper] = ['lowerOffset', 'upperOffset'].map((key) => intOr(node, key, undefined));
  if (lower !== undefined && upper !== undefined && lower > upper)
    throw malformed(`[lowerOffset] is [${lower}], after [upperOffset] [${upper}]`);
  return `BETWEEN ${boundText(lower, 'PRECEDING')} AND ${boundText(upper, 'FOLLOWING')}`;
}

function boundText(offset: number | undefined, side: 'FOLLOWING' | 'PRECEDING'): string {
  if (offset === undefined) return `UNBOUNDED ${side}`;
  if (offset === 0) return 'CURRENT ROW';
  return `${Math.abs(offset)} ${offset < 0 ? 'PRECEDING' : 'FOLLOWING'}`;
}
