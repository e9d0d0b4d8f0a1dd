import { command } from '../../cli/command/command.ts';
import { cluster } from '../../contract/cluster.ts';
import { optional, text } from '../../contract/schema.ts';
import type { DataSegment } from '../../contract/segments.ts';
import { segmentColumns } from '../shared/segments/columns.ts';
import { completers, hints, server } from './server-name.ts';

export const segments = command({
  summary: 'List the segments on a server',
  examples: [
    'svcctl servers segments "$(svcctl servers list --output name)" --sort -size --limit 10',
  ],
  endpoints: [cluster.serverSegments, cluster.serverSegment],
  arguments: { ...server, segmentId: optional(text, 'Segment id: show its metadata') },
  completers,
  hints,
  columns: segmentColumns,
  async run({ call, out }, { args: { server, segmentId } }) {
    if (segmentId !== undefined)
      return out.document(await call(cluster.serverSegment, { params: { server, segmentId } }));
    await out.rows(
      (await call(cluster.serverSegments, {
        params: { server },
        query: { full: true },
      })) as readonly DataSegment[],
      segmentColumns,
    );
  },
});
