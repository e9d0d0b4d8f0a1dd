// Explanations of connection failures by the error codes of libuv, OpenSSL and undici.
import {
  BadSettings,
  Unreachable,
  type UnreachableKind,
  type UnreachableReason,
} from './errors.ts';

interface FailedCall {
  readonly url: URL;
  readonly proxy?: string | undefined; // host and port
  readonly connectTimeoutMs: number;
  readonly timeoutMs: number;
  readonly hasCertificate: boolean; // a client certificate is set
}

type Explanation = readonly [UnreachableKind, string, (string | undefined)?, UnreachableReason?];

/**
 * Converts an error of a request into an Unreachable with its kind, a sentence and, if possible, a
 * remedy; or into BadSettings when the request is invalid in HTTP. Any other error is a bug and
 * stays unchanged.
 */
export function unreachableOf(thrown: unknown, place: FailedCall): Error {
  const cause = rootOf(thrown);
  const { code = '', message } = cause;
  if (code === '' && cause.name !== 'HTTPParserError') return cause;
  const isProxyLogin = message.startsWith('Proxy Authentication');
  if (code === 'UND_ERR_INVALID_ARG' && !isProxyLogin)
    return new BadSettings(`The request cannot be sent: ${message}`, { cause: thrown });
  const [kind, sentence, hint, reason] =
    explainProxy(message, place) ??
    explainNetwork(cause, place) ??
    explainTimeout(code, place) ??
    explainTls(cause, place) ??
    explainProtocol(cause, place);
  return new Unreachable(kind, sentence, {
    cause: thrown,
    ...(hint && { hint }),
    ...(reason && { reason }),
  });
}

function explainProxy(message: string, { url, proxy }: FailedCall): Explanation | undefined {
  const found = /Proxy response \((\d+)\)|Proxy Authentication Required \((407)\)/.exec(message);
  if (!found) return undefined;
  const proxyStatus = Number(found[1] ?? found[2]);
  const sentence = `The proxy [${proxy}] refused the connection to ${originOf(url)} with ${proxyStatus}`;
  return ['proxy', sentence, proxyStatus === 407 ? proxyLoginHint : proxyHint, { proxyStatus }];
}

function explainNetwork(
  cause: NodeJS.ErrnoException,
  { url, proxy }: FailedCall,
): Explanation | undefined {
  const { code = '' } = cause;
  const host = hostOf(cause) ?? url.hostname;
  if (code === 'ENOTFOUND')
    return ['dns', `The host [${host}] is not known${throughOf(proxy)}`, nameHint];
  if (code === 'EAI_AGAIN')
    return ['dns', `The host [${host}] could not be looked up${throughOf(proxy)}`];
  if (code === 'ECONNREFUSED') {
    return proxy
      ? ['proxy', `The proxy [${proxy}] refused the connection`, proxyHint]
      : ['refused', `No service listens at ${originOf(url)}`];
  }
  if (/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/.test(code)) {
    const sentence = `There is no network route to ${originOf(url)}${throughOf(proxy)} (${code})`;
    return ['connectTimeout', sentence];
  }
  return undefined;
}

function explainTimeout(
  code: string,
  { url, proxy, connectTimeoutMs, timeoutMs }: FailedCall,
): Explanation | undefined {
  const origin = originOf(url);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT') {
    const sentence = `No connection to ${origin}${throughOf(proxy)} within ${seconds(connectTimeoutMs)}`;
    return ['connectTimeout', sentence];
  }
  return /^UND_ERR_(HEADERS|BODY)_TIMEOUT$/.test(code)
    ? ['replyTimeout', `No answer from ${origin} within ${seconds(timeoutMs)}`, patienceHint]
    : undefined;
}

