import { doEach } from '../../cli/command/bulk.ts';
import { command } from '../../cli/command/command.ts';
import { statements } from '../../contract/statements.ts';
import { commandLine } from '../../model/shell-text.ts';
import { completers, hints, identified, statementIds } from './statement-id.ts';

export const cancel = command({
  summary: 'Cancel running statements',
  examples: ['svcctl statements cancel query-report-1 --dry-run'],
  endpoints: [statements.cancel],
  arguments: statementIds,
  columns: 'dynamic',
  writes: 'change',
  completers,
  ids: { queryIds: identified },
  hints,
  async run(context, { args }) {
    await doEach(context, args.queryIds, {
      act: (queryId) => context.call(statements.cancel, { params: { queryId } }),
      done: (queryId) => [
        `Statement [${queryId}] is stopping, unless it had ended.`,
        commandLine`svcctl statements status ${queryId}`,
      ],
      again: (left) => commandLine`svcctl statements cancel ${left}`,
    });
  },
});
