// Rows that stream tasks have read but not published yet, visible to queries. They are in files of
// the tasks' staging folders, several per task, and are lost with the process: a new task reads
// them again from the last published offset.
import { rmSync } from 'node:fs';
import { unifiedColumns } from '../../model/column-types.ts';
import type { Interval } from '../../model/interval.ts';
import { overlaps } from '../../model/interval.ts';
import { chunkKey, type SegmentColumn, segmentId } from '../../model/segment.ts';
import type { VisibleSegment } from '../../model/timeline.ts';
import type { SegmentPlace } from '../ingestion/write-segments.ts';
import type { SegmentRecord } from '../storage/segments.ts';

/** A file of rows from one or more time chunks. */
export interface RealtimeFile {
  readonly file: string; // absolute
  readonly columns: readonly SegmentColumn[];
  readonly sizeBytes: number;
  readonly numRows: number;
  readonly interval: Interval; // covers the times of all rows
  readonly rowsOf: ReadonlyMap<number, number>; // number of rows by the start of the time chunk
}

/** Rows of one task that are published together. */
export interface RealtimeSequence {
  readonly dataSource: string;
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  readonly placeOf: (chunkStart: number) => SegmentPlace;
  readonly replica: ReplicaSequence;
  files: readonly RealtimeFile[];
}

/**
 * The stream rows that a sequence covers: sequences of the same group and number cover the same
 * rows, as far as each has read.
 */
export interface ReplicaSequence {
  readonly group: object;
  readonly number: number;
  progress(): number; // queries see the sequence with the most progress
}

export class RealtimeRows {
  readonly #sequences = new Map<string, Set<RealtimeSequence>>();
  // Removed files that running queries may still read
  readonly #leaving = new Map<string, NodeJS.Timeout>();

  /** Names of datasources with realtime rows. */
  dataSources(): string[] {
    return [...this.#sequences].flatMap(([name, sequences]) =>
      [...sequences].some(({ files }) => files.length > 0) ? name : [],
    );
  }

  add(sequence: RealtimeSequence): void {
    const sequences = this.#sequences.get(sequence.dataSource) ?? new Set();
    this.#sequences.set(sequence.dataSource, sequences.add(sequence));
  }

  /**
   * Hides the rows and those of their replicas. It is called in the transaction that publishes the
   * rows, so that no query sees them twice.
   */
  removePublished(published: RealtimeSequence): readonly RealtimeSequence[] {
    const removed = [...(this.#sequences.get(published.dataSource) ?? [])].filter((sequence) =>
      hasSameRows(sequence, published),
    );
    for (const sequence of removed) this.remove(sequence);
    return removed;
  }

  /** Hides the rows of one task. */
  remove(sequence: RealtimeSequence): void {
    const sequences = this.#sequences.get(sequence.dataSource);
    sequences?.delete(sequence);
    if (sequences?.size === 0) this.#sequences.delete(sequence.dataSource);
  }

  /**
   * Deletes files and folders after a grace period in which running queries may still read them.
   */
  discard(paths: readonly string[]): void {
    for (const path of paths) {
      const timer = setTimeout(() => this.#unlink(path), graceMs);
      this.#leaving.set(path, timer.unref());
    }
  }

  /**
   * The files with rows in any of the intervals, in the form of segments, the newest first. Their
   * paths are absolute.
   */
  visibleSegments(
    dataSource: string,
    intervals?: readonly Interval[],
  ): VisibleSegment<SegmentRecord>[] {
    return this.#listVisible(dataSource)
      .flatMap((sequence) => sequence.files.map((file) => ({ sequence, file })))
      .filter(
        ({ file }) => !intervals || intervals.some((interval) => overlaps(interval, file.interval)),
      )
      .map(({ sequence, file }) => visibleFile(sequence, file))
      .reverse();
  }

  /** The segments that the rows will become, one per time chunk, as sys.segments shows them. */
  segments(dataSource: string): SegmentRecord[] {
    const taken = new Map<string, number>(); // tasks that write the same time chunk
    return this.#listVisible(dataSource).flatMap((sequence) => {
      const { dimensions, metrics, files } = sequence;
      const chunks = new Set(files.flatMap(({ rowsOf }) => [...rowsOf.keys()]));
      const columns = unifiedColumns(files.map((file) => file.columns).reverse());
      return [...chunks]
        .sort((a, b) => a - b)
        .map((chunk): SegmentRecord => {
          const { interval, version, partitionNum: first = 0, shardSpec } = sequence.placeOf(chunk);
          const key = chunkKey({ interval, version });
          const partitionNum = Math.max(first, taken.get(key) ?? 0);
          taken.set(key, partitionNum + 1);
          const segment = { dataSource, interval, version, partitionNum };
          const numRows = files.reduce((sum, { rowsOf }) => sum + (rowsOf.get(chunk) ?? 0), 0);
          return {
            ...segment,
            ...unpublished,
            id: segmentId(segment),
            sizeBytes: 0,
            numRows,
            path: undefined,
            columns,
            dimensions,
            metrics,
            shardSpec,
          };
        });
    });
  }

  close(): void {
    for (const timer of this.#leaving.values()) clearTimeout(timer);
    this.#leaving.clear();
  }

  // Of replicas, only the one that has read most is visible.
  #listVisible(dataSource: string): RealtimeSequence[] {
    const all = [...(this.#sequences.get(dataSource) ?? [])];
    return all.filter((sequence, at) =>
      all.every((other, otherAt) => {
        if (other === sequence || !hasSameRows(other, sequence)) return true;
        const [own, theirs] = [sequence.replica.progress(), other.replica.progress()];
        return own > theirs || (own === theirs && at < otherAt);
      }),
    );
  }

  #unlink(path: string): void {
    this.#leaving.delete(path);
    rmSync(path, { recursive: true, force: true });
  }
}

const hasSameRows = ({ replica: a }: RealtimeSequence, { replica: b }: RealtimeSequence) =>
  a.group === b.group && a.number === b.number;

/** A file in the form of a fully visible segment; its path is absolute. */
export function visibleFile(
  {
    dataSource,
    dimensions,
    metrics,
  }: Pick<RealtimeSequence, 'dataSource' | 'dimensions' | 'metrics'>,
  { file, columns, sizeBytes, numRows, interval }: RealtimeFile,
): VisibleSegment<SegmentRecord> {
  const segment = {
    dataSource,
    interval,
    version: '',
    partitionNum: 0,
    shardSpec: { type: 'numbered' },
  };
  return {
    segment: {
      ...segment,
      ...unpublished,
      id: file,
      sizeBytes,
      numRows,
      path: file,
      columns,
      dimensions,
      metrics,
    },
    intervals: [interval],
  };
}

const unpublished = {
  used: true,
  usedStatusLastUpdatedMs: 0,
  createdMs: 0,
  lastCompactionState: undefined,
  ingestion: undefined,
};

const graceMs = 600_000; // twice the default timeout of queries
