// A service whose data folder is on a small disk of its own, which a test fills up and empties
// again.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { startServed } from './served.js';

const mountTmpfs = (folder: string, size: string) =>
  `mount -t tmpfs -o size=${size} tmpfs '${folder}'`;

/** Whether this machine lets a test mount a disk, for itself alone, and look at it from outside. */
export const mounts = (() => {
  if (process.platform !== 'linux') return false;
  const folder = mkdtempSync(join(tmpdir(), 'mount-'));
  const { status } = spawnSync('unshare', ['-rm', 'bash', '-c', mountTmpfs(folder, '1m')]);
  rmSync(folder, { recursive: true });
  return status === 0;
})();

/**
 * A command that runs the one after it with a small disk at a folder; where mounting is not
 * permitted, with a limit of the size of files.
 */
export const smallDisk = (folder: string, size = '8m'): readonly string[] =>
  mounts
    ? ['unshare', '-rm', 'bash', '-c', `${mountTmpfs(folder, size)} && exec "$@"`, 'bash']
    : ['bash', '-c', 'ulimit -f 2048 && exec "$@"', 'bash'];

/** Starts a service on a small disk; needs `mounts`. It may read from, and export to, `folder`. */
export async function startOnSmallDisk(size: string, args: readonly string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const disk = join(folder, 'disk');
  const dataDir = join(disk, 'data');
  await mkdir(disk);
  const service = await startServed(
    ['--data-dir', dataDir, '--allow-dir', folder, ...args],
    {},
    smallDisk(disk, size),
  );
  onTestFinished(async () => {
    service.kill();
    await service.ended;
    await rm(folder, { recursive: true, force: true });
  });
  const seen = `/proc/${service.pid}/root${dataDir}`; // the mount is the service's own
  const ballast = join(seen, 'ballast');
  return {
    service,
    folder,
    disk,
    /** Leaves room for so many bytes. */
    async fill(leave = 0) {
      const { bavail, bsize } = statfsSync(seen);
      await writeFile(ballast, Buffer.alloc(Math.max(0, bavail * bsize - leave)));
    },
    empty: () => rm(ballast),
    /** What lies in a folder of the data folder, folders aside. */
    files: (name: string) =>
      readdirSync(join(seen, name), { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [entry.name] : [],
      ),
  };
}
