import { columnsOf } from '../../cli/columns.ts';
import { command } from '../../cli/command.ts';
import { CommandError } from '../../cli/errors.ts';
import { rowsOf } from '../../client/line-formats.ts';
import { sql } from '../../contract/sql.ts';
import { completers, dataSource, hints } from './datasource-name.ts';

interface DescribedColumn {
  readonly COLUMN_NAME: string;
  readonly DATA_TYPE: string;
  readonly IS_NULLABLE: string;
}

const columns = columnsOf<DescribedColumn>({
  column: (row) => row.COLUMN_NAME,
  type: (row) => row.DATA_TYPE,
  nullable: { value: (row) => row.IS_NULLABLE, wide: true },
});

const query = `SELECT COLUMN_NAME, DATA_TYPE, IS_NULLABLE FROM INFORMATION_SCHEMA.COLUMNS
WHERE TABLE_SCHEMA = 'druid' AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION`;

export const schema = command({
  summary: 'Show the columns of a datasource and their SQL types',
  examples: ['svcctl datasources schema wikipedia', 'svcctl datasources schema wikipedia --output json'],
  endpoints: [sql.query],
  arguments: dataSource,
  completers,
  hints,
  columns,
  async run({ call, out }, { args }) {
    const parameters = [{ type: 'VARCHAR', value: args.dataSource }];
    const found: DescribedColumn[] = [];
    const reply = await call(sql.query, { body: { query, parameters, resultFormat: 'objectLines' } });
    for await (const rows of rowsOf(reply, 'objectLines')) found.push(...(rows as unknown as DescribedColumn[]));
    if (found.length === 0) throw new CommandError('notFound', `Datasource [${args.dataSource}] is not served`);
    await out.rows(found, columns);
  },
});
