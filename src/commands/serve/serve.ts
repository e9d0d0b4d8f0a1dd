import { type Context, command } from '../../cli/command/command.ts';
import { readInput } from '../../cli/input/read-json.ts';
import { CommandError, UsageError } from '../../cli/process/errors.ts';
import { dataFolder } from '../../cli/process/paths.ts';
import { listOf, optional, text } from '../../contract/schema.ts';
import { namedVersion } from '../../model/engine-version.ts';
import { missingPackage } from './missing-package.ts';
import { options, settingsFrom } from './options.ts';
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
  options,
  obeys: ['service', 'user', 'passwordStdin', 'passwordFile', 'passwordCommand', 'noInput'],
  endsBySignal: true,
  startsService: true,
  async run(
    given,
    { args, options: { demo: isDemo, config, readyFile, logFormat = 'text', ...rest } },
  ) {
    const { service, version: engineVersion } = parseServiceName(given.service);
    const context = { ...given, service };
    const demo = isDemo ? await import('./load-demo.ts') : undefined;
    const settings = settingsFrom(rest, dataFolder(context.io.env, service), demo?.demoFolder);
    const server = await import('../../server/server.ts').catch(explain);
    server.logAs(logFormat);
    const properties = config === undefined ? undefined : await readInput(config, context.io);
    const running = await server
      .startServer({
        ...settings,
        service,
        engineVersion,
        ...(properties !== undefined && {
          properties: server.parseProperties(properties),
          propertyLines: server.linesOfProperties(properties),
        }),
      })
      .catch((error: unknown) => {
        throw error instanceof server.CannotStart
          ? new CommandError('usage', error.message)
          : explain(error);
      });
    const isText = logFormat === 'text';
    const stopListening = reloadCertificates(running, isText ? context : undefined);
    const logging = isText
      ? context
      : (await import('./logged-words.ts')).withLoggedWords(context, server.logEvent);
    const command = args.command ?? [];
    try {
      server.logEvent('The service is started', startedEvent(running, service));
      if (command.length === 0) await context.out.text([`${running.url}\n`], { live: true });
      else if (isText) context.out.note(running.url);
      noteAddresses(running, logging);
      if (demo) await loadDemo(demo, running, logging);
      if (context.signal.aborted) return;
      if (readyFile !== undefined) await writeReadyFile(readyFile, running);
      if (command.length > 0) return await runWithService(command, running, context);
      await new Promise((ended) => context.signal.addEventListener('abort', ended));
    } finally {
      stopListening?.();
      server.logEvent('The service is stopping');
      await running.close();
      server.logEvent('The service is stopped');
    }
  },
});

type Service = Awaited<ReturnType<typeof import('../../server/server.ts')['startServer']>>;

const startedEvent = (
  { url, urls, tlsUrls, certificates, controlUrl: control }: Service,
  service: string,
) => ({
  url,
  roles: Object.fromEntries(urls),
  tls: tlsUrls && { url: tlsUrls.url, roles: Object.fromEntries(tlsUrls.roles) },
  certificate: certificates?.shown,
  control,
  service,
  pid: process.pid,
});

// Reloads the certificates on SIGHUP, with a note in the given context.
function reloadCertificates({ certificates }: Service, noting: Context | undefined) {
  if (!certificates) return undefined;
  return reloadBySignal(() => {
    if (certificates.reload())
      noting?.out.note(
        `The service reloaded its certificate: [${certificates.shown.subject}], valid until [${certificates.shown.validTo}]`,
      );
  });
}

function noteAddresses({ tlsUrls, controlUrl: control }: Service, { out }: Context): void {
  if (tlsUrls) out.note(`Over TLS: ${tlsUrls.url}`);
  if (control !== undefined)
    out.note(`Control interface for tests, for this machine only: ${control}`);
}

async function loadDemo(
  demo: typeof import('./load-demo.ts'),
  { url, tlsUrls, certificates, client }: Service,
  context: Context,
): Promise<void> {
  if (!tlsUrls && certificates?.clients.rejectUnauthorized && client?.cert === undefined)
    throw new CommandError(
      'usage',
      `--demo loads its data as a client, but the service requires client certificates. Set one in property [${context.service}.client.https.keyStorePath]`,
    );
  await demo.loadDemo(context, url, client).catch((error: unknown) => {
    if (!context.signal.aborted) throw error;
  });
}

// Without other settings, the command trusts the certificate of the service.
const runWithService = (
  command: readonly string[],
  { url, tlsUrls, certificates, controlUrl }: Service,
  { service, signal, io }: Context,
) =>
  withTrustedFile(tlsUrls ? undefined : certificates?.identity.cert, (trusting) =>
    runBeside(command, { url, service, signal, env: { ...trusting, ...io.env }, controlUrl }),
  );

function explain(error: unknown): never {
  throw missingPackage(error) ?? error;
}
