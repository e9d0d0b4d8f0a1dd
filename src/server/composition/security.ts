// Guard of a service: users and permissions from its properties.

import type { SecurityHandlers } from '../handlers/routes.ts';
import { type Guard, openDoor } from '../http/guard.ts';
import { dataSourcesOfSupervisor } from '../overlord/supervisors/spec.ts';
import { CannotStart } from '../process/cannot-start.ts';
import type { Extensions } from '../settings/extensions.ts';
import type { Properties } from '../settings/properties.ts';
import type { Storage } from '../storage/storage.ts';
import { findTask } from '../storage/tasks.ts';
import type { Configuration } from './configuration.ts';
import type { ServiceSettings } from './settings.ts';

export interface ComposedSecurity {
  readonly guard: Guard;
  readonly handlers: Partial<SecurityHandlers>;
}

/**
 * Throws CannotStart when other machines could reach a service without authentication. The security
 * code is loaded only if configured, because it would slow down every start.
 */
export async function composeSecurity(
  { service, host, withoutUsers }: ServiceSettings,
  { metadata }: Storage,
  { properties, extensions }: Configuration,
): Promise<ComposedSecurity> {
  const isWanted = ['auth.authenticatorChain', 'auth.authorizers', 'escalator.type'].some(
    (name) => properties.text(name) !== undefined,
  );
  if (isWanted) checkSecurityExtension(properties, extensions);
  const security: ComposedSecurity = isWanted
    ? await (await import('../security/security.ts')).createSecurity({
        service,
        metadata,
        properties,
        dataSourceOfTask: (taskId) => findTask(metadata, taskId)?.dataSource,
        dataSourcesOfSupervisor: (supervisorId) => dataSourcesOfSupervisor(metadata, supervisorId),
      })
    : { guard: openDoor, handlers: {} };
  if (!security.guard.requiresCredentials && !withoutUsers && !isLoopback(host))
    throw openToAll(host, service);
  return security;
}

function checkSecurityExtension(properties: Properties, extensions: Extensions): void {
  const types = [
    ...properties
      .texts('auth.authenticatorChain', [])
      .map((name) => `auth.authenticator.${name}.type`),
    ...properties.texts('auth.authorizers', []).map((name) => `auth.authorizer.${name}.type`),
    'escalator.type',
  ];
  for (const name of types)
    if (properties.text(name) === 'basic') extensions.mustHaveFor(name, 'basic', 'basic-security');
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);

const openToAll = (host: string, service: string) =>
  new CannotStart(
    `Without users, everybody who can reach address [${host}] has all permissions. Configure users with property [${service}.auth.authenticatorChain], or allow access without users with --without-users`,
  );
