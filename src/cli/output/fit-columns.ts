// Column widths of a table on a terminal. Names and texts shrink first, then whole columns are left
// out. Numbers, times and states are shown in full or not at all, because a cut value misleads.

export interface ColumnFit {
  readonly full: number; // the width of the longest cell
  readonly heading: number;
  readonly isWhole: boolean; // never cut
  readonly stays: 'first' | 'long' | 'short'; // how long it is kept where there is little room
}

const gap = 2;
const defaultText = 24; // an interval of days, a type, a short name
const shortText = 16;

/**
 * The width of each column, 0 for omitted columns. Unless `mayGiveWay` is set, no column is
 * omitted, and a whole column may be cut to a sign.
 */
export function fitColumns(
  wishes: readonly ColumnFit[],
  width: number,
  mayGiveWay: boolean,
): readonly number[] {
  let kept = wishes.map((_, at) => at);
  const widthOfAll = (widths: (wish: ColumnFit) => number) =>
    kept.reduce((sum, at) => sum + widths(wishes[at] as ColumnFit), gap * (kept.length - 1));
  const least = (wish: ColumnFit) => leastOf(wish, width);
  while (mayGiveWay && kept.length > 1 && widthOfAll(least) > width) {
    const leaves = nextToLeave(kept, wishes);
    kept = kept.filter((at) => at !== leaves);
  }
  const widths = wishes.map(({ full }, at) => (kept.includes(at) ? full : 0));
  const isName = (at: number) => wishes[at]?.stays === 'first';
  const texts = kept.filter((at) => !isName(at) && !wishes[at]?.isWhole);
  const names = kept.filter((at) => isName(at) && !wishes[at]?.isWhole);
  let over = widthOfAll(({ full }) => full) - width;
  // Long texts shrink first, the widest of them most; then names and ids; then all texts; at
  // last every column.
  const all = (at: number) => least(wishes[at] as ColumnFit);
  for (const [some, floor] of [
    [texts, (at: number) => Math.max(all(at), defaultText)],
    [names, all],
    [texts, all],
    [kept, () => 6],
    [kept, () => 1],
  ] as const)
    over = narrow(widths, some, floor, over);
  return widths;
}

// Shrinks the widest columns until the table fits; returns the excess that remains.
function narrow(
  widths: number[],
  some: readonly number[],
  floor: (at: number) => number,
  over: number,
): number {
  let left = over;
  while (left > 0) {
    const giving = some.filter((at) => (widths[at] ?? 0) > floor(at));
    const widest = Math.max(...giving.map((at) => widths[at] ?? 0));
    const at = giving.find((one) => widths[one] === widest);
    if (at === undefined) break;
    widths[at] = widest - 1;
    left--;
  }
  return left;
}

function leastOf({ full, heading, isWhole, stays }: ColumnFit, width: number): number {
  if (isWhole) return full;
  const readable =
    stays === 'first'
      ? Math.max(8, Math.min(24, Math.floor(width / 3)))
      : Math.max(8, Math.min(12, Math.floor(width / 5)), Math.min(heading, shortText));
  return Math.min(full, readable);
}

const nextToLeave = (kept: readonly number[], wishes: readonly ColumnFit[]) =>
  kept.findLast((at) => wishes[at]?.stays === 'short') ??
  kept.findLast((at) => at !== kept[0]) ??
  0;
