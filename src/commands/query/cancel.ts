import { command } from '../../cli/command.ts';
import { native } from '../../contract/native.ts';
import { required, text } from '../../contract/schema.ts';

export const cancel = command({
  summary: 'Cancel the running native queries with an id',
  description: 'The service does not tell whether there was such a query.',
  examples: ['svcctl query cancel nightly-report --dry-run'],
  arguments: { queryId: required(text, 'The id of the query: its context parameter queryId') },
  writes: 'change',
  endpoints: [native.cancel],
  async run({ call, out, dryRun }, { args }) {
    await call(native.cancel, { params: args });
    if (!dryRun) out.changed(args.queryId, `Query [${args.queryId}] is cancelled, if it was running.`);
  },
});
