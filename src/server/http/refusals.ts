// Refusals of requests that a web page may have sent.
import { Refusal } from '../checks/refusals.ts';

/** A request with more than one Host header (RFC 9112, section 3.2). */
export const severalHosts = () =>
  new Refusal('invalidInput', 'The request has more than one Host header', { family: 'simpleMap' });

export const foreignHost = (host: string) =>
  forbid(
    `Host [${shorten(host)}] is not an address of this service. Without users, the service answers only at its own addresses, to keep web pages out. Start it with --allow-host NAME to allow another name`,
  );

export const foreignOrigin = (origin: string) =>
  forbid(
    `Origin [${shorten(origin)}] is not the origin of this service. Web pages of other origins are refused; start the service with --allow-origin ORIGIN to allow one`,
  );

/** `site` is the relation stated by the browser, such as `cross-site`. */
export const crossSite = (site: string, origin: string | undefined) =>
  forbid(
    `The request comes from a web page of another site: Sec-Fetch-Site is [${shorten(site)}]${origin === undefined ? '' : ` and Origin is [${shorten(origin)}]`}. Start the service with --allow-origin ORIGIN to allow pages of an origin`,
  );

const forbid = (message: string) => new Refusal('forbidden', message, { family: 'simpleMap' });

const shorten = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}...` : text);
