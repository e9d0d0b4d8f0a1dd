import { command } from '../../cli/command/command.ts';
import { waitForEach } from '../../cli/command/wait-for-each.ts';
import { listOf, optional, required, seconds, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { hints, identified, taskIds } from '../shared/tasks/task-id.ts';
import { waitForTask } from '../shared/tasks/wait-for-task.ts';

export const wait = command({
  summary: 'Wait for tasks to finish',
  description:
    'Progress is on standard error; with a format, a list of results is on standard output. Exit code 0 when all tasks have succeeded, 1 when one has failed, 7 when --max-wait, which counts for all of them together, is over. Ctrl-C does not stop the tasks and prints how to continue waiting; on a terminal it also offers to cancel.',
  examples: [
    'svcctl tasks wait ingest-2 --max-wait 600',
    'svcctl tasks wait ingest-2 --max-wait 10m -o json',
  ],
  endpoints: [tasks.status, tasks.reports],
  arguments: { taskIds: required(listOf(text), 'Task ids') },
  options: { maxWait: optional(seconds, 'Timeout in seconds') },
  completers: { taskIds },
  ids: { taskIds: identified },
  hints,
  async run(context, { args, options }) {
    await waitForEach(context, args.taskIds, (taskId, turn) =>
      waitForTask(context, taskId, { ...options, turn }),
    );
  },
});
