// curl commands for --print-curl.
import { maskText } from '../model/secrets.ts';
import { quoteWord } from '../model/shell-text.ts';
import { readAddress, urlOf } from './address.ts';
import type { Message } from './message.ts';
import type { TlsSettings } from './tls.ts';

interface CurlTarget {
  readonly url: string;
  readonly hasCredentials?: boolean | undefined;
  readonly tls?: TlsSettings | undefined;
}

/**
 * A curl command that sends a message, quoted for POSIX shells. Credentials are read from two shell
 * variables. Secrets in the body are replaced by a placeholder, and a binary body is read from
 * standard input.
 */
export function curlOf(
  { method, path, headers, body }: Message,
  { url, hasCredentials, tls = {} }: CurlTarget,
): string {
  const { base, user } = readAddress(url);
  const words = [
    'curl',
    '--location',
    ...(method === 'HEAD'
      ? ['--head']
      : method === 'GET' && body === undefined
        ? []
        : ['--request', method]),
    ...headers.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    ...(tls.caFile ? ['--cacert', tls.caFile] : []),
    ...(tls.certFile ? ['--cert', tls.certFile] : []),
    ...(tls.keyFile ? ['--key', tls.keyFile] : []),
    ...(tls.insecure ? ['--insecure'] : []),
    ...(body === undefined
      ? []
      : typeof body === 'string'
        ? ['--data-raw', maskText(body)]
        : ['--data-binary', '@-']),
  ].map(quoteWord);
  if (hasCredentials || user !== undefined) words.push('--user', '"$SVCCTL_USER:$SVCCTL_PASSWORD"');
  return [...words, quoteWord(urlOf(base, path).href)].join(' ');
}
