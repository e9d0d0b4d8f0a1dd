// Progress or failure of a task from its report and log, with the fault code explained.

import type { Context } from '../../cli/command/command.ts';
import type { Finding } from '../../cli/command/findings.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { explanationOf } from '../../cli/help/faults.ts';
import { formatDuration } from '../../cli/lists/columns.ts';
import {
  type MultiStageReport,
  type TaskReports,
  type TaskStatus,
  tasks,
} from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { lastLines } from '../shared/tasks/log-text.ts';
import { progressOf, stagesIn } from '../shared/tasks/report-stages.ts';
import { rowCountsIn, rowWarning, unparseableIn } from '../shared/tasks/row-counts.ts';

export async function progressFinding(
  { call }: Context,
  { id, statusCode }: TaskStatus,
): Promise<readonly Finding[]> {
  const reports = await ifKnown(call(tasks.reports, { params: { taskId: id } }));
  const rows = reports && statusCode === 'SUCCESS' ? rowFindings(id, reports) : [];
  if (!reports?.multiStageQuery) return rows;
  const { status } = reports.multiStageQuery.payload;
  const { stage, fraction } = progressOf(stagesIn(reports.multiStageQuery));
  const load = status.segmentLoadWaiterStatus ?? status.segmentLoadStatus;
  const left = load ? load.pendingSegments + load.unknownSegments : 0;
  return [
    ...(statusCode === 'RUNNING'
      ? [
          {
            check: 'progress',
            state: 'ok',
            says: `${stage ?? 'planning'}${fraction === undefined ? '' : `, ${Math.floor(fraction * 100)} %`}, for ${formatDuration(status.durationMs)}`,
          } as const,
        ]
      : []),
    ...(status.pendingTasks && statusCode === 'RUNNING'
      ? [
          {
            check: 'workers',
            state: 'critical',
            says: `${status.pendingTasks} of its worker tasks wait for slots; it continues only when all of them run`,
            remedy: 'svcctl tasks list --state pending',
          } as const,
        ]
      : []),
    ...(load && left > 0
      ? [
          {
            check: 'segments',
            state: 'note',
            says: `${left} of its ${load.totalSegments} segments are still to be loaded`,
            remedy: 'svcctl datasources load-status',
          } as const,
        ]
      : []),
    ...rows,
    ...warningsIn(reports.multiStageQuery),
  ];
}

function rowFindings(id: string, reports: TaskReports): readonly Finding[] {
  const counts = rowCountsIn(reports);
  const warning = rowWarning('It', counts);
  if (warning === undefined || !counts) return [];
  const says = [warning, ...unparseableIn(reports).slice(0, 1)].join('; ');
  return [
    {
      check: 'rows',
      state: 'warning',
      says,
      remedy: commandLine`svcctl tasks report ${id}`,
      facts: counts,
    },
  ];
}

function warningsIn({ payload: { status } }: MultiStageReport): readonly Finding[] {
  return (status.warnings ?? []).slice(0, 3).map(({ error }) => ({
    check: 'warning',
    state: 'note',
    says: formatTaskError(error),
    ...(explanationOf(error.errorCode) && {
      remedy: commandLine`svcctl help fault ${error.errorCode}`,
    }),
  }));
}

export async function failureOf(
  context: Context,
  { id, errorMsg }: TaskStatus,
): Promise<readonly Finding[]> {
  const reports = await ifKnown(context.call(tasks.reports, { params: { taskId: id } }));
  const report = reports?.multiStageQuery?.payload.status.errorReport;
  const code = report?.error.errorCode ?? codeIn(errorMsg ?? '');
  const fault = code === undefined ? undefined : explanationOf(code);
  const message = report
    ? formatTaskError(report.error)
    : errorMsg || 'The service does not give a reason';
  const stage =
    report?.stageNumber === undefined || report.stageNumber === null
      ? ''
      : ` (stage ${report.stageNumber})`;
  const [row] = reports ? unparseableIn(reports) : [];
  const end = await tellingLine(context, id);
  return [
    {
      check: 'error',
      state: 'critical',
      says: `${message}${stage}`,
      remedy: commandLine`svcctl tasks report ${id}`,
      facts: { code, report, errorMsg },
    },
    ...(row === undefined ? [] : [{ check: 'row', state: 'note', says: row } as const]),
    ...(fault
      ? [
          {
            check: 'meaning',
            state: 'note',
            says: `${fault.means} ${fault.remedy}`,
            remedy: commandLine`svcctl help fault ${String(code)}`,
          } as const,
        ]
      : []),
    ...(end ? [logFinding(end, id)] : []),
  ];
}

const formatTaskError = ({
  errorCode,
  errorMessage,
}: {
  errorCode: string;
  errorMessage?: string | null;
}) =>
  errorMessage?.startsWith(errorCode)
    ? errorMessage
    : [errorCode, errorMessage].filter(Boolean).join(': ');

const codeIn = (message: string) => /^(\w+):/.exec(message)?.[1];

// The last line of level ERROR, or the last line of the log. A task that never ran has no log.
async function tellingLine(context: Context, id: string): Promise<string> {
  const lines = (await endOfLog(context, id)).split('\n').filter((line) => line.trim() !== '');
  return (lines.findLast((line) => errorLine.test(line)) ?? lines.at(-1) ?? '').trim();
}

const searchedLines = 200; // a real service logs this much while it stops a failed task

// The level follows the time, in the formats of the service and log4j.
const errorLine = /^\d{4}-\d\d-\d\dT\S+ +(ERROR|FATAL) /;

/** The last log line of a running task: its current action, or the reason of a wait. */
export async function lastLineFinding(context: Context, id: string): Promise<readonly Finding[]> {
  const line = (await endOfLog(context, id)).trimEnd().split('\n').at(-1)?.trim();
  return line ? [logFinding(line, id)] : [];
}

const logFinding = (line: string, id: string): Finding => ({
  check: 'log',
  state: 'note',
  says: line.length > 300 ? `${line.slice(0, 299)}…` : line,
  remedy: commandLine`svcctl tasks log ${id} --tail 20`,
});

async function endOfLog(context: Context, id: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  await ifKnown(
    (async () => {
      for await (const chunk of lastLines(context, id, searchedLines)) chunks.push(chunk);
    })(),
  );
  return Buffer.concat(chunks).toString();
}
