// Port numbers of the Router and of the roles (the specification, "Conventions").
import type { Role } from '../../contract/endpoint.ts';

export const routerPort = 8888;

/** Distance between a TLS port and the port for plain text (Druid: 8281 and 8081). */
export const tlsShift = 200;

export const rolePorts: readonly { port: number; roles: readonly Role[] }[] = [
  { port: 8081, roles: ['coordinator', 'overlord'] },
  { port: 8082, roles: ['broker'] },
  { port: 8083, roles: ['historical'] },
  { port: 8091, roles: ['middleManager'] },
];

/** Ports of the Router by kind: -1 where there is none, 0 while the port is unknown. */
export interface RouterPorts {
  readonly plain: number;
  readonly tls: number;
}

/**
 * The port of a role for a given port of the Router: the default port, shifted by the Router's
 * distance from its own default. -1 and 0 stay.
 */
export const portOf = (role: Role, router: number): number =>
  router <= 0
    ? router
    : (rolePorts.find(({ roles }) => roles.includes(role))?.port ?? routerPort) +
      router -
      routerPort;

/** The port to announce where only one can be given: the TLS port if there is one, as in Druid. */
export const mainPort = ({ plain, tls }: RouterPorts): number => (tls === -1 ? plain : tls);
