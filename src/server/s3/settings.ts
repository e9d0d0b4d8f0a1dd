// S3 properties: credentials, endpoint and export locations (Druid:
// development/extensions-core/s3).
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseBytes } from '../../model/byte-size.ts';
import type { Extensions } from '../settings/extensions.ts';
import { type Properties, parseProperties } from '../settings/properties.ts';
import { endpointAt, isRegion, type ObjectPlace, placeIn, type S3Endpoint } from './place.ts';

export interface S3Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly sessionToken?: string;
}

export interface S3Settings {
  /** The service's own endpoint; that of AWS by default. */
  readonly endpoint: S3Endpoint;
  /** Whether the properties configure credentials or an endpoint, which the service then trusts. */
  readonly isConfigured: boolean;
  /**
   * The service's current credentials; undefined if it has none. Throws an Error for an unreadable
   * file.
   */
  credentials(): Promise<S3Credentials | undefined>;
  /** Throws a Refusal when the extension is off; `what` is the subject of the sentence. */
  mustBeOn(what: string): void;
  readonly exports: ExportSettings;
}

export interface ExportSettings {
  // Exports must be below these; undefined: none are allowed
  readonly allowed: readonly ObjectPlace[] | undefined;
  readonly propertyName: string; // of the property that lists them
  readonly tempFolder: string | undefined; // for unfinished files; undefined: in the data folder
  readonly maxTries: number; // of each request
  readonly chunkBytes: number; // of each part of a file
}

/** Reads the properties. Throws CannotStart for contradictory or invalid ones. */
export function s3SettingsIn(properties: Properties, extensions?: Extensions): S3Settings {
  const accessKey = properties.password('s3.accessKey');
  const secretKey = properties.password('s3.secretKey');
  const sessionToken = properties.password('s3.sessionToken');
  const file = properties.text('s3.fileSessionCredentials');
  if ((accessKey === undefined) !== (secretKey === undefined))
    throw properties.wrong(
      accessKey === undefined ? 's3.secretKey' : 's3.accessKey',
      'needs the other credentials property, too',
    );
  if (sessionToken !== undefined && accessKey === undefined)
    throw properties.wrong('s3.sessionToken', 'needs [s3.accessKey]');
  const url = properties.text('s3.endpoint.url')?.trim() || undefined;
  return {
    endpoint: endpointIn(properties, url),
    isConfigured: url !== undefined || accessKey !== undefined || file !== undefined,
    async credentials() {
      if (accessKey !== undefined && secretKey !== undefined)
        return { accessKey, secretKey, ...(sessionToken !== undefined && { sessionToken }) };
      return file === undefined
        ? undefined
        : credentialsIn(file, properties.fullName('s3.fileSessionCredentials'));
    },
    mustBeOn: (what) => extensions?.mustHave('s3-extensions', what),
    exports: exportsIn(properties),
  };
}

function endpointIn(properties: Properties, url: string | undefined): S3Endpoint {
  const region = properties.text('s3.endpoint.signingRegion')?.trim() || undefined;
  if (region !== undefined && !isRegion(region))
    throw properties.wrong('s3.endpoint.signingRegion', `is [${region}], which is not a region`);
  const protocol = properties.text('s3.protocol')?.trim().toLowerCase() ?? 'https';
  if (protocol !== 'http' && protocol !== 'https')
    throw properties.unknown('s3.protocol', protocol, ['http', 'https']);
  const endpoint = endpointAt(url, {
    region,
    protocol,
    pathStyle: properties.truth('s3.enablePathStyleAccess', false),
  });
  if (!endpoint)
    throw properties.wrong(
      's3.endpoint.url',
      `is [${url}], which is not the address of a server, as in https://s3.example.org`,
    );
  return endpoint;
}

// Read again each time: session credentials are replaced in the file before they expire.
async function credentialsIn(file: string, property: string): Promise<S3Credentials> {
  const fault = (what: string) => new Error(`The file of property [${property}] ${what}`);
  const info = await stat(file).catch(() => undefined);
  if (!info?.isFile() || info.size > maxFileBytes) throw fault('cannot be read');
  const text = await readFile(file, 'utf8').catch(() => {
    throw fault('cannot be read');
  });
  const { accessKey, secretKey, sessionToken } = parseProperties(text);
  if (!accessKey || !secretKey || !sessionToken)
    throw fault('must have lines for [accessKey], [secretKey] and [sessionToken]');
  return { accessKey, secretKey, sessionToken };
}

const maxFileBytes = 64 * 1024;

function exportsIn(properties: Properties): ExportSettings {
  const name = 'export.storage.s3.allowedExportPaths';
  const paths = properties.text(name) === undefined ? undefined : properties.texts(name, []);
  const allowed = paths?.map((path) => {
    try {
      return placeIn(path);
    } catch (error) {
      throw properties.wrong(
        name,
        `has [${path}]: ${error instanceof Error ? error.message : error}`,
      );
    }
  });
  const maxTries = properties.integer('export.storage.s3.maxRetry', 10);
  if (maxTries < 1 || maxTries > mostTries)
    throw properties.outside('export.storage.s3.maxRetry', 1, mostTries);
  const tempFolder = properties.text('export.storage.s3.tempLocalDir')?.trim();
  return {
    allowed,
    propertyName: properties.fullName(name),
    tempFolder: tempFolder ? resolve(tempFolder) : undefined,
    maxTries,
    chunkBytes: chunkBytesIn(properties),
  };
}

const mostTries = 100;

function chunkBytesIn(properties: Properties): number {
  const name = 'export.storage.s3.chunkSize';
  const bytes = parseBytes(properties.text(name)?.trim() ?? '100MiB');
  if (bytes === undefined) throw properties.wrong(name, 'is not a size such as [100MiB]');
  if (bytes < leastPartBytes || bytes > mostPartBytes)
    throw properties.wrong(
      name,
      `is [${bytes}] bytes; it must be >= [${leastPartBytes}] and <= [${mostPartBytes}]`,
    );
  return bytes;
}

// Limit of the protocol.
const leastPartBytes = 5 * 1024 ** 2;
const mostPartBytes = 5 * 1024 ** 3;
