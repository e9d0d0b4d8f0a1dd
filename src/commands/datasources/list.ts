import { type Context, command } from '../../cli/command/command.ts';
import { blocksOf, mapBatches } from '../../cli/lists/select.ts';
import { columnsAfter, isTable, shareColumn } from '../../cli/output/bar-column.ts';
import { broker } from '../../contract/broker.ts';
import { datasources } from '../../contract/datasources.ts';
import { metadata } from '../../contract/metadata.ts';
import { flag, optional } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { datasourceColumns, type Listed } from './columns.ts';
import { rowsServed } from './rows-served.ts';

export const list = command({
  summary: 'List datasources',
  examples: [
    'svcctl datasources list',
    'svcctl datasources list --sort -size --limit 5 --output csv',
    'svcctl datasources list --unused',
  ],
  endpoints: [datasources.list, sql.query, metadata.datasources, broker.datasources],
  options: {
    unused: optional(flag, 'List datasources with only unused segments instead'),
    queryable: optional(flag, "List the Broker's datasources instead, names only"),
  },
  columns: datasourceColumns,
  async run(context, { options: { unused, queryable } }) {
    const { list, out } = context;
    if (unused) return out.rows(await onlyUnused(context), datasourceColumns);
    if (queryable)
      return out.rows((await context.call(broker.datasources)).map(listRowOf), datasourceColumns);
    const [found, counts] = await Promise.all([
      list(datasources.list, { query: { simple: true } }),
      rowsServed(context),
    ]);
    const rows = mapBatches(found, (batch) =>
      batch.map((one): Listed => {
        const { name, properties = {} } = typeof one === 'string' ? { name: one } : one;
        return { name, properties, rows: counts.get(name) };
      }),
    );
    if (!isTable(context)) return out.rows(rows, datasourceColumns);
    const whole: Listed[] = []; // shares are of the sum
    for await (const batch of blocksOf(rows)) whole.push(...batch);
    const share = shareColumn(whole, ({ properties }) => properties.segments?.size, context);
    await out.rows(whole, columnsAfter(datasourceColumns, 'size', share));
  },
});

async function onlyUnused({ call }: Context): Promise<Listed[]> {
  const [all, used] = await Promise.all([
    call(metadata.datasources, { query: { includeUnused: true } }),
    call(metadata.datasources),
  ]);
  return all
    .filter((name) => typeof name === 'string')
    .filter((name) => !used.includes(name))
    .map(listRowOf);
}

const listRowOf = (name: string): Listed => ({ name, properties: {}, rows: undefined });
