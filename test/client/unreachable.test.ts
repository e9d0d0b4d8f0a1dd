import { expect, test } from 'vitest';
import { unreachableOf } from '../../src/client/unreachable.ts';

const place = {
  url: new URL('https://host:8888/svc'),
  proxy: undefined,
  connectTimeoutMs: 10_000,
  timeoutMs: 300_000,
  hasCertificate: false,
};
const failed = (code: string, message = code, more = {}) =>
  Object.assign(new Error(message), { code, ...more });

test.each([
  ['ENOTFOUND', 'dns', 'The host [host] is not known'],
  ['EAI_AGAIN', 'dns', 'The host [host] could not be looked up'],
  ['ECONNREFUSED', 'refused', 'No service listens at [https://host:8888]'],
  [
    'EHOSTUNREACH',
    'connectTimeout',
    'There is no network route to [https://host:8888] (EHOSTUNREACH)',
  ],
  ['ETIMEDOUT', 'connectTimeout', 'No connection to [https://host:8888] within 10 s'],
  ['UND_ERR_HEADERS_TIMEOUT', 'replyTimeout', 'No answer from [https://host:8888] within 300 s'],
  ['CERT_HAS_EXPIRED', 'tls', 'The certificate of [https://host:8888] has expired'],
  [
    'ECONNRESET',
    'reset',
    'The connection to [https://host:8888] broke before the service answered',
  ],
  ['EPIPE', 'reset', 'The connection to [https://host:8888] broke before the service answered'],
])('%s', (code, kind, message) => {
  expect(unreachableOf(failed(code), place)).toMatchObject({ kind, message });
});

test('of a name with several addresses, the first says why', () => {
  const error = new AggregateError([failed('ECONNREFUSED'), failed('ENETUNREACH')]);
  expect(unreachableOf(error, place)).toMatchObject({ kind: 'refused' });
});

test('the proxy is named where it stands in between', () => {
  const proxied = { ...place, proxy: 'proxy:3128' };
  expect(unreachableOf(failed('ENOTFOUND', '', { hostname: 'proxy' }), proxied).message).toBe(
    'The host [proxy] is not known through the proxy [proxy:3128]',
  );
  expect(
    unreachableOf(
      failed('UND_ERR_ABORTED', 'Proxy response (502) !== 200 when HTTP Tunneling'),
      proxied,
    ),
  ).toMatchObject({
    kind: 'proxy',
    message: 'The proxy [proxy:3128] refused the connection to [https://host:8888] with 502',
  });
});

test('a handshake that fails says what OpenSSL says', () => {
  const message =
    '40E7:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:../ssl/record.c:1599:SSL alert number 40\n';
  expect(
    unreachableOf(failed('ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', message), place),
  ).toMatchObject({
    kind: 'tls',
    message: 'No secure connection to [https://host:8888]: sslv3 alert handshake failure',
    hint: 'the service may require a client certificate: set it with --cert FILE and --key FILE (PEM)',
  });
});

test('a bug stays a bug', () => {
  const bug = new TypeError('x is not a function');
  expect(unreachableOf(bug, place)).toBe(bug);
});
