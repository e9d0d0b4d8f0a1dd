// Numbers of the ports: the Router's, and those of the roles (the specification, "Conventions").
import type { Role } from '../../contract/endpoint.ts';

export const routerPort = 8888;

/** How far a TLS port is above the one in plain text (Druid: 8281 and 8081). */
export const tlsShift = 200;

export const rolePorts: readonly { port: number; roles: readonly Role[] }[] = [
  { port: 8081, roles: ['coordinator', 'overlord'] },
  { port: 8082, roles: ['broker'] },
  { port: 8083, roles: ['historical'] },
  { port: 8091, roles: ['middleManager'] },
];

/**
 * Where the Router is: its port of each kind, -1 where there is none, 0 while it is not known yet.
 */
export interface RouterPorts {
  readonly plain: number;
  readonly tls: number;
}

/**
 * The port of a role when the Router has the given one: the usual ones, shifted as far as the
 * Router's is; -1 and 0 stay.
 */
export const portOf = (role: Role, router: number): number =>
  router <= 0
    ? router
    : (rolePorts.find(({ roles }) => roles.includes(role))?.port ?? routerPort) +
      router -
      routerPort;

/**
 * The port that others are told of where they are told of one: that of TLS where there is one, as
 * in Druid.
 */
export const mainPort = ({ plain, tls }: RouterPorts): number => (tls === -1 ? plain : tls);
