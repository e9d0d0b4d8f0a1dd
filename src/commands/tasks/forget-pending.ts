import { command, optionsFromQuery } from '../../cli/command/command.ts';
import { datasourceNames } from '../../cli/completion/completers.ts';
import { required, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';

export const forgetPending = command({
  summary: 'Delete pending segments that tasks have allocated but not published',
  description: 'Tasks that still write these segments fail when they publish.',
  examples: ['svcctl tasks forget-pending wikipedia --interval 2016/2017 --yes'],
  endpoints: [tasks.deletePendingSegments],
  arguments: { dataSource: required(text, 'Name of the datasource') },
  options: optionsFromQuery(tasks.deletePendingSegments),
  completers: { dataSource: datasourceNames },
  writes: 'change',
  async run({ call, out, confirm, dryRun }, { args, options }) {
    await confirm({
      level: 'change',
      what: `Delete the pending segments of datasource [${args.dataSource}]`,
      name: args.dataSource,
    });
    const { numDeleted } = await call(tasks.deletePendingSegments, {
      params: args,
      query: options,
    });
    if (!dryRun)
      out.changed(
        args.dataSource,
        `${numDeleted} pending ${numDeleted === 1 ? 'segment is' : 'segments are'} deleted.`,
      );
  },
});
