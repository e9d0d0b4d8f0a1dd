// Modes of files and folders with user data: only the service's own user can read them, regardless
// of the umask and the parent folder.
import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';

/**
 * Makes a file and the existing files beside it readable for the owner only; creates an empty file
 * if it is missing.
 */
export function makePrivate(path: string, beside: readonly string[]): void {
  // An existing file is not opened: closing it would drop this process's locks on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  for (const one of [path, ...beside]) if (isWider(one, 0o600)) chmodSync(one, 0o600);
}

/** Creates a folder and its parents, and restricts an existing one to the owner. */
export function makeFolderPrivate(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (isWider(path, 0o700)) chmodSync(path, 0o700);
}

// The mode of another owner's file cannot be changed, and need not be when it is already
// restricted.
function isWider(path: string, mode: number): boolean {
  const found =
    process.platform === 'win32' ? undefined : statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (found.mode & 0o777 & ~mode) !== 0;
}
