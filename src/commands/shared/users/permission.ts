// Display of permissions: one line each, for all reply forms of the service.

import type { Context } from '../../../cli/command/command.ts';
import { columnsOf } from '../../../cli/lists/columns.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import {
  authorization,
  type ResourceAction,
  type RolePermission,
  resourceTypes,
} from '../../../contract/authorization.ts';
import { listOf, oneOf, optional, required, text } from '../../../contract/schema.ts';
import { nearest } from '../../../model/nearest.ts';
import { quoteWord } from '../../../model/shell-text.ts';

export const columns = columnsOf<ResourceAction>({
  type: ({ resource }) => resource.type,
  name: ({ resource }) => resource.name,
  action: ({ action }) => action,
});

export const permissionOptions = {
  type: optional(oneOf(...resourceTypes), 'Resource type'),
  extensionType: optional(text, 'Instead of --type: a resource type of an extension'),
  name: required(text, 'Resource names: a regular expression that matches the whole name'),
  action: required(oneOf('READ', 'WRITE'), 'READ or WRITE; WRITE does not include READ'),
};

/** For permissions from a file. */
export const extensionTypesOption = {
  extensionType: optional(listOf(text), 'Also accept this resource type of an extension'),
};

/** The permission in the options. Throws UsageError unless exactly one type is given. */
export function permissionIn(options: {
  type?: string;
  extensionType?: string;
  name: string;
  action: 'READ' | 'WRITE';
}): ResourceAction {
  const { type, extensionType, name, action } = options;
  const [meant, another] = [type, extensionType].filter((said) => said !== undefined);
  if (meant === undefined)
    throw new UsageError(
      `--type is missing: the resource type of the permission`,
      `--type with one of: ${allTypes}`,
    );
  if (another !== undefined) throw new UsageError('Use either --type or --extension-type');
  return { resource: { name, type: meant }, action };
}

/**
 * Throws UsageError for a permission whose type is neither one of Druid's nor in `others`: it would
 * silently allow nothing.
 */
export function checkTypes(
  permissions: readonly ResourceAction[],
  others: readonly string[] = [],
): void {
  for (const { resource, action } of permissions) {
    if ([...resourceTypes, ...others].includes(resource.type)) continue;
    const near = nearest(resource.type.toUpperCase(), resourceTypes);
    throw new UsageError(
      `Type [${resource.type}] of permission [${action} ${resource.name}] does not exist: use ${allTypes}`,
      near
        ? `did you mean ${near}?`
        : `if an extension of the service brings it: --extension-type ${quoteWord(resource.type)}`,
    );
  }
}

/**
 * The same check, but only for types that resemble a known one; others are taken for types of an
 * extension.
 */
export const checkSpelling = (permissions: readonly ResourceAction[]) =>
  checkTypes(
    permissions.filter(
      ({ resource }) => nearest(resource.type.toUpperCase(), resourceTypes) !== undefined,
    ),
  );

const allTypes = `${resourceTypes.slice(0, -1).join(', ')} or ${resourceTypes.at(-1)}`;

export const simplify = (permission: RolePermission): ResourceAction => {
  const { resource, action } =
    'resourceAction' in permission
      ? (permission.resourceAction as ResourceAction)
      : (permission as ResourceAction);
  return { resource: { name: resource.name, type: resource.type }, action };
};

/** JSON and YAML print the service's reply; other formats print one line per permission. */
export const isForPeople = ({ format, looksAtValues }: Context['out']) =>
  !looksAtValues && !['json', 'jsonl', 'yaml'].includes(format ?? '');

/** A permission as a phrase, as in whoami: `READ DATASOURCE wiki.*`. */
export const inWords = (permission: RolePermission) => {
  const { resource, action } = simplify(permission);
  return `${action} ${resource.type} ${resource.name}`;
};

/** The permissions of a role. */
export const permissionsOf = async (
  { call }: Pick<Context, 'call'>,
  params: { authorizer: string; role: string },
) => (await call(authorization.permissions, { params })).map(simplify);

export const isSame = (one: ResourceAction, other: ResourceAction) =>
  one.action === other.action &&
  one.resource.type === other.resource.type &&
  one.resource.name === other.resource.name;
