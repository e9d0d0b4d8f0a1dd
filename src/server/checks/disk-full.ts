// Detection of a full disk in errors of the operating system, SQLite and DuckDB.
import { isAbsolute } from 'node:path';
import { Refusal } from './refusals.ts';

/**
 * A write failed because the disk is full. `place` is the folder or file: its name in the data
 * folder, or its absolute path.
 */
export class DiskFull extends Refusal {
  constructor(place: string) {
    super(
      'runtimeFailure',
      `The disk is full: the service cannot write to [${place}]${isAbsolute(place) ? '' : ' of the data folder'}. Free some space, and submit the failed requests again`,
      { persona: 'OPERATOR' },
    );
  }
}

/**
 * A disk-full error becomes a DiskFull that names the place; other errors are unchanged. `place` is
 * the target of the writer: the name of a folder in the data folder (whose path stays private), or
 * a folder that the caller has named.
 */
export const withPlace = (error: unknown, place: string): unknown =>
  !(error instanceof DiskFull) && lacksRoom(error) ? new DiskFull(place) : error;

/**
 * Whether an error of the operating system or of SQLite, or one derived from it, means a lack of
 * room: a full disk, a quota, or a limit on the size of files. The message is ignored because it
 * may quote anything.
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
