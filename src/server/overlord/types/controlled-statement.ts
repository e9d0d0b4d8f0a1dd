// The statement of a controller's payload, planned.
import type { Catalog } from '../../../sql/catalog.ts';
import type { TranslatedStatement } from '../../../sql/statement.ts';
import { type BoundParameter, contextWith } from '../../../sql/translate/parameters.ts';
import type { Planner, PlanningOptions } from '../../planning/planner.ts';
import type { StoredPayload } from '../../storage/tasks.ts';
import { type SegmentSource, segmentSourceIn } from '../multi-stage/segment-source.ts';

export interface StatementParts {
  readonly planner: Planner;
  readonly catalog: (source: SegmentSource) => Catalog;
  readonly now: () => number; // milliseconds since 1970
}

/**
 * The statement of a controller's payload. Rejects with SqlError for an invalid statement (its
 * tables may have changed), and with a Refusal for an invalid `includeSegmentSource`.
 */
export async function statementOf(
  payload: StoredPayload,
  { planner, catalog, now }: StatementParts,
  options: PlanningOptions,
): Promise<TranslatedStatement> {
  const { sqlQuery, sqlQueryContext, parameters } = payload;
  const text = String(sqlQuery);
  const context =
    typeof sqlQueryContext === 'object' && sqlQueryContext !== null ? { ...sqlQueryContext } : {};
  const settings = await planner.settings(text, options);
  const request = {
    text,
    context,
    parameters: Array.isArray(parameters) ? (parameters as (BoundParameter | null)[]) : [],
    nowMs: now(),
    engine: 'msq-task',
  } as const;
  return planner.sql(request, catalog(segmentSourceIn(contextWith(context, settings))), options);
}
