// EXPLAIN results as an outline: a heading per query, its parts below, its sources after an arrow.

import { wrap } from '../../../cli/terminal/wrapped.ts';
import { formatJson, parseJson } from '../../../model/json.ts';
import { visibleLine } from '../../../model/visible-text.ts';
import {
  conditionsOf,
  filterText,
  isRecord,
  listIn,
  listText,
  type NativeObject,
  nameText,
  termOf,
} from './native-text.ts';

interface Node {
  readonly head: string;
  readonly fields: readonly Field[];
  readonly reads: readonly Node[];
}

type Field = readonly [label: string, lines: readonly string[]];

/**
 * Formats the texts of the columns PLAN and ATTRIBUTES for the terminal's width. A plan that is not
 * JSON of native queries, as in older services, stays unchanged.
 */
export function planOutline(plan: string, attributes: string, width: number): string {
  const queries = listIn(jsonIn(plan)).filter(isRecord);
  if (queries.length === 0) return `${plan.trimEnd()}\n`;
  return linesOf(rootOf(queries.map(nodeOf), jsonIn(attributes)), '', '', width).join('');
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return;
  }
}

function rootOf(reads: readonly Node[], attributes: unknown): Node {
  const { statementType, targetDataSource, replaceTimeChunks, partitionedBy, clusteredBy } =
    isRecord(attributes) ? attributes : {};
  if (typeof targetDataSource === 'string')
    return {
      head: `${statementType} into ${nameText(targetDataSource)}`,
      fields: fieldsOf({
        'time chunks': textsOf(replaceTimeChunks),
        'partitioned by': textsOf(partitionedBy),
        'clustered by':
          listIn(clusteredBy).length > 0 ? [listText(listIn(clusteredBy).map(String))] : [],
      }),
      reads,
    };
  const [only] = reads;
  return only && reads.length === 1 ? only : { head: 'union all', fields: [], reads };
}

// A query, with the statement's names for its columns.
function nodeOf(planned: NativeObject): Node {
  const node = queryNode(isRecord(planned.query) ? planned.query : planned);
  const renamed = listIn(planned.columnMappings)
    .filter(isRecord)
    .filter(({ queryColumn, outputColumn }) => queryColumn !== outputColumn)
    .map(({ queryColumn, outputColumn }) => `${nameText(outputColumn)} = ${nameText(queryColumn)}`);
  return {
    ...node,
    fields: [
      ...node.fields,
      ...fieldsOf({ output: renamed.length > 0 ? [listText(renamed)] : [] }),
    ],
  };
}

function queryNode(query: NativeObject): Node {
  const {
    queryType,
    dataSource,
    context: _context,
    resultFormat: _format,
    columnTypes: _types,
    legacy: _legacy,
    ...rest
  } = query;
  const name = plainSource(dataSource);
  const {
    intervals,
    granularity,
    filter,
    virtualColumns,
    dimension,
    dimensions,
    aggregations,
    postAggregations,
    having,
    ...more
  } = rest;
  const {
    metric,
    limitSpec,
    orderBy,
    order,
    descending,
    threshold,
    limit,
    offset,
    columns,
    ...unknown
  } = more;
  const spec = isRecord(limitSpec) ? limitSpec : {};
  const orders = [...listIn(orderBy), ...listIn(spec.columns)].map(orderText);
  return {
    head: `${queryType ?? 'query'}${name === undefined ? '' : ` on ${name}`}`,
    fields: fieldsOf({
      intervals: intervalTexts(intervals),
      granularity: granularityTexts(granularity),
      filter: conditionsOf(filter),
      computed: listIn(virtualColumns).map(termOf),
      dimensions: [dimension, ...listIn(dimensions)]
        .filter((one) => one !== undefined)
        .map(dimensionText),
      aggregations: listIn(aggregations).map(termOf),
      'then computed': listIn(postAggregations).map(termOf),
      having:
        having === undefined || having === null
          ? []
          : [filterText(isRecord(having) && having.filter ? having.filter : having)],
      'order by':
        orders.length > 0
          ? [listText(orders)]
          : metricTexts(metric ?? order ?? (descending === true ? 'descending' : undefined)),
      limit: textsOf(limit ?? threshold ?? spec.limit),
      offset: textsOf(offset ?? spec.offset),
      columns: listIn(columns).length > 0 ? [listText(listIn(columns).map(nameText))] : [],
      ...Object.fromEntries(
        Object.entries(unknown).map(([label, value]) => [label, textsOf(value)]),
      ),
    }),
    reads: name === undefined ? sourceNodes(dataSource) : [],
  };
}

// A source that consists of its name only.
function plainSource(source: unknown): string | undefined {
  if (typeof source === 'string') return nameText(source);
  if (!isRecord(source)) return;
  if (source.type === 'table' || source.type === 'globalTable') return nameText(source.name);
  return source.type === 'lookup' ? `lookup ${nameText(source.lookup)}` : undefined;
}

