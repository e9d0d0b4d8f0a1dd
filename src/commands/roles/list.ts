import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { authorization } from '../../contract/authorization.ts';
import { authorizerOf, authorizerOption, hints } from '../shared/users/store.ts';

const columns = columnsOf<string>({ name: (name) => name });

export const list = command({
  summary: 'List roles',
  examples: ['svcctl roles list'],
  endpoints: [authorization.roles, authorization.loadStatus],
  options: authorizerOption,
  columns,
  hints,
  async run(context, { options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    await context.out.rows(
      (await context.call(authorization.roles, { params: { authorizer } })).sort(),
      columns,
    );
  },
});
