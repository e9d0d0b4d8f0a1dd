import { command } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';

export const run = command({
  summary: 'Start a compaction run now',
  examples: ['svcctl compaction run'],
  endpoints: [compaction.run],
  writes: 'change',
  async run({ call, out, dryRun }) {
    await call(compaction.run);
    if (!dryRun)
      out.changed(
        'compaction',
        'The Coordinator has searched for compaction work.',
        'svcctl tasks list --type compact',
      );
  },
});
