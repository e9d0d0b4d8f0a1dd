// LDAP client: finds a user and verifies a password. One connection per request, closed after it.
import { lookup } from 'node:dns';
import { connect, type LookupFunction, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectSecurely } from 'node:tls';
import type { Client, Entry } from 'ldapts';
import type { ClientTls } from '../tls/client-tls.ts';
import type { Verdict } from './authenticators.ts';
import { type Dn, parseDn } from './dn.ts';
import { filterFor } from './filter-text.ts';
import { Notice } from './notice.ts';

export interface DirectoryAddress {
  readonly url: string; // ldap://host:port or ldaps://host:port
  // The account for searches; undefined: the directory allows anonymous searches
  readonly account: { readonly user: string; readonly password: string } | undefined;
  readonly baseDn: string;
  readonly userSearch: string; // with %s for the user's name
  readonly userAttribute: string;
  readonly tls: ClientTls | undefined; // default: the authorities of Node
}

export interface DirectoryLimits {
  readonly connectMs: number;
  readonly replyMs: number; // for each reply
  readonly wholeMs: number;
  readonly replyBytes: number; // total of one request's replies
}

export const defaultLimits: DirectoryLimits = {
  connectMs: 5000,
  replyMs: 5000,
  wholeMs: 10_000,
  replyBytes: 4 * 1024 ** 2,
};

/** The directory cannot answer now; the message tells the operator why. */
export class DirectoryFailure extends Notice {}

/** Checks a name and a password. Fails with a DirectoryFailure. */
export type AskDirectory = (
  name: string,
  password: string,
) => Promise<Exclude<Verdict, 'unavailable'>>;

/**
 * Client of a directory. Names and passwords must not be empty: a directory treats an empty
 * password as an anonymous bind.
 */
export function directoryAt(
  address: DirectoryAddress,
  limits: DirectoryLimits = defaultLimits,
): AskDirectory {
  const find = sharedLookup();
  return async (name, password) => {
    const { Client: NewClient } = await import('ldapts');
    const within = (socket: Socket) => limitReplies(socket, limits.replyBytes);
    const isSecure = address.url.toLowerCase().startsWith('ldaps:');
    const client = new NewClient({
      url: address.url,
      connectTimeout: limits.connectMs,
      timeout: limits.replyMs,
      ...(isSecure
        ? {
            tlsOptions: { minVersion: 'TLSv1.2', ...address.tls },
            createSecureConnection: ((port: number, host: string, options: ConnectionOptions) =>
              within(
                connectSecurely({ ...options, port, host, lookup: find }),
              )) as unknown as typeof connectSecurely,
          }
        : {
            createConnection: ((port: number, host: string) =>
              within(connect({ port, host, lookup: find }))) as unknown as typeof connect,
          }),
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(new Error(`no answer within ${limits.wholeMs / 1000} s`)),
        limits.wholeMs,
      );
    });
    try {
      return await Promise.race([ask(client, address, name, password), late]);
    } catch (error) {
      if (error instanceof DirectoryFailure) throw error;
      throw new DirectoryFailure(
        `Directory [${address.url}] cannot be reached: ${reasonOf(error, limits)}`,
      );
    } finally {
      clearTimeout(timer);
      client.unbind().catch(() => undefined); // the result is already known
    }
  };
}

/** The fault in a template of search filters; undefined for a valid one. */
export async function faultOfUserSearch(template: string): Promise<string | undefined> {
  if (!template.includes('%s')) return 'has no %s as placeholder for the name of the user';
  const { FilterParser } = await import('ldapts');
  try {
    FilterParser.parseString(filterFor(template, 'name'));
    if (isBalanced(template)) return undefined;
  } catch {
    // The sentence below replaces the library's message.
  }
  return 'is not a search filter, such as (uid=%s)';
}

// The library accepts unbalanced parentheses.
function isBalanced(filter: string): boolean {
  let open = 0;
  for (const sign of filter) {
    if (sign === '(') open++;
    else if (sign === ')' && --open < 0) return false;
  }
  return open === 0;
}

async function ask(
  client: Client,
  address: DirectoryAddress,
  name: string,
  password: string,
): ReturnType<AskDirectory> {
  const { url, account, baseDn, userSearch, userAttribute } = address;
  if (account) {
    try {
      await client.bind(account.user, account.password);
    } catch (error) {
      throw isRefusedBind(error)
        ? new DirectoryFailure(
            `Directory [${url}] refuses bindUser [${account.user}] or its password`,
          )
        : error;
    }
  }
  const entries = await find(client, address, userSearch, name, userAttribute, baseDn);
  const [entry, another] = entries;
  if (!entry) return 'unknown';
  if (another) throw new AmbiguousUser(url, name);
  // Without a name, the directory would treat the bind as anonymous and accept it.
  if (entry.dn.trim() === '')
    throw new DirectoryFailure(
      `Directory [${url}] sent an entry without a distinguished name for user [${name}]`,
    );
  try {
    await client.bind(entry.dn, password);
  } catch (error) {
    if (isRefusedBind(error)) return 'wrong';
    throw error;
  }
  return { groups: groupsOf(entry) };
}

