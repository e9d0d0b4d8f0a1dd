// Order of segments, and the hash over their ids.
import { createHash } from 'node:crypto';
import { byStartThenEnd } from '../../model/interval.ts';
import type { SegmentRecord } from '../storage/segments.ts';

export const inOrder = (a: SegmentRecord, b: SegmentRecord) =>
  byStartThenEnd(a.interval, b.interval) ||
  (a.version < b.version ? -1 : a.version > b.version ? 1 : a.partitionNum - b.partitionNum);

/**
 * Hash over the ids of segments, in order, by which a task names the segments it expects. The real
 * engine reads the bytes of the hash as UTF-8 (SegmentUtils.hashIds).
 */
export const hashOfSegments = (segments: Iterable<SegmentRecord>): string =>
  hashOf([...segments].sort(inOrder).map(({ id }) => id));

export const hashOf = (ids: readonly string[]) =>
  createHash('sha256').update(ids.join('')).digest().toString('utf8');
