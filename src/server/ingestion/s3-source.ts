// S3 input source (Druid: ingestion/input-sources, "S3 input source"): selected objects, endpoint
// and credentials.

import { invalidSpec, type SpecFields } from '../checks/spec-fields.ts';
import {
  addressOf,
  checkPlace,
  endpointAt,
  isRegion,
  type ObjectPlace,
  placeIn,
  type S3Endpoint,
  uriOf,
} from '../s3/place.ts';
import { globPattern } from './glob.ts';
import { checkUri, faultOf } from './http-files.ts';
import { type Outside, variableOf } from './outside.ts';
import { type PasswordProvider, parsePassword, passwordOf } from './password-provider.ts';

export interface S3Source {
  readonly type: 's3';
  readonly objects: readonly ObjectPlace[]; // of uris and objects
  readonly prefixes: readonly ObjectPlace[];
  readonly glob: string | undefined; // an RE2 pattern for whole keys
  readonly credentials:
    | { readonly accessKey: PasswordProvider; readonly secretKey: PasswordProvider }
    | undefined;
  readonly server: GivenServer;
}

// Endpoint settings in a request, if any.
interface GivenServer {
  readonly url: string | undefined;
  readonly region: string | undefined;
  readonly protocol: 'http' | 'https' | undefined;
  readonly pathStyle: boolean | undefined;
}

/**
 * Reads the specification of an S3 input source; throws a Refusal for one with missing, unknown or
 * unavailable parts.
 */
export function parseS3Source(fields: SpecFields): S3Source {
  const given = ['uris', 'prefixes', 'objects'].filter(
    (name) => (fields.optionalList(name) ?? []).length > 0,
  );
  if (given.length !== 1)
    fields.refuse('Exactly one of uris, prefixes or objects must be specified');
  if (fields.has('proxyConfig'))
    fields.refuse('[proxyConfig] is not available: the service connects to the endpoint directly');
  const glob = fields.optionalText('objectGlob');
  return {
    type: 's3',
    objects: [
      ...fields.texts('uris').map((uri, at) => objectIn(fields, `uris[${at}]`, () => placeIn(uri))),
      ...fields
        .objects('objects')
        .map((object, at) =>
          objectIn(fields, `objects[${at}]`, () =>
            checkPlace({ bucket: object.text('bucket'), key: object.text('path') }),
          ),
        ),
    ],
    prefixes: fields
      .texts('prefixes')
      .map((uri, at) => readField(fields, `prefixes[${at}]`, () => placeIn(uri))),
    glob: glob === undefined ? undefined : readField(fields, 'objectGlob', () => globPattern(glob)),
    credentials: credentialsIn(fields),
    server: serverIn(fields),
  };
}

function objectIn(fields: SpecFields, name: string, read: () => ObjectPlace): ObjectPlace {
  const place = readField(fields, name, read);
  return place.key === '' ? fields.refuse(`${name} names a bucket without an object`) : place;
}

function readField<Value>(fields: SpecFields, name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error;
    return fields.refuse(`${name} cannot be used: ${error.message}`);
  }
}

function credentialsIn(fields: SpecFields): S3Source['credentials'] {
  const properties = fields.optionalObject('properties');
  if (!properties) return undefined;
  for (const name of ['assumeRoleArn', 'assumeRoleExternalId'])
    if (properties.has(name))
      properties.refuse(
        `[${name}] is not available: the service does not assume roles. Give [accessKeyId] and [secretAccessKey]`,
      );
  const { accessKeyId, secretAccessKey } = properties.values;
  if (!properties.has('accessKeyId') && !properties.has('secretAccessKey')) return undefined;
  if (!properties.has('accessKeyId'))
    properties.refuse('accessKeyId cannot be null if secretAccessKey is given');
  if (!properties.has('secretAccessKey'))
    properties.refuse('secretAccessKey cannot be null if accessKeyId is given');
  return {
    accessKey: parsePassword(accessKeyId, 'accessKeyId'),
    secretKey: parsePassword(secretAccessKey, 'secretAccessKey'),
  };
}

function serverIn(fields: SpecFields): GivenServer {
  const endpoint = fields.optionalObject('endpointConfig');
  const client = fields.optionalObject('clientConfig');
  const unknown = Object.keys(client?.values ?? {}).find((name) => !knownOfClient.includes(name));
  if (client && unknown !== undefined)
    client.refuse(`[${unknown}] is not available; known are [${knownOfClient.join(', ')}]`);
  if (client?.truth('forceGlobalBucketAccessEnabled') || client?.truth('crossRegionAccessEnabled'))
    client.refuse('The service uses a single region: set it in [endpointConfig.signingRegion]');
  const region = endpoint?.optionalText('signingRegion');
  if (endpoint && region !== undefined && !isRegion(region))
    endpoint.refuse(`[signingRegion] is [${region}], which is not a region`);
  const url = endpoint?.optionalText('url');
  const protocol = client?.optionalText('protocol')?.toLowerCase();
  if (client && protocol !== undefined && protocol !== 'http' && protocol !== 'https')
    client.refuse(`[protocol] is [${protocol}]; known are [http, https]`);
  if (
    endpoint &&
    url !== undefined &&
    !endpointAt(url, { region, protocol: 'https', pathStyle: true })
  )
    endpoint.refuse('[url] is not the address of a server, as in https://s3.example.org');
  return {
    url,
    region,
    protocol: protocol as GivenServer['protocol'],
    pathStyle: client?.has('enablePathStyleAccess')
      ? client.truth('enablePathStyleAccess')
      : undefined,
  };
}

