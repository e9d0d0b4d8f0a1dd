// Engine functions for tuple sketches. A sketch is a BLOB.
import { doubleText } from '../../model/java-text.ts';
import { boundsOfTheta } from '../../sketches/theta.ts';
import {
  defaultTupleSize,
  differenceOfTuples,
  intersectionOfTuples,
  TupleSketch,
  unionOfTuples,
} from '../../sketches/tuple.ts';
import { engineFunction } from './engine-function.ts';

function tupleOf(
  hashes: ArrayLike<bigint>,
  numbers: ArrayLike<number>,
  width: number,
  size: number,
): TupleSketch {
  const sketch = new TupleSketch(size, width);
  for (let at = 0; at < hashes.length; at++) {
    const hash = hashes[at] ?? 0n;
    if (hash !== 0n) sketch.add(hash, numbers, at * width); // the empty text does not count
  }
  return sketch;
}

const readAll = (all: Iterable<Uint8Array>): TupleSketch[] =>
  Array.from(all, TupleSketch.fromBytes);

// Only the union stays in memory, not the sketches of all groups.
function union(all: Iterable<Uint8Array>, size: number): TupleSketch {
  let merged: TupleSketch | undefined;
  for (const bytes of all) {
    const sketch = TupleSketch.fromBytes(bytes);
    if (sketch.isEmpty) continue;
    if (!merged) merged = new TupleSketch(size, sketch.width);
    // The union refuses other widths
    merged = merged.width === sketch.width ? merged : unionOfTuples([merged, sketch], size);
    merged.merge(sketch);
  }
  return merged?.trim() ?? new TupleSketch(size, 1);
}

// The mean and variance of each number over all keys, computed key by key.
function statisticsOf(
  bytes: Uint8Array,
): readonly { readonly mean: number; readonly variance: number }[] {
  const sketch = TupleSketch.fromBytes(bytes);
  const statistics = Array.from({ length: sketch.width }, () => ({ mean: 0, squares: 0 }));
  let count = 0;
  for (const [, numbers] of sketch.entries()) {
    count++;
    for (const [at, one] of statistics.entries()) {
      const distance = (numbers[at] ?? 0) - one.mean;
      one.mean += distance / count;
      one.squares += (distance * distance * (count - 1)) / count;
    }
  }
  return statistics.map(({ mean, squares }) => ({
    mean: count === 0 ? Number.NaN : mean,
    variance: count < 2 ? 0 : squares / (count - 1),
  }));
}

/** Functions of tuple sketches, by their DuckDB names. */
export const tupleEngineFunctions = [
  engineFunction(
    'druid_tuple',
    ['UBIGINT[]', 'DOUBLE[]', 'BIGINT', 'BIGINT'],
    'BLOB',
    (hashes, numbers, width, size) =>
      tupleOf(hashes, numbers, Number(width), Number(size)).toBytes(),
  ),
  engineFunction('druid_tuple_union', ['BLOB[]', 'BIGINT'], 'BLOB', (all, size) =>
    union(all, Number(size)).toBytes(),
  ),
  engineFunction('druid_tuple_merged', ['BLOB[]'], 'BLOB', (all) => {
    const sketches = readAll(all);
    return unionOfTuples(
      sketches,
      Math.max(defaultTupleSize, ...sketches.map(({ size }) => size)),
    ).toBytes();
  }),
  engineFunction('druid_tuple_intersect', ['BLOB[]'], 'BLOB', (all) =>
    intersectionOfTuples(readAll(all)).toBytes(),
  ),
  engineFunction('druid_tuple_not', ['BLOB[]'], 'BLOB', (all) =>
    differenceOfTuples(readAll(all)).toBytes(),
  ),
  engineFunction('druid_tuple_read', ['VARCHAR'], 'BLOB', (text) =>
    TupleSketch.fromBytes(Uint8Array.from(Buffer.from(text, 'base64'))).toBytes(),
  ),
  engineFunction(
    'druid_tuple_estimate',
    ['BLOB'],
    'DOUBLE',
    (bytes) => TupleSketch.fromBytes(bytes).estimate,
  ),
  engineFunction('druid_tuple_estimate_text', ['BLOB'], 'VARCHAR', (bytes) =>
    doubleText(TupleSketch.fromBytes(bytes).estimate),
  ),
  engineFunction('druid_tuple_bounds', ['BLOB', 'BIGINT'], 'DOUBLE[]', (bytes, deviations) => {
    const sketch = TupleSketch.fromBytes(bytes);
    const hashes = BigUint64Array.from(sketch.entries(), ([hash]) => hash);
    const { low, high } = boundsOfTheta(
      { isEmpty: sketch.isEmpty, theta: sketch.theta, hashes, isOrdered: false },
      Number(deviations) as 1 | 2 | 3,
    );
    return [sketch.estimate, low, high];
  }),
  engineFunction('druid_tuple_count', ['BLOB'], 'BIGINT', (bytes) =>
    BigInt(TupleSketch.fromBytes(bytes).count),
  ),
  engineFunction(
    'druid_tuple_sums',
    ['BLOB'],
    'DOUBLE[]',
    (bytes) => TupleSketch.fromBytes(bytes).sums,
  ),
  engineFunction('druid_tuple_means', ['BLOB'], 'DOUBLE[]', (bytes) =>
    statisticsOf(bytes).map(({ mean }) => mean),
  ),
  engineFunction('druid_tuple_variances', ['BLOB'], 'DOUBLE[]', (bytes) =>
    statisticsOf(bytes).map(({ variance }) => variance),
  ),
];
