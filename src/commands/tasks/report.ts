import { type Context, command } from '../../cli/command/command.ts';
import { explanationOf } from '../../cli/help/faults.ts';
import { formatDuration } from '../../cli/lists/columns.ts';
import { canAnimate } from '../../cli/process/io.ts';
import { ServiceError } from '../../client/errors.ts';
import { flag, optional } from '../../contract/schema.ts';
import { type MultiStageReport, type TaskReports, tasks } from '../../contract/tasks.ts';
import { phaseColumns, phasesIn } from '../shared/tasks/report-phases.ts';
import { stageColumns, stagesIn } from '../shared/tasks/report-stages.ts';
import { rowCountsIn, rowWarning, unparseableIn } from '../shared/tasks/row-counts.ts';
import { completers, identified, taskId } from '../shared/tasks/task-id.ts';
import { waitForTask } from '../shared/tasks/wait-for-task.ts';

export const report = command({
  summary: 'Show the report of a task',
  description:
    'Tables have one row per stage of an SQL task, or per phase of a native task; -o json has the whole report. Errors and warnings are on standard error.',
  examples: ['svcctl tasks report ingest-2', 'svcctl tasks report ingest-2 --follow --output json'],
  endpoints: [tasks.reports],
  arguments: taskId,
  options: {
    follow: optional(
      flag,
      'Follow the report until the task finishes; the exit code tells the result',
    ),
  },
  columns: 'dynamic',
  completers,
  ids: { taskId: identified },
  hints: {
    notFound:
      'svcctl tasks status shows whether the task exists; some types of tasks have no report',
  },
  async run(context, { args, options }) {
    const isLive = options.follow && !context.settings.quiet && canAnimate(context.io);
    const how = isLive
      ? { progress: await (await import('./live-report.ts')).liveReport(context) }
      : {};
    const ended = options.follow
      ? waitForTask(context, args.taskId, { ...how, isReported: true })
      : undefined;
    await ended?.catch(() => undefined); // a failed task has a report, too
    await context.call(tasks.reports, { params: args }).then(
      async (reports) => {
        await print(context, reports);
        warnOfRows(context, args.taskId, reports);
      },
      (error: unknown) => {
        if (!options.follow || !(error instanceof ServiceError)) throw error;
        context.out.note(error.message); // the outcome of the task is the answer
      },
    );
    await ended;
  },
});

async function print(
  { out, settings }: Pick<Context, 'out' | 'settings'>,
  reports: TaskReports,
): Promise<void> {
  const { multiStageQuery, ingestionStatsAndErrors, killUnusedSegments } = reports;
  if (settings.query !== undefined || out.format === 'json' || out.format === 'yaml')
    return out.document(reports);
  if (multiStageQuery) {
    for (const sentence of sentencesOn(multiStageQuery)) out.note(sentence);
    return out.rows(stagesIn(multiStageQuery), stageColumns);
  }
  if (ingestionStatsAndErrors) {
    const { errorMsg } = ingestionStatsAndErrors.payload;
    if (typeof errorMsg === 'string') out.note(`failed: ${errorMsg}`);
    return out.rows(phasesIn(ingestionStatsAndErrors), phaseColumns);
  }
  return killUnusedSegments ? out.value(killUnusedSegments.payload) : out.document(reports);
}

// Only for successful tasks: a running task has not stored its rows yet.
function warnOfRows({ out }: Pick<Context, 'out'>, taskId: string, reports: TaskReports): void {
  const { multiStageQuery, ingestionStatsAndErrors } = reports;
  const hasSucceeded =
    multiStageQuery?.payload.status.status === 'SUCCESS' ||
    ingestionStatsAndErrors?.payload.ingestionState === 'COMPLETED';
  if (!hasSucceeded) return;
  const warning = rowWarning(`Task [${taskId}]`, rowCountsIn(reports));
  if (warning !== undefined)
    out.warn([warning, ...unparseableIn(reports).map((detail) => `  ${detail}`)].join('\n'));
}

function sentencesOn({ payload: { status } }: MultiStageReport): readonly string[] {
  const { errorReport, warnings, segmentLoadWaiterStatus, segmentLoadStatus } = status;
  const load = segmentLoadWaiterStatus ?? segmentLoadStatus;
  return [
    `${status.status} ${status.status === 'RUNNING' ? 'for' : 'after'} ${formatDuration(status.durationMs)}`,
    ...(errorReport
      ? [`failed: ${formatReport(errorReport)}`, ...explain(errorReport.error.errorCode)]
      : []),
    ...(warnings ?? []).map((warning) => `warning: ${formatReport(warning)}`),
    ...(load
      ? [
          `segments: ${load.totalSegments} published, ${load.pendingSegments + load.unknownSegments} still to load`,
        ]
      : []),
  ];
}

function formatReport({
  error,
  stageNumber,
  host,
}: NonNullable<MultiStageReport['payload']['status']['errorReport']>): string {
  const { errorCode, errorMessage } = error;
  const message = errorMessage?.startsWith(errorCode)
    ? errorMessage
    : [errorCode, errorMessage].filter(Boolean).join(': ');
  const place = [
    stageNumber === undefined || stageNumber === null ? undefined : `stage ${stageNumber}`,
    host ?? undefined,
  ];
  const known = place.filter((part) => part !== undefined);
  return known.length === 0 ? message : `${message} (${known.join(', ')})`;
}

function explain(code: string): readonly string[] {
  const fault = explanationOf(code);
  return fault ? [fault.means, fault.remedy] : [];
}
