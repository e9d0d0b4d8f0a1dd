import { expect, test } from 'vitest';
import { faultInJson } from '../../src/model/json-fault.ts';
import { randomFrom } from '../support/random.ts';

test.each([
  ['{"a": 1,\n "b": x}', 2, 7, 'expected a value, found [x]'],
  ['[1, 2', 1, 6, 'expected , or ], found the end'],
  ['{"a" 1}', 1, 6, 'expected :, found [1]'],
  ['{"a": 1,}', 1, 9, 'expected a name, found [}]'],
  ['{a: 1}', 1, 2, 'expected a name or }, found [a]'],
  ['[1] 2', 1, 5, 'expected the end, found [2]'],
  ['{"a": "open\n}', 1, 7, 'expected a value, found ["open]'],
  ['{"a": 01}', 1, 7, 'expected a value, found [01]'],
  ['', 1, 1, 'expected a value, found the end'],
])('the first error of %j is named with its place', (text, line, column, problem) => {
  expect(faultInJson(text)).toMatchObject({ line, column, problem });
});

test.each([
  ['{"a":', true],
  ['{"a": "open', true],
  ['', true],
  ['{"a": "open\n}', false],
  ['{"a": 1,}', false],
])('a text that ends too early, such as %j, is told from others', (text, isCut) => {
  expect(faultInJson(text)?.isCut).toBe(isCut);
});

test('a text has a fault exactly where JSON.parse refuses it', () => {
  const seed = Date.now() % 1e9;
  const random = randomFrom(seed);
  const signs = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '1',
    '-0.5e3',
    'true',
    'null',
    ' ',
    '"\\n"',
    '"\\x"',
    '01',
    'x',
  ];
  for (let round = 0; round < 3000; round++) {
    const text = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () => signs[Math.floor(random() * signs.length)],
    ).join('');
    let isValid = true;
    try {
      JSON.parse(text);
    } catch {
      isValid = false;
    }
    expect([seed, text, faultInJson(text) === undefined]).toEqual([seed, text, isValid]);
  }
});
