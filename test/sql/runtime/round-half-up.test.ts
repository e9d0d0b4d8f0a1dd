// Proves that doubles are rounded by the digits that they show, as a real 33.0.0 does.
import { expect, test } from 'vitest';
import { format } from '../../../src/sql/runtime/java-format.ts';
import { roundHalfUp } from '../../../src/sql/runtime/round-half-up.ts';

test.each([
  ['%.2f', 1.005, '1.01'],
  ['%.2f', 2.675, '2.68'],
  ['%.2f', 1.115, '1.12'],
  ['%.2f', 0.125, '0.13'],
  ['%.1f', 0.25, '0.3'],
  ['%.0f', 2.5, '3'],
  ['%f', 1e21, '1000000000000000000000.000000'],
  ['%.2f', 123456789012345680000, '123456789012345680000.00'],
  ['%.30f', 0.1, '0.100000000000000000000000000000'],
  ['%.17f', 0.1, '0.10000000000000000'],
  ['%.2f', 0.001, '0.00'],
  ['%.3g', 0, '0.00'],
  ['%g', 0.1, '0.100000'],
  ['%.3g', 42, '42.0'],
  ['%g', 999999.9, '1.00000e+06'],
  ['%.4g', 9999.96, '1.000e+04'],
])('%s of %s is %s', (pattern, value, expected) => {
  expect(format(pattern, [`d${value}`])).toBe(expected);
});

test('a precision cuts the text of a null', () => {
  expect(format('%.1e|%.3g|%f', [null, null, null])).toBe('n|nul|null');
});

test('a number that is rounded to zero has no sign', () => {
  expect(roundHalfUp(-4, -1)).toBe(0);
  expect(roundHalfUp(-0.001, 2)).toBe(0);
  expect(roundHalfUp(-0.05, 1)).toBe(-0.1);
  expect(roundHalfUp(1e300, 2)).toBe(1e300);
});
