import { command } from '../../cli/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { optional, text } from '../../contract/schema.ts';
import { statusColumns } from './columns.ts';
import { completers, hints, overlord } from './datasource.ts';

export const status = command({
  summary: 'Show how far compaction is',
  examples: ['svcctl compaction status', 'svcctl compaction status wikipedia --output wide'],
  endpoints: [compaction.status, compaction.supervisedStatus, compaction.supervisedStatusOf],
  arguments: { dataSource: optional(text, 'Only this datasource') },
  options: overlord,
  completers,
  hints,
  columns: statusColumns,
  async run({ call, out }, { args, options }) {
    if (!options.overlord) return out.rows((await call(compaction.status, { query: args })).latestStatus, statusColumns);
    const { dataSource } = args;
    if (dataSource === undefined) return out.rows((await call(compaction.supervisedStatus)).latestStatus, statusColumns);
    await out.rows([await call(compaction.supervisedStatusOf, { params: { dataSource } })], statusColumns);
  },
});
