import { command } from '../../cli/command/command.ts';
import { native } from '../../contract/native.ts';
import { required, text } from '../../contract/schema.ts';

export const cancel = command({
  summary: 'Cancel native queries by id',
  description: 'The service gives the same answer for an unknown id as for a running query.',
  examples: ['svcctl query cancel nightly-report --dry-run'],
  arguments: { queryId: required(text, 'Query id: its context parameter queryId') },
  writes: 'change',
  endpoints: [native.cancel],
  async run({ call, out, dryRun }, { args }) {
    await call(native.cancel, { params: args });
    if (!dryRun)
      out.changed(
        args.queryId,
        `The service got the request to cancel query [${args.queryId}]. It does not report whether the query was running.`,
      );
  },
});
