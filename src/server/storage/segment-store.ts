// Segments: rows in the metadata store and files below the data folder, kept in step. A file without a row is not there; a row never lacks its file.
import { rmdirSync, rmSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import type { Interval } from '../../model/interval.ts';
import { chunkKey, type Segment, type SegmentColumn, type ShardSpec } from '../../model/segment.ts';
import { inOrder, type Timeline } from '../../model/timeline.ts';
import { crashPoint } from './crash-points.ts';
import type { DataFolder } from './data-folder.ts';
import { moveDurably } from './durable-files.ts';
import type { Transaction } from './metadata.ts';
import { fileName, segmentPath } from './segment-paths.ts';
import { deleteSegmentRows, insertSegments, markSegments, type NewSegment, nextPartitionNum, type SegmentRecord } from './segments.ts';
import { UsedSegments } from './used-segments.ts';

/** A segment that is written, but that nobody sees yet. */
export interface StagedSegment {
  readonly dataSource: string;
  readonly interval: Interval;
  readonly version: string;
  readonly partitionNum?: number; // absent: the next one of the chunk, as for an append
  readonly file: string | undefined; // absolute, in a staging folder; a tombstone has none
  readonly sizeBytes: number;
  readonly numRows: number;
  readonly columns: readonly SegmentColumn[];
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly shardSpec: ShardSpec; // its partitionNum is filled in
  readonly lastCompactionState?: Readonly<Record<string, unknown>>;
}

export class SegmentStore {
  readonly #folder: DataFolder;
  readonly #now: () => number;
  readonly #used: UsedSegments;
  readonly #publishing = new Set<string>(); // paths below the data folder
  readonly #promised = new Map<string, { next: number; pending: number }>(); // chunks with numbers given but not yet committed

  /** `now` in milliseconds since 1970. */
  constructor(folder: DataFolder, now: () => number = Date.now) {
    this.#folder = folder;
    this.#now = now;
    this.#used = new UsedSegments(folder.metadata);
  }

  /** An empty folder for a task's unpublished files, on the same file system as the segments. */
  async makeStagingFolder(taskId: string): Promise<string> {
    const folder = join(this.#folder.staging, fileName(taskId));
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  removeStagingFolder(taskId: string): Promise<void> {
    return rm(join(this.#folder.staging, fileName(taskId)), { recursive: true, force: true });
  }

  /**
   * Makes staged segments visible, all at once. `commit` takes part in the one transaction that does it: task state and stream offsets change there,
   * and when it throws, nothing has happened. When this returns, everything is on disk.
   */
  async publish(
    staged: readonly StagedSegment[],
    commit: (tx: Transaction, records: readonly SegmentRecord[]) => void = () => undefined,
  ): Promise<SegmentRecord[]> {
    const numbered = staged.map((segment) => ({ ...segment, partitionNum: segment.partitionNum ?? this.#promiseNumber(segment) }));
    const moves = numbered.flatMap((segment) => (segment.file === undefined ? [] : [{ from: segment.file, to: segmentPath(segment) }]));
    try {
      this.#claim(moves.map(({ to }) => to));
      return await this.#moveAndCommit(moves, numbered.map(newSegment), commit);
    } finally {
      for (const segment of staged) if (segment.partitionNum === undefined) this.#settleNumber(segment);
    }
  }

  /**
   * Deletes segments for good, rows first and files afterwards: a crash in between leaves files that nobody sees and that the next start removes.
   * Returns how many there were. `commit` as for `publish`.
   */
  async delete(segments: readonly SegmentRecord[], commit: (tx: Transaction) => void = () => undefined): Promise<number> {
    const ids = new Set(segments.map(({ id }) => id));
    const deleted = this.#used.through(
      segments[0]?.dataSource ?? '',
      ids.size,
      () =>
        this.#folder.metadata.transaction((tx) => {
          const count = deleteSegmentRows(tx, ids);
          commit(tx);
          return count;
        }),
      (known) => without(known, ids),
    );
    crashPoint('segments deleted, files not yet');
    // In the same step, because as soon as others run, a new segment may be given the number and the path of a deleted one.
    const paths = segments.flatMap(({ path }) => (path === undefined ? [] : [path]));
    for (const path of paths) rmSync(this.#absolute(path), { force: true });
    for (const folder of new Set(paths.map(dirname))) this.#removeEmptyFolders(folder);
    return deleted;
  }

  /** The timeline of a datasource's used segments; the same object until one of them changes. */
  timeline(dataSource: string): Timeline<SegmentRecord> {
    return this.#used.of(dataSource).timeline;
  }

  /** A datasource's used segments, ordered as `listSegments` does; the same list until one of them changes. */
  used(dataSource: string): readonly SegmentRecord[] {
    return this.#used.of(dataSource).segments;
  }

  /** Marks segments of one datasource used or unused at `nowMs`; returns how many were not so before. */
  mark(segments: readonly SegmentRecord[], used: boolean, nowMs: number): number {
    const changing = segments.filter((segment) => segment.used !== used);
    const [first] = changing;
    if (!first) return 0;
    const ids = new Set(changing.map(({ id }) => id));
    return this.#used.through(
      first.dataSource,
      ids.size,
      () => this.#folder.metadata.transaction((tx) => markSegments(tx, ids, used, nowMs)),
      (known) =>
        used
          ? withMore(
              known,
              changing.map((segment) => ({ ...segment, used, usedStatusLastUpdatedMs: nowMs })),
            )
          : without(known, ids),
    );
  }

  /** Where a segment's file is; undefined for a tombstone. */
  fileOf({ path }: Pick<SegmentRecord, 'path'>): string | undefined {
    return path === undefined ? undefined : this.#absolute(path);
  }

  /** Removes files that have no row: what a crash left between writing and committing, or between deleting and removing. */
  async removeStrayFiles(): Promise<number> {
    let removed = 0;
    for (const entry of await readdir(this.#folder.segments, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) continue;
      const file = join(entry.parentPath, entry.name);
      const path = relative(this.#folder.path, file).replaceAll('\\', '/');
      // Looking and removing are one step, because meanwhile the same path may be published.
      if (this.#publishing.has(path) || this.#hasRow(path)) continue;
      rmSync(file, { force: true });
      removed++;
    }
    return removed;
  }

  async #moveAndCommit(
    moves: readonly { readonly from: string; readonly to: string }[],
    segments: readonly NewSegment[],
    commit: (tx: Transaction, records: readonly SegmentRecord[]) => void,
  ): Promise<SegmentRecord[]> {
    try {
      crashPoint('segment written, not yet moved');
      await inParallel(moves, async ({ from, to }) => {
        await moveDurably(from, this.#absolute(to));
        crashPoint('some segments moved');
      });
      crashPoint('segments moved, not yet committed');
      const records = this.#used.through(
        segments[0]?.dataSource ?? '',
        segments.length,
        () =>
          this.#folder.metadata.transaction((tx) => {
            const inserted = insertSegments(tx, segments, this.#now());
            commit(tx, inserted);
            return inserted;
          }),
        withMore,
      );
      crashPoint('segments committed, not yet acknowledged');
      return records;
    } catch (error) {
      for (const { to } of moves) rmSync(this.#absolute(to), { force: true });
      throw error;
    } finally {
      for (const { to } of moves) this.#publishing.delete(to);
    }
  }

  // A file that a row speaks of is never written again.
  #claim(paths: readonly string[]): void {
    const taken = paths.find((path) => this.#publishing.has(path) || this.#hasRow(path));
    if (taken !== undefined) throw new Error(`Segment file [${taken}] exists already`);
    for (const path of paths) this.#publishing.add(path);
  }

  #absolute(path: string): string {
    return join(this.#folder.path, path);
  }

  #hasRow(path: string): boolean {
    return this.#folder.metadata.get('SELECT 1 AS found FROM segments WHERE path = ?', path) !== undefined;
  }

  #promiseNumber(segment: Omit<Segment, 'partitionNum'>): number {
    const key = `${segment.dataSource} ${chunkKey(segment)}`;
    const promised = this.#promised.get(key);
    const number = Math.max(promised?.next ?? 0, nextPartitionNum(this.#folder.metadata, segment));
    this.#promised.set(key, { next: number + 1, pending: (promised?.pending ?? 0) + 1 });
    return number;
  }

  #settleNumber(segment: Omit<Segment, 'partitionNum'>): void {
    const key = `${segment.dataSource} ${chunkKey(segment)}`;
    const promised = this.#promised.get(key);
    if (!promised || promised.pending === 1) this.#promised.delete(key);
    else this.#promised.set(key, { ...promised, pending: promised.pending - 1 });
  }

  // Upwards until one is not empty, or is about to be filled.
  #removeEmptyFolders(path: string): void {
    const awaited = [...this.#publishing];
    for (let folder = path; folder !== 'segments'; folder = dirname(folder)) {
      if (awaited.some((file) => file.startsWith(`${folder}/`))) return;
      try {
        rmdirSync(this.#absolute(folder));
      } catch {
        return;
      }
    }
  }
}

const withMore = (known: readonly SegmentRecord[], more: readonly SegmentRecord[]) => [...known, ...more].sort(inOrder);
const without = (known: readonly SegmentRecord[], ids: ReadonlySet<string>) => known.filter(({ id }) => !ids.has(id));

function newSegment({
  file,
  partitionNum,
  shardSpec,
  lastCompactionState,
  ...segment
}: StagedSegment & { partitionNum: number }): NewSegment {
  const numbered = { ...segment, partitionNum };
  return {
    ...numbered,
    shardSpec: { ...shardSpec, partitionNum },
    lastCompactionState,
    path: file === undefined ? undefined : segmentPath(numbered),
  };
}

// Few at a time: syncing files occupies the threads that queries need too.
async function inParallel<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  const outcomes = await Promise.allSettled(Array.from({ length: Math.min(4, items.length) }, worker)); // all have stopped before one is reported
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
