import { command } from '../../cli/command/command.ts';
import { segments } from '../../contract/segments.ts';
import { commandLine } from '../../model/shell-text.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { countChanged, countOfSegments } from '../shared/segments/segment-selection.ts';
import { completers, dataSource } from './datasource-name.ts';

export const markUsed = command({
  summary: 'Mark all segments of a datasource as used',
  examples: ['svcctl datasources mark-used trial --yes'],
  endpoints: [segments.markAllUsed],
  arguments: dataSource,
  completers,
  writes: 'change',
  async run(context, { args }) {
    const { call, confirm, out, dryRun } = context;
    await confirm({
      level: 'change',
      what: `Mark all segments of datasource [${args.dataSource}] as used`,
      name: args.dataSource,
    });
    const answer = await call(segments.markAllUsed, { params: args });
    if (dryRun) return;
    if (countChanged(answer) === 0) await checkKnown(context, args.dataSource);
    out.changed(
      args.dataSource,
      `${countOfSegments(countChanged(answer))} marked used.`,
      commandLine`svcctl datasources load-status ${args.dataSource}`,
    );
  },
});
