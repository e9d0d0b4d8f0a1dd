// EXPLAIN PLAN FOR: one row with PLAN, RESOURCES and ATTRIBUTES (docs/querying/sql-translation.md).
import { type Granularity, granularityName, periodGranularity } from '../../model/granularity.ts';
import { formatInterval } from '../../model/interval.ts';
import { parsePeriod } from '../../model/period.ts';
import type { NativeJson, NativePlan } from '../resolution/native-plan.ts';
import type {
  ExplainStatement,
  IngestStatement,
  QueryPlan,
  Resource,
  SelectStatement,
} from '../statement.ts';

/**
 * The EXPLAIN result of a translated statement: its native queries, one for each arm of a union, or
 * a similar description if it has none. `useNativeQueryExplain: false` in the context requests the
 * text of earlier versions.
 */
export function resolveExplain(
  statement: SelectStatement | IngestStatement,
  plan: QueryPlan,
  natives: readonly (NativePlan | undefined)[],
): ExplainStatement {
  const select = statement.kind === 'select' ? statement : statement.query;
  const known = natives.filter((native) => native !== undefined);
  const isNative = known.length === natives.length;
  const mappingsOf = ({ outputs }: Pick<NativePlan, 'outputs'>) =>
    select.columns.map(({ name }, index) => ({
      queryColumn: outputs[index] ?? name,
      outputColumn: name,
    }));
  const described = {
    query: plan,
    signature: select.columns.map(({ name, nativeType }) => ({ name, type: nativeType })),
    columnMappings: mappingsOf({ outputs: [] }),
  };
  const natively = known.map((native) => ({
    ...native,
    query: withContext(native.query, queryContextOf(statement)),
  }));
  const shown = isNative
    ? natively.map((native) => ({
        query: native.query,
        signature: native.signature,
        columnMappings: mappingsOf(native),
      }))
    : [described];
  const isText = isNative && String(statement.context.useNativeQueryExplain) === 'false';
  return {
    kind: 'explain',
    statement,
    plan: isText ? relText(natively) : JSON.stringify(shown),
    resources: statement.resources,
    resourcesText: JSON.stringify(shownResources(statement.resources)),
    attributes: JSON.stringify(attributesOf(statement)),
    context: statement.context,
  };
}

// The native queries have the query id of the statement.
function queryContextOf({ context }: SelectStatement | IngestStatement): NativeJson {
  const { sqlQueryId } = context;
  return sqlQueryId === undefined ? context : { queryId: sqlQueryId, ...context };
}

/** A native query and its inner queries, each with the context of the statement, sorted by name. */
function withContext(query: NativeJson, context: NativeJson): NativeJson {
  const own = { ...context, ...(query.context as NativeJson | undefined) };
  const sorted = Object.fromEntries(
    Object.entries(own).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  const members = Object.entries(query).filter(([name]) => name !== 'context');
  // A scan lists its column types, granularity and legacy after the context.
  const cut = members.findIndex(([name]) => query.queryType === 'scan' && AFTER_CONTEXT.has(name));
  const [before, after] = cut < 0 ? [members, []] : [members.slice(0, cut), members.slice(cut)];
  return Object.fromEntries([
    ...before.map(([name, value]) => [
      name,
      name === 'dataSource' ? sourceWithContext(value as NativeJson, context) : value,
    ]),
    ['context', sorted],
    ...after,
  ]);
}

const AFTER_CONTEXT: ReadonlySet<string> = new Set(['columnTypes', 'granularity', 'legacy']);

function sourceWithContext(source: NativeJson, context: NativeJson): NativeJson {
  switch (source.type) {
    case 'query':
      return { ...source, query: withContext(source.query as NativeJson, context) };
    case 'join':
      return {
        ...source,
        left: sourceWithContext(source.left as NativeJson, context),
        right: sourceWithContext(source.right as NativeJson, context),
      };
    case 'unnest':
    case 'filter':
      return { ...source, base: sourceWithContext(source.base as NativeJson, context) };
    default:
      return source;
  }
}

// The relational operators of the planner, one per line, each followed by its inputs.
function relText(natives: readonly NativePlan[]): string {
  const [only, second] = natives;
  if (only && !second) return queryText(only.query, only.signature, '');
  return `DruidUnionRel(limit=[-1])\n${natives.map(({ query, signature }) => queryText(query, signature, '  ')).join('')}`;
}

function queryText(query: NativeJson, signature: NativePlan['signature'], indent: string): string {
  const types = signature.map(({ name, type }) => `${name}:${type}`).join(', ');
  const source = query.dataSource as NativeJson;
  const line = (name: string, shown: NativeJson) =>
    `${indent}${name}(query=[${JSON.stringify(shown)}], signature=[{${types}}])\n`;
  if (source.type !== 'query') return line('DruidQueryRel', query);
  const inner = source.query as NativeJson;
  return (
    line('DruidOuterQueryRel', { ...query, dataSource: { type: 'table', name: '__subquery__' } }) +
    queryText(inner, [], `${indent}  `)
  );
}

// Sorted by name, without the action.
function shownResources(
  resources: readonly Resource[],
): readonly Pick<Resource, 'name' | 'type'>[] {
  return resources
    .map(({ name, type }) => ({ name, type }))
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function attributesOf(
  statement: SelectStatement | IngestStatement,
): Readonly<Record<string, unknown>> {
  if (statement.kind === 'select') return { statementType: 'SELECT' };
  const { target, partitionedBy, clusteredBy, overwrite } = statement;
  return {
    statementType: statement.kind.toUpperCase(),
    ...(target.kind === 'datasource'
      ? { targetDataSource: target.name }
      : { targetDataSource: 'EXTERN' }),
    ...(target.kind === 'datasource' && {
      partitionedBy: granularityName(parsedGranularity(partitionedBy)) ?? partitionedBy,
    }),
    ...(clusteredBy.length > 0 && { clusteredBy: clusteredBy.map(({ column }) => column) }),
    ...(overwrite !== undefined && {
      replaceTimeChunks: overwrite === 'ALL' ? 'all' : overwrite.map(intervalText).join(','),
    }),
  };
}

const parsedGranularity = (text: string): Granularity =>
  text === 'ALL' ? { type: 'all' } : periodGranularity(parsePeriod(text));

const intervalText = ({ startMs, endMs }: { readonly startMs: bigint; readonly endMs: bigint }) =>
  formatInterval({ start: Number(startMs), end: Number(endMs) });
