// Snapshots of all data, in folders below the data folder. Immutable files are hard links.
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatInstant } from '../../model/instant.ts';
import { formatJson } from '../../model/json.ts';
import { Refusal } from '../checks/refusals.ts';
import { crashPoint } from '../storage/crash-points.ts';
import { type DataFolder, leftoversPrefix } from '../storage/data-folder.ts';
import { syncAtOnce } from '../storage/durable-files.ts';
import { makeFolderPrivate } from '../storage/private-files.ts';
import { chosenState, metadataFile, stateFolders } from '../storage/restored-state.ts';
import { bad } from './route.ts';

export interface DataSnapshot {
  readonly name: string;
  readonly taken: string; // by the service's clock
  readonly files: number;
  readonly sizeBytes: number;
}

export class Snapshots {
  readonly #folder: () => DataFolder;
  readonly #now: () => number;
  readonly #restart: (change: () => void) => Promise<void>;
  #last: Promise<unknown> = Promise.resolve();

  /**
   * `restart` stops the composed service, lets its argument replace the content of the data folder,
   * and starts it again.
   */
  constructor(
    folder: () => DataFolder,
    now: () => number,
    restart: (change: () => void) => Promise<void>,
  ) {
    this.#folder = folder;
    this.#now = now;
    this.#restart = restart;
  }

  /** The snapshots, sorted by name. */
  list(): DataSnapshot[] {
    if (!existsSync(this.#place())) return [];
    return readdirSync(this.#place())
      .filter((name) => existsSync(this.#place(name, descriptionFile)))
      .sort()
      .map(
        (name) =>
          JSON.parse(readFileSync(this.#place(name, descriptionFile), 'utf8')) as DataSnapshot,
      );
  }

  /** Throws a Refusal for a name that is taken or invalid. */
  take(name: string): Promise<DataSnapshot> {
    return this.#inTurn(async () => {
      if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(name))
        throw bad(
          `Invalid value for field [name]: [${name}] must have letters, digits, dots, hyphens and underscores only, at most 100`,
        );
      if (existsSync(this.#place(name)))
        throw new Refusal(
          'conflict',
          `Snapshot [${name}] already exists. DELETE /snapshots/${name} removes it`,
        );
      await this.#folder().cleaned;
      return this.#copy(name);
    });
  }

  /** Restores all data or nothing. Throws a Refusal for an unknown snapshot. */
  restore(name: string): Promise<DataSnapshot> {
    return this.#inTurn(async () => {
      const snapshot = this.#get(name);
      const { path, cleaned } = this.#folder();
      await cleaned;
      const staged = writeStaged(path, (folder) => {
        copyState(this.#place(name), folder);
        copyFileSync(this.#place(name, metadataFile), join(folder, metadataFile));
        syncAtOnce(join(folder, metadataFile), constants.O_RDWR);
        return folder;
      });
      crashPoint('restored state copied, not yet chosen');
      await this.#restart(() => {
        renameSync(staged, join(path, chosenState));
        crashPoint('restored state chosen, not yet in place');
      });
      return snapshot;
    });
  }

  /** Returns the remaining snapshots. Throws a Refusal for an unknown snapshot. */
  delete(name: string): Promise<DataSnapshot[]> {
    return this.#inTurn(async () => {
      this.#get(name);
      const leaving = mkdtempSync(join(this.#folder().path, leftoversPrefix));
      // Atomic, so that a snapshot is never incomplete
      renameSync(this.#place(name), join(leaving, name));
      await rm(leaving, { recursive: true, force: true });
      return this.list();
    });
  }

  // Synchronous, so that nothing changes meanwhile: a publication adds a file before its row, and a
  // deletion removes the row before the file.
  #copy(name: string): DataSnapshot {
    const { path, metadata } = this.#folder();
    return writeStaged(path, (staged) => {
      metadata.run('VACUUM INTO ?', join(staged, metadataFile));
      const state = copyState(path, staged);
      const sizeBytes = state.sizeBytes + statSync(join(staged, metadataFile)).size;
      const snapshot = {
        name,
        taken: formatInstant(this.#now()),
        files: state.files + 1,
        sizeBytes,
      };
      writeFileSync(join(staged, descriptionFile), formatJson(snapshot));
      makeFolderPrivate(this.#place());
      renameSync(staged, this.#place(name));
      return snapshot;
    });
  }

  #get(name: string): DataSnapshot {
    const all = this.list();
    const found = all.find((snapshot) => snapshot.name === name);
    if (found) return found;
    const known =
      all.length > 0
        ? `there are ${all.map((one) => `[${one.name}]`).join(', ')}`
        : 'there are none';
    throw new Refusal('notFound', `Snapshot [${name}] does not exist; ${known}`);
  }

  #place(...names: readonly string[]): string {
    return join(this.#folder().path, 'snapshots', ...names);
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

const descriptionFile = 'snapshot.json';

// A failure, for example on a full disk, leaves nothing behind.
function writeStaged<Result>(path: string, work: (folder: string) => Result): Result {
  const folder = mkdtempSync(join(path, leftoversPrefix));
  try {
    return work(folder);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

// Logs grow, so they are copied; other files are never changed.
function copyState(
  from: string,
  to: string,
): { readonly files: number; readonly sizeBytes: number } {
  let files = 0;
  let sizeBytes = 0;
  for (const folder of stateFolders) {
    mkdirSync(join(to, folder), { mode: 0o700 });
    for (const entry of readdirSync(join(from, folder), { recursive: true, withFileTypes: true })) {
      const source = join(entry.parentPath, entry.name);
      const target = join(to, source.slice(from.length));
      if (entry.isDirectory()) {
        mkdirSync(target, { recursive: true, mode: 0o700 });
        continue;
      }
      mkdirSync(join(target, '..'), { recursive: true, mode: 0o700 });
      if (folder === 'task-logs') copyFileSync(source, target);
      else linkOrCopy(source, target);
      files++;
      sizeBytes += statSync(source).size;
    }
  }
  return { files, sizeBytes };
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to); // a file system without links
  }
}
