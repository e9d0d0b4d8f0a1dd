import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { commandLine } from '../../model/shell-text.ts';
import { completers, dataSource, hints, overlord } from './datasource.ts';

export const remove = command({
  summary: 'Turn off automatic compaction of a datasource',
  examples: ['svcctl compaction delete trial --yes'],
  endpoints: [compaction.remove, compaction.removeSupervised],
  arguments: dataSource,
  options: { ...optionsFromHeaders(compaction.remove), ...overlord },
  completers,
  hints,
  writes: 'change',
  async run(
    { call, confirm, out, dryRun },
    { args, options: { overlord: ofOverlord, ...headers } },
  ) {
    await confirm({
      level: 'change',
      what: `Stop compacting datasource [${args.dataSource}]`,
      name: args.dataSource,
    });
    await call(ofOverlord ? compaction.removeSupervised : compaction.remove, {
      params: args,
      headers,
    });
    if (!dryRun)
      out.changed(
        args.dataSource,
        `Datasource [${args.dataSource}] is no longer compacted.`,
        commandLine`svcctl compaction history ${args.dataSource}`,
      );
  },
});
