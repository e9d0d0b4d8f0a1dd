// Properties that each role shows at /status/properties.
import type { Role } from '../../contract/endpoint.ts';
import { Properties } from '../settings/properties.ts';
import type { ServiceSettings } from './settings.ts';

export function propertiesOfRole(
  settings: ServiceSettings,
  role: Role,
): Readonly<Record<string, string>> {
  const { service, host } = settings;
  return new Properties(service, {
    ...settings.properties,
    [`${service}.service`]: `${service}/${role}`,
    [`${service}.host`]: host,
    [`${service}.msq.intermediate.storage.enable`]: String(settings.durableStorage),
    [`${service}.ingestion.localFolders`]: JSON.stringify(settings.allowedFolders),
    ...(role === 'router' && { [`${service}.router.managementProxy.enabled`]: 'true' }), // the web console checks it
  }).listShown();
}
