// A snapshot on its way back into the data folder. Once its copy has the name below, it is what the
// service has, and a start that finds it there puts it in place: a crash leaves either the old
// state or the restored one.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crashPoint } from './crash-points.ts';

/** The folder, below the data folder, of a state that is to replace what is there. */
export const chosenState = 'restore';
/** The folders that are part of a state. */
export const stateFolders = ['segments', 'results', 'task-logs'] as const;
/** The file that is the rest of it. */
export const metadataFile = 'metadata.sqlite';

/**
 * Puts a chosen state in place, or the part of it that is not there yet. What it replaces goes to
 * the folder that `makeLeftovers` makes.
 */
export function putInPlace(path: string, makeLeftovers: () => string): void {
  const chosen = join(path, chosenState);
  if (!existsSync(chosen)) return;
  const leftovers = makeLeftovers();
  for (const part of [...stateFolders, metadataFile]) {
    if (!existsSync(join(chosen, part))) continue; // it is there already
    // What SQLite wrote ahead must not meet another file.
    const replaced = part === metadataFile ? [`${part}-wal`, `${part}-shm`, part] : [part];
    for (const name of replaced)
      if (existsSync(join(path, name))) renameSync(join(path, name), join(leftovers, name));
    renameSync(join(chosen, part), join(path, part));
    crashPoint('restored state partly in place');
  }
  rmSync(chosen, { recursive: true });
}
