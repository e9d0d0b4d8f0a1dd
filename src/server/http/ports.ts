// The ports of the service: the Router's, which serves everything, and one for each role (the specification, "Conventions").
import type { Endpoint, Role } from '../../contract/endpoint.ts';
import { dialectOf } from '../../model/dialect.ts';
import { CannotStart } from '../cannot-start.ts';
import type { Guard } from './guard.ts';
import type { Limits } from './limits.ts';
import { type Identity, type Intercept, type Listener, listen } from './listener.ts';
import { type Router, withProxy } from './router.ts';
import type { WebCheck } from './web-check.ts';

export const routerPort = 8888;

const rolePorts: readonly { port: number; roles: readonly Role[] }[] = [
  { port: 8081, roles: ['coordinator', 'overlord'] },
  { port: 8082, roles: ['broker'] },
  { port: 8083, roles: ['historical'] },
  { port: 8091, roles: ['middleManager'] },
];

export interface OpenPorts {
  readonly router: Listener;
  readonly urls: ReadonlyMap<Role, string>; // of the roles that have a port of their own
  close(): Promise<void>;
}

export interface PortSettings extends Limits {
  readonly service: string;
  readonly host: string;
  readonly port: number; // 0 picks free ones
  readonly rolePorts: boolean;
  readonly guard: Guard;
  readonly web: WebCheck;
  readonly tls?: Identity;
  readonly intercept?: Intercept;
}

/** The port of a role when the Router has the given one: the usual ones, shifted as far as the Router's is. */
export const portOf = (role: Role, router: number): number =>
  (rolePorts.find(({ roles }) => roles.includes(role))?.port ?? routerPort) + router - routerPort;

/** Opens the Router's port, and the roles' when asked for; all or none. Throws CannotStart naming the port that is in use. */
export async function openPorts(routerOf: (serves: (endpoint: Endpoint) => boolean) => Router, settings: PortSettings): Promise<OpenPorts> {
  for (let attempt = 1; ; attempt++) {
    const open: Listener[] = [];
    const close = async () => void (await Promise.all(open.map((listener) => listener.close())));
    try {
      // The real engine's Router forwards to no Historical and no MiddleManager; where they have no ports of their own, there is no other way to them.
      const forwardsAll = !settings.rolePorts || dialectOf(settings.service).forwardedRoles === 'all';
      const all = routerOf(({ role }) => forwardsAll || (role !== 'historical' && role !== 'middleManager'));
      const router = await opened(
        withProxy(settings.service, all, routerOf(servedBy(['coordinator', 'overlord']))),
        'router',
        settings.port,
        settings,
      );
      open.push(router);
      const urls = new Map<Role, string>();
      for (const { port, roles } of settings.rolePorts ? rolePorts : []) {
        const listener = await opened(routerOf(servedBy(roles)), roles[0] ?? 'any', port + router.port - routerPort, settings);
        open.push(listener);
        for (const role of roles) urls.set(role, listener.url);
      }
      return { router, urls, close };
    } catch (error) {
      await close();
      // A free port was asked for, and one of its neighbours is taken: another block may be free.
      if (settings.port !== 0 || attempt === 20) throw error;
    }
  }
}

const servedBy =
  (roles: readonly Role[]) =>
  ({ role }: Endpoint) =>
    role === 'any' || roles.includes(role);

async function opened(router: Router, role: Role, port: number, settings: PortSettings): Promise<Listener> {
  const { host } = settings;
  if (port < 0 || port > 65_535) throw new CannotStart(`Port [${port}] does not exist; choose another with --port`);
  try {
    return await listen(router, { ...settings, role, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new CannotStart(`Port [${port}] on [${host}] is in use; choose another with --port, or 0 for a free one`);
    throw new CannotStart(`Port [${port}] on [${host}] cannot be opened: ${message}`);
  }
}
