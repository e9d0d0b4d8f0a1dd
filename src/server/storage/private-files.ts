// Modes of files and folders with data of users: only the service's own user reads them, whatever
// the umask and the folder around them say.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';

/**
 * Makes a file readable for its owner only, with those beside it that are there; one that is not
 * there is made, empty.
 */
export function makePrivate(path: string, beside: readonly string[]): void {
  // One that is there is not opened: closing it would drop the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  for (const one of [path, ...beside]) if (isWider(one, 0o600)) chmodSync(one, 0o600);
}

/** Makes a folder, with those above it, and shuts it for others when it was there. */
export function makeFolderPrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (isWider(path, 0o700)) chmodSync(path, 0o700);
}

// A file of another owner cannot be changed, and need not be when it is narrow already.
function isWider(path: string, mode: number): boolean {
  const found =
    process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o777 & ~mode) !== 0;
}
