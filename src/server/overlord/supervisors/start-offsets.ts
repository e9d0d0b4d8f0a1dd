// Start offsets of a supervisor's tasks.
import type { Metadata } from '../../storage/metadata.ts';
import { commitOffsets } from '../stream/committed-offsets.ts';
import { type Offsets, type Stream, StreamUnavailable } from '../stream/stream.ts';
import type { Partition } from '../stream/topics.ts';
import type { StreamSupervisorSpec } from './spec.ts';

/**
 * The offsets at which reading of some partitions continues: committed offsets, or offsets that
 * tasks which are publishing will commit. Other partitions begin at one end of the stream, which is
 * committed here. Throws StreamUnavailable when the stream no longer has these offsets. Undefined,
 * and nothing is committed, when `isCurrent` is false after the stream has answered: the offsets
 * were reset meanwhile.
 */
export async function startOffsets(
  { metadata, spec, stream, isCurrent }: OffsetSources,
  committed: Offsets,
  partitions: readonly Partition[],
): Promise<Offsets | undefined> {
  const { id, io } = spec;
  const known = new Map([...committed].filter(([partition]) => partitions.includes(partition)));
  const lost = await lostOffsets(stream, known);
  if (!isCurrent()) return undefined;
  if (lost.size > 0) resetLost(metadata, spec, lost);
  const unknown = partitions.filter((partition) => !committed.has(partition));
  // A partition that was added later is read from its beginning, whatever the setting for the first
  // ones.
  const fromBeginning = io.useEarliestOffset || committed.size > 0;
  const begin =
    io.bounds?.start ??
    (unknown.length === 0
      ? new Map()
      : await (fromBeginning ? stream.earliest(unknown) : stream.latest(unknown)));
  if (!isCurrent()) return undefined;
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

interface OffsetSources {
  readonly metadata: Metadata;
  readonly spec: StreamSupervisorSpec;
  readonly stream: Stream;
  readonly isCurrent: () => boolean;
}

interface LostOffset {
  readonly offset: number;
  readonly earliest: number;
  readonly latest: number;
}

// The log may have been truncated, or the topic recreated, while no task was reading.
async function lostOffsets(
  stream: Stream,
  offsets: Offsets,
): Promise<ReadonlyMap<Partition, LostOffset>> {
  const lost = new Map<Partition, LostOffset>();
  if (offsets.size === 0) return lost;
  const partitions = [...offsets.keys()];
  const [first, last] = [await stream.earliest(partitions), await stream.latest(partitions)];
  for (const [partition, offset] of offsets) {
    const earliest = first.get(partition) ?? 0;
    const latest = last.get(partition) ?? Number.POSITIVE_INFINITY;
    if (offset < earliest || offset > latest) lost.set(partition, { offset, earliest, latest });
  }
  return lost;
}

function resetLost(
  metadata: Metadata,
  { id, io, resetOffsetAutomatically }: StreamSupervisorSpec,
  lost: ReadonlyMap<Partition, LostOffset>,
): never {
  const [[partition, { offset }]] = [...lost] as [[Partition, LostOffset]];
  const what = `Previous sequenceNumber [${offset}] is no longer available for partition [${partition}]`;
  if (!resetOffsetAutomatically) {
    throw new StreamUnavailable(
      `${what}. You can clear the previous sequenceNumber and start reading from a valid message by using the supervisor's reset API.`,
    );
  }
  const end = io.useEarliestOffset ? 'earliest' : 'latest';
  const found = new Map([...lost].map(([partition, bounds]) => [partition, bounds[end]]));
  commitOffsets(metadata, id, io.address, found);
  throw new StreamUnavailable(`${what} - automatically resetting sequence`);
}
