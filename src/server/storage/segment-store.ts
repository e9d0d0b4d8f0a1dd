// Segments: rows in the metadata store and files below the data folder, kept consistent. A file
// without a row is ignored; a row never lacks its file.
import { rmdirSync, rmSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import {
  contains,
  formatInterval,
  type Interval,
  overlaps,
  sameInterval,
} from '../../model/interval.ts';
import {
  corePartitions,
  type Segment,
  type SegmentColumn,
  type SegmentIngestion,
  type ShardSpec,
} from '../../model/segment.ts';
import { inOrder, type Timeline } from '../../model/timeline.ts';
import { withPlace } from '../checks/disk-full.ts';
import { crashPoint } from './crash-points.ts';
import type { DataFolder } from './data-folder.ts';
import { linkDurably, moveDurably } from './durable-files.ts';
import { HeldFiles } from './held-files.ts';
import type { Transaction } from './metadata.ts';
import { type Promised, PromisedNumbers } from './promised-numbers.ts';
import { fileName, segmentPath } from './segment-paths.ts';
import {
  deleteSegmentRows,
  insertSegments,
  markSegments,
  type NewSegment,
  type SegmentRecord,
  type StoredSegmentFilter,
} from './segments.ts';
import { noteAppended, segmentsToUpgrade } from './upgrade-segments.ts';
import { UsedSegments } from './used-segments.ts';

/** A segment that is written but not yet visible. */
export interface StagedSegment {
  readonly dataSource: string;
  readonly interval: Interval;
  readonly version: string;
  readonly partitionNum?: number; // absent: the next number of the chunk, as for an append
  readonly file: string | undefined; // absolute, in a staging folder; a tombstone has none
  readonly sizeBytes: number;
  readonly numRows: number;
  readonly columns: readonly SegmentColumn[];
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly shardSpec: ShardSpec; // its partitionNum is set at publication
  readonly lastCompactionState?: Readonly<Record<string, unknown>>;
  readonly ingestion?: SegmentIngestion;
}

export class SegmentStore {
  readonly #folder: DataFolder;
  readonly #now: () => number;
  readonly #used: UsedSegments;
  readonly #publishing = new Set<string>(); // paths below the data folder
  readonly #promised: Promised = new Map();
  readonly #held = new HeldFiles((path) => {
    rmSync(this.#absolute(path), { force: true });
    this.#removeEmptyFolders(dirname(path));
  });

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
   * Makes staged segments visible, all at once. `commit` takes part in the one transaction that
   * does it: task state and stream offsets change there, and when it throws, nothing changes. When
   * this returns, everything is on disk.
   *
   * Appended segments join the version that is visible at that moment. Segments that other tasks
   * appended since the publishing task (`taskId`) took its REPLACE locks are upgraded: they are
   * published once more, in the version that replaces the one they were appended to (Druid:
   * ingestion/concurrent-append-replace).
   */
  async publish(
    staged: readonly StagedSegment[],
    commit: (tx: Transaction, records: readonly SegmentRecord[]) => void = () => undefined,
    taskId?: string,
  ): Promise<SegmentRecord[]> {
    const numbers = new PromisedNumbers(this.#promised, this.#folder.metadata);
    const arrivals = staged.map((segment): Arrival => {
      const number = segment.partitionNum ?? numbers.next(segment);
      return {
        segment: newSegment({ ...segment, partitionNum: number }),
        file: segment.file,
        appends: segment.partitionNum === undefined,
      };
    });
    try {
      this.#claim(arrivals.flatMap(({ segment }) => segment.path ?? []));
      return await this.#moveAndCommit(arrivals, commit, numbers, taskId);
    } finally {
      numbers.settle();
    }
  }

  /**
   * Deletes segments for good, rows first and files afterwards: a crash in between leaves invisible
   * files that the next start removes. Returns how many there were. `commit` as for `publish`.
   */
  async delete(
    segments: readonly SegmentRecord[],
    commit: (tx: Transaction) => void = () => undefined,
  ): Promise<number> {
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
    // Must happen in the same turn: afterwards, a new segment may get the number and the path of a
    // deleted one.
    const paths = segments.flatMap(({ path }) => (path === undefined ? [] : [path]));
    for (const path of paths) this.#held.remove(path);
    return deleted;
  }

  /**
   * Keeps the files of all current segments, deleted or not, until the returned function is called.
   */
  hold(): () => void {
    return this.#held.hold();
  }

  /** The timeline of a datasource's used segments; the same object until one of them changes. */
  timeline(dataSource: string): Timeline<SegmentRecord> {
    return this.#used.of(dataSource).timeline;
  }

  /**
   * A datasource's used segments in the order of `listSegments`; the same list until one of them
   * changes.
   */
  listUsed(dataSource: string): readonly SegmentRecord[] {
    return this.#used.of(dataSource).segments;
  }

  /**
   * Reads the used segments and their timelines in advance, in short steps; stops when `signal`
   * aborts.
   */
  readAhead(signal: AbortSignal): Promise<void> {
    return this.#used.readAhead(signal);
  }

  /**
   * Marks segments of one datasource used or unused at `nowMs`; returns how many changed. A
   * selection by `interval` (and `versions`) is twice as fast for 100,000 segments as one by ids.
   */
  mark(
    segments: readonly SegmentRecord[],
    used: boolean,
    nowMs: number,
    inside?: Pick<StoredSegmentFilter, 'interval' | 'versions'>,
  ): number {
    const changing = segments.filter((segment) => segment.used !== used);
    const [first] = changing;
    if (!first) return 0;
    const { dataSource } = first;
    const which = inside ? { dataSource, ...inside } : { ids: changing.map(({ id }) => id) };
    return this.#used.through(
      dataSource,
      changing.length,
      () => this.#folder.metadata.transaction((tx) => markSegments(tx, which, used, nowMs)),
      (known) =>
        used
          ? withMore(
              known,
              changing.map((segment) => ({ ...segment, used, usedStatusLastUpdatedMs: nowMs })),
            )
          : without(known, new Set(changing.map(({ id }) => id))),
    );
  }

  /** The path of a segment's file; undefined for a tombstone. */
  fileOf({ path }: Pick<SegmentRecord, 'path'>): string | undefined {
    return path === undefined ? undefined : this.#absolute(path);
  }

  /**
   * Removes files without a row: leftovers of a crash between writing and committing, or between
   * deleting and removing.
   */
  async removeStrayFiles(): Promise<number> {
    let removed = 0;
    for (const entry of await readdir(this.#folder.segments, {
      recursive: true,
      withFileTypes: true,
    })) {
      if (entry.isDirectory()) continue;
      const file = join(entry.parentPath, entry.name);
      const path = relative(this.#folder.path, file).replaceAll('\\', '/');
      // Check and removal are one step, because the same path may be published concurrently.
      if (this.#publishing.has(path) || this.#hasRow(path)) continue;
      rmSync(file, { force: true });
      removed++;
    }
    return removed;
  }

  async #moveAndCommit(
    arrivals: readonly Arrival[],
    commit: (tx: Transaction, records: readonly SegmentRecord[]) => void,
    numbers: PromisedNumbers,
    taskId: string | undefined,
  ): Promise<SegmentRecord[]> {
    const moves = arrivals.flatMap(({ segment: { path }, file }) =>
      file === undefined || path === undefined ? [] : [{ file, path }],
    );
    const links: string[] = []; // new names of existing files, added by this transaction
    let upgraded = 0;
    try {
      crashPoint('segment written, not yet moved');
      await inParallel(moves, async ({ file, path }) => {
        await moveDurably(file, this.#absolute(path));
        crashPoint('some segments moved');
      });
      crashPoint('segments moved, not yet committed');
      const link = (from: string, to: string) => {
        links.push(to);
        this.#held.removeNow(to);
        linkDurably(this.#absolute(from), this.#absolute(to));
      };
      const change = (tx: Transaction) => {
        const settled = arrivals.map((arrival) =>
          arrival.appends ? this.#settle(arrival.segment, numbers, link) : arrival.segment,
        );
        const inserted = insertSegments(tx, settled, this.#now());
        noteAppended(
          tx,
          inserted.filter((_, index) => arrivals[index]?.appends),
        );
        if (taskId !== undefined) upgraded = this.#upgrade(tx, taskId, inserted, numbers, link);
        commit(tx, inserted);
        if (upgraded > 0) crashPoint('appended segments linked, not yet committed');
        return inserted;
      };
      const { dataSource = '' } = arrivals[0]?.segment ?? {};
      const records = this.#used.through(
        dataSource,
        arrivals.length,
        () => this.#folder.metadata.transaction(change),
        withMore,
      );
      crashPoint('segments committed, not yet acknowledged');
      if (upgraded > 0) crashPoint('appended segments upgraded, not yet acknowledged');
      const kept = new Set(records.map(({ path }) => path));
      for (const { path } of moves)
        if (!kept.has(path)) rmSync(this.#absolute(path), { force: true });
      return records;
    } catch (error) {
      for (const path of [...moves.map(({ path }) => path), ...links])
        rmSync(this.#absolute(path), { force: true });
      throw withPlace(error, 'segments');
    } finally {
      for (const { path } of moves) this.#publishing.delete(path);
    }
  }

  // Appended segments join the version that is visible at publication; it may have been replaced
  // since they were written. Call this before the transaction changes anything, because cached
  // timelines outlive it.
  #settle(
    segment: NewSegment,
    numbers: PromisedNumbers,
    link: (from: string, to: string) => void,
  ): NewSegment {
    const { dataSource, interval } = segment;
    const visible = this.timeline(dataSource)
      .visible([interval])
      .map((seen) => seen.segment);
    const [target] = visible;
    if (
      !target ||
      visible.some(
        (other) => sameInterval(other.interval, interval) && other.version === segment.version,
      )
    )
      return segment;
    const clash = visible.find((other) => !contains(other.interval, interval));
    if (clash) throw cutOtherwise(segment, clash.interval);
    return move(
      segment,
      { ...target, partitionNum: numbers.next(target) },
      corePartitions(target.shardSpec),
      link,
    );
  }

  // Returns the number of upgraded segments.
  #upgrade(
    tx: Transaction,
    taskId: string,
    replacing: readonly SegmentRecord[],
    numbers: PromisedNumbers,
    link: (from: string, to: string) => void,
  ): number {
    const upgraded = segmentsToUpgrade(tx, taskId).flatMap((appended) => {
      const target = replacing.find(({ interval }) => overlaps(interval, appended.interval));
      if (!target || target.version <= appended.version) return [];
      if (!contains(target.interval, appended.interval))
        throw cutOtherwise(appended, target.interval);
      return move(
        appended,
        { ...target, partitionNum: numbers.next(target) },
        corePartitions(target.shardSpec),
        link,
      );
    });
    return insertSegments(tx, upgraded, this.#now()).length;
  }

  // A file named by a row is never overwritten.
  #claim(paths: readonly string[]): void {
    const taken = paths.find((path) => this.#publishing.has(path) || this.#hasRow(path));
    if (taken !== undefined) throw new Error(`Segment file [${taken}] exists already`);
    for (const path of paths) {
      this.#held.removeNow(path);
      this.#publishing.add(path);
    }
  }

  #absolute(path: string): string {
    return join(this.#folder.path, path);
  }

  #hasRow(path: string): boolean {
    return (
      this.#folder.metadata.get('SELECT 1 AS found FROM segments WHERE path = ?', path) !==
      undefined
    );
  }

  // Removes empty parent folders, up to one that is not empty or is about to be filled.
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

const withMore = (known: readonly SegmentRecord[], more: readonly SegmentRecord[]) =>
  [...known, ...more].sort(inOrder);
const without = (known: readonly SegmentRecord[], ids: ReadonlySet<string>) =>
  known.filter(({ id }) => !ids.has(id));

/** A segment that is being added to the timeline. */
interface Arrival {
  readonly segment: NewSegment;
  readonly file: string | undefined;
  readonly appends: boolean;
}

function newSegment({
  file,
  shardSpec,
  lastCompactionState,
  ingestion,
  ...segment
}: StagedSegment & { partitionNum: number }): NewSegment {
  return {
    ...segment,
    shardSpec: { ...shardSpec, partitionNum: segment.partitionNum },
    lastCompactionState,
    ingestion,
    path: file === undefined ? undefined : segmentPath(segment),
  };
}

// The same rows as a partition of another chunk.
function move(
  segment: NewSegment,
  place: Segment,
  partitions: number,
  link: (from: string, to: string) => void,
): NewSegment {
  const { interval, version, partitionNum } = place;
  const path =
    segment.path === undefined
      ? undefined
      : segmentPath({ ...segment, interval, version, partitionNum });
  if (segment.path !== undefined && path !== undefined) link(segment.path, path);
  return {
    ...segment,
    interval,
    version,
    partitionNum,
    shardSpec: { type: 'numbered', partitionNum, partitions },
    path,
  };
}

const cutOtherwise = ({ dataSource, interval }: Segment, other: Interval) =>
  new Error(
    `Segments of datasource [${dataSource}] in interval [${formatInterval(interval)}] and [${formatInterval(other)}] cannot be visible together: append with the same or a finer segmentGranularity`,
  );

// Limited concurrency: syncing files occupies threads that queries also need.
async function inParallel<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await work(item);
  };
  const outcomes = await Promise.allSettled(
    Array.from({ length: Math.min(4, items.length) }, worker),
  ); // wait for all before reporting one
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
