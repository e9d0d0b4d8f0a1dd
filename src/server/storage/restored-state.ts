// Snapshot during its restoration into the data folder. Once the copy has the name below, it is the
// current state, and a start that finds it moves it into place: a crash leaves either the old state
// or the restored one.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crashPoint } from './crash-points.ts';

/** The folder, below the data folder, of a state that replaces the current one. */
export const chosenState = 'restore';
/** The folders that are part of a state. */
export const stateFolders = ['segments', 'results', 'task-logs'] as const;
/** The file with the rest of the state. */
export const metadataFile = 'metadata.sqlite';

/**
 * Moves a chosen state into place, or its remaining parts. The replaced files go to the folder that
 * `makeLeftovers` creates.
 */
export function putInPlace(path: string, makeLeftovers: () => string): void {
  const chosen = join(path, chosenState);
  if (!existsSync(chosen)) return;
  const leftovers = makeLeftovers();
  for (const part of [...stateFolders, metadataFile]) {
    if (!existsSync(join(chosen, part))) continue; // it is already in place
    // SQLite's write-ahead log must not meet another database file.
    const replaced = part === metadataFile ? [`${part}-wal`, `${part}-shm`, part] : [part];
    for (const name of replaced)
      if (existsSync(join(path, name))) renameSync(join(path, name), join(leftovers, name));
    renameSync(join(chosen, part), join(path, part));
    crashPoint('restored state partly in place');
  }
  rmSync(chosen, { recursive: true });
}
