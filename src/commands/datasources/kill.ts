import { command } from '../../cli/command/command.ts';
import { metadata } from '../../contract/metadata.ts';
import { segments } from '../../contract/segments.ts';
import { eternity, formatInterval } from '../../model/interval.ts';
import { commandLine } from '../../model/shell-text.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { countOfUnused, findUnusedSegments } from '../shared/segments/unused-segments.ts';
import { completers, dataSource } from './datasource-name.ts';

export const kill = command({
  summary: 'Delete all unused segments of a datasource permanently',
  description:
    'Starts a task that deletes unused segments permanently. Segments in use are kept: to delete everything, run svcctl datasources drop first.',
  examples: ['svcctl datasources kill trial --confirm=trial'],
  endpoints: [segments.markAllUnused, metadata.unusedSegments],
  arguments: dataSource,
  completers,
  writes: 'destroy',
  async run(context, { args: { dataSource } }) {
    const { call, confirm, out, dryRun } = context;
    const doomed = await findUnusedSegments(context, dataSource);
    if (doomed?.length === 0) {
      await checkKnown(context, dataSource);
      return out.note(`Datasource [${dataSource}] has no unused segments.`);
    }
    await confirm({
      level: 'destroy',
      what: `Delete ${countOfUnused(doomed)} of datasource [${dataSource}]`,
      name: dataSource,
    });
    const interval = doomed ? spanOf(doomed) : formatInterval(eternity);
    await call(segments.markAllUnused, { params: { dataSource }, query: { kill: true, interval } });
    if (!dryRun)
      out.changed(
        dataSource,
        `A task deletes ${countOfUnused(doomed)}.`,
        commandLine`svcctl tasks list --type kill --datasource ${dataSource}`,
      );
  },
});

// ISO times of equal length sort as texts.
function spanOf(
  unused: readonly { readonly dataSegment: { readonly interval: string } }[],
): string {
  const times = unused.flatMap(({ dataSegment }) => dataSegment.interval.split('/')).sort();
  return `${times[0]}/${times.at(-1)}`;
}
