// Ports of the service: the Router's, which serves all endpoints, and one for each role (the
// specification, "Conventions"); each in plain text, over TLS, or both.

import type { Endpoint, Role } from '../../contract/endpoint.ts';
import { dialectOf } from '../../model/dialect.ts';
import type { LackedByVersion } from '../../model/engine-version.ts';
import type { Console } from '../console/console.ts';
import type { Admission } from '../engine/admission.ts';
import { CannotStart } from '../process/cannot-start.ts';
import { type RouterPorts, rolePorts, routerPort, tlsShift } from '../settings/port-numbers.ts';
import type { Certificates, TlsPorts } from '../tls/certificates.ts';
import type { Guard } from './guard.ts';
import type { Limits } from './limits.ts';
import { type Intercept, type Listener, listen } from './listener.ts';
import { type Router, withProxy } from './router.ts';
import type { WebCheck } from './web-check.ts';

/** Ports of one kind, in plain text or over TLS. */
export interface PortSet {
  readonly router: Listener;
  readonly urls: ReadonlyMap<Role, string>; // of the roles with ports of their own
}

export interface OpenPorts {
  readonly plain: PortSet | undefined;
  readonly tls: PortSet | undefined;
  close(): Promise<void>;
}

export interface PortSettings extends Limits {
  readonly service: string;
  readonly host: string;
  readonly port: number; // the Router's in plain text; 0 picks free ones
  readonly isPlain: boolean; // whether there are ports in plain text
  readonly tls?: TlsPorts;
  readonly rolePorts: boolean;
  readonly guard: Guard;
  readonly web: WebCheck;
  readonly largeBodies: Admission;
  readonly intercept?: Intercept;
  readonly console?: Console; // at the Router's ports
  readonly lacked?: Pick<LackedByVersion, 'fields' | 'textBodies'>;
}

/** The planned ports of the Router. */
export const planPlace = ({
  port,
  isPlain,
  tls,
}: Pick<PortSettings, 'port' | 'isPlain' | 'tls'>): RouterPorts => ({
  plain: isPlain ? port : -1,
  tls: tls ? (tls.port ?? (port === 0 ? 0 : port + tlsShift)) : -1,
});

/**
 * Opens the Router's ports, and the roles' if configured; all or none. Throws CannotStart with a
 * port that is in use.
 */
export async function openPorts(
  routerOf: (serves: (endpoint: Endpoint) => boolean) => Router,
  settings: PortSettings,
): Promise<OpenPorts> {
  const { port, isPlain, tls } = settings;
  for (let attempt = 1; ; attempt++) {
    const open: Listener[] = [];
    const close = async () => void (await Promise.all(open.map((listener) => listener.close())));
    try {
      const plainSet = isPlain ? await openSet(port, undefined, open) : undefined;
      const tlsSet =
        tls &&
        (await openSet(
          tls.port ?? (plainSet?.router.port ?? port) + tlsShift,
          tls.certificates,
          open,
        ));
      return { plain: plainSet, tls: tlsSet, close };
    } catch (error) {
      await close();
      // With port 0, a neighbouring port may be taken: retry with another block.
      if (port !== 0 || attempt === 20) throw error;
    }
  }

  async function openSet(
    routerPortOfSet: number,
    certificates: Certificates | undefined,
    open: Listener[],
  ): Promise<PortSet> {
    // The real engine's Router does not forward to Historicals and MiddleManagers. Without ports of
    // their own, only the Router can reach them.
    const forwardsAll = !settings.rolePorts || dialectOf(settings.service).forwardedRoles === 'all';
    const all = routerOf(
      ({ role }) => forwardsAll || (role !== 'historical' && role !== 'middleManager'),
    );
    const whole = withProxy(
      settings.service,
      all,
      routerOf(isServedBy(['coordinator', 'overlord'])),
    );
    const router = await openListener(whole, 'router', routerPortOfSet, certificates, settings);
    open.push(router);
    const urls = new Map<Role, string>();
    for (const { port: usual, roles } of settings.rolePorts ? rolePorts : []) {
      const at = usual + router.port - routerPort;
      const listener = await openListener(
        routerOf(isServedBy(roles)),
        roles[0] ?? 'any',
        at,
        certificates,
        settings,
      );
      open.push(listener);
      for (const role of roles) urls.set(role, listener.url);
    }
    return { router, urls };
  }
}

const isServedBy =
  (roles: readonly Role[]) =>
  ({ role }: Endpoint) =>
    role === 'any' || roles.includes(role);

async function openListener(
  router: Router,
  role: Role,
  port: number,
  certificates: Certificates | undefined,
  settings: PortSettings,
): Promise<Listener> {
  const { host, service } = settings;
  const choose = `choose another with --port${certificates ? ` or property [${service}.tlsPort]` : ''}`;
  if (port < 0 || port > 65_535) throw new CannotStart(`Port [${port}] does not exist; ${choose}`);
  try {
    return await listen(router, { ...settings, role, port, certificates });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new CannotStart(
        `Port [${port}] on [${host}] is in use; ${choose}, or 0 for a free one`,
      );
    throw new CannotStart(`Port [${port}] on [${host}] cannot be opened: ${message}`);
  }
}
