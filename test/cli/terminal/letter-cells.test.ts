// Cells of single letters, which are known by their code.
import measure from 'fast-string-width';
import { expect, test } from 'vitest';
import { cellsOfUnit, joined } from '../../../src/cli/terminal/letter-cells.ts';

test('every letter that stands alone has the cells that are measured', () => {
  const wrong: string[] = [];
  for (let unit = 0x20; unit < 0x10000; unit++) {
    const cells = cellsOfUnit(unit);
    const isAlone = cells > 0 && cells < joined;
    if (isAlone && cells !== measure(String.fromCharCode(unit))) wrong.push(unit.toString(16));
  }
  expect(wrong).toEqual([]);
  expect([...'aÄ中か한'].map((letter) => cellsOfUnit(letter.charCodeAt(0)))).toEqual([
    1, 1, 2, 2, 2,
  ]);
});
