import { resolve } from 'node:path';
import { command } from '../../cli/command/command.ts';
import { readInput } from '../../cli/input/read-json.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { dataFolder } from '../../cli/process/paths.ts';
import {
  fileName,
  flag,
  folderName,
  integer,
  listOf,
  oneOf,
  optional,
  text,
} from '../../contract/schema.ts';
import { parseBytes } from '../../model/byte-size.ts';
import { namedVersion } from '../../model/engine-version.ts';
import { leastMemoryBytes } from '../../model/memory.ts';
import { identityFiles } from './identity.ts';
import { missingPackage } from './missing-package.ts';
import { writeReadyFile } from './ready-file.ts';
import { reloadBySignal } from './reload-by-signal.ts';
import { runBeside } from './run-beside.ts';
import { withTrustedFile } from './trusted-file.ts';

function parseServiceName(text: string) {
  const named = namedVersion(text);
  if ('fault' in named)
    throw new UsageError(`${named.fault}: write --service druid@33, or a name alone`);
  return named;
}

const leastMemory = `${leastMemoryBytes / 1_000_000}MB`;

export const serve = command({
  summary: 'Run the service',
  description:
    'Prints the address as the first line on standard output (on standard error when a command runs beside it). With --service druid it acts as Apache Druid 39; druid@27, druid@33 and druid@37 act as older versions (docs/versions.md). SIGTERM or Ctrl-C shuts it down in order: it refuses new requests, finishes replies and ends tasks. A command after -- runs against the service with SVCCTL_URL and SVCCTL_SERVICE set (also SVCCTL_CONTROL_URL with --control-port); the service ends when the command ends, with the same exit code.',
  examples: [
    'svcctl serve --demo',
    'svcctl serve --port 0 --ephemeral -- svcctl status health',
    'svcctl serve --port 0 --ephemeral --control-port 0 -- ./test.sh',
    'svcctl serve --service druid --role-ports --data-dir ./data',
    'svcctl serve --service druid@33',
    'svcctl serve --config common.runtime.properties --host 0.0.0.0 --tls-cert server.pem --tls-key server.key.pem',
  ],
  arguments: { command: optional(listOf(text), 'Command to run against the service, after --') },
  options: {
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
  },
  obeys: ['service', 'user', 'passwordStdin', 'passwordFile', 'passwordCommand', 'noInput'],
  endsBySignal: true,
  startsService: true,
  async run(given, { args, options }) {
    const { service, version: engineVersion } = parseServiceName(given.service);
    const context = { ...given, service };
    const { out, signal, io } = context;
    const {
      host,
      port,
      withoutUsers,
      allowHost,
      allowOrigin,
      console: consoleFolder,
      rolePorts,
      workerCapacity,
      durableStorage,
      memory,
      allowDir = [],
      allowEnv = [],
      allowUrl = [],
      readyFile,
      controlPort,
      logFormat = 'text',
    } = options;
    if (options.ephemeral && options.dataDir !== undefined)
      throw new UsageError('Use either --ephemeral or --data-dir');
    const tls = identityFiles(options.tlsCert, options.tlsKey);
    const demo = options.demo ? await import('./load-demo.ts') : undefined;
    const { startServer, CannotStart, linesOfProperties, parseProperties, logAs, logEvent } =
      await import('../../server/server.ts').catch(explain);
    logAs(logFormat);
    const config = options.config === undefined ? undefined : await readInput(options.config, io);
    const running = await startServer({
      service,
      engineVersion,
      tls,
      ...(withoutUsers && { withoutUsers }),
      dataDir: options.ephemeral
        ? undefined
        : resolve(options.dataDir ?? dataFolder(io.env, service)),
      allowedFolders: [
        ...allowDir.map((folder) => resolve(folder)),
        ...(demo ? [demo.demoFolder] : []),
      ],
      allowedVariables: allowEnv,
      allowedUrls: allowUrl,
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
      ...(allowHost && { allowedHosts: allowHost }),
      ...(allowOrigin && { allowedOrigins: allowOrigin }),
      ...(consoleFolder !== undefined && { consoleFolder: resolve(consoleFolder) }),
      ...(rolePorts && { rolePorts }),
      ...(controlPort !== undefined && { controlPort }),
      ...(workerCapacity !== undefined && { workerCapacity }),
      ...(durableStorage !== undefined && { durableStorage: durableStorage === 'on' }),
      ...(config !== undefined && {
        properties: parseProperties(config),
        propertyLines: linesOfProperties(config),
      }),
      ...(memory !== undefined && { memoryBytes: memoryIn(memory) }),
    }).catch((error: unknown) => {
      throw error instanceof CannotStart
        ? new CommandError('usage', error.message)
        : explain(error);
    });
    const { url, urls, tlsUrls, certificates, controlUrl: control } = running;
    const stopListening =
      certificates &&
      reloadBySignal(() => {
        if (certificates.reload() && logFormat === 'text')
          out.note(
            `The service reloaded its certificate: [${certificates.shown.subject}], valid until [${certificates.shown.validTo}]`,
          );
      });
    const told =
      logFormat === 'json'
        ? (await import('./logged-words.ts')).withLoggedWords(context, logEvent)
        : context;
    try {
      logEvent('The service is started', {
        url,
        roles: Object.fromEntries(urls),
        tls: tlsUrls && { url: tlsUrls.url, roles: Object.fromEntries(tlsUrls.roles) },
        certificate: certificates?.shown,
        control,
        service,
        pid: process.pid,
      });
      if (!args.command?.length) await out.text([`${url}\n`], { live: true });
      else if (logFormat === 'text') out.note(url);
      if (tlsUrls) told.out.note(`Over TLS: ${tlsUrls.url}`);
      if (control !== undefined)
        told.out.note(`Control interface for tests, for this machine only: ${control}`);
      if (
        demo &&
        !tlsUrls &&
        certificates?.clients.rejectUnauthorized &&
        running.client?.cert === undefined
      )
        throw new CommandError(
          'usage',
          `--demo loads its data as a client, but the service requires client certificates. Set one in property [${service}.client.https.keyStorePath]`,
        );
      await demo?.loadDemo(told, url, running.client).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      if (signal.aborted) return;
      if (readyFile !== undefined) await writeReadyFile(readyFile, running);
      if (args.command?.length)
        // Without other settings, the command trusts the certificate of the service.
        return await withTrustedFile(
          tlsUrls ? undefined : certificates?.identity.cert,
          (trusting) =>
            runBeside(args.command ?? [], {
              url,
              service,
              signal,
              env: { ...trusting, ...io.env },
              controlUrl: control,
            }),
        );
      await new Promise((ended) => signal.addEventListener('abort', ended));
    } finally {
      stopListening?.();
      logEvent('The service is stopping');
      await running.close();
      logEvent('The service is stopped');
    }
  },
});

function explain(error: unknown): never {
  throw missingPackage(error) ?? error;
}

function memoryIn(given: string): number {
  const bytes = parseBytes(given);
  if (bytes === undefined || bytes < leastMemoryBytes) {
    throw new UsageError(
      `Invalid value for --memory: [${given}] is not a size of at least ${leastMemory}`,
      'an example: --memory 2GB',
    );
  }
  return bytes;
}
