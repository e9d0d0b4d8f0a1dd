// Protection against web pages: for any page, a browser sends requests from inside the network,
// with stored credentials.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { CannotStart } from '../process/cannot-start.ts';
import { crossSite, foreignHost, foreignOrigin, severalHosts } from './refusals.ts';

export interface WebSettings {
  readonly host: string; // the address listened on
  readonly allowedHosts: readonly string[]; // further names in Host headers
  readonly allowedOrigins: readonly string[]; // of pages that may send requests
}

export interface WebCheck {
  /** Whether the operator allows pages of this origin. */
  allowsOrigin(origin: string): boolean;
  /**
   * Refuses a request with several Host headers, and one from a web page of another site. If
   * credentials are required (`asks`), the browser's statement that the page has the service's own
   * origin is sufficient: a proxy in front may change Host.
   */
  checkPage(message: IncomingMessage, asks: boolean): void;
  /**
   * Refuses a request whose Host is not a name of the service: after DNS rebinding a page shares
   * the service's origin, but keeps its own name. For callers without credentials, because a
   * browser sends none to a foreign name. `authority` is that of an absolute request target.
   */
  checkHost(message: IncomingMessage, authority: string | undefined): void;
}

/** Creates the check of a port. Throws CannotStart for an invalid allowed host or origin. */
export function createWebCheck({ host, allowedHosts, allowedOrigins }: WebSettings): WebCheck {
  const own = new Set([host.includes(':') ? `[${host}]` : host, ...allowedHosts].map(hostNamed));
  const origins = new Set(allowedOrigins.map(originNamed));
  const isOwn = (name: string) =>
    isLoopbackName(name) || own.has(name) || (isWildcard(host) && isOfThisMachine(name));
  const allowsOrigin = (origin: string) => origins.has(origin.toLowerCase());
  return {
    allowsOrigin,
    checkPage({ headers, rawHeaders }, asks) {
      if (rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1)
        throw severalHosts();
      const { origin, host, 'sec-fetch-site': site } = headers;
      if (origin !== undefined && allowsOrigin(origin)) return;
      if (site !== undefined && site !== 'same-origin' && site !== 'none')
        throw crossSite(String(site), origin);
      if (origin === undefined || (asks && site === 'same-origin')) return;
      if (!isSameHost(origin, host) && !isOnThisMachine(origin)) throw foreignOrigin(origin);
    },
    checkHost({ headers }, authority) {
      // Only HTTP/1.0 requests lack Host, and browsers do not use it.
      for (const given of [headers.host, authority]) {
        if (given === undefined || given === '') continue;
        const name = urlOf(given)?.hostname;
        if (name === undefined || !isOwn(withoutDot(name))) throw foreignHost(given);
      }
    },
  };
}

// The scheme may differ, because a proxy in front may terminate TLS. A proxy on this machine may
// also change Host (the web console during development).
const isSameHost = (origin: string, host: string | undefined) => {
  const page = pageOf(origin);
  return page !== undefined && host !== undefined && page.host === urlOf(host)?.host;
};
const isOnThisMachine = (origin: string) => {
  const page = pageOf(origin);
  return page !== undefined && isLoopbackName(withoutDot(page.hostname));
};

const pageOf = (origin: string): URL | undefined => {
  const [, authority] = /^https?:\/\/(.*)$/i.exec(origin) ?? [];
  return authority === undefined ? undefined : urlOf(authority, origin);
};

// Browsers normalize names before they send them, and so does URL: capitals, IPv6, IPv4 with fewer
// parts.
function urlOf(authority: string, url = `http://${authority}`): URL | undefined {
  if (authority === '' || /[\s/\\?#@,%]/.test(authority)) return undefined;
  return URL.canParse(url) ? new URL(url) : undefined;
}

const withoutDot = (name: string) => name.replace(/\.$/, '');

function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true; // such names cannot be registered (RFC 6761, section 6.3)
  const address = name.replace(/^\[|\]$/g, '');
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const isWildcard = (host: string) => host === '0.0.0.0' || host === '::';

function isOfThisMachine(name: string): boolean {
  if (name === hostname().toLowerCase()) return true;
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.some(
    ({ address, family }) =>
      (family === 'IPv6' ? urlOf(`[${address}]`)?.hostname : address) === name,
  );
}

function hostNamed(given: string): string {
  const url = urlOf(given);
  if (url && !/:\d*$/.test(given.replace(/\[.*\]/, ''))) return withoutDot(url.hostname);
  throw new CannotStart(
    `Host [${given}] is not a name or an address without a port, as in analytics.example or [2001:db8::1]`,
  );
}

function originNamed(given: string): string {
  if (given === 'null') return given;
  const origin = given.toLowerCase().replace(/\/$/, '');
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s/\\?#@,%]+$/.test(origin) || !URL.canParse(origin))
    throw new CannotStart(
      `Origin [${given}] is not the scheme, name and port of web pages, as in https://console.example:8443`,
    );
  const url = new URL(origin);
  return url.origin === 'null' ? origin : url.origin;
}
