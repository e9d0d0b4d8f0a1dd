// Address of the service, and the hosts that may receive credentials.
import { BadSettings } from './errors.ts';

/**
 * Parses the address of a service: http or https, optionally with a path before the API's own. The
 * user and password are removed from it, so that messages cannot show them. Throws BadSettings.
 */
export function readAddress(text: string): { base: URL; user?: string; password?: string } {
  if (!isAddress(text)) {
    throw new BadSettings(`The URL [${withoutPassword(text)}] is not the address of a service`, {
      hint: 'it looks like http://127.0.0.1:8888',
    });
  }
  const base = new URL(text);
  const { username, password } = base;
  Object.assign(base, { username: '', password: '', search: '', hash: '' });
  return {
    base,
    ...(username
      ? { user: decodeURIComponent(username), password: decodeURIComponent(password) }
      : {}),
  };
}

/** Whether a text is a service address that `readAddress` accepts. */
export const isAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** An address without its password, for display. */
export const withoutPassword = (text: string): string => text.replace(/\/\/.*@/, '//');

/** The full URL of an API path. */
export function urlOf(base: URL, path: string): URL {
  return new URL(base.origin + base.pathname.replace(/\/+$/, '') + path);
}

/**
 * Whether a host may receive the profile's credentials. Allowed are the profile's own host on any
 * port, because the roles of one machine differ in it, and hosts listed as `host` or `host:port`.
 * An unencrypted connection is refused if the profile's is encrypted.
 */
export function isTrusted(url: URL, base: URL, hosts: readonly string[]): boolean {
  if (base.protocol === 'https:' && url.protocol !== 'https:') return false;
  return (
    url.hostname === base.hostname ||
    hosts.some((host) => host.toLowerCase() === url.hostname || host.toLowerCase() === url.host)
  );
}
