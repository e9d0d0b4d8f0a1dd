import { command } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { configColumns } from './columns.ts';
import { overlord } from './datasource.ts';

export const list = command({
  summary: 'List the datasources with automatic compaction',
  examples: ['svcctl compaction list', 'svcctl compaction list --output json'],
  endpoints: [compaction.list, compaction.listSupervised],
  options: overlord,
  columns: configColumns,
  async run({ call, out }, { options }) {
    const { compactionConfigs } = options.overlord
      ? await call(compaction.listSupervised)
      : await call(compaction.list);
    await out.rows(compactionConfigs, configColumns);
  },
});
