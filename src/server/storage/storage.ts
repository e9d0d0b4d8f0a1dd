// All that the service keeps, opened and closed as one.
import { type DataFolder, openDataFolder } from './data-folder.ts';
import type { Metadata } from './metadata.ts';
import { ResultStore } from './result-store.ts';
import { SegmentStore } from './segment-store.ts';

export interface Storage {
  readonly folder: DataFolder;
  readonly metadata: Metadata;
  readonly segments: SegmentStore;
  readonly results: ResultStore;
  /** Settles when what an earlier process left behind is gone. Nothing need wait for it. */
  readonly cleaned: Promise<void>;
  close(): Promise<void>;
}

/** Opens the data folder; without a path a temporary one that is removed at the end. Throws CannotOpen with a message for the operator. */
export function openStorage(path?: string, now: () => number = Date.now): Storage {
  const folder = openDataFolder(path);
  const segments = new SegmentStore(folder, now);
  const results = new ResultStore(folder);
  const cleaned = Promise.all([folder.cleaned, segments.removeStrayFiles(), results.removeStray()]).then(
    () => undefined,
    (error: unknown) => console.error(error), // untidy, but whole
  );
  return {
    folder,
    metadata: folder.metadata,
    segments,
    results,
    cleaned,
    async close() {
      await cleaned;
      await folder.close();
    },
  };
}
