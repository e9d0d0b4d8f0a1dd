// Warnings for tasks that succeeded although rows are missing: the real engine lets a task succeed
// that stores no row at all.
import type { Value } from '../../../contract/schema.ts';
import type { stagesAndCounters, TaskReports } from '../../../contract/tasks.ts';
import { phasesIn } from './report-phases.ts';
import { counterSum, stagesIn } from './report-stages.ts';

/** Row counts of a task; undefined where its report has none. */
export interface RowCounts {
  readonly read: number | undefined;
  readonly stored: number | undefined; // before rollup, for native tasks
  readonly withErrors: number | undefined; // stored, but with an unreadable field
  readonly unparseable: number | undefined;
  readonly thrownAway: number | undefined; // by filters, or outside of the intervals
}

/** The counts of a task that stores rows; undefined for other tasks, such as a SELECT. */
export function rowCountsIn({
  multiStageQuery,
  ingestionStatsAndErrors,
}: TaskReports): RowCounts | undefined {
  if (multiStageQuery) return rowCountsOfStages(multiStageQuery.payload);
  const stats = ingestionStatsAndErrors && phasesIn(ingestionStatsAndErrors).at(-1);
  if (!stats) return undefined;
  const { processed, withErrors, unparseable, thrownAway } = stats;
  const read = (processed ?? 0) + (withErrors ?? 0) + (unparseable ?? 0) + (thrownAway ?? 0);
  return {
    read,
    stored: (processed ?? 0) + (withErrors ?? 0),
    withErrors,
    unparseable,
    thrownAway,
  };
}

/** The counts of an INSERT or REPLACE, from its stages; undefined for a SELECT. */
export function rowCountsOfStages(payload: Value<typeof stagesAndCounters>): RowCounts | undefined {
  const stages = payload.stages ?? [];
  const storing = stages.find(
    ({ definition }) =>
      definition.processor.type === 'segmentGenerator' || definition.processor.type === 'export',
  );
  if (!storing) return undefined;
  const rows = stagesIn({ payload });
  const sources = stages.filter(({ definition }) =>
    definition.input.some(({ type }) => type !== 'stage'),
  );
  const found = sources.flatMap(
    ({ stageNumber }) => rows.find(({ stage }) => stage === stageNumber)?.rowsIn ?? [],
  );
  const good = found.length === 0 ? undefined : found.reduce((sum, count) => sum + count, 0);
  const unparseable = counterSum(payload, 'warnings', 'CannotParseExternalData');
  return {
    read:
      good === undefined && unparseable === undefined
        ? undefined
        : (good ?? 0) + (unparseable ?? 0),
    stored: rows.find(({ stage }) => stage === storing.stageNumber)?.rowsOut ?? 0,
    withErrors: undefined,
    unparseable,
    thrownAway: undefined,
  };
}

/**
 * The task report's reasons for the first unparseable rows of a native task: at most three
 * sentences.
 */
export function unparseableIn({ ingestionStatsAndErrors }: TaskReports): readonly string[] {
  const { determinePartitions, buildSegments } = fieldsIn(
    ingestionStatsAndErrors?.payload.unparseableEvents,
  );
  const details = [determinePartitions, buildSegments].flatMap((events) =>
    (Array.isArray(events) ? events : []).flatMap(
      (event: unknown) => fieldsIn(event).details ?? [],
    ),
  );
  return details.filter((detail) => typeof detail === 'string').slice(0, 3);
}

const fieldsIn = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Readonly<Record<string, unknown>>;

/** A warning as a sentence; undefined when the task has stored rows and could parse all of them. */
export function rowWarning(what: string, counts: RowCounts | undefined): string | undefined {
  if (!counts) return undefined;
  const { stored, unparseable = 0, withErrors = 0 } = counts;
  if (stored !== 0 && unparseable === 0 && withErrors === 0) return undefined;
  const problem =
    stored === 0
      ? 'no rows'
      : unparseable > 0
        ? 'only a part of the rows'
        : 'rows without some of their fields';
  const reason = stored === 0 ? reasonOfNone(counts) : undefined;
  return `${what} has stored ${problem}: ${inWords(counts)}${reason === undefined ? '' : ` (${reason})`}`;
}

function reasonOfNone({ read, unparseable = 0, thrownAway }: RowCounts): string | undefined {
  if (read === 0) return 'the input is empty';
  if (read === undefined || thrownAway !== undefined) return undefined;
  return unparseable === 0 ? 'no row matches the condition of the statement' : undefined;
}

/** The counts as a phrase: `3 rows read, 2 stored, 1 unparseable`. */
function inWords({ read, stored, withErrors, unparseable, thrownAway }: RowCounts): string {
  return [
    read === undefined ? undefined : `${read} ${read === 1 ? 'row' : 'rows'} read`,
    stored === undefined
      ? undefined
      : `${stored} stored${withErrors ? ` (${withErrors} with unreadable fields)` : ''}`,
    unparseable === undefined ? undefined : `${unparseable} unparseable`,
    thrownAway === undefined ? undefined : `${thrownAway} thrown away by filters and intervals`,
  ]
    .filter((part) => part !== undefined)
    .join(', ');
}
