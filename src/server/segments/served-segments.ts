// Segments that queries see: visible, used, and loaded by a retention rule. Computed from segments,
// rules, time and decommissioning; nothing is stored.
import type { Interval } from '../../model/interval.ts';
import { isBroadcast, isDrop, isLoaded, isOfPeriod, rulesAt } from '../../model/retention-rule.ts';
import { isTombstone } from '../../model/segment.ts';
import { Timeline, type VisibleSegment } from '../../model/timeline.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import { listDataSources, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';

/** Segments by datasource: names sorted, segments ascending by time and then by partition. */
export interface ReadableSegments {
  dataSources(): string[];
  of(dataSource: string, intervals?: readonly Interval[]): VisibleSegment<SegmentRecord>[];
  /**
   * A value whose elements stay the same as long as the datasource has the same segments. Undefined
   * if they may change at any moment.
   */
  stampOf?(dataSource: string): readonly unknown[] | undefined;
  /** Segments that every server has, including the Broker. */
  broadcast(dataSource: string): VisibleSegment<SegmentRecord>[];
}

/** Segments in deep storage: the visible used segments, loaded or not. */
export const storedSegments = ({ metadata, segments }: Storage): ReadableSegments => ({
  dataSources: () => listDataSources(metadata),
  of: (dataSource, intervals) =>
    segments
      .timeline(dataSource)
      .visible(intervals)
      .filter(({ segment }) => !isTombstone(segment.shardSpec)),
  broadcast: () => [],
});

export class ServedSegments implements ReadableSegments {
  readonly #storage: Storage;
  readonly #rules: RetentionRules;
  readonly #now: () => number;
  readonly #lastAssignedMs: () => number | undefined;
  readonly #assigned = new WeakMap<
    readonly SegmentRecord[],
    { readonly untilMs: number; readonly timeline: Timeline<SegmentRecord> }
  >();

  /**
   * `lastAssignedMs` is the time from which the server gets no new segments, in milliseconds since
   * 1970; undefined while it gets them.
   */
  constructor(
    storage: Storage,
    rules: RetentionRules,
    now: () => number,
    lastAssignedMs: () => number | undefined = () => undefined,
  ) {
    this.#storage = storage;
    this.#rules = rules;
    this.#now = now;
    this.#lastAssignedMs = lastAssignedMs;
  }

  /**
   * The timeline of the used segments of a datasource that are assigned to the server, regardless
   * of rules; the same object until it changes.
   */
  timeline(dataSource: string): Timeline<SegmentRecord> {
    const { segments } = this.#storage;
    const untilMs = this.#lastAssignedMs();
    if (untilMs === undefined) return segments.timeline(dataSource);
    const used = segments.listUsed(dataSource);
    const known = this.#assigned.get(used);
    if (known?.untilMs === untilMs) return known.timeline;
    const timeline = new Timeline(
      used.filter(
        ({ createdMs, usedStatusLastUpdatedMs }) =>
          Math.max(createdMs, usedStatusLastUpdatedMs) <= untilMs,
      ),
    );
    this.#assigned.set(used, { untilMs, timeline });
    return timeline;
  }

  /** Names of datasources with served segments, sorted. */
  dataSources(): string[] {
    return listDataSources(this.#storage.metadata).filter((name) =>
      this.timeline(name).visible().some(this.#isServed(name)),
    );
  }

  /** Total size of all served segments. */
  sizeBytes(): number {
    return sizeOf(this.dataSources().flatMap((name) => this.of(name)));
  }

  /** Size of the segments that the Broker also has. */
  broadcastBytes(): number {
    return sizeOf(listDataSources(this.#storage.metadata).flatMap((name) => this.broadcast(name)));
  }

  /**
   * The served segments of a datasource, limited to the given intervals, ascending by time and then
   * by partition.
   */
  of(dataSource: string, intervals?: readonly Interval[]): VisibleSegment<SegmentRecord>[] {
    return this.timeline(dataSource).visible(intervals).filter(this.#isServed(dataSource));
  }

  stampOf(dataSource: string): readonly unknown[] | undefined {
    const followsClock = this.#rules.withDefaults(dataSource).some(isOfPeriod);
    return followsClock ? undefined : [this.timeline(dataSource), this.#rules.revision];
  }

  broadcast(dataSource: string): VisibleSegment<SegmentRecord>[] {
    const rules = this.#rules.withDefaults(dataSource);
    if (!rules.some(isBroadcast)) return [];
    const ruleOf = rulesAt(rules, this.#now());
    return this.of(dataSource).filter(({ segment }) => {
      const rule = ruleOf(segment.interval);
      return rule !== undefined && isBroadcast(rule);
    });
  }

  #isServed(dataSource: string): (visible: VisibleSegment<SegmentRecord>) => boolean {
    const rules = this.#rules.withDefaults(dataSource);
    const ruleOf = rulesAt(rules, this.#now());
    const loading = new Set(rules.filter((rule) => !isDrop(rule) && isLoaded(rule)));
    return ({ segment }) => {
      const rule = ruleOf(segment.interval);
      return rule !== undefined && loading.has(rule) && !isTombstone(segment.shardSpec);
    };
  }
}

const sizeOf = (visible: readonly VisibleSegment<SegmentRecord>[]) =>
  visible.reduce((size, { segment }) => size + segment.sizeBytes, 0);
