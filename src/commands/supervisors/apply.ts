import { command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { fileName, flag, optional, required, seconds } from '../../contract/schema.ts';
import { supervisors } from '../../contract/supervisors.ts';
import { commandLine } from '../../model/shell-text.ts';
import { waitForState } from './wait-for-state.ts';

export const apply = command({
  summary: 'Create or update a supervisor from a file',
  description:
    'A supervisor whose specification is unchanged is not restarted unless --restart is given. Tasks of a changed supervisor publish what they have read, and new tasks continue from there.',
  examples: [
    'svcctl supervisors apply stream.json',
    'svcctl supervisors get edits | svcctl supervisors apply - --restart',
  ],
  endpoints: [supervisors.submit],
  arguments: { file: required(fileName, 'Specification as JSON; - reads stdin') },
  options: {
    restart: optional(flag, 'Also restart a supervisor whose specification is unchanged'),
    wait: optional(flag, 'Wait until it runs, or is suspended if the specification says so'),
    maxWait: optional(seconds, 'With --wait: timeout in seconds'),
  },
  needs: { maxWait: 'wait' },
  writes: 'change',
  async run(context, { args, options }) {
    const { call, out, io, dryRun } = context;
    const body = await readJson(supervisors.submit.body, args.file, io);
    const { id, modified, restarted } = await call(supervisors.submit, {
      body,
      query: options.restart ? {} : { skipRestartIfUnmodified: true },
    });
    if (dryRun) return;
    const next = commandLine`svcctl supervisors status ${id}`;
    if (restarted === false)
      out.note(`Supervisor [${id}] is unchanged: it has this specification already.`, next);
    else out.changed(id, `Supervisor [${id}] ${modified === false ? 'restarts' : 'is set'}.`, next);
    if (options.wait)
      await waitForState(context, id, {
        states: body.suspended ? ['SUSPENDED'] : ['RUNNING', 'IDLE'],
        isKnown: true,
        ...maxWaitOf(options),
      });
  },
});

const maxWaitOf = ({ maxWait }: { readonly maxWait?: number }) =>
  maxWait === undefined ? {} : { maxWait };
