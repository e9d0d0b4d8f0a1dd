// Local files in requests: regular files below the allowed folders, after following links.
import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { Outside } from './outside.ts';

type Folders = Pick<Outside, 'folders' | 'ownFolder'>;

/**
 * A path with its links followed. Throws an Error when it lies outside the allowed folders or does
 * not exist.
 */
export async function realPathIn(
  outside: Folders,
  name: string,
  kind: 'file' | 'folder' = 'file',
): Promise<string> {
  const allowed = await realFolders(outside);
  const path = resolve(name);
  // For a path outside, the error does not even reveal its existence.
  if (![...outside.folders, ...allowed.folders].some((folder) => isBelow(path, folder)))
    throw notAllowed(name, outside);
  const real = await realpath(path).catch(() => {
    throw new Error(
      `Cannot read ${kind} [${name}]: it does not exist, or the service may not read it`,
    );
  });
  if (!isAllowed(real, allowed)) throw notAllowed(name, outside);
  return real;
}

/** Whether a path without links lies below an allowed folder and outside the data folder. */
export async function isInside(real: string, outside: Folders): Promise<boolean> {
  return isAllowed(real, await realFolders(outside));
}

/** Whether a path, as written, lies below a folder. */
export const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/**
 * The content of a small regular file. Throws an Error that names the file when it is not allowed,
 * not regular, or larger than `maxBytes`.
 */
export async function readSmallFile(
  outside: Folders,
  name: string,
  maxBytes: number,
): Promise<Buffer> {
  const real = await realPathIn(outside, name);
  if (!(await stat(real)).isFile()) throw notAFile(name); // opening a device may have side effects
  const file = await open(
    real,
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW,
  ).catch(() => {
    throw new Error(`Cannot read [${name}]: the service may not read it`);
  });
  try {
    if (!(await file.stat()).isFile()) throw notAFile(name);
    // A folder became a link in the meantime
    if ((await realpath(real)) !== real) throw notAllowed(name, outside);
    const content = Buffer.alloc(maxBytes + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < content.length; length += read)
      read = (await file.read(content, length, content.length - length)).bytesRead;
    if (length > maxBytes)
      throw new Error(`Cannot read [${name}]: it is larger than [${maxBytes}] bytes`);
    return content.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** Refuses a path that does not lead to a regular file. */
export const notAFile = (name: string) => new Error(`Cannot read [${name}]: it is not a file`);

function notAllowed(name: string, { folders }: Folders): Error {
  return new Error(
    folders.length === 0
      ? `Cannot read [${name}]: the service may not read local files. Start it with --allow-dir to allow a folder`
      : `Cannot read [${name}]: it is not below a folder that the service may read. Start the service with --allow-dir to allow another folder`,
  );
}

interface RealFolders {
  readonly folders: readonly string[];
  readonly ownFolder: string | undefined;
}

async function realFolders({ folders, ownFolder }: Folders): Promise<RealFolders> {
  const real = (folder: string) => realpath(folder).catch(() => resolve(folder));
  return {
    folders: await Promise.all(folders.map(real)),
    ownFolder: ownFolder === undefined ? undefined : await real(ownFolder),
  };
}

const isAllowed = (real: string, { folders, ownFolder }: RealFolders) =>
  folders.some((folder) => isBelow(real, folder)) &&
  !(ownFolder !== undefined && isBelow(real, ownFolder));
