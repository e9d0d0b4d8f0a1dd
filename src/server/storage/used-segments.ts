// The used segments of each datasource and their timeline, known until somebody else changes them: 100,000 rows take a while to read.
import { Timeline } from '../../model/timeline.ts';
import type { Metadata } from './metadata.ts';
import { listSegments, revisionOf, type SegmentRecord } from './segments.ts';

export class UsedSegments {
  readonly #metadata: Metadata;
  readonly #known = new Map<string, Known>(); // by datasource

  constructor(metadata: Metadata) {
    this.#metadata = metadata;
  }

  /** A datasource's used segments, ordered as `listSegments` does; the same objects until one of them changes. */
  of(dataSource: string): Known {
    const revision = revisionOf(this.#metadata, dataSource);
    const known = this.#known.get(dataSource);
    if (known?.revision === revision) return known;
    const read = new Known(revision, listSegments(this.#metadata, { dataSource, used: true }));
    this.#known.set(dataSource, read);
    return read;
  }

  /**
   * Does what changes `count` segments of a datasource; `after` says which are used then. When anything else was changed besides, what is known is
   * forgotten. Returns what `change` does.
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
    const revision = revisionOf(this.#metadata, dataSource); // each changed segment counts it up
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
