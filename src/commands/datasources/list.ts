import { command } from '../../cli/command.ts';
import { datasources } from '../../contract/datasources.ts';
import { sql } from '../../contract/sql.ts';
import { datasourceColumns, type Listed } from './columns.ts';
import { rowsServed } from './rows-served.ts';

export const list = command({
  summary: 'List the datasources that are served',
  examples: ['svcctl datasources list', 'svcctl datasources list --sort -size --limit 5 --output csv'],
  endpoints: [datasources.list, sql.query],
  columns: datasourceColumns,
  async run(context) {
    const { call, out } = context;
    const [found, counts] = await Promise.all([call(datasources.list, { query: { simple: true } }), rowsServed(context)]);
    const rows = found.map((one): Listed => {
      const { name, properties = {} } = typeof one === 'string' ? { name: one } : one;
      return { name, properties, rows: counts.get(name) };
    });
    await out.rows(rows, datasourceColumns);
  },
});
