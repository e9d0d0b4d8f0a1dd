import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { authorizerOf, authorizerOption, hints } from '../shared/users/store.ts';
import { groupMapping, mappingNames } from './group-mapping.ts';

export const get = command({
  summary: 'Show a group mapping',
  examples: ['svcctl group-mappings get staff', 'svcctl group-mappings get staff --output json'],
  endpoints: [authorization.groupMapping, authorization.loadStatus],
  arguments: groupMapping,
  completers: { groupMapping: mappingNames },
  options: authorizerOption,
  hints,
  async run(context, { args, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    await context.out.value(
      await context.call(authorization.groupMapping, { params: { authorizer, ...args } }),
    );
  },
});
