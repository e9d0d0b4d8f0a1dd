// INSERT, REPLACE and export: target, partitioning and sort order of the written rows
// (docs/multi-stage-query/reference.md).
import type { Granularity } from '../../model/granularity.ts';
import type { ExportTarget, Expression, Ingest, OrderItem, Query } from '../ast.ts';
import { fingerprint } from '../expressions/rewrite.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { QueryScope } from '../resolution/scope.ts';
import type { Translation } from '../resolution/translation.ts';
import { SqlError } from '../sql-error.ts';
import type { IngestStatement, QueryPlan, SelectStatement } from '../statement.ts';
import { isTime, typeText } from '../types.ts';
import { overwrittenIntervals } from './overwrite.ts';
import { granularityText, segmentGranularity } from './partitioned-by.ts';
import { rollupOf } from './rollup.ts';

/** Refuses ingestion in the native engine, which is read-only. */
export function refuseNativeIngest({ kind }: Ingest): never {
  throw new SqlError(
    kind === 'insert'
      ? 'INSERT operations are not supported by requested SQL engine [native], consider using MSQ.'
      : 'REPLACE operations are not supported by the requested SQL engine [native].  Consider using MSQ.',
    { context: { sourceType: 'sql' } },
  );
}

interface Translated<T> {
  readonly statement: T;
  readonly plan: QueryPlan;
}

/** Resolves an ingestion. Throws SqlError for an invalid target, clause or column. */
export function resolveIngest(
  ingest: Ingest,
  translation: Translation,
  translateQuery: (query: Query, isStored: boolean) => Translated<SelectStatement>,
): Translated<IngestStatement> {
  const { kind, target, query, columns } = ingest;
  const operation = kind.toUpperCase();
  if (kind === 'replace' && ingest.overwrite === undefined)
    throw new SqlError(
      'Missing time chunk information in OVERWRITE clause for REPLACE. Use OVERWRITE WHERE <__time based condition> or OVERWRITE ALL to overwrite the entire table.',
    );
  if (!('kind' in target)) granularityOf(ingest);
  if (query.orderBy.length > 0)
    throw new SqlError(
      `Cannot use an ORDER BY clause on a Query of type [${operation}], use CLUSTERED BY instead`,
    );
  if (columns) {
    const listed = columns.map(({ names }) => `\`${names.join('.')}\``).join(', ');
    throw new SqlError(
      `Operation [${operation}] cannot be run with a target column list, given [${'names' in target ? target.names.join('.') : 'EXTERN'} (${listed})]`,
    );
  }
  if ('kind' in target) return exportTo(ingest, target, translation, translateQuery(query, false));
  const name = targetName(target.names, operation);
  const granularity = granularityOf(ingest);
  refuseLimits(query, granularity);
  const { statement, plan } = translateQuery(query, true);
  checkColumns(statement, granularity);
  const rollup = rollupOf(query, statement.columns, translation.environment);
  return {
    plan,
    statement: {
      kind,
      query: statement,
      target: { kind: 'datasource', name },
      resources: [...statement.resources, { type: 'DATASOURCE', name, action: 'WRITE' }],
      partitionedBy: granularityText(granularity),
      clusteredBy: clusterColumns(ingest, statement),
      ...(rollup && { rollup }),
      ...(ingest.overwrite !== undefined && {
        overwrite: resolveOverwrite(ingest.overwrite, granularity, translation),
      }),
      context: translation.environment.context,
    },
  };
}

// ── Target ───────────────────────────────────────────────────────────────────────────────────────

function targetName(names: readonly string[], operation: string): string {
  const [schema, second] = names;
  const name = second ?? schema ?? '';
  if (names.length > 2 || (second !== undefined && schema !== 'druid')) {
    throw new SqlError(
      `Table [${names.join('.')}] does not support operation [${operation}] because it is not a Druid datasource`,
    );
  }
  const problem = nameProblem(name);
  if (problem) throw new SqlError(`Invalid value for field [table]: Value [${name}] ${problem}`);
  return name;
}

// Druid: IdUtils.validateId.
function nameProblem(name: string): string | undefined {
  if (name === '') return 'must not be null or empty.';
  if (name.startsWith('.')) return "cannot start with '.'.";
  if (name.includes('/')) return "cannot contain '/'.";
  if (/[\t\r\n\f\v]/.test(name))
    return 'contains illegal whitespace characters. Only space is allowed.';
  const control = [...name].findIndex(
    (letter) => letter < ' ' || (letter >= '\u007f' && letter <= '\u009f'),
  );
  return control >= 0
    ? `contains illegal UTF8 character [#${name.charCodeAt(control)}] at position [${control}]`
    : undefined;
}

