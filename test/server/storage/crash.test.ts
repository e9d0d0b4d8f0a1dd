import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crashPoints } from '../../../src/server/storage/crash-points.ts';
import { findDataSourceMetadata } from '../../../src/server/storage/datasource-metadata.ts';
import { listSegments } from '../../../src/server/storage/segments.ts';
import { openStorage } from '../../../src/server/storage/storage.ts';
import { built, runChild } from '../../support/child.ts';
import { temporaryFolder } from '../../support/storage.ts';

let child: Awaited<ReturnType<typeof built>>;
beforeAll(async () => {
  child = await built('test/server/storage/publish-child.ts');
});
afterAll(() => child.remove());

test.each(crashPoints.publish)(
  'a crash at "%s" loses nothing acknowledged and shows nothing half done',
  async (point) => {
    const folder = await temporaryFolder();
    expect((await runChild(child.path, [folder, 'publish', '1', '2'], {})).lines).toEqual([
      '1',
      '2',
    ]);
    const crashed = await runChild(child.path, [folder, 'publish', '3', '3'], {
      SVCCTL_CRASH_POINT: point,
    });
    expect(crashed).toMatchObject({ signal: 'SIGKILL', lines: [] });

    const known = await generationsIn(folder);
    const committed = point === 'segments committed, not yet acknowledged';
    expect(known).toEqual(committed ? [1, 2, 3] : [1, 2]);
    await runChild(child.path, [folder, 'publish', committed ? '4' : '3', '4'], {});
    expect(await generationsIn(folder)).toEqual([1, 2, 3, 4]);
  },
);

test.each(crashPoints.delete)('a crash at "%s" leaves no file behind', async (point) => {
  const folder = await temporaryFolder();
  await runChild(child.path, [folder, 'publish', '1', '2'], {});
  const crashed = await runChild(child.path, [folder, 'delete', '1', '1'], {
    SVCCTL_CRASH_POINT: point,
  });
  expect(crashed.signal).toBe('SIGKILL');
  expect(await generationsIn(folder)).toEqual([2]);
});

test('killed at any moment, what was acknowledged is there, whole', async () => {
  const folder = await temporaryFolder();
  const seed = Number(process.env.SEED ?? Date.now() % 1000);
  console.log(`seed ${seed}`);
  let acknowledged = 0;
  for (let round = 0; round < 4; round++) {
    const killAfter = (seed * (round + 1)) % 7;
    const { lines, signal } = await runChild(
      child.path,
      [folder, 'publish', String(acknowledged + 1), '100000'],
      {},
      (line, process) => {
        if (Number(line) >= acknowledged + 3) setTimeout(() => process.kill('SIGKILL'), killAfter);
      },
    );
    expect(signal).toBe('SIGKILL');
    const last = Number(lines.at(-1));
    const known = await generationsIn(folder);
    expect(known.length).toBeGreaterThanOrEqual(last);
    expect(known.length).toBeLessThanOrEqual(last + 1);
    acknowledged = known.length;
  }
});

/**
 * Opens the folder as the service does and returns the generations in it; checks that each is whole
 * and that nothing else is there.
 */
async function generationsIn(folder: string): Promise<number[]> {
  const storage = openStorage(folder);
  try {
    await storage.cleaned;
    const segments = listSegments(storage.metadata);
    const generations = [...new Set(segments.map(({ version }) => Number(version.slice(1))))].sort(
      (a, b) => a - b,
    );
    expect(segments.length).toBe(generations.length * 3);
    for (const segment of segments) {
      const text = await readFile(storage.segments.fileOf(segment) ?? '', 'utf8');
      expect(text).toBe(`generation ${segment.version.slice(1)} part ${segment.partitionNum}`);
    }
    expect(findDataSourceMetadata(storage.metadata, 'wiki')).toBe(generations.at(-1));
    const entries = await readdir(storage.folder.segments, {
      recursive: true,
      withFileTypes: true,
    });
    expect(entries.filter((entry) => entry.isFile()).length).toBe(segments.length);
    expect(await readdir(storage.folder.staging)).toEqual([]);
    expect((await readdir(join(folder))).filter((name) => name.startsWith('leftovers'))).toEqual(
      [],
    );
    return generations;
  } finally {
    await storage.close();
  }
}
