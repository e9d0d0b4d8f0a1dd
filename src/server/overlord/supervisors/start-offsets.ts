// Start offsets of a supervisor's tasks.
import type { Metadata } from '../../storage/metadata.ts';
import { commitOffsets } from '../stream/committed-offsets.ts';
import { type Offsets, type Stream, StreamUnavailable } from '../stream/stream.ts';
import type { Partition } from '../stream/topics.ts';
import type { StreamSupervisorSpec } from './spec.ts';

/**
 * The offsets at which reading of some partitions continues: committed offsets, or offsets that
 * tasks which are publishing will commit. Other partitions begin at one end of the stream, which is
 * committed here. Throws StreamUnavailable when the stream no longer has these offsets.
 */
export async function startOffsets(
  metadata: Metadata,
  spec: StreamSupervisorSpec,
  stream: Stream,
  committed: Offsets,
  partitions: readonly Partition[],
): Promise<Offsets> {
  const { id, io } = spec;
  await checkAvailable(
    metadata,
    spec,
    stream,
    new Map([...committed].filter(([partition]) => partitions.includes(partition))),
  );
  const unknown = partitions.filter((partition) => !committed.has(partition));
  // A partition that was added later is read from its beginning, whatever the setting for the first
  // ones.
  const fromBeginning = io.useEarliestOffset || committed.size > 0;
  const begin =
    io.bounds?.start ??
    (unknown.length === 0
      ? new Map()
      : await (fromBeginning ? stream.earliest(unknown) : stream.latest(unknown)));
  const found = new Map(unknown.map((partition) => [partition, begin.get(partition) ?? 0]));
  // Commits the start, in case the first task fails
  if (found.size > 0 && !io.bounds) commitOffsets(metadata, id, io.address, found);
  return new Map(
    partitions.map((partition) => [
      partition,
      committed.get(partition) ?? found.get(partition) ?? 0,
    ]),
  );
}

// The log may have been truncated, or the topic recreated, while no task was reading.
async function checkAvailable(
  metadata: Metadata,
  spec: StreamSupervisorSpec,
  stream: Stream,
  offsets: Offsets,
): Promise<void> {
  if (offsets.size === 0) return;
  const partitions = [...offsets.keys()];
  const [earliest, latest] = [await stream.earliest(partitions), await stream.latest(partitions)];
  const lost = [...offsets].filter(
    ([partition, offset]) =>
      offset < (earliest.get(partition) ?? 0) ||
      offset > (latest.get(partition) ?? Number.POSITIVE_INFINITY),
  );
  const [first] = lost;
  if (!first) return;
  const [partition, offset] = first;
  const { id, io, resetOffsetAutomatically } = spec;
  const what = `Previous sequenceNumber [${offset}] is no longer available for partition [${partition}]`;
  if (!resetOffsetAutomatically) {
    throw new StreamUnavailable(
      `${what}. You can clear the previous sequenceNumber and start reading from a valid message by using the supervisor's reset API.`,
    );
  }
  const target = io.useEarliestOffset ? earliest : latest;
  const found = new Map(lost.map(([partition]) => [partition, target.get(partition) ?? 0]));
  commitOffsets(metadata, id, io.address, found);
  throw new StreamUnavailable(`${what} - automatically resetting sequence`);
}
