// Options of `serve`, and the settings of the server that follow from them.
import { resolve } from 'node:path';
import { UsageError } from '../../cli/process/errors.ts';
import {
  fileName,
  flag,
  folderName,
  integer,
  listOf,
  oneOf,
  optional,
  text,
  type Values,
} from '../../contract/schema.ts';
import { parseBytes } from '../../model/byte-size.ts';
import { leastMemoryBytes } from '../../model/memory.ts';
import { identityFiles } from './identity.ts';

const leastMemory = `${leastMemoryBytes / 1_000_000}MB`;

export const options = {
  host: optional(text, 'Address to listen on (default 127.0.0.1)'),
  port: optional(integer, 'Port to listen on (default 8888); 0 picks a free one'),
  tlsCert: optional(
    fileName,
    'Use TLS on all ports with the certificate in this PEM file; properties can name a key store instead',
  ),
  tlsKey: optional(fileName, 'Private key of --tls-cert, a PEM file'),
  withoutUsers: optional(flag, 'Listen on other interfaces without authentication'),
  allowHost: optional(
    listOf(text),
    'Host name under which requests without credentials are also answered; web pages of other sites must not have it',
  ),
  allowOrigin: optional(
    listOf(text),
    'Origin of web pages of another site that may use the service, such as https://console.example',
  ),
  console: optional(
    folderName,
    'Serve the built web console in this folder at /, beside the API; nothing is downloaded',
  ),
  rolePorts: optional(
    flag,
    'Also open the ports of the single roles, shifted by the same amount as --port',
  ),
  dataDir: optional(
    folderName,
    'Data folder (default: below $XDG_DATA_HOME/svcctl, by the name of the service)',
  ),
  ephemeral: optional(flag, 'Use a temporary data folder and remove it at the end'),
  memory: optional(
    text,
    `Memory limit of the service with its query processes, such as 2GB; at least ${leastMemory} (half of the machine)`,
  ),
  workerCapacity: optional(integer, 'Number of task slots (default 4)'),
  durableStorage: optional(
    oneOf('on', 'off'),
    'Allow durable storage of statement results (default on)',
  ),
  allowDir: optional(listOf(folderName), 'Folder from which tasks may read local files'),
  allowEnv: optional(listOf(text), 'Environment variable that requests may use for passwords'),
  allowUrl: optional(
    listOf(text),
    'Address below which the http input source may read (all); link-local addresses are never read',
  ),
  config: optional(
    fileName,
    "File of runtime properties, such as coordinator.period; their names begin with the service's name",
  ),
  demo: optional(flag, 'Load sample data: one day of Wikipedia edits as datasource wikipedia'),
  logFormat: optional(
    oneOf('text', 'json'),
    'Format of the log on standard error (default text); json writes one object per line',
  ),
  readyFile: optional(
    fileName,
    'Write the addresses as JSON to this file once the service is ready',
  ),
  controlPort: optional(
    integer,
    'Control interface for tests at this port of 127.0.0.1: it sets the clock, makes requests fail, stores and restores the data (help testing); 0 picks a free port',
  ),
};

/**
 * The settings that the options give; the others keep their defaults. `dataDir` is the data folder
 * without --data-dir, `demoFolder` the folder of the sample data.
 */
export function settingsFrom(
  {
    host,
    port,
    tlsCert,
    tlsKey,
    withoutUsers,
    allowHost,
    allowOrigin,
    console: consoleFolder,
    rolePorts,
    workerCapacity,
    durableStorage,
    memory,
    ephemeral,
    allowDir = [],
    allowEnv = [],
    allowUrl = [],
    controlPort,
    ...given
  }: Values<typeof options>,
  dataDir: string,
  demoFolder: string | undefined,
) {
  if (ephemeral && given.dataDir !== undefined)
    throw new UsageError('Use either --ephemeral or --data-dir');
  return {
    tls: identityFiles(tlsCert, tlsKey),
    dataDir: ephemeral ? undefined : resolve(given.dataDir ?? dataDir),
    allowedFolders: [
      ...allowDir.map((folder) => resolve(folder)),
      ...(demoFolder === undefined ? [] : [demoFolder]),
    ],
    allowedVariables: allowEnv,
    allowedUrls: allowUrl,
    ...(withoutUsers && { withoutUsers }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(allowHost && { allowedHosts: allowHost }),
    ...(allowOrigin && { allowedOrigins: allowOrigin }),
    ...(consoleFolder !== undefined && { consoleFolder: resolve(consoleFolder) }),
    ...(rolePorts && { rolePorts }),
    ...(controlPort !== undefined && { controlPort }),
    ...(workerCapacity !== undefined && { workerCapacity }),
    ...(durableStorage !== undefined && { durableStorage: durableStorage === 'on' }),
    ...(memory !== undefined && { memoryBytes: parseMemory(memory) }),
  };
}

function parseMemory(given: string): number {
  const bytes = parseBytes(given);
  if (bytes === undefined || bytes < leastMemoryBytes) {
    throw new UsageError(
      `Invalid value for --memory: [${given}] is not a size of at least ${leastMemory}`,
      'an example: --memory 2GB',
    );
  }
  return bytes;
}
