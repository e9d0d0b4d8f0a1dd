import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { broker } from '../../contract/broker.ts';
import type { LocatedSegment } from '../../contract/native.ts';
import { integer, intervalText, listOf, optional, required, text } from '../../contract/schema.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { formatIntervalCell } from '../shared/datasources/shown-times.ts';
import { checkInterval, completers } from '../shared/segments/segment-selection.ts';

const columns = columnsOf<LocatedSegment>({
  interval: { value: ({ interval }) => interval, show: formatIntervalCell },
  version: { value: ({ version }) => version, wide: true },
  partition: ({ partitionNumber }) => partitionNumber,
  size: { value: ({ size }) => size, kind: 'bytes' },
  servers: ({ locations }) => locations.map(({ name }) => name).join(' '),
});

export const candidates = command({
  summary: 'List the segments and servers for an interval',
  examples: ['svcctl segments candidates wikipedia --interval 2016-06-27/2016-06-28'],
  endpoints: [broker.candidates],
  arguments: { dataSource: required(text, 'Name of the datasource') },
  options: {
    interval: required(listOf(intervalText), 'ISO interval; may be repeated'),
    servers: optional(integer, 'Maximum number of servers per segment'),
  },
  completers,
  columns,
  async run(context, { args: { dataSource }, options: { interval, servers } }) {
    const intervals = interval.map(checkInterval).join(',');
    const query = { intervals, ...(servers !== undefined && { numCandidates: servers }) };
    const found = await context.call(broker.candidates, { params: { dataSource }, query });
    if (found.length === 0) await checkKnown(context, dataSource);
    await context.out.rows(found, columns);
  },
});
