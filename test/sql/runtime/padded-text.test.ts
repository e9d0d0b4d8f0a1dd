// LPAD and RPAD: a real cluster's answers, and which paddings DuckDB itself can fill.
import { expect, test } from 'vitest';
import { isPlainPadding, padText } from '../../../src/sql/runtime/padded-text.ts';

test('a text is padded and cut in UTF-16 units', () => {
  expect(padText('ab', 5n, 'xy', true)).toBe('xyxab');
  expect(padText('ab', 5n, 'xy', false)).toBe('abxyx');
  expect(padText('a😀b', 3n, 'x', false)).toBe('a😀');
  expect(padText('a😀b', 10n, '😀-', true)).toBe('😀-😀-a😀b');
  expect(padText('ab', 5n, '', true)).toBe('ab');
  expect(padText('ab', -1n, 'x', true)).toBe('');
  expect(padText('ab', 0n, 'x', true)).toBeNull();
  expect(() => padText('ab', 2n ** 62n, 'x', true)).toThrow('Function[lpad] returns texts of');
});

test('DuckDB fills with a padding of characters of one unit, up to a size it can hold', () => {
  expect(isPlainPadding(5, 'ä-')).toBe(true);
  for (const [size, padding] of [
    [5, '😀'],
    [5, ''],
    [5, '\0'],
    [0, 'x'],
    [10_000_001, 'x'],
    [undefined, 'x'],
    [5, undefined],
  ])
    expect(isPlainPadding(size, padding), `${size} ${padding}`).toBe(false);
});
