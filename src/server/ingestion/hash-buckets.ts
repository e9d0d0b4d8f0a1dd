// Hash buckets of rows, computed as in Druid, so that shard specs remain valid (Druid:
// HashPartitioner, HashPartitionFunction.MURMUR3_32_ABS).
import type { SegmentColumn } from '../../model/segment.ts';
import type { RegisteredFunction } from '../engine/scalar-functions.ts';
import { quote } from '../engine/sql-text.ts';
import { columnSql, textsSql } from './stored-values.ts';

/** `druid_hash_bucket(key, buckets)`: the bucket of a serialized group key. */
export const hashBucket: RegisteredFunction = {
  name: 'druid_hash_bucket',
  parameters: ['VARCHAR', 'BIGINT'],
  returns: 'BIGINT',
  call: (key, buckets) => Math.abs(murmur3(Buffer.from(String(key))) % Number(buckets)),
};

/**
 * An expression for the group key of a row, as JSON text: the values of the given columns; without
 * columns, the time and the values of all dimensions. `columns` are those of the table of rows.
 */
export function groupKeySql(
  columns: readonly SegmentColumn[],
  partitionDimensions: readonly string[],
  dimensions: readonly string[],
): string {
  const texts = (name: string) => textsSql(columns, name);
  if (partitionDimensions.length > 0)
    return `to_json([${partitionDimensions.map(texts).join(', ')}])::VARCHAR`;
  const members = [...dimensions]
    .filter((name) => columnSql(columns, name) !== undefined)
    .sort()
    .map((name) => {
      const values = `list_sort(list_distinct(${texts(name)}))`;
      return `CASE WHEN len(${values}) > 0 THEN ${quote(`${JSON.stringify(name)}:`)} || to_json(${values})::VARCHAR END`;
    });
  return `'[' || t || ',{' || concat_ws(',', ${members.join(', ') || 'NULL'}) || '}]'`;
}

/** MurmurHash3, 32 bits for x86, with seed 0, as a signed integer. */
export function murmur3(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length & ~3;
  let hash = 0;
  for (let at = 0; at < whole; at += 4) {
    hash ^= scramble(view.getUint32(at, true));
    hash = (Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64) | 0;
  }
  let rest = 0;
  for (let at = bytes.length - 1; at >= whole; at--) rest = (rest << 8) | (bytes[at] ?? 0);
  hash ^= scramble(rest) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

function scramble(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}
