import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { authorization, type GroupMapping } from '../../contract/authorization.ts';
import { authorizerOf, authorizerOption, hints } from '../shared/users/store.ts';

const columns = columnsOf<GroupMapping>({
  name: ({ name }) => name,
  groupPattern: ({ groupPattern }) => groupPattern,
  roles: ({ roles }) =>
    (roles ?? []).map((role) => (typeof role === 'string' ? role : role.name)).join(' '),
});

export const list = command({
  summary: 'List group mappings',
  examples: ['svcctl group-mappings list'],
  endpoints: [authorization.groupMappings, authorization.groupMapping, authorization.loadStatus],
  options: authorizerOption,
  columns,
  hints,
  async run(context, { options }) {
    const { call, out } = context;
    const authorizer = await authorizerOf(context, options.authorizer);
    const names = (await call(authorization.groupMappings, { params: { authorizer } })).sort();
    const rows: GroupMapping[] = [];
    for (const name of names)
      rows.push(
        await call(authorization.groupMapping, { params: { authorizer, groupMapping: name } }),
      );
    await out.rows(rows, columns);
  },
});
