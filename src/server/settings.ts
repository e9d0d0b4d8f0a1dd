// Settings of `serve` and their defaults.
import { type EngineVersion, newestVersion } from '../model/engine-version.ts';
import type { Limits } from './http/limits.ts';
import type { OpenStream } from './overlord/stream/stream.ts';
import { routerPort } from './settings/port-numbers.ts';
import type { KnownTask } from './tasks/known-task.ts';
import type { PemFiles } from './tls/pem-files.ts';

export interface ServiceSettings {
  readonly service: string; // its name in paths, headers and properties
  readonly engineVersion: EngineVersion; // of the real engine; of a service named druid
  readonly host: string;
  readonly port: number; // 0 picks free ports, for the roles too
  readonly rolePorts: boolean;
  // HTTPS instead of HTTP at all ports; properties can ask for TLS, too
  readonly tls: PemFiles | undefined;
  readonly dataDir: string | undefined; // absent: a temporary folder that is removed at the end
  readonly limits: Partial<Limits>; // instead of the usual ones
  readonly workerCapacity: number; // task slots
  readonly durableStorage: boolean; // for the results of statements
  readonly memoryBytes: number | undefined; // what queries may use; absent: half of the machine's
  readonly allowedFolders: readonly string[]; // absolute; from where tasks may read local files
  readonly allowedVariables: readonly string[]; // of the environment, which requests may name
  // Below which the http input source may read; none allows all
  readonly allowedUrls: readonly string[];
  readonly defaultQueryTimeoutMs: number; // 0 is none
  readonly properties: Readonly<Record<string, string>>; // runtime properties by their full names
  // Where they stand in their file, for messages
  readonly propertyLines: Readonly<Record<string, number>>;
  // Names in Host headers besides the service's own addresses
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[]; // of web pages that may send requests
  readonly consoleFolder: string | undefined; // of a built web console, served by the Router
  // Other machines are answered although nobody is asked who they are
  readonly withoutUsers: boolean;
  readonly controlPort: number | undefined; // absent: tests have no hold on it; 0 picks a free one
  readonly dutyTickMs: number; // how often the duties of the Coordinator look at the clock
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

/** What a test has in place of the world: tasks from before, and streams. */
export interface TestOverrides {
  readonly tasks?: readonly KnownTask[];
  readonly openStream?: OpenStream; // for supervisors
}
