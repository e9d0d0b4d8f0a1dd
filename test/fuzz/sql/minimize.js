// The smallest statement that still shows the same kind of difference, and the shape by which
// differences are counted.

import { smallestOf } from '../smallest.js';
import { tables } from './data.js';
import { choices, constants } from './forms.js';
import { partsBelow, replaced, textOf } from './tree.js';

/**
 * Takes parts away as long as `shows` says that the difference is still there.
 * @param {(tree: object) => Promise<boolean>} shows
 */
export const minimized = (tree, shows) =>
  smallestOf(tree, {
    candidates: smallerOnes,
    sizeOf: (one) => textOf(one).length,
    shows,
    most: 60,
  });

function* smallerOnes(tree) {
  for (const one of partsBelow(tree)) {
    if (one.kind === 'optional' && one.parts.length > 0)
      yield replaced(tree, one, { ...one, parts: [] });
    if (one.kind === 'list' && one.items.length > one.least) {
      for (const item of one.items)
        yield replaced(tree, one, { ...one, items: one.items.filter((other) => other !== item) });
    }
    if (one.items) continue;
    // A part becomes one within it of its kind: the text within UPPER(text).
    for (const inner of partsBelow(one))
      if (inner !== one && inner.kind === one.kind && inner.parts) yield replaced(tree, one, inner);
  }
}

/** The shape of a statement: kinds in place of columns and constants. */
export function shapeOf(statement) {
  return statement
    .split(/('(?:[^']|'')*'|[\w."]+)/)
    .map((word) => {
      const bare = word.replace(/^t\./, '');
      return columnKinds.get(bare) ?? word;
    })
    .join('')
    .replace(/ AS c\d+/g, '')
    .replace(/\b\d+(\.\d+)?\b/g, '0');
}

const columnKinds = new Map([
  ...tables.flatMap(({ name, columns }) => [
    [name, 'TABLE'],
    ...Object.entries(columns).flatMap(([kind, names]) =>
      names.map((column) => [column, column === 'mv' ? 'mv' : kind]),
    ),
  ]),
  ...choices.letters.map((text) => [text, "'text'"]),
  ...constants.text.map((text) => [text, "'text'"]),
]);
