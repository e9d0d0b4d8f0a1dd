import { command } from '../../cli/command/command.ts';
import { sql } from '../../contract/sql.ts';
import { tasks } from '../../contract/tasks.ts';
import { bareWait, waitForData, waitOptions } from '../shared/datasources/wait-for-data.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';
import { completers, hints, identified, taskId } from '../shared/tasks/task-id.ts';

export const retry = command({
  summary: 'Submit an ended task again and print the new id',
  description:
    'The new task has the specification of the old one and an id of its own. An SQL statement is planned again, so it sees the tables of now. A task that succeeded is run again only after confirmation.',
  examples: ['svcctl tasks retry ingest-2 --dry-run'],
  endpoints: [tasks.status, tasks.get, tasks.submit, sql.task],
  arguments: taskId,
  options: waitOptions,
  bare: bareWait,
  needs: { maxWait: 'wait' },
  completers,
  ids: { taskId: identified },
  hints,
  writes: 'change',
  async run(context, { args, options }) {
    const { call, confirm, dryRun } = context;
    const { status } = await call(tasks.status, { params: args });
    const { payload } = await call(tasks.get, { params: args });
    // Loaded only here, so that help and completion stay fast.
    const { refuseUnfit, submitAgain } = await import('../shared/tasks/submit-again.ts');
    refuseUnfit(status, payload);
    if (status.statusCode === 'SUCCESS')
      await confirm({
        level: 'change',
        what: `Task [${status.id}] succeeded. Run it again`,
        name: status.id,
        back: 'the data that it writes stays',
      });
    const id = await submitAgain(context, payload);
    if (dryRun || id === undefined) return;
    await printTaskId(context, id);
    await waitForData(context, id, options);
  },
});
