import { command } from '../../cli/command.ts';
import { metadata } from '../../contract/metadata.ts';
import { segments } from '../../contract/segments.ts';
import { countedSegments } from '../segments/segment-selection.ts';
import { completers, dataSource } from './datasource-name.ts';

export const kill = command({
  summary: 'Delete all unused segments of a datasource for good',
  description: 'A task does it. Segments in use are left alone: `datasources drop` first to delete everything.',
  examples: ['svcctl datasources kill trial --confirm=trial'],
  endpoints: [segments.markAllUnused, metadata.unusedSegments],
  arguments: dataSource,
  completers,
  writes: 'destroy',
  async run({ call, confirm, out, dryRun }, { args: { dataSource } }) {
    const doomed = await call(metadata.unusedSegments, { params: { dataSource } });
    if (doomed.length === 0) return out.note(`Datasource [${dataSource}] has no unused segments.`);
    await confirm({ level: 'destroy', what: `Delete ${countedSegments(doomed.length)} of datasource [${dataSource}]`, name: dataSource });
    await call(segments.markAllUnused, { params: { dataSource }, query: { kill: true, interval: spanOf(doomed) } });
    if (!dryRun)
      out.changed(`A task deletes ${countedSegments(doomed.length)}.`, `svcctl tasks list --type kill --datasource ${dataSource}`);
  },
});

// ISO times of one length sort as texts.
function spanOf(unused: readonly { readonly dataSegment: { readonly interval: string } }[]): string {
  const times = unused.flatMap(({ dataSegment }) => dataSegment.interval.split('/')).sort();
  return `${times[0]}/${times.at(-1)}`;
}
