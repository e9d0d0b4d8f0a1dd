// Explanation of a task without a slot: its place in the queue, slots and disabled workers.
import type { Context } from '../../cli/command/command.ts';
import type { Finding } from '../../cli/command/findings.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { type TaskStatus, tasks } from '../../contract/tasks.ts';
import { workers } from '../../contract/workers.ts';
import { isDisabled, offFindings, slotsOf } from '../shared/workers/slots.ts';

export async function queueFindings(
  { call }: Context,
  { id, runnerStatusCode }: TaskStatus,
): Promise<readonly Finding[]> {
  const isPending = runnerStatusCode === 'PENDING';
  const [queue, capacity, listed, known] = await Promise.all([
    call(isPending ? tasks.pending : tasks.waiting),
    ifKnown(call(tasks.capacity)),
    ifKnown(call(workers.list)),
    ifKnown(call(tasks.get, { params: { taskId: id } })),
  ]);
  const { resource } = (known?.payload ?? {}) as {
    resource?: { requiredCapacity?: number | null } | null;
  };
  const needed = resource?.requiredCapacity ?? 1;
  return [
    ...place(queue, id, isPending),
    ...(isPending && listed ? slotFindings(listed, needed) : []),
    ...(isPending && !listed && capacity
      ? [slots(capacity.usedClusterCapacity ?? 0, capacity.currentClusterCapacity, 0)]
      : []),
  ];
}

function place(queue: readonly TaskStatus[], id: string, isPending: boolean): readonly Finding[] {
  const ordered = [...queue].sort(
    (a, b) => Date.parse(a.queueInsertionTime) - Date.parse(b.queueInsertionTime),
  );
  const at = ordered.findIndex((task) => task.id === id);
  if (at < 0) return [];
  const what = isPending ? 'a slot' : 'locks';
  const says = `It is number ${at + 1} of the ${ordered.length} that wait for ${what}, ordered by priority, then by time`;
  return [{ check: 'queue', state: 'note', says, facts: { place: at + 1, of: ordered.length } }];
}

function slotFindings(listed: Parameters<typeof slotsOf>[0], needed: number): readonly Finding[] {
  const found = slotsOf(listed);
  const { free, used, all, largestFree } = found;
  const off = offFindings(found, { disabled: 'critical', blacklisted: 'critical' });
  if (listed.length === 0)
    return [
      {
        check: 'workers',
        state: 'critical',
        says: 'There are no workers, so no task runs',
        remedy: 'svcctl servers nodes middleManager',
      },
    ];
  if (free > 0 && largestFree < needed)
    return [
      ...off,
      {
        check: 'slots',
        state: 'critical',
        says: `It needs ${needed} slots of one worker, and none has more than ${largestFree} free`,
      },
    ];
  return [...off, slots(used, all, listed.filter((worker) => !isDisabled(worker)).length)];
}

function slots(used: number, all: number, takers: number): Finding {
  const facts = { used, all, workers: takers };
  if (used < all && takers > 0)
    return {
      check: 'slots',
      state: 'note',
      says: `${all - used} of ${all} slots are free: it should start soon, unless workers are reserved for other datasources`,
      remedy: 'svcctl config overlord get',
      facts,
    };
  return {
    check: 'slots',
    state: 'critical',
    says: `All ${all} slots that take tasks are in use`,
    remedy: 'svcctl tasks list --state running --sort -duration',
    facts,
  };
}
