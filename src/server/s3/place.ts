// Locations of objects: s3:// addresses, and their URLs at an endpoint.
import { isIP } from 'node:net';

export interface ObjectPlace {
  readonly bucket: string;
  readonly key: string; // of an object, or a prefix of keys
}

export interface S3Endpoint {
  readonly origin: URL;
  readonly region: string; // for signing requests
  readonly pathStyle: boolean; // the bucket is in the path, not in the host name
  readonly isAws: boolean; // no other endpoint is configured
}

/**
 * Parses `s3://bucket/key`, whose key has the encoding of URLs. Throws an Error that names the
 * fault.
 */
export function placeIn(uri: string): ObjectPlace {
  const [, scheme = '', bucket = '', path = ''] =
    /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)\/?([^?#]*)$/.exec(uri) ?? [];
  if (scheme === '')
    throw new Error('it is not an address like s3://bucket/key, in which ? is %3F and # is %23');
  if (scheme.toLowerCase() !== 's3') throw new Error(`Invalid URI scheme [${scheme}] must be [s3]`);
  return checkPlace({ bucket, key: decode(path) });
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new Error(
      'it has a % without two hexadecimal digits, or its escapes are not UTF-8; write % as %25',
    );
  }
}

/**
 * Validates a place and returns it. Throws an Error for an invalid bucket name, or a key that no
 * URL can contain.
 */
export function checkPlace(place: ObjectPlace): ObjectPlace {
  if (
    !/^[A-Za-z0-9][A-Za-z0-9._-]{1,253}[A-Za-z0-9]$/.test(place.bucket) ||
    place.bucket.includes('..')
  )
    throw new Error(`[${place.bucket}] is not a valid name of a bucket`);
  if (place.key.split('/').some((part) => part === '.' || part === '..'))
    throw new Error('its key has a part [.] or [..], which addresses do not support');
  if (/\p{Surrogate}/u.test(place.key)) throw new Error('its key is not a text in Unicode');
  if (Buffer.byteLength(place.key) > maxKeyBytes)
    throw new Error(`its key is longer than [${maxKeyBytes}] bytes`);
  return place;
}

const maxKeyBytes = 1024;

/** A place as a URI, for messages and manifests. */
export const uriOf = ({ bucket, key }: ObjectPlace): string => `s3://${bucket}/${encodeKey(key)}`;

/**
 * Whether a place equals another one or lies below it: `s3://a/b/c` is below `s3://a/b`,
 * `s3://a/bc` is not.
 */
export const isBelowPlace = (place: ObjectPlace, above: ObjectPlace): boolean =>
  place.bucket === above.bucket && asFolder(place.key).startsWith(asFolder(above.key));

const asFolder = (key: string) => (key === '' || key.endsWith('/') ? key : `${key}/`);

export const isRegion = (text: string): boolean => /^[a-z0-9-]{1,40}$/i.test(text);

export interface EndpointParts {
  readonly region: string | undefined;
  readonly protocol: 'http' | 'https'; // for an address without one
  readonly pathStyle: boolean;
}

/**
 * The endpoint at an address, with or without a protocol; without an address, that of AWS in a
 * region. Undefined for an invalid address.
 */
export function endpointAt(
  address: string | undefined,
  { region, protocol, pathStyle }: EndpointParts,
): S3Endpoint | undefined {
  if (address === undefined)
    return {
      origin: new URL(`${protocol}://${hostOfAws(region)}`),
      region: region ?? defaultRegion,
      pathStyle,
      isAws: true,
    };
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `${protocol}://${address}`;
  const origin = URL.canParse(text) ? new URL(text) : undefined;
  if (!origin || !/^https?:$/.test(origin.protocol)) return undefined;
  if (
    origin.username + origin.password + origin.search + origin.hash !== '' ||
    origin.pathname !== '/'
  )
    return undefined;
  return {
    origin,
    region: region ?? regionOfAws(origin.hostname) ?? defaultRegion,
    pathStyle,
    isAws: false,
  };
}

const defaultRegion = 'us-east-1';

const hostOfAws = (region: string | undefined) =>
  region === undefined
    ? 's3.amazonaws.com'
    : `s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;

const regionOfAws = (host: string) =>
  /^s3[.-]([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/.exec(host)?.[1];

/**
 * The URL of an object, or of a bucket for an empty key. Some bucket names cannot be part of a host
 * name: then the bucket is in the path.
 */
export function addressOf(
  { origin, pathStyle }: S3Endpoint,
  { bucket, key }: ObjectPlace,
  query: Readonly<Record<string, string>> = {},
): URL {
  const host = origin.hostname.replace(/^\[(.*)\]$/, '$1');
  const inPath = pathStyle || isIP(host) !== 0 || !/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket);
  const url = new URL(origin);
  if (!inPath) url.hostname = `${bucket}.${host}`;
  url.pathname = inPath ? `/${bucket}/${encodeKey(key)}` : `/${encodeKey(key)}`;
  url.search = Object.entries(query)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
  return url;
}

const encodeKey = (key: string): string => key.split('/').map(encode).join('/');

// Encoding for signatures (RFC 3986): all characters except letters, digits and -._~ are encoded.
const encode = (text: string): string =>
  text.replaceAll(/[^\w.~-]+/g, (odd) =>
    Array.from(
      Buffer.from(odd),
      (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    ).join(''),
  );
