import { type Context, command } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { formatBytes } from '../../cli/lists/columns.ts';
import { isTable } from '../../cli/output/bar-column.ts';
import { barOf, marksFor } from '../../cli/terminal/marks.ts';
import { compaction } from '../../contract/compaction.ts';
import { completers, dataSource, hints } from './datasource.ts';
import { explainUnknown } from './not-looked-at.ts';

export const progress = command({
  summary: 'Show the bytes of a datasource that await compaction',
  examples: ['svcctl compaction progress wikipedia'],
  endpoints: [compaction.progress, compaction.status, compaction.list],
  arguments: dataSource,
  completers,
  hints,
  async run(context, { args }) {
    const { call, out, settings } = context;
    const answer = await call(compaction.progress, { query: args }).catch((error) =>
      explainUnknown(context, args.dataSource, error),
    );
    const line =
      isTable(context) && settings.query === undefined && (await barLine(context, args.dataSource));
    await (line ? out.text([line]) : out.value(answer));
  },
});

/** A bar of the compacted share; undefined when the service has no status yet. */
async function barLine(
  { call, io }: Pick<Context, 'call' | 'io'>,
  dataSource: string,
): Promise<string | undefined> {
  const [status] =
    (await ifKnown(call(compaction.status, { query: { dataSource } })))?.latestStatus ?? [];
  if (!status) return undefined;
  const [compacted, awaiting] = [
    Number(status.bytesCompacted),
    Number(status.bytesAwaitingCompaction),
  ];
  const all = compacted + awaiting;
  if (all === 0) return undefined;
  const cells = Math.max(10, Math.min(40, (io.stdout.columns || 80) - 50));
  return `${barOf(compacted / all, cells, marksFor(io.env))} ${Math.floor((compacted / all) * 100)} %, ${formatBytes(awaiting)} of ${formatBytes(all)} await compaction\n`;
}
