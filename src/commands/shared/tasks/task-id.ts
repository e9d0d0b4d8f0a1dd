import type { Choice, Completer, Identified } from '../../../cli/command/command.ts';
import { formatCell } from '../../../cli/lists/columns.ts';
import { required, text } from '../../../contract/schema.ts';
import { type TaskStatus, tasks } from '../../../contract/tasks.ts';
import { beginningOrEndingWith } from '../../../model/id-parts.ts';

export const taskId = { taskId: required(text, 'Task id') };

export const hints = { notFound: 'svcctl tasks list shows known tasks' };

export const taskIds: Completer = async ({ call }) => (await call(tasks.list)).map(({ id }) => id);

export const completers = { taskId: taskIds };

/** Task ids. The list of tasks lacks old ones. */
export const identified: Identified = {
  what: 'task',
  exists: ({ call }, taskId) => call(tasks.status, { params: { taskId } }),
  meant: (part, known) => {
    const ids = beginningOrEndingWith(part, known);
    // The ids of workers begin with that of their controller.
    const controller = ids.find((id) => ids.every((other) => other.startsWith(id)));
    return controller === undefined ? ids : [controller];
  },
  choices: async ({ call }) => choicesOf(await call(tasks.list)),
};

/** Tasks to choose from, those that run first, then the newest first. */
export function choicesOf(listed: readonly TaskStatus[]): readonly Choice[] {
  const now = Date.now();
  const age = (time: string) =>
    formatCell({ name: '', value: () => time, kind: 'time' }, time, now);
  return [...listed]
    .sort(
      (a, b) =>
        Number(b.statusCode === 'RUNNING') - Number(a.statusCode === 'RUNNING') ||
        Date.parse(b.createdTime) - Date.parse(a.createdTime),
    )
    .map(({ id, type, dataSource, status, createdTime }) => ({
      value: id,
      name: `${id}  ${status}  ${dataSource}, ${age(createdTime)}, ${type}`,
    }));
}
