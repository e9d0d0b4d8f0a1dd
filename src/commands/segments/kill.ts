import { command } from '../../cli/command.ts';
import { metadata } from '../../contract/metadata.ts';
import { required, text } from '../../contract/schema.ts';
import { segments } from '../../contract/segments.ts';
import { checkedInterval, completers } from './segment-selection.ts';
import { countedUnused, unusedSegments } from './unused-segments.ts';

export const kill = command({
  summary: 'Delete the unused segments of an interval for good',
  description: 'A task does it. Segments in use are left alone.',
  examples: ['svcctl segments kill wikipedia --interval 2015-01-01/2016-01-01 --confirm=wikipedia'],
  endpoints: [segments.kill, metadata.unusedSegments],
  arguments: { dataSource: required(text, 'The name of the datasource') },
  options: { interval: required(text, 'The ISO interval in which segments lie') },
  completers,
  writes: 'destroy',
  async run(context, { args: { dataSource }, options }) {
    const { call, confirm, out, dryRun } = context;
    const interval = checkedInterval(options.interval);
    const doomed = await unusedSegments(context, dataSource, interval);
    if (doomed?.length === 0) return out.note(`Datasource [${dataSource}] has no unused segments in [${interval}].`);
    await confirm({ level: 'destroy', what: `Delete ${countedUnused(doomed)} of datasource [${dataSource}]`, name: dataSource });
    await call(segments.kill, { params: { dataSource, interval: interval.replace('/', '_') } });
    if (!dryRun) out.changed(`A task deletes ${countedUnused(doomed)}.`, `svcctl tasks list --type kill --datasource ${dataSource}`);
  },
});
