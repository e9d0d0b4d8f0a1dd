import { expect, test } from 'vitest';
import { doubleText, floatText, longFloatText } from '../../src/model/java-text.ts';

test.each([
  [1, '1.0'],
  [-0, '-0.0'],
  [0.001, '0.001'],
  [0.0001, '1.0E-4'],
  [9999999, '9999999.0'],
  [1e7, '1.0E7'],
  [-1.25e-5, '-1.25E-5'],
  [1e21, '1.0E21'],
  [-(2 ** 57), '-1.44115188075855872E17'],
  [2 ** 61, '2.305843009213694E18'],
  [2 ** 62, '4.6116860184273879E18'],
  [838488366986894590, '8.3848836698689459E17'],
  [2 ** 63, '9.223372036854776E18'],
  [Number.MAX_VALUE, '1.7976931348623157E308'],
  [Number.MIN_VALUE, '4.9E-324'],
  [Number.NaN, 'NaN'],
  [Number.NEGATIVE_INFINITY, '-Infinity'],
])('the double %d is printed as Java does: %s', (value, text) => {
  expect(doubleText(value)).toBe(text);
});

test.each([
  [Math.fround(0.1), '0.1'],
  [Math.fround(2147483647), '2.1474836E9'],
  [Math.fround(1.17549435e-38), '1.1754944E-38'],
  [Math.fround(1.4e-45), '1.4E-45'],
  [3, '3.0'],
  [445102.125, '445102.12'],
  [445102.375, '445102.38'],
  [0.5, '0.5'],
  [2.5, '2.5'],
])('the float %d is printed with the digits of a float: %s', (value, text) => {
  expect(floatText(value)).toBe(text);
});

test.each([
  [2 ** 25, '3.3554432E7'],
  [Math.fround(2147483647), '2.14748365E9'],
  [-9007199254740992, '-9.0071993E15'],
  [Math.fround(13510798882111488), '1.35107989E16'],
  [Math.fround(1e18), '9.9999998E17'],
  [2 ** 63, '9.223372E18'],
  [Math.fround(0.1), '0.1'],
  [Number.NaN, 'NaN'],
])(
  'the float %d is printed with more digits where it is a large whole number: %s',
  (value, text) => {
    expect(longFloatText(value)).toBe(text);
  },
);
