import { command } from '../../cli/command.ts';
import { statements } from '../../contract/statements.ts';
import { completers, hints, statementIds } from './statement-id.ts';

export const cancel = command({
  summary: 'Stop statements; one that has ended is left as it is',
  examples: ['svcctl statements cancel query-report-1 --dry-run'],
  endpoints: [statements.cancel],
  arguments: statementIds,
  writes: 'change',
  completers,
  hints,
  async run({ call, out, dryRun }, { args }) {
    for (const queryId of args.queryIds) {
      await call(statements.cancel, { params: { queryId } });
      if (!dryRun) out.changed(`Statement [${queryId}] is stopping, if it had not ended.`, `svcctl statements status ${queryId}`);
    }
  },
});
