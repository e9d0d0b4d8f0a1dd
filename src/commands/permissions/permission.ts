// Permissions as people see them: a line each, whatever form the service answers in.

import type { Context } from '../../cli/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { authorization, type ResourceAction, type RolePermission } from '../../contract/authorization.ts';
import { oneOf, required, text } from '../../contract/schema.ts';

export const columns = columnsOf<ResourceAction>({
  type: ({ resource }) => resource.type,
  name: ({ resource }) => resource.name,
  action: ({ action }) => action,
});

export const permissionOptions = {
  type: required(text, 'DATASOURCE, STATE, CONFIG, VIEW, SYSTEM_TABLE, QUERY_CONTEXT or EXTERNAL'),
  name: required(text, 'Of which names: a regular expression that matches them as a whole'),
  action: required(oneOf('READ', 'WRITE'), 'READ or WRITE; one does not follow from the other'),
};

export const simplified = (permission: RolePermission): ResourceAction => {
  const { resource, action } =
    'resourceAction' in permission ? (permission.resourceAction as ResourceAction) : (permission as ResourceAction);
  return { resource: { name: resource.name, type: resource.type }, action };
};

/** What a role allows. */
export const permissionsOf = async ({ call }: Pick<Context, 'call'>, params: { authorizer: string; role: string }) =>
  (await call(authorization.permissions, { params })).map(simplified);

export const isSame = (one: ResourceAction, other: ResourceAction) =>
  one.action === other.action && one.resource.type === other.resource.type && one.resource.name === other.resource.name;
