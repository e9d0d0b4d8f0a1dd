// Shared parts of the programs of child processes.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { EngineError } from './refusals.ts';

/** Path of the built program with this name, for the built service and for the sources. */
export function programNamed(name: string): string {
  const places = [`../${name}.cjs`, `../../../dist/${name}.cjs`].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const found = places.find(existsSync);
  if (found === undefined)
    throw new EngineError(`The program of a child process is missing: [${places[0]}]`);
  return found;
}

/** The environment of a child process of this one, without the service's own secrets. */
export const childEnvironment = (): Record<string, string | undefined> => ({
  ...Object.fromEntries(
    ['PATH', 'TZ', 'LD_LIBRARY_PATH', 'SystemRoot'].flatMap((name) =>
      process.env[name] === undefined ? [] : [[name, process.env[name]]],
    ),
  ),
  [servicePid]: String(process.pid),
});

// A child process cannot ask for it: a service that is gone has another process in its place.
const servicePid = 'SVCCTL_SERVICE_PID';

/**
 * In a child process: ends it when the service is gone, and leaves all other endings to the
 * service. A separate thread checks, because a function may block this one. It uses SIGKILL,
 * because DuckDB's threads may be busy, too.
 */
export function endWithService(): void {
  const watch = `
    const service = ${Number(process.env[servicePid])};
    setInterval(() => process.ppid === service || process.kill(process.pid, 'SIGKILL'), 500);
  `;
  new Worker(watch, {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 },
  }).unref();
  // A terminal sends its signals to all processes of the service.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => undefined);
}
