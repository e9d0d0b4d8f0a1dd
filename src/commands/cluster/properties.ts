import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { optional, text } from '../../contract/schema.ts';
import { status } from '../../contract/status.ts';

interface Property {
  readonly name: string;
  readonly value: string;
}

const columns = columnsOf<Property>({ name: ({ name }) => name, value: ({ value }) => value });

export const properties = command({
  summary: 'List the runtime properties of the server at --url, without secrets',
  examples: [
    'svcctl cluster properties',
    `svcctl cluster properties --where 'name ~ "coordinator"'`,
  ],
  endpoints: [status.properties],
  arguments: { name: optional(text, 'Only this property') },
  columns,
  async run({ call, out }, { args: { name: wanted } }) {
    const all = Object.entries(await call(status.properties)).map(([name, value]) => ({
      name,
      value,
    }));
    await out.rows(wanted === undefined ? all : all.filter(({ name }) => name === wanted), columns);
  },
});
