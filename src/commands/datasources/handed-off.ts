import { command } from '../../cli/command/command.ts';
import { exitCodes } from '../../cli/process/exit-codes.ts';
import { datasources } from '../../contract/datasources.ts';
import { integer, intervalText, optional, required, text } from '../../contract/schema.ts';
import { checkInterval } from '../shared/segments/segment-selection.ts';
import { completers, dataSource } from './datasource-name.ts';

export const handedOff = command({
  summary: 'Check whether a segment was handed off to a server; exit code 8 if not yet',
  examples: ['svcctl datasources handed-off wikipedia --interval 2016-06-27/2016-06-28'],
  endpoints: [datasources.handoffComplete],
  arguments: dataSource,
  options: {
    interval: required(intervalText, 'ISO interval of the segment'),
    partition: optional(integer, 'Partition number (default 0)'),
    version: optional(text, 'Version of the segment, or any older one'),
  },
  completers,
  async run({ call, out }, { args, options: { interval, partition = 0, version = '1970-01-01' } }) {
    const query = { interval: checkInterval(interval), partitionNumber: partition, version };
    const isThere = await call(datasources.handoffComplete, { params: args, query });
    await out.document(isThere);
    return isThere ? exitCodes.done : exitCodes.pending;
  },
});
