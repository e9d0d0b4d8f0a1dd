// Comparison of replies of samplers: the rows, and the columns that they would have.
import { areSame } from '../sql/compare.js';
import { jsonOf, shown } from '../sql/service.js';

// Objects in Java's text are their addresses in memory.
const address = /\[L[\w.]+;@[0-9a-f]+/;

/**
 * What the left reply does otherwise than the right one: `undefined` for nothing, else its kind and
 * a sentence.
 * @param {{ status: number, text: string }} left @param {{ status: number, text: string }} right
 */
export function sampleDifferenceOf(left, right) {
  if (left.status === 500 && /internal error/i.test(left.text))
    return { kind: 'internal error', detail: left.text.slice(0, 400) };
  const [ours, theirs] = [left, right].map(({ text }) => jsonOf(text));
  if (left.status === 0 || ours === undefined)
    return { kind: 'no reply', detail: left.text.slice(-400) };
  if (right.status === 0 || theirs === undefined || address.test(right.text)) return undefined;
  if (left.status !== 200 && right.status !== 200) return undefined;
  if (left.status !== 200) return { kind: 'refused here', detail: left.text.slice(0, 400) };
  if (right.status !== 200) return { kind: 'refused there', detail: right.text.slice(0, 400) };
  for (const part of ['numRowsRead', 'numRowsIndexed', 'logicalSegmentSchema', ...dimensionLists])
    if (!areSame(ours[part], theirs[part]))
      return { kind: part, detail: `${shown(ours[part])} instead of ${shown(theirs[part])}` };
  for (const [at, row] of theirs.data.entries())
    for (const part of ['input', 'parsed', 'unparseable'])
      if (!areSame(ours.data[at]?.[part], row[part]))
        return {
          kind: part,
          detail: `row ${at}: ${shown(ours.data[at]?.[part])} instead of ${shown(row[part])}`,
        };
  return undefined;
}

const dimensionLists = ['logicalDimensions', 'physicalDimensions'];
