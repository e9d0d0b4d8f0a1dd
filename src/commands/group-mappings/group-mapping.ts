import type { Completer } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { required, text } from '../../contract/schema.ts';
import { authorizerOf } from '../shared/users/store.ts';

export const groupMapping = { groupMapping: required(text, 'Name of the group mapping') };

export const mappingNames: Completer = async (context) =>
  context.call(authorization.groupMappings, {
    params: { authorizer: await authorizerOf(context, undefined) },
  });
