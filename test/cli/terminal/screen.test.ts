// Frames of a full-screen display: one write each, and only what changed.
import { expect, test } from 'vitest';
import { changesBetween } from '../../../src/cli/terminal/screen.ts';
import { terminalText } from '../../../src/cli/terminal/terminal.ts';

const changes = (before: readonly string[], after: readonly string[]) =>
  terminalText(changesBetween(before, after, 4)).replaceAll('\x1b', '^');

test('only changed lines are written, each before its rest is erased', () => {
  expect(changes(['a', 'b', 'c'], ['a', 'x', 'c'])).toBe('^[2;1Hx^[K');
  expect(changes(['a'], ['a'])).toBe('');
  expect(changes(['a', 'b'], ['a'])).toBe('^[2;1H^[K');
});

test('the rest of a full line is not erased: that would delete its last letter', () => {
  expect(changes(['a'], ['abcd'])).toBe('^[1;1Habcd');
  expect(changes(['a'], ['日本'])).toBe('^[1;1H日本');
});

test('the first frame clears the screen', () => {
  expect(changes([], ['a', ''])).toBe('^[2J^[1;1Ha^[K^[2;1H^[K');
});
