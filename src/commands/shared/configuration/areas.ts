// Areas of a cluster's configuration.

import type { Context } from '../../../cli/command/command.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import { ServiceError } from '../../../client/errors.ts';
import { authenticatorOf, authorizerOf, hints } from '../users/store.ts';
import type { Area, Cluster } from './area.ts';
import { compactionArea } from './compaction-area.ts';
import { configArea } from './config-area.ts';
import { lookupsArea } from './lookups-area.ts';
import { rulesArea } from './rules-area.ts';
import { groupMappingsArea, rolesArea, usersArea } from './security-areas.ts';
import { supervisorsArea } from './supervisors-area.ts';

/**
 * The areas in the order of changes; removals go in reverse order. A role exists before the users
 * who have it.
 */
export const areas = [
  rolesArea,
  usersArea,
  groupMappingsArea,
  lookupsArea,
  configArea,
  rulesArea,
  compactionArea,
  supervisorsArea,
] as const satisfies readonly Area[];

export const areaNames = areas.map(({ name }) => name);

/** Calls of a command, with the names of its user stores, resolved once. */
export function clusterOf(
  { call }: Pick<Context, 'call'>,
  named: { readonly authorizer?: string; readonly authenticator?: string },
): Cluster {
  let authorizer: Promise<string> | undefined;
  let authenticator: Promise<string> | undefined;
  return {
    call,
    authorizer: () => {
      authorizer ??= authorizerOf({ call }, named.authorizer).catch(withoutUsers);
      return authorizer;
    },
    authenticator: () => {
      authenticator ??= authenticatorOf({ call }, named.authenticator).catch(withoutUsers);
      return authenticator;
    },
  };
}

function withoutUsers(error: unknown): never {
  if (!(error instanceof ServiceError) || !(error.isLacking || error.status === 404)) throw error;
  throw new UsageError('This address does not manage users', hints.notFound);
}
