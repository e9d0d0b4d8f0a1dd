// Committed offsets of a supervisor's stream (Druid: KafkaDataSourceMetadata).
import {
  deleteDataSourceMetadata,
  findDataSourceMetadata,
  setDataSourceMetadata,
} from '../../storage/datasource-metadata.ts';
import type { Transaction } from '../../storage/metadata.ts';
import type { Offsets } from './stream.ts';
import { allTopics, offsetsAmong, partitionIn, type Topics } from './topics.ts';

interface StreamMetadata {
  readonly type: 'kafka';
  readonly partitions: {
    readonly type: 'end';
    readonly stream: string;
    readonly partitionOffsetMap: Readonly<Record<string, number>>;
  };
}

/**
 * The committed offsets of the partitions of these topics, including those read earlier under
 * another pattern or as a single topic (Druid: KafkaSupervisor.getOffsetsFromMetadataStorage).
 */
export function committedOffsets(tx: Transaction, supervisorId: string, topics: Topics): Offsets {
  const { partitions } = findDataSourceMetadata<StreamMetadata>(tx, supervisorId) ?? {};
  return partitions
    ? offsetsAmong(topics, { topic: partitions.stream }, offsetsIn(partitions.partitionOffsetMap))
    : new Map();
}

/**
 * Sets the offsets of some partitions, in the transaction that publishes the rows before them;
 * other offsets are unchanged. A task that began before a change of the pattern does not affect the
 * topics of the new one.
 */
export function commitOffsets(
  tx: Transaction,
  supervisorId: string,
  topics: Topics,
  offsets: Offsets,
): void {
  const { partitions: stored } = findDataSourceMetadata<StreamMetadata>(tx, supervisorId) ?? {};
  const known = stored ? offsetsIn(stored.partitionOffsetMap) : new Map();
  const isOfSeveral =
    topics.matches !== undefined ||
    [...known.keys()].some((partition) => typeof partition === 'string');
  const kept = isOfSeveral
    ? new Map([
        ...offsetsAmong(allTopics, { topic: stored?.stream ?? '' }, known),
        ...offsetsAmong(allTopics, topics, offsets),
      ])
    : new Map([...committedOffsets(tx, supervisorId, topics), ...offsets]);
  const stream = isOfSeveral && !topics.matches ? (stored?.stream ?? topics.topic) : topics.topic;
  const metadata: StreamMetadata = {
    type: 'kafka',
    partitions: { type: 'end', stream, partitionOffsetMap: offsetMap(kept) },
  };
  setDataSourceMetadata(tx, supervisorId, metadata);
}

/** Deletes all offsets of a supervisor. */
export const forgetOffsets = (tx: Transaction, supervisorId: string): void =>
  deleteDataSourceMetadata(tx, supervisorId);

/** Offsets as a JSON object: `{"0": 5}`; for several topics `{"edits:0": 5}`. */
export const offsetMap = (offsets: Offsets): Record<string, number> => Object.fromEntries(offsets);

/** The reverse of `offsetMap`. */
export const offsetsIn = (map: Readonly<Record<string, number | bigint>>): Offsets =>
  new Map(
    Object.entries(map).map(([partition, offset]) => [partitionIn(partition), Number(offset)]),
  );