function explainTls(
  { code = '', message }: NodeJS.ErrnoException,
  { url, proxy }: FailedCall,
): Explanation | undefined {
  const origin = originOf(url);
  if (/wrong version number|packet length too long|http request/i.test(message)) {
    const hint = 'the service may use plain HTTP: try http:// in the URL';
    return ['tls', `The service at ${origin} does not use TLS`, hint];
  }
  const distrust = tlsReasons[code];
  if (distrust) {
    const [sentence, hint] = sentences[distrust];
    return ['tls', `The certificate of ${origin} ${sentence}`, hint, { distrust }];
  }
  if (/^(ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO|CERT_|UND_ERR_PRX_TLS)/.test(code)) {
    const sentence = `No secure connection to ${origin}${throughOf(proxy)}: ${opensslReason(message)}`;
    return ['tls', sentence, clientCertificateHint(message)];
  }
  return undefined;
}

function explainProtocol({ code, name }: NodeJS.ErrnoException, place: FailedCall): Explanation {
  const origin = originOf(place.url);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    const sentence = `The headers of the reply from ${origin} are too long`;
    return ['protocol', sentence, 'something else may be listening there'];
  }
  if (name === 'HTTPParserError') {
    const hint = 'the service may use TLS: try https:// in the URL';
    return ['protocol', `The reply from ${origin} is not HTTP`, hint];
  }
  const through = throughOf(place.proxy);
  const sentence = `The connection to ${origin}${through} broke before the service answered`;
  return ['reset', sentence, resetHint(place)];
}

function resetHint({ url, hasCertificate }: FailedCall): string | undefined {
  if (url.protocol === 'http:')
    return 'the service may have restarted; if it uses TLS, use https:// in the URL';
  return hasCertificate ? undefined : clientCertificate;
}

const originOf = (url: URL) => `[${url.origin}]`;

const throughOf = (proxy: string | undefined) => (proxy ? ` through the proxy [${proxy}]` : '');

const clientCertificate =
  'the service may require a client certificate: set it with --cert FILE and --key FILE (PEM)';
/** The hint for a service that is too slow. */
export const patienceHint = '--timeout waits longer, as in --timeout 10m';
const nameHint = 'check the URL';
const proxyHint = 'see HTTP_PROXY, HTTPS_PROXY and NO_PROXY';
const proxyLoginHint =
  'put name and password into the proxy variable, as in http://name:password@proxy:3128';
const authorityHint =
  'trust its authority with --cacert FILE (PEM), or accept any certificate with --insecure';

type Distrust = NonNullable<UnreachableReason['distrust']>;

const tlsReasons: Record<string, Distrust> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'selfSigned',
  SELF_SIGNED_CERT_IN_CHAIN: 'unknownAuthority',
  UNABLE_TO_GET_ISSUER_CERT: 'unknownAuthority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'unknownAuthority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'unknownAuthority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'anotherHost',
  CERT_HAS_EXPIRED: 'expired',
  CERT_NOT_YET_VALID: 'notYetValid',
  CERT_REVOKED: 'revoked',
};

const sentences: Record<Distrust, [string, string?]> = {
  selfSigned: ['is self-signed', authorityHint],
  unknownAuthority: ['was issued by an unknown authority', authorityHint],
  anotherHost: ['is for another host', 'use the name in the certificate, or set it as server name'],
  expired: ['has expired'],
  notYetValid: ['is not valid yet', 'is the clock right?'],
  revoked: ['was revoked'],
};

const clientCertificateHint = (message: string) =>
  /certificate (required|unknown)|bad certificate|handshake failure/i.test(message)
    ? clientCertificate
    : undefined;

const opensslReason = (message: string) =>
  /(?:routines:[^:]*:|alert )([^:\n]+)/.exec(message)?.[1]?.trim() ?? message.split('\n')[0];

const seconds = (ms: number) => `${ms / 1000} s`;

// For a name with several addresses, Node throws an AggregateError with one error per address.
function rootOf(thrown: unknown): NodeJS.ErrnoException {
  if (thrown instanceof AggregateError && thrown.errors.length > 0) return rootOf(thrown.errors[0]);
  if (!(thrown instanceof Error)) return new Error(String(thrown));
  const { code } = thrown as NodeJS.ErrnoException;
  return code === 'UND_ERR_PRX_TLS' && thrown.cause instanceof Error
    ? rootOf(thrown.cause)
    : thrown;
}

const hostOf = (cause: Error) =>
  'hostname' in cause && typeof cause.hostname === 'string' ? cause.hostname : undefined;
