// Bins of a histogram: of equal, round width.
import { roundStep, roundTimeStep } from './ticks.ts';

const mostBins = 20;

interface Bins {
  readonly bins: readonly { readonly from: number; readonly to: number; readonly count: number }[];
  readonly isWhole: boolean;
}

/**
 * Bins for finite values: one for each whole number where there are few, otherwise about as many as
 * Sturges' rule gives.
 */
export function binsOf(values: readonly number[], isTime: boolean): Bins {
  const [least, most] = rangeOf(values);
  if (least === undefined || most === undefined) return { bins: [], isWhole: false };
  const span = most - least;
  const isWhole = !isTime && span < mostBins && values.every(Number.isInteger);
  const wanted = Math.min(mostBins, Math.max(5, Math.ceil(Math.log2(values.length) + 1)));
  const rough = span / wanted;
  const width = isWhole || span === 0 ? 1 : isTime ? roundTimeStep(rough) : roundStep(rough);
  const start = span === 0 ? least : Math.floor(least / width) * width;
  const count = Math.max(1, Math.floor((most - start) / width) + 1);
  const counts = Array.from({ length: count }, () => 0);
  for (const value of values) {
    const at = Math.min(count - 1, Math.max(0, Math.floor((value - start) / width)));
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return {
    bins: counts.map((count, at) => ({
      from: start + at * width,
      to: start + (at + 1) * width,
      count,
    })),
    isWhole: isWhole || span === 0,
  };
}

/**
 * The least and the greatest value; undefined without values. Math.min and Math.max have a limit of
 * arguments.
 */
export function rangeOf(values: Iterable<number | undefined>): [number?, number?] {
  let least: number | undefined;
  let most: number | undefined;
  for (const value of values) {
    if (value === undefined) continue;
    if (least === undefined || value < least) least = value;
    if (most === undefined || value > most) most = value;
  }
  return least === undefined || most === undefined ? [] : [least, most];
}
