// What a task's report and log say: how far it is, or what went wrong, with the fault code in words.

import type { Context } from '../../cli/command.ts';
import { explanationOf } from '../../cli/help/faults.ts';
import { ifKnown } from '../../cli/if-known.ts';
import { shownDuration } from '../../cli/lists/columns.ts';
import type { Finding } from '../../cli/output/findings.ts';
import { type MultiStageReport, type TaskStatus, tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { lastLines } from '../tasks/log-text.ts';
import { progressOf, stagesIn } from '../tasks/report-stages.ts';

export async function progressFinding({ call }: Context, { id, statusCode }: TaskStatus): Promise<readonly Finding[]> {
  const reports = await ifKnown(call(tasks.reports, { params: { taskId: id } }));
  if (!reports?.multiStageQuery) return [];
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
            says: `${stage ?? 'planning'}${fraction === undefined ? '' : `, ${Math.floor(fraction * 100)} %`}, for ${shownDuration(status.durationMs)}`,
          } as const,
        ]
      : []),
    ...(status.pendingTasks && statusCode === 'RUNNING'
      ? [
          {
            check: 'workers',
            state: 'critical',
            says: `${status.pendingTasks} of its worker tasks wait for slots; it goes on only when all of them run`,
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
    ...warningsIn(reports.multiStageQuery),
  ];
}

function warningsIn({ payload: { status } }: MultiStageReport): readonly Finding[] {
  return (status.warnings ?? []).slice(0, 3).map(({ error }) => ({
    check: 'warning',
    state: 'note',
    says: said(error),
    ...(explanationOf(error.errorCode) && { remedy: commandLine`svcctl help fault ${error.errorCode}` }),
  }));
}

export async function failureOf(context: Context, { id, errorMsg }: TaskStatus): Promise<readonly Finding[]> {
  const reports = await ifKnown(context.call(tasks.reports, { params: { taskId: id } }));
  const report = reports?.multiStageQuery?.payload.status.errorReport;
  const code = report?.error.errorCode ?? codeIn(errorMsg ?? '');
  const fault = code === undefined ? undefined : explanationOf(code);
  const message = report ? said(report.error) : errorMsg || 'The service gives no reason';
  const stage = report?.stageNumber === undefined || report.stageNumber === null ? '' : ` (stage ${report.stageNumber})`;
  const end = (await lastLine(context, id)).trim();
  return [
    {
      check: 'error',
      state: 'critical',
      says: `${message}${stage}`,
      remedy: commandLine`svcctl tasks report ${id}`,
      facts: { code, report, errorMsg },
    },
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
    ...(end
      ? [
          {
            check: 'log',
            state: 'note',
            says: end.length > 300 ? `${end.slice(0, 299)}…` : end,
            remedy: commandLine`svcctl tasks log ${id} --tail 20`,
          } as const,
        ]
      : []),
  ];
}

const said = ({ errorCode, errorMessage }: { errorCode: string; errorMessage?: string | null }) =>
  errorMessage?.startsWith(errorCode) ? errorMessage : [errorCode, errorMessage].filter(Boolean).join(': ');

const codeIn = (message: string) => /^(\w+):/.exec(message)?.[1];

// A task that never ran has no log.
async function lastLine(context: Context, id: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  await ifKnown(
    (async () => {
      for await (const chunk of lastLines(context, id, 1)) chunks.push(chunk);
    })(),
  );
  return Buffer.concat(chunks).toString();
}