/** Several entries have the name of a user, so the name is ambiguous. */
export class AmbiguousUser extends DirectoryFailure {
  constructor(url: string, name: string) {
    super(
      `Directory [${url}] has several entries for user [${name}], which is refused. Change property userSearch so that it finds one`,
    );
  }
}

// References to other directories are neither followed nor counted.
async function find(
  client: Client,
  { url }: DirectoryAddress,
  template: string,
  name: string,
  attribute: string,
  baseDn: string,
) {
  try {
    const { searchEntries } = await client.search(baseDn, {
      scope: 'sub',
      filter: filterFor(template, name),
      attributes: [attribute, memberOf],
      sizeLimit: 2,
      timeLimit: 5,
    });
    return searchEntries;
  } catch (error) {
    const code = codeOf(error);
    if (code === noSuchObject)
      throw new DirectoryFailure(`Directory [${url}] has no entry [${baseDn}] of property baseDn`);
    if (code === referral)
      throw new DirectoryFailure(
        `Directory [${url}] does not hold entry [${baseDn}] of property baseDn: it refers to another directory`,
      );
    throw error;
  }
}

const memberOf = 'memberOf';

function groupsOf(entry: Entry): readonly Dn[] {
  const [, value] =
    Object.entries(entry).find(([name]) => name.toLowerCase() === memberOf.toLowerCase()) ?? [];
  return [value ?? []].flat().flatMap((one) => {
    const group = parseDn(String(one));
    return group ? [group] : [];
  });
}

// Result codes of RFC 4511, appendix A.
const referral = 10;
const noSuchObject = 32;

// Results that depend on the directory, rather than on a user and a password.
const generalCodes = {
  operationsError: 1,
  protocolError: 2,
  timeLimitExceeded: 3,
  strongerAuthRequired: 8,
  adminLimitExceeded: 11,
  confidentialityRequired: 13,
  busy: 51,
  unavailable: 52,
  other: 80,
};
const general = new Set(Object.values(generalCodes));

// The password is wrong or missing, the account is locked, expired or elsewhere: the directory has
// answered with a refusal.
function isRefusedBind(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && !general.has(code);
}

const codeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number'
    ? error.code
    : undefined;

function reasonOf(error: unknown, limits: DirectoryLimits): string {
  if (!(error instanceof Error)) return String(error);
  const code = codeOf(error);
  if (code !== undefined) return `it answers with result code ${code}, ${error.name}`;
  if (error instanceof AggregateError)
    return error.errors.map((one) => reasonOf(one, limits)).join('; '); // one for each address of a host
  const { message } = error;
  if (message === 'Connection timeout') return `no connection within ${limits.connectMs / 1000} s`;
  if (message.endsWith('Operation timed out')) return `no reply within ${limits.replyMs / 1000} s`;
  if (message.startsWith('Connection closed before')) return 'it closed the connection';
  return message.split('\n').at(-1) ?? message; // earlier lines are the library's own text
}

// A reply must not exhaust the memory or end the process: errors of the library during parsing
// would be uncaught.
function limitReplies<Connection extends Socket>(
  socket: Connection,
  mostBytes: number,
): Connection {
  const emit = socket.emit.bind(socket);
  let bytes = 0;
  socket.emit = ((event: string | symbol, ...args: unknown[]) => {
    if (event !== 'data') return emit(event, ...args);
    const [chunk] = args;
    if (chunk instanceof Uint8Array) bytes += chunk.length;
    try {
      if (bytes <= mostBytes) return emit(event, ...args);
      socket.destroy(new Error(`its reply is longer than ${mostBytes} bytes`));
    } catch {
      socket.destroy(new Error('its reply cannot be read'));
    }
    return true;
  }) as Connection['emit'];
  return socket;
}

// Each lookup with a slow name service blocks one of the few threads of the process, so lookups run
// one at a time.
function sharedLookup(): LookupFunction {
  const waiting: Parameters<LookupFunction>[2][] = [];
  return (hostname, options, callback) => {
    waiting.push(callback);
    if (waiting.length > 1) return;
    lookup(hostname, options, (error, address, family) => {
      for (const told of waiting.splice(0)) told(error, address, family);
    });
  };
}
