import { expect, test } from 'vitest';
import { groupDigits } from '../../../src/cli/output/group-digits.ts';
import { ProgressMeter } from '../../../src/cli/output/progress-meter.ts';
import { partsOf } from '../../../src/cli/output/progress-state.ts';

function meterAt() {
  const clock = { ms: 0 };
  const meter = new ProgressMeter('Task [a]', () => clock.ms);
  return { clock, meter };
}

test('the share done never falls, and is not full before the end', () => {
  const { meter } = meterAt();
  const shares = [0.2, 0.5, 0.3, 1, 0.4].map((fraction) => {
    meter.update({ fraction });
    return meter.read().fraction;
  });
  expect(shares).toEqual([0.2, 0.5, 0.5, 0.99, 0.99]);
});

test('speed is that of the last seconds; the rest follows from the share', () => {
  const { clock, meter } = meterAt();
  for (let second = 0; second <= 20; second++) {
    clock.ms = second * 1000;
    meter.update({
      rows: second <= 10 ? second * 100 : 1000 + (second - 10) * 2000,
      fraction: second / 40,
    });
  }
  expect(meter.read()).toMatchObject({ rows: 21_000, rowsPerSecond: 2000, leftMs: 20_000 });
  expect(partsOf(meter.read()).map(({ text }) => text)).toEqual([
    '50 %',
    '21,000 rows',
    '2000 rows/s',
    '20s elapsed',
    'about 20s left',
  ]);
});

test('the subject is the datasource as soon as it is known', () => {
  const { meter } = meterAt();
  expect(meter.read().what).toBe('Task [a]');
  meter.update({ what: 'Datasource [edits]', stage: 'reading the input' });
  meter.update({ stage: 'sorting' });
  expect(meter.read()).toMatchObject({ what: 'Datasource [edits]', stage: 'sorting' });
});

test.each([
  [999, '999'],
  [2024, '2024'],
  [10_000, '10,000'],
  [-1_234_567, '-1,234,567'],
  [12_345.678, '12,345.678'],
  [9_223_372_036_854_775_807n, '9,223,372,036,854,775,807'],
  [1e21, '1e+21'],
  [Number.NaN, 'NaN'],
])('%s reads as %s', (number, text) => {
  expect(groupDigits(number)).toBe(text);
});
