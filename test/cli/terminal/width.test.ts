// Widths of texts in terminal cells.
import { expect, test } from 'vitest';
import { paintSeries, paintState } from '../../../src/cli/terminal/style.ts';
import { cellsOf, cut, widthOf } from '../../../src/cli/terminal/width.ts';

test('a painted text is as wide as its letters', () => {
  expect(widthOf(`ab ${paintState('SUCCESS')} cd`)).toBe(13);
  expect(cellsOf(paintSeries('██', 1))).toBe(2);
  expect(cut(paintState('SUCCESS'), 7)).toBe(paintState('SUCCESS'));
  expect(widthOf('日本\u0301')).toBe(4);
});
