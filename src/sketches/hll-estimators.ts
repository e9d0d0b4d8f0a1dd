// Estimates and bounds of HLL sketches (Apache DataSketches: HllEstimators, CubicInterpolation,
// HarmonicNumbers).
import { meanRawEstimates, valuesBetweenPoints } from './hll-interpolation.ts';
import { couponCounts, relativeErrors, valuesOfCoupons } from './hll-tables.ts';

/** The number of distinct values for a number of coupons; a few values share a coupon. */
export const couponEstimate = (count: number): number =>
  cubic(
    (at) => couponCounts[at] ?? 0,
    (at) => valuesOfCoupons[at] ?? 0,
    couponCounts.length,
    count,
  );

/**
 * The estimate for registers without a history, from the sum of 2^-register and the number of
 * zeros.
 */
export function compositeEstimate(lgK: number, sum: number, zeros: number): number {
  const size = 2 ** lgK;
  const means = meanRawEstimates(lgK);
  const last = means.length - 1;
  const [least = 0, most = 0] = [means[0], means[last]];
  const stride = valuesBetweenPoints(lgK);
  const raw = (correction(lgK) * size * size) / sum;
  if (raw < least) return 0;
  if (raw > most) return raw * ((stride * last) / most);
  const adjusted = cubic(
    (at) => means[at] ?? 0,
    (at) => stride * at,
    means.length,
    raw,
  );
  if (adjusted > 3 * size) return adjusted;
  const linear =
    zeros === 0 ? size * Math.log(size / 0.5) : size * (harmonic(size) - harmonic(zeros));
  const crossOver = lgK === 4 ? 0.718 : lgK === 5 ? 0.672 : 0.64;
  return (adjusted + linear) / 2 > crossOver * size ? adjusted : linear;
}

/** The relative error of an estimate for 1, 2 or 3 standard deviations. */
export function relativeError(
  bound: 'lower' | 'upper',
  isMerged: boolean,
  lgK: number,
  deviations: number,
): number {
  if (lgK > 12)
    return (
      (deviations * Math.sqrt(isMerged ? 3 * Math.log(2) - 1 : Math.log(2))) / Math.sqrt(2 ** lgK)
    );
  return (
    relativeErrors[isMerged ? 'merged' : 'ordered'][bound][(lgK - 4) * 3 + deviations - 1] ?? 0
  );
}

function correction(lgK: number): number {
  if (lgK === 4) return 0.673;
  if (lgK === 5) return 0.697;
  return lgK === 6 ? 0.709 : 0.7213 / (1 + 1.079 / 2 ** lgK);
}

type Points = (at: number) => number;

// Interpolates between the four points around x. It lies between the first and the last point.
function cubic(xs: Points, ys: Points, count: number, x: number): number {
  if (x === xs(count - 1)) return ys(count - 1);
  let [left, right] = [0, count - 1];
  while (left + 1 < right) {
    const middle = left + Math.trunc((right - left) / 2);
    if (xs(middle) <= x) left = middle;
    else right = middle;
  }
  const start = left === 0 ? 0 : left === count - 2 ? left - 2 : left - 1;
  const [x0, x1, x2, x3] = [xs(start), xs(start + 1), xs(start + 2), xs(start + 3)];
  const term0 =
    (ys(start) * ((x - x1) * (x - x2) * (x - x3))) / ((x0 - x1) * (x0 - x2) * (x0 - x3));
  const term1 =
    (ys(start + 1) * ((x - x0) * (x - x2) * (x - x3))) / ((x1 - x0) * (x1 - x2) * (x1 - x3));
  const term2 =
    (ys(start + 2) * ((x - x0) * (x - x1) * (x - x3))) / ((x2 - x0) * (x2 - x1) * (x2 - x3));
  const term3 =
    (ys(start + 3) * ((x - x0) * (x - x1) * (x - x2))) / ((x3 - x0) * (x3 - x1) * (x3 - x2));
  return term0 + term1 + term2 + term3;
}

// 1 + 1/2 + ... + 1/n: exact for small n, a series for large n.
function harmonic(n: number): number {
  const [numerator, denominator] = exactHarmonics[n] ?? [];
  if (numerator !== undefined && denominator !== undefined) return numerator / denominator;
  const inverse = 1 / (n * n);
  let sum = Math.log(n) + 0.5772156649015329 + 1 / (2 * n);
  let power = inverse;
  for (const [at, term] of [1 / 12, 1 / 120, 1 / 252, 1 / 240].entries()) {
    sum += at % 2 === 0 ? -power * term : power * term;
    power *= inverse;
  }
  return sum;
}

const exactHarmonics: readonly (readonly [numerator: number, denominator: number])[] = [
  [0, 1],
  [1, 1],
  [3, 2],
  [11, 6],
  [25, 12],
  [137, 60],
  [49, 20],
  [363, 140],
  [761, 280],
  [7129, 2520],
  [7381, 2520],
  [83711, 27720],
  [86021, 27720],
  [1145993, 360360],
  [1171733, 360360],
  [1195757, 360360],
  [2436559, 720720],
  [42142223, 12252240],
  [14274301, 4084080],
  [275295799, 77597520],
  [55835135, 15519504],
  [18858053, 5173168],
  [19093197, 5173168],
  [444316699, 118982864],
  [1347822955, 356948592],
];
