// Widths of texts in terminal cells.
import { expect, test } from 'vitest';
import { paintSeries, paintState } from '../../../src/cli/terminal/style.ts';
import { cellsOf, cut, cutInside, widthOf } from '../../../src/cli/terminal/width.ts';

test('a painted text is as wide as its letters', () => {
  expect(widthOf(`ab ${paintState('SUCCESS')} cd`)).toBe(13);
  expect(cellsOf(paintSeries('██', 1))).toBe(2);
  expect(cut(paintState('SUCCESS'), 7)).toBe(paintState('SUCCESS'));
  expect(widthOf('日本\u0301')).toBe(4);
});

test('ids with the same beginning differ when they are cut', () => {
  expect(cutInside('query-1234-5678-worker0_0', 16)).toBe('query-12…rker0_0');
  expect(cutInside('query-1234-5678', 16)).toBe('query-1234-5678');
  expect(cutInside('query', 2)).toBe('q…');
  expect(cutInside('日本日本日本', 5)).toBe('日本…');
});
