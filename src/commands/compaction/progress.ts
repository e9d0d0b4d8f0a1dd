import { command } from '../../cli/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { completers, dataSource, hints } from './datasource.ts';

export const progress = command({
  summary: 'Show how many bytes of a datasource await compaction',
  examples: ['svcctl compaction progress wikipedia'],
  endpoints: [compaction.progress],
  arguments: dataSource,
  completers,
  hints,
  async run({ call, out }, { args }) {
    await out.value(await call(compaction.progress, { query: args }));
  },
});
