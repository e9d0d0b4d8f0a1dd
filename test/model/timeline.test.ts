import fc from 'fast-check';
import { expect, test } from 'vitest';
import { overlaps } from '../../src/model/interval.ts';
import { Timeline, type TimelineSegment } from '../../src/model/timeline.ts';

const segment = (
  start: number,
  end: number,
  version: string,
  partitionNum = 0,
  partitions = 0,
): TimelineSegment => ({
  dataSource: 'wiki',
  interval: { start, end },
  version,
  partitionNum,
  shardSpec: { type: 'numbered', partitionNum, partitions },
});

const shown = (timeline: Timeline<TimelineSegment>) =>
  timeline.entries.map(
    ({ interval, version, segments }) =>
      `${interval.start}-${interval.end} ${version} ${segments.map((one) => one.partitionNum).join(',')}`,
  );

test('a newer version hides an older one where they overlap, and nowhere else', () => {
  const timeline = new Timeline([
    segment(0, 30, 'a'),
    segment(10, 20, 'b'),
    segment(10, 20, 'b', 1),
  ]);
  expect(shown(timeline)).toEqual(['0-10 a 0', '10-20 b 0,1', '20-30 a 0']);
  expect(
    timeline
      .visible()
      .map(
        ({ segment, intervals }) =>
          `${segment.version}${segment.partitionNum} ${JSON.stringify(intervals)}`,
      ),
  ).toEqual([
    'a0 [{"start":0,"end":10},{"start":20,"end":30}]',
    'b0 [{"start":10,"end":20}]',
    'b1 [{"start":10,"end":20}]',
  ]);
  expect(timeline.isOvershadowed(segment(0, 30, 'a'))).toBe(false);
  expect(timeline.isOvershadowed(segment(10, 20, 'a'))).toBe(true);
});

test('a version counts only when all its core partitions are there; appended ones are extra', () => {
  const incomplete = [segment(0, 10, 'a'), segment(0, 10, 'b', 0, 2)];
  expect(shown(new Timeline(incomplete))).toEqual(['0-10 a 0']);
  expect(
    shown(new Timeline([...incomplete, segment(0, 10, 'b', 1, 2), segment(0, 10, 'b', 5, 0)])),
  ).toEqual(['0-10 b 0,1,5']);
});

test('a lookup is cut to its interval', () => {
  const timeline = new Timeline([segment(0, 10, 'a'), segment(10, 20, 'a'), segment(30, 40, 'a')]);
  expect(timeline.lookup({ start: 5, end: 35 }).map(({ interval }) => interval)).toEqual([
    { start: 5, end: 10 },
    { start: 10, end: 20 },
    { start: 30, end: 35 },
  ]);
  expect(timeline.lookup({ start: 20, end: 30 })).toEqual([]);
});

test('at every moment the timeline shows what looking at all segments shows', () => {
  const chunks = fc.uniqueArray(
    fc.record({
      start: fc.integer({ min: 0, max: 20 }),
      length: fc.integer({ min: 1, max: 12 }),
      partitions: fc.integer({ min: 0, max: 2 }),
      missing: fc.boolean(),
    }),
    { selector: ({ start, length }) => `${start} ${length}`, maxLength: 15 },
  );
  fc.assert(
    fc.property(
      chunks,
      fc.integer({ min: 0, max: 30 }),
      fc.integer({ min: 1, max: 10 }),
      (given, from, length) => {
        const segments = given.flatMap(({ start, length, partitions, missing }, index) =>
          Array.from({ length: Math.max(1, partitions) }, (_, number) =>
            segment(
              start,
              start + length,
              `v${String(index).padStart(2, '0')}`,
              number,
              partitions,
            ),
          ).slice(missing ? 1 : 0),
        );
        const timeline = new Timeline(segments);
        for (let instant = 0; instant < 35; instant++) {
          const entry = timeline.entries.find(
            ({ interval }) => interval.start <= instant && instant < interval.end,
          );
          expect(entry?.segments ?? []).toEqual(visibleSlowly(segments, instant));
        }
        for (const one of segments) {
          const everywhere = Array.from(
            { length: one.interval.end - one.interval.start },
            (_, offset) => visibleSlowly(segments, one.interval.start + offset),
          );
          expect(timeline.isOvershadowed(one)).toBe(
            everywhere.every((seen) => (seen[0]?.version ?? '') > one.version),
          );
        }
        const range = { start: from, end: from + length };
        const seen = new Set(timeline.visible([range]).map((found) => found.segment));
        expect(seen).toEqual(
          new Set(
            Array.from({ length }, (_, offset) => visibleSlowly(segments, from + offset)).flat(),
          ),
        );
        expect(
          timeline
            .visible()
            .every(({ segment: { interval }, intervals }) =>
              intervals.every((part) => overlaps(part, interval)),
            ),
        ).toBe(true);
      },
    ),
  );
});

function visibleSlowly(segments: readonly TimelineSegment[], instant: number): TimelineSegment[] {
  const here = segments.filter(
    ({ interval }) => interval.start <= instant && instant < interval.end,
  );
  for (const version of [...new Set(here.map((one) => one.version))].sort().reverse()) {
    const chunk = here
      .filter((one) => one.version === version)
      .sort((a, b) => a.partitionNum - b.partitionNum);
    const needed = Number(chunk[0]?.shardSpec.partitions);
    if (chunk.filter((one) => one.partitionNum < needed).length === needed) return chunk;
  }
  return [];
}

test('a hundred thousand segments are one sweep', () => {
  const hour = 3_600_000;
  const segments = Array.from({ length: 100_000 }, (_, index) =>
    segment(index * hour, (index + 1) * hour, index % 7 === 0 ? 'b' : 'a'),
  );
  const timeline = new Timeline([segment(0, 100_000 * hour, 'A'), ...segments]);
  expect(timeline.entries.length).toBe(100_000);
  expect(timeline.visible().length).toBe(100_000);
});
