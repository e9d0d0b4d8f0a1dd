// Ids of submitted statements, one JSON line each in a private file, because the service has no
// list of statements.
import { appendFileSync, chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError, strangeLine } from '../../cli/process/errors.ts';
import { stateFolder } from '../../cli/process/paths.ts';
import { check, object, text, type Value } from '../../contract/schema.ts';

export type LedgerEntry = Value<typeof entry>;

const entry = object({ queryId: text, url: text, submitted: text, statement: text });

type Env = NodeJS.ProcessEnv;

/** Adds a statement. It is one write of one line, so concurrent writers do not damage it. */
export function remember(env: Env, { statement, ...rest }: LedgerEntry): void {
  const folder = stateFolder(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const line = JSON.stringify({ ...rest, statement: shorten(statement) });
  appendFileSync(fileIn(env), `${line}\n`, { mode: 0o600 });
  chmodSync(fileIn(env), 0o600);
}

/**
 * The statements submitted to a service, or to all; the newest first. Throws for an unreadable
 * line; the file is never reset.
 */
export const entriesFor = (env: Env, url?: string): readonly LedgerEntry[] =>
  linesIn(env)
    .flatMap((line, at) => (line === '' ? [] : [entryIn(line, at + 1, env)]))
    .filter((entry) => url === undefined || entry.url === url)
    .toReversed();

function entryIn(line: string, number: number, env: Env): LedgerEntry {
  try {
    return check(entry, JSON.parse(line));
  } catch {
    throw strangeLine(fileIn(env), number, 'statement that was submitted');
  }
}

function linesIn(env: Env): readonly string[] {
  try {
    return readFileSync(fileIn(env), 'utf8').split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new CommandError(
      'failed',
      `File [${fileIn(env)}] cannot be read: ${(error as Error).message}`,
    );
  }
}

const fileIn = (env: Env) => join(stateFolder(env), 'statements.jsonl');

const shorten = (statement: string) => {
  const line = statement.replace(/\s+/g, ' ').trim();
  return line.length <= 200 ? line : `${line.slice(0, 199)}…`;
};
