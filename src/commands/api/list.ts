import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { answerFlags } from '../../cli/process/flags.ts';
import { type Endpoint, type Permission, wordsFor } from '../../contract/endpoint.ts';
import { pathFor } from '../../model/dialect.ts';

const columns = columnsOf<
  Pick<Endpoint, 'method' | 'role' | 'summary'> & {
    name: string;
    path: string;
    permission: Permission;
  }
>({
  name: (endpoint) => endpoint.name,
  method: (endpoint) => endpoint.method,
  path: (endpoint) => endpoint.path,
  role: { value: (endpoint) => endpoint.role, wide: true },
  permission: { value: ({ permission }) => wordsFor(permission), wide: true },
  summary: { value: (endpoint) => endpoint.summary, wide: true },
});

export const list = command({
  summary: 'List the endpoints of the HTTP interface',
  examples: ['svcctl api list', 'svcctl api list --service druid --output csv'],
  columns,
  obeys: [...answerFlags, 'profile', 'service'],
  async run({ out, service }) {
    const { namesOf } = await import('../../contract/index.ts');
    const rows = [...namesOf].map(([{ method, path, role, permission, summary }, name]) => ({
      name,
      method,
      path: pathFor(service, path),
      role,
      permission,
      summary,
    }));
    await out.rows(rows, columns);
  },
});
