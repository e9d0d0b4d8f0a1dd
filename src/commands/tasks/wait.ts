import { command } from '../../cli/command.ts';
import { listOf, number, optional, required, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { hints, taskIds } from './task-id.ts';
import { waitForTask } from './wait-for-task.ts';

export const wait = command({
  summary: 'Wait until tasks have ended',
  description:
    'Progress is on standard error. Exit code 0 when all have succeeded, 1 when one has failed, 7 when --max-wait is over. Ctrl-C leaves the tasks alone and says how to come back; on a terminal it also offers to cancel.',
  examples: ['svcctl tasks wait ingest-2 --max-wait 600'],
  endpoints: [tasks.status, tasks.reports],
  arguments: { taskIds: required(listOf(text), 'The ids of the tasks') },
  options: { maxWait: optional(number, 'Give up after so many seconds') },
  completers: { taskIds },
  hints,
  async run(context, { args, options }) {
    for (const taskId of args.taskIds) await waitForTask(context, taskId, options);
  },
});
