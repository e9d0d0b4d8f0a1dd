import { command } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { completers, dataSource, hints, overlord } from './datasource.ts';

export const get = command({
  summary: 'Print the compaction configuration of a datasource as JSON',
  examples: [
    'svcctl compaction get wikipedia',
    'svcctl compaction get wikipedia > compaction.json',
  ],
  endpoints: [compaction.get, compaction.getSupervised],
  arguments: dataSource,
  options: overlord,
  completers,
  hints,
  async run({ call, out }, { args, options }) {
    const config = options.overlord
      ? await call(compaction.getSupervised, { params: args })
      : await call(compaction.get, { params: args });
    await out.document(config);
  },
});
