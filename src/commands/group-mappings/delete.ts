import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { authorizerOf, authorizerOption, hints } from '../shared/users/store.ts';
import { groupMapping, mappingNames } from './group-mapping.ts';

export const remove = command({
  summary: 'Delete a group mapping',
  examples: ['svcctl group-mappings delete trial --yes'],
  endpoints: [authorization.deleteGroupMapping, authorization.loadStatus],
  arguments: groupMapping,
  completers: { groupMapping: mappingNames },
  options: authorizerOption,
  hints,
  writes: 'destroy',
  async run(context, { args: { groupMapping }, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    await context.confirm({
      level: 'change',
      what: `Delete group mapping [${groupMapping}]`,
      name: groupMapping,
    });
    await context.call(authorization.deleteGroupMapping, { params: { authorizer, groupMapping } });
    if (!context.dryRun)
      context.out.changed(
        groupMapping,
        `Group mapping [${groupMapping}] is deleted.`,
        'svcctl group-mappings list',
      );
  },
});
