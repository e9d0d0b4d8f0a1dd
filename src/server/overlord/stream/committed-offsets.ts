// How far the stream of a supervisor has been read and published (Druid: KafkaDataSourceMetadata, kept by supervisor).
import { deleteDataSourceMetadata, findDataSourceMetadata, setDataSourceMetadata } from '../../storage/datasource-metadata.ts';
import type { Transaction } from '../../storage/metadata.ts';
import type { Offsets } from './stream.ts';

interface StreamMetadata {
  readonly type: 'kafka';
  readonly partitions: { readonly type: 'end'; readonly stream: string; readonly partitionOffsetMap: Readonly<Record<string, number>> };
}

/** The offsets that are committed; none when the supervisor has committed nothing, or has read another stream then. */
export function committedOffsets(tx: Transaction, supervisorId: string, stream: string): Offsets {
  const { partitions } = findDataSourceMetadata<StreamMetadata>(tx, supervisorId) ?? {};
  return partitions?.stream === stream ? offsetsIn(partitions.partitionOffsetMap) : new Map();
}

/** Sets the offsets of some partitions, in the transaction that publishes what was read up to there; the others stay. */
export function commitOffsets(tx: Transaction, supervisorId: string, stream: string, offsets: Offsets): void {
  const partitionOffsetMap = offsetMap(new Map([...committedOffsets(tx, supervisorId, stream), ...offsets]));
  const metadata: StreamMetadata = { type: 'kafka', partitions: { type: 'end', stream, partitionOffsetMap } };
  setDataSourceMetadata(tx, supervisorId, metadata);
}

/** Forgets all offsets of a supervisor. */
export const forgetOffsets = (tx: Transaction, supervisorId: string): void => deleteDataSourceMetadata(tx, supervisorId);

/** Offsets as JSON has them: `{"0": 5}`. */
export const offsetMap = (offsets: Offsets): Record<string, number> => Object.fromEntries(offsets);

/** The reverse of `offsetMap`. */
export const offsetsIn = (map: Readonly<Record<string, number | bigint>>): Offsets =>
  new Map(Object.entries(map).map(([partition, offset]) => [Number(partition), Number(offset)]));
