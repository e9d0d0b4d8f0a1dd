import { command } from '../../cli/command/command.ts';
import { waitForEach } from '../../cli/command/wait-for-each.ts';
import { listOf, optional, required, seconds, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { hints, taskIds } from '../shared/tasks/task-id.ts';
import { waitForTask } from '../shared/tasks/wait-for-task.ts';

export const wait = command({
  summary: 'Wait for tasks to finish',
  description:
    'Progress is on standard error, and how each has ended in a list where a format is asked for. Exit code 0 when all have succeeded, 1 when one has failed, 7 when --max-wait, which is for all of them together, is over. Ctrl-C leaves the tasks alone and says how to come back; on a terminal it also offers to cancel.',
  examples: [
    'svcctl tasks wait ingest-2 --max-wait 600',
    'svcctl tasks wait ingest-2 --max-wait 10m -o json',
  ],
  endpoints: [tasks.status, tasks.reports],
  arguments: { taskIds: required(listOf(text), 'Task ids') },
  options: { maxWait: optional(seconds, 'Timeout in seconds') },
  completers: { taskIds },
  hints,
  async run(context, { args, options }) {
    await waitForEach(context, args.taskIds, (taskId, turn) =>
      waitForTask(context, taskId, { ...options, turn }),
    );
  },
});
