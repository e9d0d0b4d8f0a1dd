import { columnsOf } from '../../cli/columns.ts';
import { command } from '../../cli/command.ts';
import { sql } from '../../contract/sql.ts';

interface Engine {
  readonly name: string;
}

const columns = columnsOf<Engine>({ name: ({ name }) => name });

export const engines = command({
  summary: 'List the engines that can run queries',
  examples: ['svcctl sql engines'],
  endpoints: [sql.engines],
  columns,
  async run({ call, out }) {
    const { engines } = await call(sql.engines);
    await out.rows<Engine>(engines, columns);
  },
});
