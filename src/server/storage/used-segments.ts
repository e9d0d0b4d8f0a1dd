// Cache of each datasource's used segments and their timeline, valid until another change: reading
// 100,000 rows takes a while.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Timeline } from '../../model/timeline.ts';
import type { Metadata } from './metadata.ts';
import { listDataSources, listSegments, revisionOf, type SegmentRecord } from './segments.ts';

export class UsedSegments {
  readonly #metadata: Metadata;
  readonly #known = new Map<string, Known>(); // by datasource

  constructor(metadata: Metadata) {
    this.#metadata = metadata;
  }

  /**
   * A datasource's used segments in the order of `listSegments`; the same objects until one of them
   * changes.
   */
  of(dataSource: string): Known {
    const revision = revisionOf(this.#metadata, dataSource);
    const known = this.#known.get(dataSource);
    if (known?.revision === revision) return known;
    const read = new Known(revision, listSegments(this.#metadata, { dataSource, used: true }));
    this.#known.set(dataSource, read);
    return read;
  }

  /**
   * Reads all datasources in advance, in short steps so that other work runs in between; stops when
   * `signal` aborts. A caller that needs a datasource earlier reads it itself.
   */
  async readAhead(signal: AbortSignal): Promise<void> {
    for (const dataSource of listDataSources(this.#metadata)) {
      const revision = revisionOf(this.#metadata, dataSource);
      const segments: SegmentRecord[] = [];
      for (
        let some = this.#some(dataSource);
        some.length > 0;
        some = this.#some(dataSource, segments.at(-1))
      ) {
        for (const segment of some) segments.push(segment);
        await nextTurn();
        if (signal.aborted) return;
        if (this.#known.has(dataSource)) break;
      }
      if (!this.#known.has(dataSource) && revisionOf(this.#metadata, dataSource) === revision) {
        const known = new Known(revision, segments);
        this.#known.set(dataSource, known);
        known.timeline.visible();
      }
    }
  }

  #some(dataSource: string, after?: SegmentRecord): SegmentRecord[] {
    return listSegments(this.#metadata, {
      dataSource,
      used: true,
      max: 5000,
      ...(after && { after }),
    });
  }

  /**
   * Runs `change`, which changes `count` segments of a datasource; `after` computes the used
   * segments afterwards. Other concurrent changes invalidate the cache. Returns the result of
   * `change`.
   */
  through<Result>(
    dataSource: string,
    count: number,
    change: () => Result,
    after: (used: readonly SegmentRecord[], result: Result) => readonly SegmentRecord[],
  ): Result {
    const known = this.#known.get(dataSource);
    const before = revisionOf(this.#metadata, dataSource);
    const result = change();
    const revision = revisionOf(this.#metadata, dataSource); // each changed segment increases it
    if (known?.revision === before && revision === before + count)
      this.#known.set(dataSource, new Known(revision, after(known.segments, result)));
    return result;
  }
}

class Known {
  readonly revision: number;
  readonly segments: readonly SegmentRecord[];
  #timeline: Timeline<SegmentRecord> | undefined;

  constructor(revision: number, segments: readonly SegmentRecord[]) {
    this.revision = revision;
    this.segments = segments;
  }

  get timeline(): Timeline<SegmentRecord> {
    this.#timeline ??= new Timeline(this.segments);
    return this.#timeline;
  }
}
