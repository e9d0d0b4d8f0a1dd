import { command } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { completers, dataSource, hints } from './datasource.ts';
import { explainUnknown } from './not-looked-at.ts';

export const progress = command({
  summary: 'Show the bytes of a datasource that await compaction',
  examples: ['svcctl compaction progress wikipedia'],
  endpoints: [compaction.progress, compaction.list],
  arguments: dataSource,
  completers,
  hints,
  async run(context, { args }) {
    const { call, out } = context;
    await out.value(
      await call(compaction.progress, { query: args }).catch((error) =>
        explainUnknown(context, args.dataSource, error),
      ),
    );
  },
});
