import { command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { fileName, required } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { bareWait, waitForData, waitOptions } from '../shared/datasources/wait-for-data.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';

export const submit = command({
  summary: 'Submit a task from a file and print its id',
  examples: [
    'svcctl tasks submit task.json --wait',
    'svcctl tasks submit task.json --wait=queryable',
    `echo '{"type":"noop","runTime":1}' | svcctl tasks submit -`,
  ],
  endpoints: [tasks.submit],
  arguments: { file: required(fileName, 'Task as JSON; - reads stdin') },
  options: {
    ...waitOptions,
  },
  bare: bareWait,
  needs: { maxWait: 'wait' },
  writes: 'change',
  async run(context, { args, options }) {
    const { call, io, dryRun } = context;
    const { task } = await call(tasks.submit, {
      body: await readJson(tasks.submit.body, args.file, io),
    });
    if (dryRun) return;
    await printTaskId(context, task);
    await waitForData(context, task, options);
  },
});
