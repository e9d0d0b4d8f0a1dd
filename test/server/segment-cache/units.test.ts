// The plan of the segment cache: which segments share a table.
import { expect, test } from 'vitest';
import { planUnits, type Unit } from '../../../src/server/segment-cache/units.ts';
import type { SegmentRecord } from '../../../src/server/storage/segments.ts';

const columns = [{ name: '__time', type: 'LONG', multiValue: false }];

test('neighbours share a table until it is large, and few rows have none', () => {
  const plan = (rows: readonly number[]) =>
    planUnits(
      rows.map((numRows, day) => segment(day, numRows)),
      [],
    ).builds.map(({ segments }) => segments.map(({ id }) => id));
  expect(plan([4000, 5000])).toEqual([]);
  expect(plan([4000, 6000])).toEqual([['day 0', 'day 1']]);
  expect(plan([1_500_000, 400_000, 200_000])).toEqual([['day 2'], ['day 0', 'day 1']]);
  expect(plan([9_000_000, 10])).toEqual([['day 0']]);
});

test('segments with other columns have another table', () => {
  const other = [...columns, { name: 'x', type: 'STRING', multiValue: false }];
  const segments = [segment(0, 20_000), { ...segment(1, 20_000), columns: other }];
  expect(planUnits(segments, []).builds.map((build) => build.segments)).toEqual([
    [segments[1]],
    [segments[0]],
  ]);
});

test('each row is copied a logarithmic number of times while segments are added', () => {
  let units: Unit[] = [];
  const segments: SegmentRecord[] = [];
  let copied = 0;
  for (let day = 0; day < 128; day++) {
    segments.push(segment(day, 10_000));
    const { drops, builds } = planUnits(segments, units);
    expect(drops).toEqual([]);
    for (const build of builds) {
      copied += build.segments.length;
      units = units.filter((unit) => !build.replaces.includes(unit));
      units.push(unitOf(build.segments));
    }
  }
  expect(units.flatMap(({ members }) => members.map(({ id }) => id)).sort()).toEqual(
    segments.map(({ id }) => id).sort(),
  );
  expect(units.length).toBeLessThan(10);
  expect(copied).toBeLessThan(128 * 7);
});

test('a table that has lost half of its rows is dropped, and the rest joins others', () => {
  const segments = [0, 1, 2, 3].map((day) => segment(day, 20_000));
  const unit = unitOf(segments);
  expect(planUnits(segments.slice(1), [unit])).toEqual({ drops: [], builds: [] });
  const { drops, builds } = planUnits(segments.slice(2), [unit]);
  expect(drops).toEqual([unit]);
  expect(builds).toEqual([{ segments: segments.slice(2), replaces: [] }]);
});

test('a segment that was made anew is no member', () => {
  const unit = unitOf([segment(0, 20_000)]);
  const anew = { ...segment(0, 20_000), createdMs: 2 };
  expect(planUnits([anew], [unit])).toEqual({
    drops: [unit],
    builds: [{ segments: [anew], replaces: [] }],
  });
});

const unitOf = (segments: readonly SegmentRecord[]): Unit => ({
  name: `unit of ${segments[0]?.id}`,
  dataSource: 'w',
  statistics: {},
  members: segments.map(({ id, createdMs, sizeBytes, numRows }) => ({
    id,
    createdMs,
    sizeBytes,
    numRows,
  })),
});

const segment = (day: number, numRows: number): SegmentRecord => ({
  dataSource: 'w',
  interval: { start: Date.UTC(2024, 0, 1 + day), end: Date.UTC(2024, 0, 2 + day) },
  version: '2024-06-01T00:00:00.000Z',
  partitionNum: 0,
  id: `day ${day}`,
  used: true,
  usedStatusLastUpdatedMs: 1,
  createdMs: 1,
  sizeBytes: numRows * 20,
  numRows,
  path: `day ${day}.parquet`,
  columns,
  dimensions: [],
  metrics: [],
  shardSpec: { type: 'numbered', partitionNum: 0, partitions: 1 },
  lastCompactionState: undefined,
  ingestion: undefined,
});
