// History of the shell: one JSON line per input, in a private file per profile.
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { stateFolder } from '../../../cli/process/paths.ts';

export interface History {
  /** The newest first. */
  readonly entries: readonly string[];
  add(entry: string): void;
}

/**
 * The history of a profile, or of an address without one. `complain` reports an unreadable or
 * unwritable file once.
 */
export function historyOf(
  name: string,
  env: NodeJS.ProcessEnv,
  complain: (sentence: string) => void,
): History {
  const folder = stateFolder(env);
  const file = join(folder, `sql-history-${encodeURIComponent(name)}.jsonl`);
  let entries: string[] = [];
  let isKept = true;

  function attempt(work: () => void) {
    if (!isKept) return;
    try {
      work();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      isKept = false;
      complain(`The history is not saved: ${(error as Error).message}`);
    }
  }

  attempt(() => {
    entries = entriesIn(readFileSync(file, 'utf8'));
    if (entries.length > mostKept * 2) shorten(file, entries);
  });
  return {
    get entries() {
      return entries.slice(0, mostKept);
    },
    add(entry) {
      if (entry === '' || entry === entries[0]) return;
      entries.unshift(entry);
      if (holdsSecret(entry)) return;
      attempt(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
        chmodSync(file, 0o600);
      });
    },
  };
}

export const mostKept = 1000;

/**
 * Whether a line seems to hold a password. Input sources, for example, have theirs in the
 * statement.
 */
export const holdsSecret = (line: string): boolean =>
  /(pass(word|wd)?|secret\w*|credentials?|accesskey\w*|token)["']?\s*(=>?|:)/i.test(line);

function entriesIn(text: string): string[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap(entryIn).toReversed();
}

// A line damaged by another program is skipped; the others are kept.
function entryIn(line: string): readonly string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' ? [entry] : [];
  } catch {
    return [];
  }
}

function shorten(file: string, entries: readonly string[]) {
  const aside = `${file}.${process.pid}`;
  const kept = entries.slice(0, mostKept).toReversed();
  writeFileSync(aside, kept.map((entry) => `${JSON.stringify(entry)}\n`).join(''), { mode: 0o600 });
  renameSync(aside, file);
}
