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
 * The offsets that are committed, of the partitions of these topics: also those that were read
 * before under another pattern, or as one topic (Druid:
 * KafkaSupervisor.getOffsetsFromMetadataStorage).
 */
export function committedOffsets(tx: Transaction, supervisorId: string, topics: Topics): Offsets {
  const { partitions } = findDataSourceMetadata<StreamMetadata>(tx, supervisorId) ?? {};
  return partitions
    ? offsetsAmong(topics, { topic: partitions.stream }, offsetsIn(partitions.partitionOffsetMap))
    : new Map();
}

/**
 * Sets the offsets of some partitions, in the transaction that publishes what was read up to there;
 * the others stay. A task that began before a pattern changed does not touch what is read under the
 * new one.
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

/** Forgets all offsets of a supervisor. */
export const forgetOffsets = (tx: Transaction, supervisorId: string): void =>
  deleteDataSourceMetadata(tx, supervisorId);

/** Offsets as JSON has them: `{"0": 5}`, of several topics `{"edits:0": 5}`. */
export const offsetMap = (offsets: Offsets): Record<string, number> => Object.fromEntries(offsets);

/** The reverse of `offsetMap`. */
export const offsetsIn = (map: Readonly<Record<string, number | bigint>>): Offsets =>
  new Map(
    Object.entries(map).map(([partition, offset]) => [partitionIn(partition), Number(offset)]),
  );
