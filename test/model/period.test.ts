// Joda's format of periods that somebody wrote.
import { expect, test } from 'vitest';
import { reprintPeriod } from '../../src/model/period.ts';

test.each([
  ['p1m', 'P1M'],
  ['PT90M', 'PT90M'],
  ['P1Y0M2W', 'P1Y2W'],
  ['PT1.5S', 'PT1.500S'],
  ['P-1DT+2H', 'P-1DT2H'],
  ['PT0S', 'PT0S'],
  ['P', 'PT0S'],
])('%s is printed as %s', (text, printed) => {
  expect(reprintPeriod(text)).toBe(printed);
});
