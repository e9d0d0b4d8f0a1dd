// Secrets never go into files, nor onto a screen: a clear word stands for them. In a file it means that what the cluster has stays.
import { isObject, isSame } from './difference.ts';
import { formatJson, parseJson } from './json.ts';

export const maskWord = '<masked>';

/** The same document with the word in place of each secret. */
export function masked(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => masked(item));
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, key === 'map' ? field : masked(field, key)]));
  if (typeof value !== 'string' || value === '') return value;
  if (isSecretName(name)) return maskWord;
  return value.replace(/^([a-z][\w+.-]*:\/\/[^/:@\s]+:)[^/@\s]+@/i, `$1${maskWord}@`);
}

/** The same body of a request with the word in place of each secret; a text that is no JSON, or holds none, as it is. */
export function maskedText(body: string): string {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    return body;
  }
  const shown = masked(value);
  return isSame(value, shown) ? body : formatJson(shown);
}

/** A document from a file with the secrets that the cluster has where the word stands. */
export function restored(value: unknown, live: unknown): unknown {
  if (Array.isArray(value)) return value.map((item, at) => restored(item, Array.isArray(live) ? live[at] : undefined));
  if (isObject(value)) {
    const known = isObject(live) ? live : {};
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, restored(field, known[key])]));
  }
  return typeof value === 'string' && value.includes(maskWord) && typeof live === 'string' ? live : value;
}

/** Whether the word still stands somewhere, so that the document cannot be sent. */
export const hasMask = (value: unknown): boolean =>
  typeof value === 'string' ? value.includes(maskWord) : typeof value === 'object' && value !== null && Object.values(value).some(hasMask);

/** One field as it may be shown: its path says whether it is a secret. */
export const maskedAt = (path: string, value: unknown): unknown => masked(value, /([^.[\]"]+)["\]]*$/.exec(path)?.[1] ?? '');

// Kafka: ssl.keystore.password, sasl.jaas.config; Kinesis and S3: accessKey, secretKey; Druid's own: password, clientSecret, apiKey.
const isSecretName = (name: string) =>
  /passw(or)?d|passphrase|secret|jaas\.config|(access|api|private).?key$|(^|[._-])token$|credentials?$/i.test(name);
