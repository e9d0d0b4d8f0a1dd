// Checks of tasks, task slots and supervisors.

import type { Context } from '../../../cli/command/command.ts';
import type { Finding } from '../../../cli/command/findings.ts';
import { ifKnown } from '../../../cli/command/if-known.ts';
import { formatDuration } from '../../../cli/lists/columns.ts';
import type { Supervisor } from '../../../contract/supervisors.ts';
import { type TaskStatus, tasks } from '../../../contract/tasks.ts';
import { type Worker, workers } from '../../../contract/workers.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { isSuspended, listStates } from '../../shared/supervisors/supervisor-id.ts';
import { offFindings, slotsOf } from '../../shared/workers/slots.ts';

const lateMs = 600_000; // longer waits have a specific cause
const recentMs = 3_600_000;

export async function examineWork({ call }: Context): Promise<readonly Finding[]> {
  const [listed, known, states] = await Promise.all([
    call(tasks.list),
    ifKnown(call(workers.list)),
    listStates({ call }),
  ]);
  const pending = listed.filter(
    ({ runnerStatusCode, statusCode }) =>
      statusCode === 'RUNNING' && runnerStatusCode === 'PENDING',
  );
  return [
    ...(known ? slotFindings(known, pending) : []),
    ...waitingFindings(listed),
    ...failureFindings(listed),
    ...supervisorFindings(states),
  ];
}

function slotFindings(
  known: readonly Worker[],
  pending: readonly TaskStatus[],
): readonly Finding[] {
  const slots = slotsOf(known);
  const { all, used, taking } = slots;
  const off = offFindings(slots, {
    disabled: taking.length === 0 ? 'critical' : 'note',
    blacklisted: 'warning',
  });
  if (known.length === 0)
    return [
      {
        check: 'workers',
        state: 'critical',
        says: 'The cluster has no workers: no task can run',
        remedy: 'svcctl servers nodes middleManager',
      },
    ];
  if (pending.length === 0 || taking.length === 0) return off;
  const says = `${countTasks(pending.length)} ${pending.length === 1 ? 'waits' : 'wait'} for a slot: ${used} of ${all} are in use`;
  return [
    ...off,
    {
      check: 'slots',
      state: used >= all ? 'warning' : 'note',
      says,
      remedy: commandLine`svcctl why task ${String(pending[0]?.id)}`,
      facts: { used, all, pending: pending.length },
    },
  ];
}

function waitingFindings(listed: readonly TaskStatus[]): readonly Finding[] {
  const late = listed.filter(
    ({ statusCode, runnerStatusCode, createdTime }) =>
      statusCode === 'RUNNING' &&
      runnerStatusCode !== 'RUNNING' &&
      Date.now() - Date.parse(createdTime) > lateMs,
  );
  const [oldest] = [...late].sort((a, b) => Date.parse(a.createdTime) - Date.parse(b.createdTime));
  if (!oldest) return [];
  const age = formatDuration(Date.now() - Date.parse(oldest.createdTime));
  const says = `${countTasks(late.length)} ${late.length === 1 ? 'has' : 'have'} waited for more than 10 minutes, [${oldest.id}] for ${age}`;
  return [
    {
      check: 'waiting',
      state: 'warning',
      says,
      remedy: commandLine`svcctl why task ${oldest.id}`,
      facts: { tasks: late.map(({ id }) => id) },
    },
  ];
}

function failureFindings(listed: readonly TaskStatus[]): readonly Finding[] {
  const ended = listed.filter(
    ({ statusCode, createdTime, duration }) =>
      statusCode !== 'RUNNING' &&
      Date.now() - Date.parse(createdTime) - Math.max(0, duration) < recentMs,
  );
  const byDatasource = new Map<string, TaskStatus[]>();
  for (const task of ended)
    byDatasource.set(task.dataSource, [...(byDatasource.get(task.dataSource) ?? []), task]);
  return [...byDatasource].flatMap(([dataSource, all]): Finding[] => {
    const failed = all.filter(({ statusCode }) => statusCode === 'FAILED');
    const [last] = failed;
    if (!last) return [];
    const state = failed.length >= 3 && failed.length * 2 > all.length ? 'warning' : 'note';
    const says = `${failed.length} of the ${countTasks(all.length)} that wrote datasource [${dataSource}] in the last hour failed, the last one: ${last.errorMsg || 'without a reason'}`;
    return [
      {
        check: 'failures',
        state,
        says,
        remedy: commandLine`svcctl why task ${last.id}`,
        facts: { dataSource, failed: failed.map(({ id }) => id) },
      },
    ];
  });
}

function supervisorFindings(listed: readonly Supervisor[]): readonly Finding[] {
  return listed.flatMap((one): Finding[] => {
    const remedy = commandLine`svcctl why supervisor ${one.id}`;
    if (!one.healthy)
      return [
        {
          check: 'supervisors',
          state: 'critical',
          says: `Supervisor [${one.id}] is ${one.detailedState}`,
          remedy,
        },
      ];
    return isSuspended(one)
      ? [
          {
            check: 'supervisors',
            state: 'note',
            says: `Supervisor [${one.id}] is suspended`,
            remedy,
          },
        ]
      : [];
  });
}

const countTasks = (count: number) => `${count} ${count === 1 ? 'task' : 'tasks'}`;
