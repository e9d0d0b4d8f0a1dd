import { columnsOf } from '../../cli/columns.ts';
import { command, optionsFromQuery } from '../../cli/command.ts';
import { datasourceNames } from '../../cli/completers.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, listOf, optional, text } from '../../contract/schema.ts';
import type { DataSegment } from '../../contract/segments.ts';
import { shownInterval } from '../datasources/shown-times.ts';

const columns = columnsOf<DataSegment>({
  id: { value: (segment) => segment.identifier, wide: true },
  datasource: (segment) => segment.dataSource,
  interval: { value: (segment) => segment.interval, show: shownInterval },
  version: { value: (segment) => segment.version, wide: true },
  partition: (segment) => partitionOf(segment),
  size: { value: (segment) => segment.size, kind: 'bytes' },
  rows: (segment) => segment.numRows ?? segment.totalRows,
  replicas: { value: (segment) => segment.replicationFactor, wide: true },
  overshadowed: { value: (segment) => segment.overshadowed, wide: true },
  realtime: { value: (segment) => segment.realtime, wide: true },
});

const { includeRealtimeSegments } = optionsFromQuery(metadata.segments);

export const list = command({
  summary: 'List the used segments',
  examples: ['svcctl segments list --datasource wikipedia', 'svcctl segments list --include-overshadowed --sort -size --output wide'],
  endpoints: [metadata.segments],
  options: {
    datasource: optional(listOf(text), 'Only those of this datasource'),
    includeOvershadowed: optional(flag, 'Also those that newer ones replace'),
    includeRealtimeSegments,
  },
  completers: { datasource: datasourceNames },
  columns,
  async run({ call, out }, { options: { datasource, includeOvershadowed, ...query } }) {
    const found = await call(metadata.segments, {
      query: { ...query, includeOvershadowedStatus: true, ...(datasource && { datasources: datasource }) },
    });
    await out.rows(includeOvershadowed ? found : found.filter(({ overshadowed }) => overshadowed !== true), columns);
  },
});

function partitionOf({ shardSpec }: DataSegment): number | undefined {
  const number = shardSpec?.partitionNum;
  return typeof number === 'number' ? number : undefined;
}
