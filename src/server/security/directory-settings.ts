// Properties of an authenticator with users in a directory (the specification, "Authentication", 6
// and 7).
import type { Properties } from '../settings/properties.ts';
import type { ClientTls } from '../tls/client-tls.ts';
import type { BackOff } from './back-off.ts';
import { DirectoryUsers } from './directory-users.ts';
import { type GroupPattern, parseDn, parseGroupPattern } from './dn.ts';
import { directoryAt, faultOfUserSearch } from './ldap.ts';

/** The users of the configured directory. Throws CannotStart for invalid properties. */
export async function directoryUsersIn(
  properties: Properties,
  prefix: string,
  tls: ClientTls | undefined,
  backOff: BackOff,
): Promise<DirectoryUsers> {
  const of = (name: string) => `${prefix}.credentialsValidator.${name}`;
  const baseDn = properties.getText(of('baseDn')).trim();
  if (!parseDn(baseDn))
    throw properties.wrong(
      of('baseDn'),
      `is [${baseDn}], which is not a distinguished name, such as dc=example,dc=org`,
    );
  const userSearch = properties.text(of('userSearch')) ?? defaultUserSearch;
  const fault = await faultOfUserSearch(userSearch);
  if (fault !== undefined)
    throw properties.wrong(of('userSearch'), `is [${userSearch}], which ${fault}`);
  const account = accountIn(properties, of);
  const count = (name: string, defaultValue: number, most: number) => {
    const value = properties.integer(of(name), defaultValue);
    if (value < 0 || value > most) throw properties.outside(of(name), 0, most);
    return value;
  };
  const ask = directoryAt({
    url: urlIn(properties, of('url')),
    account,
    baseDn,
    userSearch,
    userAttribute: properties.text(of('userAttribute')) ?? defaultUserAttribute,
    tls,
  });
  const cache = {
    users: count('credentialCacheSize', 100, 1_000_000),
    idleMs: 1000 * count('credentialVerifyDuration', 600, mostSeconds),
    longestMs: 1000 * count('credentialMaxDuration', 3600, mostSeconds),
  };
  return new DirectoryUsers(
    ask,
    { cache, groupFilters: groupFiltersIn(properties, of('groupFilters')) },
    backOff,
  );
}

const mostSeconds = 30 * 24 * 60 * 60;

// The attributes of Active Directory.
const defaultUserSearch = '(&(sAMAccountName=%s)(objectClass=user))';
const defaultUserAttribute = 'sAMAccountName';

/** A list of group patterns; undefined if there is none. Throws CannotStart for an invalid one. */
export function groupFiltersIn(
  properties: Properties,
  name: string,
): readonly GroupPattern[] | undefined {
  if (properties.text(name) === undefined) return undefined;
  return properties.texts(name, []).map((text) => {
    const pattern = parseGroupPattern(text);
    if (!pattern)
      throw properties.wrong(
        name,
        `has [${text}], which is none of a group's distinguished name, *,DN and RDN,*`,
      );
    return pattern;
  });
}

function urlIn(properties: Properties, name: string): string {
  const text = properties.getText(name).trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    url &&
    ['ldap:', 'ldaps:'].includes(url.protocol) &&
    url.hostname !== '' &&
    ['', '/'].includes(url.pathname);
  if (
    !isPlain ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  )
    throw properties.wrong(
      name,
      'is not the address of one directory, ldap://HOST:PORT or ldaps://HOST:PORT',
    ); // the value is omitted: it may hold a password
  return text;
}

// With an empty password, the directory would treat the account as anonymous, with limited search
// results.
function accountIn(properties: Properties, of: (name: string) => string) {
  const user = properties.text(of('bindUser'));
  const password = properties.password(of('bindPassword'));
  if (user === undefined && password === undefined) return undefined;
  if (user === undefined || user === '')
    throw properties.wrong(of('bindUser'), 'is missing or empty beside bindPassword');
  if (password === undefined || password === '')
    throw properties.wrong(of('bindPassword'), 'is missing or empty beside bindUser');
  return { user, password };
}
