// Names from the service for completion. A request takes at most one second, and the cache limits
// requests to two per minute.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Completer } from '../command/command.ts';
import { connectionOf } from '../command/connection.ts';
import { askerOf } from '../input/prompt.ts';
import type { Io } from '../process/io.ts';
import { cacheFolder } from '../process/paths.ts';
import { readConfig } from '../profiles/profiles.ts';
import { resolveSettings } from '../profiles/settings.ts';

const patienceMs = 1000;
const freshMs = 30_000;

export const profileNames = ({ env }: Io): readonly string[] =>
  Object.keys(readConfig(env).profiles);

interface Line {
  readonly given: Readonly<Record<string, unknown>>; // the shared flags
  readonly values: readonly string[];
  readonly typed: string;
}

/**
 * The values of a completer, from the cache or the service; an empty list on failure or timeout.
 * Local values are never cached.
 */
export async function liveNames(
  about: string,
  completer: Completer,
  { given, values, typed }: Line,
  io: Io,
): Promise<readonly string[]> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    const resolved = resolveSettings({ ...given, noInput: true }, io.env, process.cwd());
    const { url, service, user } = resolved.settings;
    const key = createHash('sha256')
      .update(JSON.stringify([about, ...values, url, service, user]))
      .digest('hex')
      .slice(0, 32);
    const file = join(cacheFolder(io.env), 'names', `${key}.json`);
    const kept = readKeptNames(file);
    if (kept) return kept;
    let isAsked = false;
    const observe = () => {
      isAsked = true;
    };
    const { call } = connectionOf(resolved, io, {
      ask: askerOf(io, true, false),
      signal: controller.signal,
      observe,
    });
    const tooLate = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), patienceMs);
    });
    const names = await Promise.race([completer({ call, resolved, io, values, typed }), tooLate]);
    if (names && isAsked) keep(file, names);
    return names ?? [];
  } catch {
    return []; // an error message would disturb the line that is being typed
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

function readKeptNames(file: string): readonly string[] | undefined {
  try {
    const { at, names } = JSON.parse(readFileSync(file, 'utf8')) as { at: number; names: string[] };
    return Math.abs(Date.now() - at) < freshMs ? names : undefined;
  } catch {
    return;
  }
}

function keep(file: string, names: readonly string[]) {
  mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, JSON.stringify({ at: Date.now(), names }), { mode: 0o600 });
  renameSync(aside, file);
}
