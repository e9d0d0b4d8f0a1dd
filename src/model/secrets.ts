// Masking of secrets in files and on screens by a placeholder word. In a file, the word means that
// the cluster's value stays.
import { isObject, isSame } from './difference.ts';
import { formatJson, isDocument, parseJson } from './json.ts';

export const maskWord = '<masked>';

/**
 * Masks a text with more structure, depending on its field; undefined applies the default by field
 * name.
 */
export type MaskText = (name: string, text: string) => string | undefined;

/** The same document with the mask in place of each secret. */
export function mask(value: unknown, name = '', maskText: MaskText = () => undefined): unknown {
  if (Array.isArray(value))
    return value.map((item) => mask(item, isSecretName(name) ? name : '', maskText));
  if (isDocument(value)) {
    const isAllSecret = isSecretName(name) || holders.has(name);
    const isMap = value.type === 'mapString'; // a provider that holds what it provides (Druid: DynamicConfigProvider)
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => {
        if (isUsersOwn(key, field, value.type)) return [key, field];
        if (isAllSecret && !plainInProviders.has(key))
          return [key, mask(field, 'secret', maskText)];
        return [key, mask(field, isMap && key === 'config' ? 'secret' : key, maskText)];
      }),
    );
  }
  if (typeof value === 'number' || typeof value === 'bigint')
    return isSecretName(name) ? maskWord : value;
  if (typeof value !== 'string' || value === '') return value;
  if (isSecretName(name)) return maskWord;
  return maskText(name, value) ?? maskAddress(value);
}

// Masks the user's password in an address, also in a JDBC one, and parameters with the name of a
// secret: `jdbc:postgresql://a/b?password=…`.
const maskAddress = (text: string): string =>
  isAddress(text)
    ? text
        .replace(/^((?:jdbc:)?[a-z][\w+.-]*:\/\/[^/:@\s]+:)[^/@\s]+@/i, `$1${maskWord}@`)
        .replace(/([?&;]([^=&;?#\s]+)=)[^&;#\s]+/g, (all, beginning: string, name: string) =>
          isSecretName(name) ? beginning + maskWord : all,
        )
    : text;

const isAddress = (text: string) => /^(jdbc:|[a-z][\w+.-]*:\/\/)/i.test(text);

const isMasked = (text: string) =>
  text === maskWord ||
  text.includes(`:${maskWord}@`) ||
  (isAddress(text) && text.includes(`=${maskWord}`));

// Objects whose values are all secret, whatever their names: headers for another server.
const holders = new Set(['requestHeaders']);
const plainInProviders = new Set(['type', 'variable', 'variables']);

// Whether the names in a field are user-defined: rows, inline data and entries of lookups. Other
// objects in a field of such a name are masked all the same.
function isUsersOwn(name: string, field: unknown, type: unknown): boolean {
  if (name === 'map') return type === 'map' || type === 'staticMap';
  if (name === 'data') return typeof field === 'string';
  return (
    (name === 'results' || name === 'sampleRecords') &&
    Array.isArray(field) &&
    field.every(Array.isArray)
  );
}

/**
 * The same request body with the mask in place of each secret. A text without secrets, or one that
 * is not JSON, stays unchanged.
 */
export function maskText(body: string): string {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    return body;
  }
  const shown = mask(value);
  return isSame(value, shown) ? body : formatJson(shown);
}

/** A document from a file with each mask replaced by the cluster's secret. */
export function restore(value: unknown, live: unknown): unknown {
  if (Array.isArray(value))
    return value.map((item, at) => restore(item, Array.isArray(live) ? live[at] : undefined));
  if (isObject(value)) {
    const known = isObject(live) ? live : {};
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [key, restore(field, known[key])]),
    );
  }
  const isText = typeof live === 'string' || typeof live === 'number' || typeof live === 'bigint';
  if (typeof value !== 'string' || !value.includes(maskWord) || !isText) return value;
  // A secret is valid for its own address only
  return isAddress(value) && mask(live) !== value ? value : live;
}

/** Whether a mask remains, so that the document cannot be sent. */
export const hasMask = (value: unknown): boolean => findMaskedPath(value) !== undefined;

/**
 * The path of the first mask where `live` has none. A service that masks its replies keeps its own
 * value for a mask.
 */
export function findMaskedPath(value: unknown, live?: unknown, path = ''): string | undefined {
  if (typeof value === 'string') return isMasked(value) && live !== value ? path : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const known: Readonly<Record<string, unknown>> =
    typeof live === 'object' && live !== null ? { ...live } : {};
  const type = 'type' in value ? value.type : undefined;
  for (const [name, field] of Object.entries(value)) {
    if (isUsersOwn(name, field, type)) continue;
    const found = findMaskedPath(field, known[name], path === '' ? name : `${path}.${name}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A field as it may be shown: its path decides whether it is a secret. */
export const maskAt = (path: string, value: unknown): unknown =>
  mask(value, /([^.[\]"]+)["\]]*$/.exec(path)?.[1] ?? '');

/**
 * Whether a field of this name holds a secret. Kafka: ssl.keystore.password, ssl.keystore.key,
 * sasl.jaas.config; Kinesis and S3: accessKey, secretKey; Druid's own: password, clientSecret,
 * apiKey; schema registries: basic.auth.user.info.
 */
export const isSecretName = (name: string): boolean =>
  /passw(or)?d|passphrase|secret|credential|jaas\.config|keystore\.key$|(access|account|api|private|shared).?key(id)?$|token$|user\.info$/i.test(
    name,
  );
