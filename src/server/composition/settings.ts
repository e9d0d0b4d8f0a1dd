// Settings of `serve` and their defaults.
import { type EngineVersion, newestVersion } from '../../model/engine-version.ts';
import type { Limits } from '../http/limits.ts';
import { routerPort } from '../settings/port-numbers.ts';
import type { PemFiles } from '../tls/pem-files.ts';

export interface ServiceSettings {
  readonly service: string; // name in paths, headers and properties
  readonly engineVersion: EngineVersion; // of the real engine, for a service named druid
  readonly host: string;
  readonly port: number; // 0 picks free ports, also for the roles
  readonly rolePorts: boolean;
  // HTTPS instead of HTTP at all ports; properties can enable TLS, too
  readonly tls: PemFiles | undefined;
  readonly dataDir: string | undefined; // absent: a temporary folder that is removed at the end
  readonly limits: Partial<Limits>; // override the defaults
  readonly workerCapacity: number; // task slots
  readonly durableStorage: boolean; // for the results of statements
  readonly memoryBytes: number | undefined; // for queries; by default half of the machine's
  readonly allowedFolders: readonly string[]; // absolute; tasks may read local files below these
  readonly allowedVariables: readonly string[]; // environment variables allowed in requests
  // URL prefixes for the http input source; empty allows all
  readonly allowedUrls: readonly string[];
  readonly defaultQueryTimeoutMs: number; // 0 means none
  readonly properties: Readonly<Record<string, string>>; // runtime properties by their full names
  // Line numbers in their file, for messages
  readonly propertyLines: Readonly<Record<string, number>>;
  // Host names in Host headers besides the service's own addresses
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[]; // of web pages that may send requests
  readonly consoleFolder: string | undefined; // of a built web console, served by the Router
  // Serve other machines without authentication
  readonly withoutUsers: boolean;
  readonly controlPort: number | undefined; // absent: no control interface; 0 picks a free port
  readonly dutyTickMs: number; // interval at which the Coordinator checks for due duties
  readonly now: () => number; // milliseconds since 1970
}

export const defaultSettings: ServiceSettings = {
  service: 'svc',
  engineVersion: newestVersion,
  host: '127.0.0.1',
  port: routerPort,
  rolePorts: false,
  tls: undefined,
  dataDir: undefined,
  limits: {},
  workerCapacity: 4,
  durableStorage: true,
  memoryBytes: undefined,
  allowedFolders: [],
  allowedVariables: [],
  allowedUrls: [],
  defaultQueryTimeoutMs: 300_000,
  properties: {},
  propertyLines: {},
  allowedHosts: [],
  allowedOrigins: [],
  consoleFolder: undefined,
  withoutUsers: false,
  controlPort: undefined,
  dutyTickMs: 1000,
  now: Date.now,
};
