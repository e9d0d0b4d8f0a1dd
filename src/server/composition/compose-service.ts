// Composition root: wires storage, engine and roles into HTTP handlers.
import type { Handlers } from '../handlers/routes.ts';
import type { Guard } from '../http/guard.ts';
import type { ServiceDependencies } from './dependencies.ts';
import type { ExternalParts } from './external-parts.ts';
import { handlersOf } from './handlers.ts';
import { idleProperties } from './idle-properties.ts';
import { type Lifecycle, lifecycleOf } from './lifecycle.ts';
import { createRoles } from './roles.ts';
import type { ServiceSettings } from './settings.ts';
import { createSharedParts } from './shared-parts.ts';

/** The service without its ports. */
export interface ComposedService extends Lifecycle {
  readonly handlers: Handlers;
  readonly guard: Guard;
  /** The Router's timeout for more of an answer; 0 means none. */
  readonly routerReadMs: number;
  /** Sentences about properties without effect. */
  readonly warnings: readonly string[];
}

/**
 * Composes the roles of a service on its storage. Throws CannotStart with the reason on failure.
 */
export async function composeService(
  settings: ServiceSettings,
  dependencies: ServiceDependencies,
  external: ExternalParts,
): Promise<ComposedService> {
  const shared = await createSharedParts(settings, dependencies);
  const roles = createRoles(settings, shared, external);
  roles.overlord.start();
  external.onRolesStarted?.(shared.storage, shared.now);
  const { service, security, properties, extensions } = shared;
  return {
    handlers: handlersOf(settings, shared, roles),
    guard: security.guard,
    routerReadMs: properties.periodMs('router.http.readTimeout', 'PT15M'), // Druid: "Router process"
    warnings: idleProperties(service, properties, extensions),
    ...lifecycleOf(shared, roles),
  };
}
