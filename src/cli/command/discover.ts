// Detection of a service: its version and the name in its paths.

import { refusalIn } from '../../client/client.ts';
import { ServiceError } from '../../client/errors.ts';
import { failureOf, isHtml, wordsOf, wrongAddressHint } from '../../client/failure-body.ts';
import { headerOf, type Reply, type Transport } from '../../client/message.ts';
import { parseJson } from '../../model/json.ts';
import { CommandError } from '../process/errors.ts';

export interface Discovery {
  readonly version: string;
  readonly service: string | undefined; // undefined when it cannot be detected
  readonly how: string; // how it was detected
}

/**
 * Requests the version, then tries the possible names of the service. Throws connection errors and
 * ServiceError.
 */
export async function discover(send: Transport, names: readonly string[]): Promise<Discovery> {
  const { version } = await askStatus(send);
  for (const name of new Set(names)) {
    if (await answersTo(send, name))
      return { version, service: name, how: `it answers below /${name}` };
  }
  const told = await nameInProperties(send);
  return {
    version,
    service: told,
    how: told === undefined ? 'it does not report its name' : 'its properties begin with it',
  };
}

/**
 * The name of a service, which may be `name`; undefined when it cannot be detected. A name that is
 * only a guess is checked after the modules of the service, which tell Apache Druid in one request.
 * Throws CommandError for a server of another kind, connection errors and ServiceError.
 */
export async function askName(
  send: Transport,
  name: string,
  { isGuess }: { readonly isGuess: boolean },
): Promise<string | undefined> {
  if (!isGuess && (await answersTo(send, name))) return name;
  try {
    if ((await askStatus(send)).isDruid) return 'druid';
  } catch (error) {
    // A proxy may hide the status and pass the other paths on.
    if (isGuess && (await answersTo(send, name))) return name;
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
  for (const candidate of new Set(isGuess ? [name, ...usualNames] : usualNames))
    if (await answersTo(send, candidate)) return candidate;
  return nameInProperties(send);
}

/** Names that services have unless an operator chose another one. */
export const usualNames = ['druid', 'svc'] as const;

interface ServiceStatus {
  readonly version: string;
  readonly isDruid: boolean;
}

async function askStatus(send: Transport): Promise<ServiceStatus> {
  const reply = await send({ method: 'GET', path: '/status', headers: [] });
  const { status } = reply;
  const isUnknownPath = status === 404 || status === 405;
  if (status >= 300 && !isUnknownPath) throw await refusalIn(reply);
  const body = isUnknownPath ? await reply.beginning() : await reply.text();
  const { version, error, modules } = objectIn(body);
  if (status < 300 && typeof version === 'string')
    return { version, isDruid: Array.isArray(modules) && modules.some(isOfDruid) };
  // A service whose /status is hidden answers with an error in JSON, or with nothing.
  if (isUnknownPath && (body === '' || error !== undefined))
    throw new ServiceError(failureOf(reply, body));
  throw notAService(reply, body);
}

const isOfDruid = (module: unknown) => String(Object(module).name).startsWith('org.apache.druid.');

function notAService(reply: Reply, body: string): CommandError {
  const program = headerOf(reply.headers, 'server') ?? headerOf(reply.headers, 'x-powered-by');
  const [, title] = /<title>([^<]+)/i.exec(body) ?? [];
  const kind = isHtml(reply.headers, body) ? 'a web server' : 'another kind of server';
  const words = wordsOf(title ?? body);
  const details = [program && `[${program}]`, words && `which says [${words}]`];
  return new CommandError(
    'unreachable',
    `The server at [${reply.url.origin}] is not a service for svcctl: it seems to be ${[kind, ...details].filter(Boolean).join(' ')}`,
    wrongAddressHint,
  );
}

// A leader replies 200, a follower 404 with the same body, other servers something else.
async function answersTo(send: Transport, name: string): Promise<boolean> {
  const reply = await send({
    method: 'GET',
    path: `/${encodeURIComponent(name)}/coordinator/v1/isLeader`,
    headers: [],
  });
  if (reply.status === 401) throw await refusalIn(reply);
  const body = await reply.text();
  return typeof objectIn(body).leader === 'boolean';
}

/**
 * The prefix of the properties of a service; undefined when they are not accessible or show no
 * prefix. Throws connection errors.
 */
export async function nameInProperties(send: Transport): Promise<string | undefined> {
  const reply = await send({ method: 'GET', path: '/status/properties', headers: [] });
  const body = await reply.text();
  if (reply.status !== 200) return;
  for (const key of Object.keys(objectIn(body))) {
    const [, name] =
      /^([a-z][\w-]*)\.(?:service|host|plaintextPort|zk\.service\.host|server\.\w+|extensions\.\w+)$/.exec(
        key,
      ) ?? [];
    if (name !== undefined && !['java', 'sun', 'user', 'os'].includes(name)) return name;
  }
  return;
}

/** The fields of a JSON object; an empty object for any other value. */
export function objectIn(body: string): Record<string, unknown> {
  try {
    const value = parseJson(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
