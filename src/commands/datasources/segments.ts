import { command } from '../../cli/command/command.ts';
import { jsonFormats } from '../../cli/output/formats.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { datasources } from '../../contract/datasources.ts';
import { intervalText, optional, text } from '../../contract/schema.ts';
import type { DataSegment } from '../../contract/segments.ts';
import { segmentColumns } from '../shared/segments/columns.ts';
import { checkInterval, completers, identified } from '../shared/segments/segment-selection.ts';
import { dataSource, hints } from './datasource-name.ts';

export const segments = command({
  summary: 'List the loaded segments of a datasource',
  examples: [
    'svcctl datasources segments wikipedia',
    'svcctl datasources segments wikipedia --interval 2016-06-27/2016-06-28',
  ],
  endpoints: [datasources.segments, datasources.segment, datasources.serverView],
  arguments: {
    ...dataSource,
    segmentId: optional(text, 'Segment id: show its metadata and servers'),
  },
  options: {
    interval: optional(intervalText, 'Only segments inside this ISO interval, with their servers'),
  },
  completers,
  ids: { segmentId: identified },
  hints,
  columns: segmentColumns,
  async run({ call, out }, { args: { dataSource, segmentId }, options }) {
    if (segmentId !== undefined) {
      const found = await call(datasources.segment, { params: { dataSource, segmentId } });
      if (!found) throw new CommandError('notFound', `Segment [${segmentId}] is not loaded`);
      return out.document(found);
    }
    if (options.interval !== undefined) {
      const params = { dataSource, interval: checkInterval(options.interval).replace('/', '_') };
      const seen = (await call(datasources.serverView, { params })) ?? [];
      if (jsonFormats.includes(out.format ?? '')) return out.document(seen);
      return out.rows(
        seen.map(({ segment }) => segment),
        segmentColumns,
      );
    }
    const found = await call(datasources.segments, {
      params: { dataSource },
      query: { full: true },
    });
    if (!found) throw new CommandError('notFound', `Datasource [${dataSource}] is not served`);
    await out.rows(found as readonly DataSegment[], segmentColumns);
  },
});
