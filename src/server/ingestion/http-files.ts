// Files fetched over HTTP: from addresses that the operator allows, never from link-local ones,
// with deadlines.
import { type IncomingMessage, validateHeaderName, validateHeaderValue } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { invalidSpec } from '../checks/spec-fields.ts';
import { exchange, receiveFile } from '../outgoing/http-exchange.ts';
import { isLinkLocal, linkLocalWords } from '../outgoing/link-local.ts';
import type { HttpRules } from './outside.ts';

export interface Download {
  readonly uri: string;
  readonly headers: Readonly<Record<string, string>>; // not sent to other origins
  readonly path: string; // of the target file
  readonly maxBytes: number;
  readonly patienceMs?: number; // until the response begins, and for each further 1024 bytes
  readonly rules: HttpRules;
  readonly signal: AbortSignal;
}

/**
 * Throws a Refusal for a forbidden address. A host name is resolved and checked only on fetching.
 */
export function checkUri(uri: string, rules: HttpRules): void {
  const fault = URL.canParse(uri) ? faultOf(new URL(uri), rules) : 'it is not an address';
  if (fault !== undefined) throw invalidSpec(`Cannot fetch [${maskUri(uri)}]: ${fault}`);
}

/** Throws a Refusal for a forbidden header. */
export function checkHeader(name: string, value: string, { headers }: HttpRules): void {
  if (headers && !headers.includes(name.toLowerCase()))
    throw invalidSpec(
      `Got forbidden header [${name}], allowed headers are only [${headers.join(', ')}]. Property [ingestion.http.allowedHeaders] lists them`,
    );
  if (ownHeaders.has(name.toLowerCase()))
    throw invalidSpec(`Header [${name}] is set by the service and cannot be overridden`);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch {
    throw invalidSpec(
      `Header [${name}] or its value has characters that are not allowed in headers`,
    );
  }
}

/** An address without its user and password. */
export function maskUri(uri: string): string {
  if (!URL.canParse(uri)) return uri.includes('@') ? 'an address with an @' : uri;
  const url = new URL(uri);
  if (url.username + url.password === '') return uri;
  [url.username, url.password] = ['', ''];
  return url.href;
}

/**
 * Fetches an address into a file; returns its size in bytes. Throws an Error with the address and
 * the reason.
 */
export async function download({ uri, ...wanted }: Download): Promise<number> {
  const { signal, path, maxBytes, patienceMs = 60_000 } = wanted;
  try {
    const response = await answerOf(new URL(uri), { ...wanted, patienceMs });
    return await receiveFile(response, {
      path,
      decoders: decoders(response, path),
      maxBytes,
      patienceMs,
      signal,
    });
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`Cannot fetch [${maskUri(uri)}]: ${reasonOf(error)}`);
  }
}

type Wanted = Omit<Download, 'uri' | 'patienceMs'> & { readonly patienceMs: number };

// The same rules apply to every redirect. Headers for the first origin are not sent to others.
async function answerOf(first: URL, wanted: Wanted): Promise<IncomingMessage> {
  let [url, headers] = [first, wanted.headers];
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const fault = faultOf(url, wanted.rules);
    if (fault !== undefined)
      throw new Error(redirects === 0 ? fault : `it redirects to [${maskUri(url.href)}]: ${fault}`);
    if (url.origin !== first.origin) headers = {};
    const { signal, patienceMs } = wanted;
    const response = await exchange(url, { headers, signal, patienceMs });
    const { statusCode = 0 } = response;
    const { location } = response.headers;
    if (statusCode >= 200 && statusCode < 300) return response;
    response.destroy();
    if (!redirections.has(statusCode) || location === undefined)
      throw new Error(`the server answered with status [${statusCode}]`);
    if (!URL.canParse(location, url.href))
      throw new Error('the server redirects to an invalid address');
    url = new URL(location, url);
  }
  throw new Error(`the server redirects more than [${maxRedirects}] times`);
}

const maxRedirects = 10;
const redirections = new Set([301, 302, 303, 307, 308]);

/** The reason why an address is forbidden; undefined for an allowed one. */
export function faultOf(url: URL, { protocols, targets }: HttpRules): string | undefined {
  if (!protocols.includes(url.protocol.slice(0, -1)))
    return `Only [${protocols.join(', ')}] protocols are allowed`;
  if (url.username + url.password !== '')
    return 'an address must not contain a user: use [httpAuthenticationUsername] and [httpAuthenticationPassword]';
  if (isLinkLocal(url.hostname)) return linkLocalWords;
  if (targets && !targets.some((target) => isBelow(url, target)))
    return 'it is not below an address that the service may fetch. Start the service with --allow-url to allow it';
  return undefined;
}

// Servers may decode %2F in a path to a slash, so that a following `..` leads elsewhere.
function isBelow(url: URL, target: URL): boolean {
  const [path, parent] = [url.pathname.split('/'), target.pathname.replace(/\/$/, '').split('/')];
  return (
    url.origin === target.origin &&
    parent.every((part, at) => part === path[at]) &&
    !/%2f|%5c/i.test(url.pathname)
  );
}

// A server may encode a response unasked; a .gz file with a gzip encoding is the file itself.
function decoders({ headers }: IncomingMessage, path: string): Transform[] {
  switch (headers['content-encoding']?.toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return path.endsWith('.gz') ? [] : [createGunzip()];
    case 'deflate':
      return [createInflate()];
    case 'br':
      return [createBrotliDecompress()];
    default:
      return [];
  }
}

/** The message of an error. */
export function reasonOf(error: unknown): string {
  // One error for each address of the host
  if (error instanceof AggregateError) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

// Headers that determine the destination or the length of a message.
const ownHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
