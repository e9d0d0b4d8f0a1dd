// Task that reads some partitions of a stream, as submitted by a supervisor (Druid:
// KafkaIndexTask).
import { randomBytes } from 'node:crypto';
import { formatInstant } from '../../../model/instant.ts';
import { isObject } from '../../checks/spec-fields.ts';
import type { StoredPayload } from '../../storage/tasks.ts';
import { randomLetters } from '../../tasks/task-ids.ts';
import { offsetMap } from '../stream/committed-offsets.ts';
import type { Offsets } from '../stream/stream.ts';
import { type Partition, partitionIn } from '../stream/topics.ts';
import type { StreamSupervisorSpec } from './spec.ts';

export interface Assignment {
  readonly groupId: number;
  readonly sequenceName: string; // shared by replicas
  readonly start: Offsets;
  readonly end: Offsets | undefined; // undefined: no end
}

/** A unique name for a sequence. */
export const newSequenceName = (supervisorId: string): string =>
  `${streamTaskType}_${supervisorId}_${randomBytes(8).toString('hex').slice(1)}`;

/** Type of the tasks. */
export const streamTaskType = 'index_kafka';

/**
 * A task for some partitions, with an id of its own. `createdMs` is the time its group was created,
 * which limits the times of messages.
 */
export function streamTaskPayload(
  spec: StreamSupervisorSpec,
  { groupId, sequenceName, start, end }: Assignment,
  createdMs: number,
): StoredPayload & { readonly id: string } {
  const { id, dataSource, io, context, stored } = spec;
  const { dataSchema, tuningConfig, ioConfig } = partsOf(stored);
  const stream = io.address.topic;
  const endOffsets = end ?? new Map([...start.keys()].map((partition) => [partition, endless]));
  const notBefore = io.notBefore ?? (io.lateMs === undefined ? undefined : createdMs - io.lateMs);
  const notAfter =
    io.earlyMs === undefined ? undefined : createdMs + io.taskDurationMs + io.earlyMs;
  return {
    type: streamTaskType,
    id: `${sequenceName}_${randomLetters()}`,
    groupId: `${streamTaskType}_${dataSource}`,
    resource: { availabilityGroup: sequenceName, requiredCapacity: 1 },
    supervisorId: id,
    dataSchema,
    tuningConfig,
    ioConfig: {
      type: 'kafka',
      taskGroupId: groupId,
      baseSequenceName: sequenceName,
      startSequenceNumbers: {
        type: 'start',
        stream,
        partitionOffsetMap: offsetMap(start),
        exclusivePartitions: [],
      },
      endSequenceNumbers: { type: 'end', stream, partitionOffsetMap: jsonOffsets(endOffsets) },
      consumerProperties: isObject(ioConfig) ? ioConfig.consumerProperties : null,
      pollTimeout: io.pollTimeoutMs,
      useTransaction: true,
      ...(io.address.matches && { multiTopic: true }),
      minimumMessageTime: notBefore === undefined ? null : formatInstant(notBefore),
      maximumMessageTime: notAfter === undefined ? null : formatInstant(notAfter),
      inputFormat: isObject(ioConfig) ? (ioConfig.inputFormat ?? null) : null,
      configOverrides: isObject(ioConfig) ? (ioConfig.configOverrides ?? null) : null,
    },
    context: { ...context, IS_INCREMENTAL_HANDOFF_SUPPORTED: true },
  };
}

/** The assignment of a task from an earlier process; undefined for other kinds of tasks. */
export function assignmentOf({ ioConfig }: StoredPayload): Omit<Assignment, 'end'> | undefined {
  if (!isObject(ioConfig) || !isObject(ioConfig.startSequenceNumbers)) return undefined;
  const { partitionOffsetMap } = ioConfig.startSequenceNumbers;
  if (!isObject(partitionOffsetMap)) return undefined;
  const start = new Map(
    Object.entries(partitionOffsetMap).map(([partition, offset]) => [
      partitionIn(partition),
      Number(offset),
    ]),
  );
  return {
    groupId: Number(ioConfig.taskGroupId),
    sequenceName: String(ioConfig.baseSequenceName),
    start,
  };
}

// The largest possible offset: a long of the real engine.
const endless = 9_223_372_036_854_775_807n;

const jsonOffsets = (offsets: ReadonlyMap<Partition, number | bigint>) =>
  Object.fromEntries(offsets);

const partsOf = ({ spec }: StreamSupervisorSpec['stored']) => (isObject(spec) ? spec : {});
