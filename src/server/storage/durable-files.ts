// Durable writes of files: a crash leaves either the old or the new content, never a part.
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
} from 'node:fs';
import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Moves a finished file to its place; when this returns, file and name survive a power cut. Both
 * paths must be on one file system.
 */
export async function moveDurably(from: string, to: string): Promise<void> {
  await syncFile(from);
  await makeFolderDurably(dirname(to));
  await rename(from, to);
  // Rename is atomic, but only durable once the folder itself is synced.
  await syncFolder(dirname(to));
}

/** Makes a folder and its parents, and syncs every folder that got a new entry. */
export async function makeFolderDurably(folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made))
    await syncFolder(dirname(made));
}

/**
 * Gives a file on disk another name, synchronously, for use in a transaction. A file system without
 * links gets a copy. Throws when the name is taken.
 */
export function linkDurably(from: string, to: string): void {
  const first = mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    syncAtOnce(to, constants.O_RDWR);
  }
  if (process.platform === 'win32') return;
  const top = dirname(first ?? to);
  for (let folder = dirname(to); folder.length >= top.length; folder = dirname(folder))
    syncAtOnce(folder, constants.O_RDONLY);
}

/** Syncs the content of a file or folder to disk before it returns; `flags` as for `open`. */
export function syncAtOnce(path: string, flags: number): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, constants.O_RDWR);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return; // Windows cannot sync folders and need not
  const handle = await open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