// Bodies are never sent in signed chunks, regardless of [disableChunkedEncoding].
const knownOfClient = [
  'protocol',
  'enablePathStyleAccess',
  'disableChunkedEncoding',
  'forceGlobalBucketAccessEnabled',
  'crossRegionAccessEnabled',
];

/**
 * Throws a Refusal for an S3 source with an endpoint or an environment variable that requests may
 * not name.
 */
export function checkS3Source(source: S3Source, outside: Outside): void {
  outside.s3.mustBeOn('Input source [s3]');
  const { endpoint, isTrusted } = endpointOf(source, outside);
  if (!isTrusted)
    for (const place of [...source.objects, ...source.prefixes])
      checkUri(addressOf(endpoint, place).href, outside.http);
  for (const provider of Object.values(source.credentials ?? {}))
    if (provider.type === 'environment') variableOf(outside, provider.variable);
}

// The service's own endpoint is trusted if the properties configure S3. The rules of addresses
// apply to an endpoint in a request, and to AWS without configuration; neither gets the service's
// credentials.
function endpointOf(
  { server }: S3Source,
  { s3 }: Outside,
): { readonly endpoint: S3Endpoint; readonly isTrusted: boolean } {
  const { url, protocol, pathStyle = s3.endpoint.pathStyle } = server;
  const own = s3.endpoint.origin.protocol === 'http:' ? 'http' : 'https';
  const isTrusted = url === undefined && s3.isConfigured;
  if (isTrusted && protocol !== undefined && protocol !== own)
    throw invalidSpec(
      `[clientConfig.protocol] is [${protocol}], but the endpoint of the service uses [${own}]`,
    );
  const region = server.region ?? (url === undefined ? s3.endpoint.region : undefined);
  if (isTrusted && (!s3.endpoint.isAws || server.region === undefined))
    return {
      endpoint: { ...s3.endpoint, pathStyle, region: region ?? s3.endpoint.region },
      isTrusted,
    };
  const endpoint = endpointAt(url, { region, protocol: protocol ?? own, pathStyle });
  if (!endpoint) throw new TypeError('The address was checked before');
  return { endpoint, isTrusted };
}

/** An object to read. */
export interface MeantObject {
  readonly name: string; // for messages
  readonly key: string;
  /**
   * Writes the object to a file of at most `maxBytes`; returns its size. Throws an Error with the
   * reason.
   */
  download(path: string, maxBytes: number): Promise<number>;
}

export interface S3Reading {
  readonly outside: Outside;
  readonly signal: AbortSignal;
  readonly patienceMs?: number;
}

/**
 * The objects of a source, in a stable order. Throws an Error for a prefix that cannot be listed,
 * or when no object matches the glob.
 */
export async function* objectsOf(
  source: S3Source,
  { outside, signal, patienceMs }: S3Reading,
): AsyncGenerator<MeantObject> {
  const { S3Client } = await import('../s3/client.ts');
  const { endpoint, isTrusted } = endpointOf(source, outside);
  const { credentials: given } = source;
  const client = new S3Client({
    endpoint,
    credentials: given
      ? {
          accessKey: passwordOf(given.accessKey, outside),
          secretKey: passwordOf(given.secretKey, outside),
        }
      : isTrusted
        ? await outside.s3.credentials()
        : undefined,
    ...(!isTrusted && { faultOf: (url: URL) => faultOf(url, outside.http) }),
    signal,
    ...(patienceMs !== undefined && { patienceMs }),
  });
  const isMeant =
    source.glob === undefined
      ? undefined
      : (await import('../../model/linear-regex.ts')).linearRegex(source.glob);
  let count = 0;
  for await (const place of placesOf(source, (prefix) => client.list(prefix, mostObjects))) {
    if (isMeant && !isMeant.matchesAll(place.key)) continue;
    count++;
    yield {
      name: uriOf(place),
      key: place.key,
      download: (path, maxBytes) => client.download(place, path, maxBytes),
    };
  }
  if (count === 0)
    throw new Error(
      `No object of [${[...source.objects, ...source.prefixes].map(uriOf).join(', ')}] is to be read`,
    );
}

const mostObjects = 100_000;

type List = (
  prefix: ObjectPlace,
) => Promise<readonly { readonly key: string; readonly sizeBytes: number }[]>;

async function* placesOf({ objects, prefixes }: S3Source, list: List): AsyncGenerator<ObjectPlace> {
  yield* objects;
  const seen = new Set<string>();
  for (const { bucket, key: prefix } of prefixes)
    for (const { key, sizeBytes } of await list({ bucket, key: prefix })) {
      const name = `${bucket}/${key}`;
      // Empty objects, including folders, are skipped, as in the real engine
      if (sizeBytes === 0 || seen.has(name)) continue;
      seen.add(name);
      yield checkPlace({ bucket, key });
    }
}