function exportTo(
  ingest: Ingest,
  target: ExportTarget,
  translation: Translation,
  { statement, plan }: Translated<SelectStatement>,
): Translated<IngestStatement> {
  if (ingest.kind === 'replace')
    throw new SqlError(
      'REPLACE operations do not support EXTERN destinations. Use INSERT to write to an external destination.',
    );
  if (ingest.partitionedBy || ingest.clusteredBy)
    throw new SqlError('Export statements do not support a PARTITIONED BY or CLUSTERED BY clause.');
  if (target.format === undefined)
    throw new SqlError(
      'Exporting rows into an EXTERN destination requires a SELECT statement with an AS clause naming the format, like [AS CSV].',
    );
  const type = target.destination.name.toLowerCase();
  const properties = target.destination.args.map((value, index): [string, unknown] => [
    target.destination.argumentNames?.[index] ?? String(index),
    value.kind === 'literal' ? value.text : undefined,
  ]);
  return {
    plan,
    statement: {
      kind: 'insert',
      query: statement,
      target: {
        kind: 'export',
        destination: { type, ...Object.fromEntries(properties) },
        format: target.format.toLowerCase(),
      },
      resources: [...statement.resources, { type: 'EXTERNAL', name: type, action: 'WRITE' }],
      partitionedBy: 'ALL',
      clusteredBy: [],
      context: translation.environment.context,
    },
  };
}

// ── Clauses ──────────────────────────────────────────────────────────────────────────────────────

function granularityOf({ kind, partitionedBy }: Ingest): Granularity {
  if (partitionedBy) return segmentGranularity(partitionedBy);
  throw new SqlError(
    `Operation [${kind.toUpperCase()}] requires a PARTITIONED BY to be explicitly defined, but none was found.`,
  );
}

function refuseLimits({ limit, offset }: Query, granularity: Granularity): void {
  if (offset) throw new SqlError('INSERT and REPLACE queries cannot have an OFFSET.');
  if (limit && granularity.type !== 'all')
    throw new SqlError(
      'INSERT and REPLACE queries cannot have a LIMIT unless PARTITIONED BY "ALL".',
    );
}

function checkColumns({ columns }: SelectStatement, granularity: Granularity): void {
  const names = new Set<string>();
  for (const { name, type } of columns) {
    if (/^EXPR\$\d+$/.test(name)) {
      throw new SqlError(
        'Insertion requires columns to be named. Cannot ingest expression that does not have an alias or has an alias like EXPR$[digit]. E.g. if you are ingesting "func(X)", then you can rewrite it as "func(X) as myColumn"',
      );
    }
    if (names.has(name)) throw new SqlError(`Duplicate field in SELECT: [${name}]`);
    if (name === '__time' && !isTime(type))
      throw new SqlError(
        `Field [__time] was the wrong type [${typeText(type)}], expected TIMESTAMP`,
      );
    names.add(name);
  }
  if (!names.has('__time') && granularity.type !== 'all') {
    throw new SqlError(
      `The granularity [${granularityText(granularity)}] specified in the PARTITIONED BY clause requires the query to have a [__time] column of type TIMESTAMP; use PARTITIONED BY ALL for data without time`,
    );
  }
}

// Names, ordinals, or expressions that are also selected.
function clusterColumns(
  { clusteredBy = [], query }: Ingest,
  { columns }: SelectStatement,
): IngestStatement['clusteredBy'] {
  return clusteredBy.map((item) => {
    const column = clusterColumn(item, query, columns);
    if (item.descending)
      throw new SqlError(
        `Invalid CLUSTERED BY clause [\`${column}\` DESC]: cannot sort in descending order.`,
      );
    return { column, descending: false };
  });
}

function clusterColumn(
  { expression }: OrderItem,
  { body }: Query,
  columns: SelectStatement['columns'],
): string {
  if (expression.kind === 'literal' && expression.type === 'integer') {
    const column = columns[Number(expression.text) - 1];
    if (!column)
      throw new SqlError(
        `Ordinal out of range (line [${expression.at.line}], column [${expression.at.column}])`,
      );
    return column.name;
  }
  const name = expression.kind === 'identifier' ? expression.names.at(-1) : undefined;
  if (name !== undefined && columns.some((column) => column.name === name)) return name;
  const items =
    body.kind === 'select' && body.items.every((item) => item.expression.kind !== 'star')
      ? body.items
      : [];
  const index = items.findIndex((item) => print(item.expression) === print(expression));
  const column = columns[index];
  if (!column)
    throw new SqlError('CLUSTERED BY accepts selected columns only, by name or by ordinal');
  return column.name;
}

const print = (expression: Expression) =>
  fingerprint(expression, ({ names }) => names.at(-1) ?? '');

function resolveOverwrite(
  overwrite: NonNullable<Ingest['overwrite']>,
  granularity: Granularity,
  translation: Translation,
): NonNullable<IngestStatement['overwrite']> {
  if (overwrite === 'ALL') return 'ALL';
  const scope = new QueryScope({
    translation,
    commonTables: { find: () => undefined },
    resolve: resolveExpression,
    aggregate: () => {
      throw new SqlError('Unsupported operation in OVERWRITE WHERE clause.');
    },
  });
  const millisOf = (expression: Expression) => {
    const { constant, type } = resolveExpression(expression, scope);
    return typeof constant === 'bigint' && isTime(type) ? constant : undefined;
  };
  return overwrittenIntervals(overwrite, granularity, millisOf).map(({ start, end }) => ({
    startMs: BigInt(start),
    endMs: BigInt(end),
  }));
}
