import { ifKnown } from '../../../cli/command/if-known.ts';
import { type TaskStatus, tasks } from '../../../contract/tasks.ts';
import type { Check } from './monitor.ts';

const recentMs = 3_600_000;

export const tasksCheck: Check = {
  name: 'tasks',
  metrics: ['failed', 'pending', 'waiting', 'running', 'slots', 'oldest'],
  warn: '0',
  crit: '10',
  endpoints: [tasks.list, tasks.capacity],
  async measure({ call }) {
    const [listed, capacity] = await Promise.all([call(tasks.list), ifKnown(call(tasks.capacity))]);
    const now = Date.now();
    const inState = (state: TaskStatus['runnerStatusCode']) =>
      listed.filter((task) => task.statusCode === 'RUNNING' && task.runnerStatusCode === state);
    const failed = listed.filter(
      ({ statusCode, createdTime, duration }) =>
        statusCode === 'FAILED' && now - Date.parse(createdTime) - Math.max(0, duration) < recentMs,
    ).length;
    const [running, pending, waiting] = [
      inState('RUNNING'),
      inState('PENDING'),
      inState('WAITING'),
    ];
    const ages = [...pending, ...waiting].map(
      ({ createdTime }) => (now - Date.parse(createdTime)) / 1000,
    );
    const used = capacity?.usedClusterCapacity ?? running.length;
    return {
      says: `${failed} failed in the last hour, ${running.length} running, ${pending.length} pending, ${waiting.length} waiting`,
      metrics: [
        { name: 'failed', value: failed, means: 'Tasks that have failed in the last hour' },
        { name: 'pending', value: pending.length, means: 'Tasks that wait for a slot' },
        { name: 'waiting', value: waiting.length, means: 'Tasks that wait for locks' },
        { name: 'running', value: running.length, means: 'Tasks that run' },
        {
          name: 'slots',
          value: used,
          ...(capacity && { max: capacity.currentClusterCapacity }),
          means: 'Slots that are in use',
        },
        {
          name: 'oldest',
          value: Math.max(0, Math.round(Math.max(0, ...ages))),
          unit: 's',
          means: 'How long the oldest task has waited for a slot or a lock',
        },
      ],
    };
  },
};
