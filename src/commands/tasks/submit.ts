import { command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { fileName, flag, optional, required, seconds } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';
import { waitForTask } from '../shared/tasks/wait-for-task.ts';

export const submit = command({
  summary: 'Submit a task from a file and print its id',
  examples: [
    'svcctl tasks submit task.json --wait',
    `echo '{"type":"noop","runTime":1}' | svcctl tasks submit -`,
  ],
  endpoints: [tasks.submit],
  arguments: { file: required(fileName, 'Task as JSON; - reads stdin') },
  options: {
    wait: optional(flag, 'Wait for it to finish; the exit code tells the result'),
    maxWait: optional(seconds, 'With --wait: timeout in seconds'),
  },
  needs: { maxWait: 'wait' },
  writes: 'change',
  async run(context, { args, options }) {
    const { call, out, io, dryRun } = context;
    const { task } = await call(tasks.submit, {
      body: await readJson(tasks.submit.body, args.file, io),
    });
    if (dryRun) return;
    await printTaskId(context, task);
    if (options.wait) {
      await waitForTask(context, task, { ...options, isKnown: true });
      out.note(`next: ${commandLine`svcctl tasks report ${task}`}`);
    } else
      out.changed(task, `Task [${task}] is submitted.`, commandLine`svcctl tasks wait ${task}`);
  },
});
