// A disk without room, however it is noticed: by the operating system, by SQLite or by DuckDB.
import { isAbsolute } from 'node:path';
import { Refusal } from './refusals.ts';

/**
 * What could not be written because the disk is full. `place` is the folder or file: by its name in
 * the data folder, or by its whole path.
 */
export class DiskFull extends Refusal {
  constructor(place: string) {
    super(
      'runtimeFailure',
      `The disk is full: nothing more can be written to [${place}]${isAbsolute(place) ? '' : ' of the data folder'}. Make room on it, and submit again what was not done`,
      { persona: 'OPERATOR' },
    );
  }
}

/**
 * An error for want of room as one that says so and names the place; any other as it is. `place` is
 * where the writer writes: a folder by its name in the data folder (where that is, is nobody's
 * business), or one that the caller has named.
 */
export const withPlace = (error: unknown, place: string): unknown =>
  !(error instanceof DiskFull) && lacksRoom(error) ? new DiskFull(place) : error;

/**
 * Whether an error of the operating system or of SQLite, or what was made of one, means that there
 * was not enough room for what was to be written: a full disk, a quota, a limit of the size of
 * files. Its words are not looked at, because they may quote anything.
 */
export function lacksRoom(error: unknown): boolean {
  if (error instanceof DiskFull) return true;
  if (!(error instanceof Error) || !('code' in error)) return false;
  return (
    ('sqliteCode' in error && error.sqliteCode === sqliteFull) || roomless.has(String(error.code))
  );
}

const sqliteFull = 13; // SQLITE_FULL

const roomless = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);
