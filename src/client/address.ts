// Address of the service, and the hosts that may receive credentials.
import { BadSettings } from './errors.ts';

/**
 * Reads the address of a service: http or https, perhaps with a path before the API's own. A name
 * and password in it are taken out, so that no message can show them. Throws BadSettings.
 */
export function readAddress(text: string): { base: URL; user?: string; password?: string } {
  if (!isAddress(text)) {
    throw new BadSettings(`The URL [${withoutPassword(text)}] is not one of a service`, {
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

/** Whether a text is an address of a service, for `readAddress`. */
export const isAddress = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

/** An address as it may be shown. */
export const withoutPassword = (text: string): string => text.replace(/\/\/.*@/, '//');

/** The full address of a path of the API. */
export function urlOf(base: URL, path: string): URL {
  return new URL(base.origin + base.pathname.replace(/\/+$/, '') + path);
}

/**
 * Whether a host may see the profile's credentials: the profile's own host on any port, because the
 * roles of one machine differ in it, or one it lists as `host` or `host:port`; and never in clear
 * text what was meant to be encrypted.
 */
export function isTrusted(url: URL, base: URL, hosts: readonly string[]): boolean {
  if (base.protocol === 'https:' && url.protocol !== 'https:') return false;
  return (
    url.hostname === base.hostname ||
    hosts.some((host) => host.toLowerCase() === url.hostname || host.toLowerCase() === url.host)
  );
}
