// Data folder: all files of the service. One process uses it at a time.
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CannotOpen, type Metadata, openMetadata, takeLock } from './metadata.ts';
import { makeFolderPrivate } from './private-files.ts';
import { metadataFile, putInPlace } from './restored-state.ts';

export interface DataFolder {
  readonly path: string; // absolute
  readonly segments: string;
  readonly staging: string; // one folder per task; empty at start
  readonly taskLogs: string;
  readonly segmentCache: string; // copies of segments that queries read
  readonly results: string; // pages of asynchronous statements
  readonly spill: string; // data spilled by running queries; empty at start
  readonly lookups: string; // the pairs of large lookups; empty at start
  readonly forQueries: readonly string[]; // the folders that the query engine may access
  readonly metadata: Metadata;
  /** Settles when the leftovers of an earlier process are removed. */
  readonly cleaned: Promise<void>;
  /**
   * Closes the folder, lets `change` replace its content, and opens it again. The lock is held
   * throughout.
   */
  reopen(change: () => void): Promise<DataFolder>;
  close(): Promise<void>;
}

/**
 * Opens a data folder, and creates it if it is missing. Without a path, creates a temporary one
 * that is removed at the end. Throws CannotOpen when another process uses it (the message names
 * both), or when it cannot be written.
 */
export function openDataFolder(given: string | undefined): DataFolder {
  const path = given === undefined ? mkdtempSync(join(tmpdir(), 'svcctl-')) : resolve(given);
  const at = (name: string) => join(path, name);
  const folders = {
    segments: at('segments'),
    taskLogs: at('task-logs'),
    segmentCache: at('segment-cache'),
    results: at('results'),
  };
  const passing = { staging: at('staging'), spill: at('spill'), lookups: at('lookups') };
  try {
    for (const folder of Object.values(folders)) makeFolderPrivate(folder);
  } catch (error) {
    throw new CannotOpen(`The data folder [${path}] cannot be written: ${reasonOf(error)}`);
  }
  const release = lock(path);
  // A process that exits at once may still be writing: then the first attempt finds a non-empty
  // folder.
  const removeAtExit = () =>
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  if (given === undefined) process.once('exit', removeAtExit);
  return openFolder();

  function openFolder(): DataFolder {
    const metadata = openLocked(path, release);
    const cleaned = replaceFolders(path, Object.values(passing));
    let isClosed = false;
    return {
      path,
      ...folders,
      ...passing,
      forQueries: [
        folders.segments,
        folders.results,
        passing.staging,
        passing.spill,
        passing.lookups,
      ],
      metadata,
      cleaned,
      async reopen(change) {
        await cleaned.catch(() => undefined);
        metadata.close();
        isClosed = true;
        change();
        return openFolder();
      },
      async close() {
        await cleaned.catch(() => undefined);
        if (isClosed) return;
        isClosed = true;
        metadata.close();
        release();
        if (given !== undefined) return;
        await rm(path, { recursive: true, force: true });
        process.off('exit', removeAtExit); // last, because a second signal may end the process earlier
      },
    };
  }
}

const pidFile = 'pid';

// The lock ends with its process; the file beside it only names the holder.
function lock(path: string): () => void {
  const release = takeLock(join(path, 'lock.sqlite'));
  if (!release) {
    throw new CannotOpen(
      `The data folder [${path}] is in use by process [${pidIn(path)}]. Stop that process, or use another folder.`,
    );
  }
  writeFileSync(join(path, pidFile), `${process.pid}\n`, { mode: 0o600 });
  return () => {
    rmSync(join(path, pidFile), { force: true });
    release();
  };
}

function openLocked(path: string, release: () => void): Metadata {
  try {
    putInPlace(path, () => mkdtempSync(join(path, leftoversPrefix)));
    return openMetadata(join(path, metadataFile));
  } catch (error) {
    release();
    throw error;
  }
}

function pidIn(path: string): string {
  try {
    return readFileSync(join(path, pidFile), 'utf8').trim();
  } catch {
    return 'unknown';
  }
}

// Renaming a full folder is quick; emptying it may take long and runs in the background.
async function replaceFolders(path: string, folders: readonly string[]): Promise<void> {
  const leftovers = mkdtempSync(join(path, leftoversPrefix));
  for (const [index, folder] of folders.entries()) {
    try {
      renameSync(folder, join(leftovers, String(index)));
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    mkdirSync(folder, { mode: 0o700 });
  }
  const names = (await readdir(path)).filter((name) => name.startsWith(leftoversPrefix));
  await Promise.all(names.map((name) => rm(join(path, name), { recursive: true, force: true })));
}

/** Names with this prefix are removed by the next start. */
export const leftoversPrefix = 'leftovers-';

const isMissing = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
