import { command, optionsFromQuery } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { changeColumns } from './columns.ts';
import { completers, dataSource, overlord } from './datasource.ts';

export const history = command({
  summary: "Show the history of a datasource's compaction configuration",
  description:
    'Without --interval and --count it shows the last week. --output json has the whole configuration of each change.',
  examples: [
    'svcctl compaction history wikipedia',
    'svcctl compaction history wikipedia --count 1 --output json',
  ],
  endpoints: [compaction.history, compaction.supervisedHistory],
  arguments: dataSource,
  options: { ...optionsFromQuery(compaction.history), ...overlord },
  completers,
  columns: changeColumns,
  async run({ call, out }, { args, options: { overlord: ofOverlord, ...query } }) {
    const asked = { params: args, query };
    const changes = ofOverlord
      ? (await call(compaction.supervisedHistory, asked)).entries
      : await call(compaction.history, asked);
    await out.rows(changes, changeColumns);
  },
});
