import { command } from '../../cli/command/command.ts';
import { compaction } from '../../contract/compaction.ts';
import { optional, text } from '../../contract/schema.ts';
import { statusColumns } from './columns.ts';
import { completers, hints, overlord } from './datasource.ts';
import { explainUnknown } from './not-looked-at.ts';

export const status = command({
  summary: 'Show the progress of automatic compaction',
  examples: ['svcctl compaction status', 'svcctl compaction status wikipedia --output wide'],
  endpoints: [
    compaction.status,
    compaction.list,
    compaction.supervisedStatus,
    compaction.supervisedStatusOf,
  ],
  arguments: { dataSource: optional(text, 'Only this datasource') },
  options: overlord,
  completers,
  hints,
  columns: statusColumns,
  async run(context, { args, options }) {
    const { call, out } = context;
    const { dataSource } = args;
    if (!options.overlord) {
      const found = await call(compaction.status, { query: args }).catch((error) => {
        if (dataSource === undefined) throw error;
        return explainUnknown(context, dataSource, error);
      });
      return out.rows(found.latestStatus, statusColumns);
    }
    if (dataSource === undefined)
      return out.rows((await call(compaction.supervisedStatus)).latestStatus, statusColumns);
    await out.rows(
      [await call(compaction.supervisedStatusOf, { params: { dataSource } })],
      statusColumns,
    );
  },
});
