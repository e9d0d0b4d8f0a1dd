// Engine functions for KLL sketches. A sketch is a BLOB; `width` is the width of its values, 64 or
// 32 bits.
import { defaultKllK, KllSketch, type KllValues } from '../../sketches/kll.ts';
import type { SortedValues } from '../../sketches/quantiles.ts';
import { engineFunction } from './engine-function.ts';

const valuesOf = (width: bigint): KllValues => (width === 32n ? 'float' : 'double');

function kllOf(values: ArrayLike<number>, k: number, width: bigint): KllSketch {
  const sketch = new KllSketch(k, valuesOf(width));
  for (let at = 0; at < values.length; at++) sketch.add(values[at] ?? Number.NaN);
  return sketch;
}

const kllIn = (bytes: Uint8Array, width: bigint): KllSketch =>
  KllSketch.fromBytes(bytes, valuesOf(width));

const sortIn = (bytes: Uint8Array, width: bigint): SortedValues => kllIn(bytes, width).sortedView();

// Without `k`, the union has the size of the largest sketch.
function union(all: Iterable<Uint8Array>, width: bigint, k?: number): Uint8Array {
  let merged = k === undefined ? undefined : new KllSketch(k, valuesOf(width));
  for (const bytes of all) {
    const sketch = kllIn(bytes, width);
    if (!merged) merged = sketch;
    else if (k === undefined && sketch.k > merged.k) {
      sketch.merge(merged);
      merged = sketch;
    } else merged.merge(sketch);
  }
  return (merged ?? new KllSketch(defaultKllK, valuesOf(width))).toBytes();
}

// A sketch from a text: a number, or a sketch in base64.
function kllOfText(text: string, k: number, width: bigint): Uint8Array {
  const value = text.trim();
  if (Number.isFinite(Number(value))) return kllOf([Number(value)], k, width).toBytes();
  return kllIn(Uint8Array.from(Buffer.from(value, 'base64')), width).toBytes();
}

function bins(bytes: Uint8Array, count: number, width: bigint): number[] {
  const sketch = kllIn(bytes, width);
  if (sketch.least === sketch.greatest)
    return [sketch.count, ...new Array<number>(count - 1).fill(0)];
  const step = (sketch.greatest - sketch.least) / count;
  return sketch
    .sortedView()
    .histogram(Array.from({ length: count - 1 }, (_, at) => sketch.least + step * (at + 1)));
}

function kllText(bytes: Uint8Array, width: bigint): string {
  const sketch = kllIn(bytes, width);
  const numbers =
    sketch.count === 0
      ? []
      : [['Min Item', sketch.least] as const, ['Max Item', sketch.greatest] as const];
  const shown = numbers.map(([name, value]): readonly [string, string] => [
    name,
    Number.isInteger(value) ? `${value}.0` : String(value),
  ]);
  const lines = [...sketch.summary(), ...shown].map(
    ([name, value]) => `   ${name.padEnd(23)}: ${value}`,
  );
  const kind = width === 32n ? 'Floats' : 'Doubles';
  return [
    '',
    `### KllDirectCompact${kind}Sketch Summary:`,
    ...lines,
    '### End sketch summary',
    '',
  ].join('\n');
}

/** Functions of KLL sketches, by their DuckDB names. */
export const kllEngineFunctions = [
  engineFunction('druid_kll', ['DOUBLE[]', 'BIGINT', 'BIGINT'], 'BLOB', (values, k, width) =>
    kllOf(values, Number(k), width).toBytes(),
  ),
  engineFunction('druid_kll_union', ['BLOB[]', 'BIGINT', 'BIGINT'], 'BLOB', (all, k, width) =>
    union(all, width, Number(k)),
  ),
  engineFunction('druid_kll_merged', ['BLOB[]', 'BIGINT'], 'BLOB', (all, width) =>
    union(all, width),
  ),
  engineFunction('druid_kll_of_text', ['VARCHAR', 'BIGINT', 'BIGINT'], 'BLOB', (text, k, width) =>
    kllOfText(text, Number(k), width),
  ),
  engineFunction('druid_kll_count', ['BLOB', 'BIGINT'], 'BIGINT', (bytes, width) =>
    BigInt(kllIn(bytes, width).count),
  ),
  engineFunction(
    'druid_kll_quantiles',
    ['BLOB', 'DOUBLE[]', 'BIGINT'],
    'DOUBLE[]',
    (bytes, ranks, width) => {
      const sorted = sortIn(bytes, width);
      return Array.from(ranks, (rank) => sorted.quantile(rank));
    },
  ),
  engineFunction('druid_kll_rank', ['BLOB', 'DOUBLE', 'BIGINT'], 'DOUBLE', (bytes, value, width) =>
    sortIn(bytes, width).rank(value),
  ),
  engineFunction(
    'druid_kll_cdf',
    ['BLOB', 'DOUBLE[]', 'BIGINT'],
    'DOUBLE[]',
    (bytes, points, width) => sortIn(bytes, width).ranks(points),
  ),
  engineFunction(
    'druid_kll_histogram',
    ['BLOB', 'DOUBLE[]', 'BIGINT'],
    'DOUBLE[]',
    (bytes, points, width) => sortIn(bytes, width).histogram(points),
  ),
  engineFunction(
    'druid_kll_bins',
    ['BLOB', 'BIGINT', 'BIGINT'],
    'DOUBLE[]',
    (bytes, count, width) => bins(bytes, Number(count), width),
  ),
  engineFunction('druid_kll_text', ['BLOB', 'BIGINT'], 'VARCHAR', kllText),
];
