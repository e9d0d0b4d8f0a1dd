// Handlers of a service: those of its roles, and those that belong to every role.
import type { Handlers } from '../handlers/routes.ts';
import { propertiesOfRole } from './role-properties.ts';
import type { Roles } from './roles.ts';
import type { ServiceSettings } from './settings.ts';
import type { SharedParts } from './shared-parts.ts';
import {
  brokerRoutes,
  historicalRoutes,
  leaderRoutes,
  routerRoutes,
  statusRoutes,
} from './status-routes.ts';

export function handlersOf(
  settings: ServiceSettings,
  { service, security, addresses, program }: SharedParts,
  { overlord, coordinator, broker }: Roles,
): Handlers {
  const { sqlTask, ...overlordRoutes } = overlord.routes;
  const { sql, datasources: brokerDatasources, ...brokerOwn } = broker.routes;
  return {
    ...security.handlers,
    ...coordinator.routes,
    ...overlordRoutes,
    ...brokerOwn,
    sql: { ...sql, task: sqlTask },
    broker: { ...brokerRoutes, ...brokerDatasources },
    cluster: { ...leaderRoutes(addresses), ...coordinator.routes.cluster },
    historical: historicalRoutes,
    router: routerRoutes(service, addresses),
    status: statusRoutes(program, (role) => propertiesOfRole(settings, role)),
  };
}
