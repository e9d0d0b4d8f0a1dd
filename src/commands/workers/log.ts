import { command, optionsFromQuery } from '../../cli/command/command.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { required, text } from '../../contract/schema.ts';
import { tasksHere } from './host.ts';

export const log = command({
  summary: 'Print the log of a task from the worker at --url',
  description: 'The usual address of a worker is http://HOST:8091.',
  examples: ['svcctl workers log ingest-1'],
  endpoints: [middleManager.log],
  arguments: { taskId: required(text, 'Task id') },
  completers: { taskId: tasksHere },
  options: optionsFromQuery(middleManager.log),
  hints: {
    notFound:
      'svcctl workers tasks lists what runs on the worker; svcctl tasks log asks the Overlord',
  },
  async run({ call, out }, { args, options }) {
    await out.text(await call(middleManager.log, { params: args, query: options }), {
      plain: true,
    });
  },
});
