import { command } from '../../cli/command.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { required, text } from '../../contract/schema.ts';

export const cancel = command({
  summary: 'Stop a task on the worker at --url',
  description: 'Prefer svcctl tasks cancel: the Overlord knows what else belongs to the task.',
  examples: ['svcctl workers cancel ingest-1'],
  endpoints: [middleManager.shutdown],
  arguments: { taskId: required(text, 'The id of the task') },
  writes: 'change',
  async run({ call, out, dryRun }, { args }) {
    await call(middleManager.shutdown, { params: args });
    if (!dryRun) out.changed(`Task [${args.taskId}] is stopping.`, `svcctl tasks status ${args.taskId}`);
  },
});
