// Filter for a fetched batch: skips control records, aborted transactions and duplicates (Kafka:
// protocol, "Record Batch"; KIP-98).
import type { fetchV17 } from '@platformatic/kafka';
import type { StreamRecord } from './stream.ts';
import type { Partition } from './topics.ts';

export interface ReadStretch {
  readonly records: readonly StreamRecord[];
  // Next offset to read, after control records and compacted ones, too
  readonly next: number;
}

/** The records from offset `position` (inclusive) to `end` (exclusive). */
export function filterCommitted(
  partition: Partition,
  { records: batches = [], abortedTransactions }: fetchV17.FetchResponsePartition,
  position: number,
  end: number,
  isReadCommitted: boolean,
): ReadStretch {
  const aborted = isReadCommitted
    ? [...(abortedTransactions ?? [])].sort((a, b) => Number(a.firstOffset - b.firstOffset))
    : [];
  const abortedProducers = new Set<bigint>();
  const records: StreamRecord[] = [];
  let next = position;
  for (const batch of batches) {
    const firstOffset = Number(batch.firstOffset);
    const lastOffset = firstOffset + batch.lastOffsetDelta;
    // A transaction is open from its first offset to its marker; a producer has one at a time.
    while (aborted[0] && Number(aborted[0].firstOffset) <= lastOffset)
      abortedProducers.add(aborted.shift()?.producerId ?? -1n);
    if (batch.attributes & isControl) {
      if (isAbortMarker(batch.records[0]?.key)) abortedProducers.delete(batch.producerId);
    } else if (!(batch.attributes & isTransactional && abortedProducers.has(batch.producerId))) {
      const appendTime = batch.attributes & isAppendTime ? Number(batch.maxTimestamp) : undefined;
      const firstTimestamp = Number(batch.firstTimestamp);
      for (const { offsetDelta, timestampDelta, key, value, headers } of batch.records) {
        const offset = firstOffset + offsetDelta;
        if (offset < position || offset >= end) continue;
        records.push({
          partition,
          offset,
          timestampMs: appendTime ?? firstTimestamp + Number(timestampDelta),
          key,
          value,
          headers,
        });
      }
    }
    next = Math.max(next, lastOffset + 1);
  }
  return { records, next };
}

const isTransactional = 1 << 4;
const isControl = 1 << 5;
const isAppendTime = 1 << 3;

// Two bytes of version, two of type: 0 aborts, 1 commits.
const isAbortMarker = (key: Buffer | null | undefined): boolean =>
  key !== null && key !== undefined && key.length >= 4 && key.readInt16BE(2) === 0;
