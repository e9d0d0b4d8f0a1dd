// Detection of a service's name and role, by endpoints that only one role has.
import { nameInProperties, objectIn } from '../../../cli/command/discover.ts';
import type { Finding } from '../../../cli/command/findings.ts';
import type { Transport } from '../../../client/message.ts';
import type { ServicePlace } from './place.ts';
import { type RoleOfService, signs } from './role.ts';
import { findRouter } from './router.ts';

/** Reports the name and role of the server, and whether they match the profile. */
export async function examineName(place: ServicePlace, send: Transport): Promise<Finding[]> {
  const { service, setTo } = place;
  const told = await nameInProperties(send);
  let first: Heard | undefined;
  for (const name of new Set([service, ...(told === undefined ? [] : [told]), 'svc', 'druid'])) {
    const heard = await listen(send, name);
    first ??= heard;
    if (heard.roles.length === 0) continue;
    const facts = { service: name, roles: heard.roles };
    if (name === service)
      return [
        { check: 'service name', state: 'ok', says: `Its paths begin with /${name}.`, facts },
        ...(await examineRole(place, send, heard)),
      ];
    const says = `The service does not answer below /${service}: the service calls itself [${name}].`;
    return [
      { check: 'service name', state: 'critical', says, remedy: setTo('service', name), facts },
      ...(await examineRole(place, send, heard)),
    ];
  }
  const isSilent = first?.isAbsent ?? true;
  const says = isSilent
    ? `The service does not answer below /${service}, and the service does not report its name.`
    : `The reply below /${service} is not as expected, and the service does not report its name.`;
  return [
    {
      check: 'service name',
      state: isSilent ? 'critical' : 'warning',
      says,
      remedy: setTo('service', 'NAME'),
    },
  ];
}

interface Heard {
  readonly name: string;
  readonly roles: readonly RoleOfService[];
  readonly coordinatorStatus: number; // a Router has none of its own
  readonly isAbsent: boolean; // all paths are unknown
}

async function listen(send: Transport, name: string): Promise<Heard> {
  const heard = await Promise.all(
    signs.map(async ({ role, path, isIt }) => {
      const reply = await send({
        method: 'GET',
        path: `/${encodeURIComponent(name)}${path}`,
        headers: [],
        expected: [404, 500, 502, 503, 504],
      });
      const body = objectIn(await reply.text());
      return {
        role,
        status: reply.status,
        isIt:
          Object.keys(body).length > 0 &&
          isIt(body) &&
          (reply.status === 200 || role === 'Coordinator' || role === 'Overlord'),
      };
    }),
  );
  return {
    name,
    roles: heard.filter(({ isIt }) => isIt).map(({ role }) => role),
    coordinatorStatus: heard.find(({ role }) => role === 'Coordinator')?.status ?? 404,
    isAbsent: heard.every(({ status }) => status === 404),
  };
}

async function examineRole(
  place: ServicePlace,
  send: Transport,
  { name, roles, coordinatorStatus }: Heard,
): Promise<Finding[]> {
  const check = 'role';
  const isWhole = roles.includes('Coordinator') && roles.includes('Broker');
  if (roles.includes('Router') && !roles.includes('Coordinator')) {
    const isAway = coordinatorStatus >= 500;
    const says = isAway
      ? `This is a Router that does not find a Coordinator (${coordinatorStatus}): queries may work, administration does not.`
      : 'This Router does not forward requests to Coordinator and Overlord: queries work, administration does not.';
    const remedy = isAway
      ? 'start a Coordinator, or look into the log of the Router'
      : `set ${name}.router.managementProxy.enabled=true in the properties of the Router`;
    return [{ check, state: 'warning', says, remedy }];
  }
  if (roles.includes('Router') || isWhole) {
    const says = roles.includes('Router')
      ? 'This is a Router, which forwards to all other servers.'
      : 'This is a whole service in one process.';
    return [{ check, state: 'ok', says }];
  }
  const router = await findRouter(place, send, name, roles);
  const where =
    router === undefined ? 'it usually has port 8888, with TLS 9088' : `it is at [${router}]`;
  const says = `This is ${anyOf(roles)}, which answers only its own endpoints. Use the Router instead: ${where}.`;
  return [
    {
      check,
      state: 'critical',
      says,
      remedy: place.setTo('url', router ?? `${place.url.protocol}//${place.url.hostname}:8888`),
      facts: { roles, router },
    },
  ];
}

const anyOf = (roles: readonly RoleOfService[]) =>
  roles.map((role) => (/^[AEIOU]/.test(role) ? `an ${role}` : `a ${role}`)).join(' and ');