function sourceNodes(source: unknown): readonly Node[] {
  const name = plainSource(source);
  if (name !== undefined) return [{ head: name, fields: [], reads: [] }];
  if (!isRecord(source)) return [];
  const { type, base, left, right, dataSources, query, ...rest } = source;
  if (type === 'query' && isRecord(query)) return [queryNode(query)];
  if (type === 'union')
    return [{ head: 'union', fields: [], reads: listIn(dataSources).flatMap(sourceNodes) }];
  if (type === 'join') {
    const { joinType, condition, rightPrefix, leftFilter } = rest;
    const fields = fieldsOf({
      on: textsOf(condition),
      'left filter': conditionsOf(leftFilter),
      'right prefix': textsOf(rightPrefix),
    });
    return [
      { head: `${joinType} join`, fields, reads: [...sourceNodes(left), ...sourceNodes(right)] },
    ];
  }
  if (type === 'inline') {
    const { columnNames, rows } = rest;
    return [
      {
        head: 'inline rows',
        fields: fieldsOf({
          columns: [listText(listIn(columnNames).map(nameText))],
          rows: countOf(rows),
        }),
        reads: [],
      },
    ];
  }
  const { virtualColumn, filter, unnestFilter, signature: _signature, ...unknown } = rest;
  return [
    {
      head: String(type),
      fields: fieldsOf({
        computed: virtualColumn === undefined ? [] : [termOf(virtualColumn)],
        filter: conditionsOf(filter ?? unnestFilter),
        ...Object.fromEntries(
          Object.entries(unknown).map(([label, value]) => [label, textsOf(value)]),
        ),
      }),
      reads: sourceNodes(base),
    },
  ];
}

const countOf = (rows: unknown) => (Array.isArray(rows) ? [String(rows.length)] : textsOf(rows));

function intervalTexts(given: unknown): readonly string[] {
  const listed = isRecord(given) ? given.intervals : given;
  return (Array.isArray(listed) ? listed : listed === undefined ? [] : [listed]).map((one) =>
    one === allTime ? 'all time' : String(one),
  );
}

const allTime = '-146136543-09-08T08:23:32.096Z/146140482-04-24T15:36:27.903Z';

function granularityTexts(given: unknown): readonly string[] {
  const { type, period, timeZone }: NativeObject = isRecord(given) ? given : { type: given };
  if (type === undefined || String(type).toLowerCase() === 'all') return [];
  return period === undefined
    ? [String(type)]
    : [`${period}${timeZone === undefined || timeZone === 'UTC' ? '' : `, ${timeZone}`}`];
}

function dimensionText(given: unknown): string {
  if (!isRecord(given)) return nameText(given);
  const { type, dimension, outputName, outputType, ...rest } = given;
  const isPlain = type === undefined || type === 'default';
  const what = isPlain
    ? nameText(dimension)
    : `${type}(${[nameText(dimension), ...Object.values(rest).map((one) => formatJson(one))].join(', ')})`;
  const alias =
    outputName === undefined || outputName === dimension ? '' : ` AS ${nameText(outputName)}`;
  return `${what}${alias}${outputType === undefined ? '' : ` ${outputType}`}`;
}

function orderText(given: unknown): string {
  const { columnName, dimension, order, direction }: NativeObject = isRecord(given)
    ? given
    : { columnName: given };
  return `${nameText(columnName ?? dimension)}${order === undefined && direction === undefined ? '' : ` ${order ?? direction}`}`;
}

// The order of a topN, and the time order of other queries.
function metricTexts(
  given: unknown,
  direction: 'ascending' | 'descending' = 'descending',
): readonly string[] {
  if (given === undefined || given === 'none') return [];
  if (given === 'ascending' || given === 'descending') return [`__time ${given}`];
  if (!isRecord(given)) return [`${nameText(given)} ${direction}`];
  if (given.type === 'numeric') return [`${nameText(given.metric)} ${direction}`];
  if (given.type === 'inverted')
    return metricTexts(given.metric, direction === 'descending' ? 'ascending' : 'descending');
  return [
    `the dimension${given.ordering === undefined ? '' : `, ${isRecord(given.ordering) ? given.ordering.type : given.ordering}`}`,
  ];
}

const fieldsOf = (fields: Readonly<Record<string, readonly string[]>>): readonly Field[] =>
  Object.entries(fields).filter(([, lines]) => lines.length > 0);

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null || value === '') return [];
  return [typeof value === 'string' ? value : formatJson(value)];
}

function linesOf(
  { head, fields, reads }: Node,
  arrow: string,
  indent: string,
  width: number,
): readonly string[] {
  const labels = Math.max(0, ...fields.map(([label]) => label.length));
  const below = `${indent}${' '.repeat(arrow.length)}  `;
  const hanging = ' '.repeat(below.length + labels + 2);
  const told = fields.flatMap(([label, lines]) =>
    lines
      .flatMap((line) =>
        wrap(visibleLine(line), Math.max(narrowest, width - hanging.length)).split('\n'),
      )
      .map((line, at) => `${at === 0 ? `${below}${label.padEnd(labels)}  ` : hanging}${line}\n`),
  );
  return [
    `${indent}${arrow}${visibleLine(head)}\n`,
    ...told,
    ...reads.flatMap((read) => linesOf(read, '-> ', below, width)),
  ];
}

const narrowest = 20;
