// External folders, environment variables and addresses that the operator allows requests to name.

import { invalidSpec } from '../checks/spec-fields.ts';
import { CannotStart } from '../process/cannot-start.ts';
import { type S3Settings, s3SettingsIn } from '../s3/settings.ts';
import type { Extensions } from '../settings/extensions.ts';
import type { Properties } from '../settings/properties.ts';

export interface Outside {
  readonly folders: readonly string[]; // absolute; files are read and exported below these
  readonly ownFolder: string | undefined; // the data folder, forbidden for requests
  readonly variables: ReadonlySet<string>; // environment variables allowed in requests
  readonly http: HttpRules;
  readonly s3: S3Settings;
}

/** Rules for the addresses of the http input source. */
export interface HttpRules {
  readonly protocols: readonly string[];
  // Addresses must lie below one of these; undefined allows all
  readonly targets: readonly URL[] | undefined;
  readonly headers: readonly string[] | undefined; // names in lower case; undefined allows all
}

/** Flags of `serve` about external resources. */
export interface GivenOutside {
  readonly allowedFolders: readonly string[];
  readonly allowedVariables: readonly string[];
  readonly allowedUrls: readonly string[];
}

/**
 * The rules from flags and properties (Druid: `druid.ingestion.http.*`, `druid.s3.*`). Throws
 * CannotStart that names the invalid property or address.
 */
export function outsideOf(
  given: GivenOutside,
  properties: Properties,
  ownFolder?: string,
  extensions?: Extensions,
): Outside {
  const protocols = properties
    .texts('ingestion.http.allowedProtocols', knownProtocols)
    .map((name) => name.toLowerCase());
  const unknown = protocols.find((name) => !knownProtocols.includes(name));
  if (unknown !== undefined)
    throw properties.unknown('ingestion.http.allowedProtocols', unknown, knownProtocols);
  const headers = properties
    .texts('ingestion.http.allowedHeaders', [])
    .map((name) => name.toLowerCase());
  const urls = [...given.allowedUrls, ...properties.texts('ingestion.http.allowedUrls', [])];
  return {
    folders: given.allowedFolders,
    ownFolder,
    variables: new Set([
      ...given.allowedVariables,
      ...properties.texts('ingestion.allowedEnvironment', []),
    ]),
    http: {
      protocols,
      targets: urls.length === 0 ? undefined : urls.map(targetIn),
      // An empty list allows all, as in the real engine
      headers: headers.length === 0 ? undefined : headers,
    },
    s3: s3SettingsIn(properties, extensions),
  };
}

const knownProtocols: readonly string[] = ['http', 'https'];

function targetIn(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isTarget =
    url &&
    knownProtocols.includes(url.protocol.slice(0, -1)) &&
    url.username + url.password + url.search + url.hash === '';
  if (!isTarget)
    throw new CannotStart(
      `Allowed address [${text}] must be an http or https address with a host, as in https://example.org/data/`,
    );
  return url;
}

/**
 * The value of an environment variable in a request. Throws a Refusal for one that is forbidden or
 * not set.
 */
export function variableOf({ variables }: Pick<Outside, 'variables'>, name: unknown): string {
  if (typeof name !== 'string')
    throw invalidSpec('A provider of type [environment] needs the name of a [variable]');
  if (!variables.has(name))
    throw invalidSpec(
      `Environment variable [${name}] of the service may not be read by requests. Start the service with --allow-env ${name} to allow it`,
    );
  const value = process.env[name];
  if (value === undefined)
    throw invalidSpec(
      `Environment variable [${name}] is not set in the environment of the service`,
    );
  return value;
}
