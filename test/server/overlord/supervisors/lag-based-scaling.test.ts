// Number of tasks by lag over hours of simulated time.
import { expect, test } from 'vitest';
import { SpecFields } from '../../../../src/server/checks/spec-fields.ts';
import { parseAutoScaler } from '../../../../src/server/overlord/stream/auto-scaler-config.ts';
import { LagBasedScaling } from '../../../../src/server/overlord/supervisors/lag-based-scaling.ts';

const minute = 60_000;

/** Looks every ten seconds; returns the changes: at which minute, to how many tasks. */
function changes(
  lagAt: (minutes: number) => readonly number[],
  {
    minutes = 60,
    taskCount = 2,
    partitions = 20,
    publishing = () => false as boolean,
    ...fields
  }: Story = {},
): readonly [number, number][] {
  const values = { enableTaskAutoScaler: true, taskCountMax: 10, taskCountMin: 1, ...fields };
  const config = parseAutoScaler(new SpecFields(values, 'autoScalerConfig'));
  if (!config) throw new Error('It is not enabled');
  const scaling = new LagBasedScaling(config, 0);
  const found: [number, number][] = [];
  let count = taskCount;
  for (let now = 0; now <= minutes * minute; now += 10_000) {
    const at = now / minute;
    const lag = () => new Map(lagAt(at).entries());
    const wanted = scaling.look(now, {
      lag,
      taskCount: count,
      partitions,
      isPublishing: publishing(at),
    });
    if (wanted === undefined) continue;
    count = wanted;
    found.push([at, wanted]);
  }
  return found;
}

interface Story {
  readonly minutes?: number;
  readonly taskCount?: number;
  readonly partitions?: number;
  readonly publishing?: (minutes: number) => boolean;
  readonly [field: string]: unknown;
}

const much = [4_000_000, 4_000_000];
const little = [1000, 1000];
const some = [1_000_000, 1_000_000];

test('nothing changes before the start delay and the range are over; then it grows step by step, not too often, up to the most', () => {
  expect(changes(() => much)).toEqual([
    [15, 4],
    [25, 6],
    [35, 8],
    [45, 10],
  ]);
});

test('it shrinks to the least where little is left to read', () => {
  expect(changes(() => little, { taskCount: 3 })).toEqual([
    [15, 2],
    [25, 1],
  ]);
});

test('between the thresholds nothing changes', () => expect(changes(() => some)).toEqual([]));

test('a share of the lags over the threshold is enough', () => {
  const isPeak = (at: number) => at >= 5 && at < 8.5;
  expect(changes((at) => (isPeak(at) ? much : some), { minutes: 30 })).toEqual([[15, 4]]);
  expect(
    changes((at) => (isPeak(at) ? much : some), {
      minutes: 30,
      triggerScaleOutFractionThreshold: 0.5,
    }),
  ).toEqual([]);
});

test('there are no more tasks than partitions', () => {
  expect(changes(() => much, { partitions: 3 })).toEqual([[15, 3]]);
  expect(changes(() => much, { partitions: 2 })).toEqual([]);
});

test('steps, periods and frequencies are as they are given', () => {
  const fast = {
    scaleActionStartDelayMillis: minute,
    lagCollectionIntervalMillis: minute,
    lagCollectionRangeMillis: 2 * minute,
    minTriggerScaleActionFrequencyMillis: 3 * minute,
    scaleOutStep: 5,
    minutes: 10,
  };
  expect(changes(() => much, fast)).toEqual([
    [3, 7],
    [6, 10],
  ]);
});

test('nothing changes while tasks publish', () => {
  expect(changes(() => much, { minutes: 25, publishing: (at) => at < 20 })).toEqual([[20, 4]]);
});

test('lags of partitions are added up, or the largest or the average counts', () => {
  const lag = () => [7_000_000, 1_000_000, 0];
  expect(changes(lag, { minutes: 15 })).toEqual([[15, 4]]);
  expect(changes(lag, { minutes: 15, lagAggregate: 'MAX' })).toEqual([[15, 4]]);
  expect(changes(lag, { minutes: 15, lagAggregate: 'AVERAGE' })).toEqual([]);
});
