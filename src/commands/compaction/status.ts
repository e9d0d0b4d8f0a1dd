import { command } from '../../cli/command/command.ts';
import { barColumn, columnsAfter } from '../../cli/output/bar-column.ts';
import { type CompactionStatus, compaction } from '../../contract/compaction.ts';
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
    const columns = columnsAfter(
      statusColumns,
      'status',
      barColumn('progress', doneShare, context),
    );
    if (!options.overlord) {
      const found = await call(compaction.status, { query: args }).catch((error) => {
        if (dataSource === undefined) throw error;
        return explainUnknown(context, dataSource, error);
      });
      return out.rows(found.latestStatus, columns);
    }
    if (dataSource === undefined)
      return out.rows((await call(compaction.supervisedStatus)).latestStatus, columns);
    await out.rows(
      [await call(compaction.supervisedStatusOf, { params: { dataSource } })],
      columns,
    );
  },
});

// Skipped bytes are not expected to be compacted.
function doneShare({ bytesAwaitingCompaction, bytesCompacted }: CompactionStatus) {
  const all = Number(bytesAwaitingCompaction) + Number(bytesCompacted);
  return all > 0 ? Number(bytesCompacted) / all : undefined;
}
