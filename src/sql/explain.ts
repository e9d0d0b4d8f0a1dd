// EXPLAIN PLAN FOR: one row with PLAN, RESOURCES and ATTRIBUTES (docs/querying/sql-translation.md).
import { type Granularity, granularityName, periodGranularity } from '../model/granularity.ts';
import { formatInterval } from '../model/interval.ts';
import { parsePeriod } from '../model/period.ts';
import type { ExplainStatement, IngestStatement, Resource, SelectStatement } from './statement.ts';
import type { NativePlan, QueryPlan } from './translation.ts';

/**
 * What EXPLAIN answers for a translated statement: the native query with which the engine answers it, or a description that is like one where the
 * statement has none.
 */
export function resolveExplain(
  statement: SelectStatement | IngestStatement,
  plan: QueryPlan,
  native: NativePlan | undefined,
): ExplainStatement {
  const select = statement.kind === 'select' ? statement : statement.query;
  const signature = native?.signature ?? select.columns.map(({ name, nativeType }) => ({ name, type: nativeType }));
  const columnMappings = select.columns.map(({ name }, index) => ({ queryColumn: native?.outputs[index] ?? name, outputColumn: name }));
  return {
    kind: 'explain',
    statement,
    plan: JSON.stringify([{ query: native?.query ?? plan, signature, columnMappings }]),
    resources: statement.resources,
    resourcesText: JSON.stringify(shownResources(statement.resources)),
    attributes: JSON.stringify(attributesOf(statement)),
    context: statement.context,
  };
}

// By name; without the action.
function shownResources(resources: readonly Resource[]): readonly Pick<Resource, 'name' | 'type'>[] {
  return resources.map(({ name, type }) => ({ name, type })).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function attributesOf(statement: SelectStatement | IngestStatement): Readonly<Record<string, unknown>> {
  if (statement.kind === 'select') return { statementType: 'SELECT' };
  const { target, partitionedBy, clusteredBy, overwrite } = statement;
  return {
    statementType: statement.kind.toUpperCase(),
    ...(target.kind === 'datasource' ? { targetDataSource: target.name } : { targetDataSource: 'EXTERN' }),
    ...(target.kind === 'datasource' && { partitionedBy: granularityName(parsedGranularity(partitionedBy)) ?? partitionedBy }),
    ...(clusteredBy.length > 0 && { clusteredBy: clusteredBy.map(({ column }) => column) }),
    ...(overwrite !== undefined && { replaceTimeChunks: overwrite === 'ALL' ? 'all' : overwrite.map(intervalText).join(',') }),
  };
}

const parsedGranularity = (text: string): Granularity => (text === 'ALL' ? { type: 'all' } : periodGranularity(parsePeriod(text)));

const intervalText = ({ startMs, endMs }: { readonly startMs: bigint; readonly endMs: bigint }) =>
  formatInterval({ start: Number(startMs), end: Number(endMs) });
