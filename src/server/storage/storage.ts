// Storage of the service, opened and closed as one unit.
import { logError } from '../process/log.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { LookupFiles } from './lookup-files.ts';
import type { Metadata } from './metadata.ts';
import { ResultStore } from './result-store.ts';
import { SegmentStore } from './segment-store.ts';

export interface Storage {
  readonly folder: DataFolder;
  readonly metadata: Metadata;
  readonly segments: SegmentStore;
  readonly results: ResultStore;
  readonly lookupFiles: LookupFiles;
  /**
   * Settles when the leftovers of an earlier process are removed. Other work need not wait for it.
   */
  readonly cleaned: Promise<void>;
  /** See the data folder's function. */
  reopen(change: () => void): Promise<Storage>;
  close(): Promise<void>;
}

/**
 * Opens the data folder; without a path, a temporary one that is removed at the end. Throws
 * CannotOpen with a message for the operator.
 */
export function openStorage(path?: string, now: () => number = Date.now): Storage {
  return storageIn(openDataFolder(path), now);
}

function storageIn(folder: DataFolder, now: () => number): Storage {
  const segments = new SegmentStore(folder, now);
  const results = new ResultStore(folder);
  const cleaned = Promise.all([
    folder.cleaned,
    segments.removeStrayFiles(),
    results.removeStray(),
  ]).then(
    () => undefined,
    logError, // leftover files do no harm
  );
  return {
    folder,
    metadata: folder.metadata,
    segments,
    results,
    lookupFiles: new LookupFiles(folder),
    cleaned,
    async reopen(change) {
      await cleaned;
      return storageIn(await folder.reopen(change), now);
    },
    async close() {
      await cleaned;
      await folder.close();
    },
  };
}
