import { command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { segments } from '../../contract/segments.ts';
import { commandLine } from '../../model/shell-text.ts';
import { countChanged, countOfSegments } from '../shared/segments/segment-selection.ts';
import { datasourceInWords } from '../shared/segments/share-of-cluster.ts';
import { completers, dataSource, hints } from './datasource-name.ts';

export const drop = command({
  summary: 'Mark a whole datasource as unused; its data is kept',
  description:
    'svcctl datasources mark-used restores the datasource; svcctl datasources kill deletes it permanently.',
  examples: ['svcctl datasources drop trial --confirm=trial'],
  endpoints: [segments.markAllUnused, metadata.segmentsOf, datasources.list],
  arguments: dataSource,
  completers,
  hints,
  writes: 'destroy',
  async run({ call, confirm, out, dryRun }, { args }) {
    const used = await call(metadata.segmentsOf, { params: args, body: null });
    if (used.length === 0)
      throw new CommandError('notFound', `Datasource [${args.dataSource}] has no segments in use`);
    await confirm({
      level: 'destroy',
      what: `Drop datasource [${args.dataSource}] with ${countOfSegments(used.length)}`,
      name: args.dataSource,
      back: `It is hidden, not deleted: ${commandLine`svcctl datasources mark-used ${args.dataSource}`} restores it`,
    });
    if (dryRun) {
      const amount = await datasourceInWords({ call }, args.dataSource);
      if (amount !== undefined) out.note(`The servers would drop ${amount}.`);
    }
    const answer = await call(segments.markAllUnused, { params: args });
    if (dryRun) return;
    out.changed(
      args.dataSource,
      `Datasource [${args.dataSource}] is dropped: ${countOfSegments(countChanged(answer))} marked unused.`,
      commandLine`svcctl datasources mark-used ${args.dataSource}`,
    );
  },
});
