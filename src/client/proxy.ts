// Choice of the proxy for an address by the environment variables of curl.
import { BadSettings } from './errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL from HTTP_PROXY, HTTPS_PROXY and NO_PROXY (lower-case names win), or
 * undefined. Its address may hold a password: show only its host. Throws BadSettings for an invalid
 * address.
 */
export function proxyIn(env: Environment, url: URL): URL | undefined {
  const scheme = url.protocol === 'https:' ? 'https' : 'http';
  const address = env[`${scheme}_proxy`] || env[`${scheme.toUpperCase()}_PROXY`];
  if (!address || isExcepted(url, env.no_proxy ?? env.NO_PROXY ?? '')) return undefined;
  const full = address.includes('://') ? address : `http://${address}`;
  if (URL.canParse(full)) return new URL(full);
  throw new BadSettings(`The variable [${scheme.toUpperCase()}_PROXY] is not an address`, {
    hint: 'it looks like http://proxy:3128',
  });
}

// NO_PROXY lists `*`, hosts with or without port, and domains.
function isExcepted({ hostname, port, protocol }: URL, exceptions: string): boolean {
  const usedPort = port || (protocol === 'https:' ? '443' : '80');
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  return exceptions.split(/[,\s]+/).some((entry) => {
    const [, name = entry, onlyPort] = /^(\[.*\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    const host = name
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/^\*?\./, '')
      .toLowerCase();
    if (host === '' || (onlyPort !== undefined && onlyPort !== usedPort)) return false;
    return host === '*' || bare === host || bare.endsWith(`.${host}`);
  });
}
