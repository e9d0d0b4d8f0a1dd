// Addresses of the roles. The ports are known once they are open, so each address is a function.
import type { Role } from '../../contract/endpoint.ts';
import { mainPort, portOf, type RouterPorts } from '../settings/port-numbers.ts';
import type { ServiceSettings } from './settings.ts';

export interface RoleAddresses {
  readonly coordinator: () => string; // http://host:port
  readonly overlord: () => string;
  readonly broker: () => string; // host:port
  readonly historical: () => string;
  readonly lookupNodes: () => readonly string[]; // host:port of the roles that load lookups
}

export function addressesOf(
  { host, rolePorts }: ServiceSettings,
  place: RouterPorts,
): RoleAddresses {
  const scheme = place.tls === -1 ? 'http' : 'https';
  const addressOf = (role: Role) =>
    `${host}:${rolePorts ? portOf(role, mainPort(place)) : mainPort(place)}`;
  return {
    coordinator: () => `${scheme}://${addressOf('coordinator')}`,
    overlord: () => `${scheme}://${addressOf('overlord')}`,
    broker: () => addressOf('broker'),
    historical: () => `${host}:${portOf('historical', mainPort(place))}`,
    lookupNodes: () => [addressOf('broker'), addressOf('historical')],
  };
}
