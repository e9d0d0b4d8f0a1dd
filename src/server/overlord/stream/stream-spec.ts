// Specification of an index_kafka task (Druid: ingestion/supervisor, KafkaIndexTaskIOConfig).
import { maxInstant, minInstant } from '../../../model/instant.ts';
import type { Interval } from '../../../model/interval.ts';
import { addPeriod, parsePeriod } from '../../../model/period.ts';
import type { SpecFields, SpecValues } from '../../checks/spec-fields.ts';
import { optionalInstant, printedPeriod } from '../../checks/spec-times.ts';
import { type DataSchema, parseDataSchema } from '../../ingestion/data-schema.ts';
import { consumerPropertiesIn } from './config-overrides.ts';
import type { Offsets, StreamAddress } from './stream.ts';
import { parseStreamFormat, type StreamFormat } from './stream-format.ts';
import {
  isPartitionOf,
  type Partition,
  partitionIn,
  type Topics,
  topicsMatching,
} from './topics.ts';

export interface StreamSpec {
  readonly dataSchema: DataSchema;
  readonly format: StreamFormat;
  readonly address: StreamAddress;
  readonly start: Offsets;
  readonly end: Offsets; // for partitions with an end
  readonly messageTimes: Interval; // rows outside are thrown away
  readonly committedAs: string; // key of the committed offsets: the supervisor's id
  readonly sequenceName: string | undefined; // shared by the replicas of a task
  // Offsets are committed with the segments, and must not have changed since the start
  readonly useTransaction: boolean;
  readonly tuning: StreamTuning;
}

export interface StreamTuning {
  readonly maxRowsInMemory: number;
  readonly maxRowsPerSegment: number;
  readonly maxTotalRows: number;
  readonly intermediateHandoffMs: number;
  readonly maxParseExceptions: number;
  readonly maxSavedParseExceptions: number;
  readonly logParseExceptions: boolean;
  readonly resetOffsetAutomatically: boolean;
}

/** Reads the payload of an index_kafka task; throws a Refusal that names the invalid field. */
export function parseStreamSpec(task: SpecFields): StreamSpec {
  const dataSchema = parseDataSchema(task.object('dataSchema'));
  const io = task.object('ioConfig');
  io.type('IOConfig', ['kafka'], 'kafka');
  const from = io.object('startSequenceNumbers');
  const to = io.optionalObject('endSequenceNumbers');
  const topic = from.optionalText('stream') ?? from.text('topic');
  const topics = io.truth('multiTopic')
    ? topicsMatching(topic, (problem) => io.refuse(problem))
    : { topic };
  const start = sequenceNumbers(from, topics);
  const end: Offsets = to ? sequenceNumbers(to, topics) : new Map();
  if (to) checkEnd(io, to, { topic, start, end });
  return {
    dataSchema,
    format: parseStreamFormat(io.optionalObject('inputFormat')),
    address: { ...topics, consumerProperties: consumerPropertiesIn(io) },
    start,
    end,
    messageTimes: {
      start: optionalInstant(io, 'minimumMessageTime') ?? minInstant,
      end: optionalInstant(io, 'maximumMessageTime') ?? maxInstant,
    },
    committedAs: task.optionalText('supervisorId') ?? dataSchema.dataSource,
    sequenceName: io.optionalText('baseSequenceName'),
    useTransaction: io.truth('useTransaction', true),
    tuning: parseStreamTuning(task.optionalObject('tuningConfig')),
  };
}

/**
 * Reads the tuningConfig of a stream and fills in defaults; throws a Refusal that names the invalid
 * field.
 */
export function parseStreamTuning(tuning: SpecFields | undefined): StreamTuning {
  const reportsFailures = tuning?.truth('reportParseExceptions') ?? false;
  const limited = (value: number) => (value < 0 ? unlimited : value);
  const integer = (name: string, defaultValue: number) =>
    limited(tuning?.integer(name, defaultValue) ?? defaultValue);
  return {
    maxRowsInMemory: Math.max(1, integer('maxRowsInMemory', 150_000)),
    maxRowsPerSegment: Math.max(1, integer('maxRowsPerSegment', 5_000_000)),
    maxTotalRows: Math.max(1, limited(tuning?.optionalLong('maxTotalRows') ?? 20_000_000)),
    intermediateHandoffMs: periodMs(tuning, 'intermediateHandoffPeriod'),
    maxParseExceptions: reportsFailures ? 0 : integer('maxParseExceptions', unlimited),
    maxSavedParseExceptions: reportsFailures ? 1 : integer('maxSavedParseExceptions', 0),
    logParseExceptions: tuning?.truth('logParseExceptions') ?? false,
    resetOffsetAutomatically: tuning?.truth('resetOffsetAutomatically') ?? false,
  };
}

const unlimited = 2_147_483_647;

// Druid: SeekableStreamIndexTaskIOConfig, KafkaIndexTaskIOConfig. An end without partitions does
// not count.
function checkEnd(
  io: SpecFields,
  to: SpecFields,
  { topic, start, end }: { topic: string; start: Offsets; end: Offsets },
): void {
  const other = to.optionalText('stream') ?? to.optionalText('topic');
  if (other !== undefined && other !== topic)
    io.refuse('start topic/stream and end topic/stream must match');
  const named = Object.keys(
    (to.optionalObject('partitionSequenceNumberMap') ?? to.object('partitionOffsetMap')).values,
  ).map(partitionIn);
  if (
    named.length > 0 &&
    (named.length !== start.size || named.some((partition) => !start.has(partition)))
  )
    io.refuse('start partition set and end partition set must match');
  const [wrong] =
    [...end].find(([partition, offset]) => offset < (start.get(partition) ?? 0)) ?? [];
  if (wrong !== undefined) io.refuse(`end offset must be >= start offset for partition[${wrong}]`);
}

// Supervisors use unreachable offsets for a missing end; these are omitted.
function sequenceNumbers(fields: SpecFields, topics: Topics): Offsets {
  const map = (
    fields.optionalObject('partitionSequenceNumberMap') ?? fields.object('partitionOffsetMap')
  ).values;
  return new Map(
    Object.entries(map).flatMap(([partition, offset]): [Partition, number][] => {
      const value = Number(offset);
      if (!isPartitionOf(topics, partition))
        fields.refuse(`partition [${partition}] is not a partition of topic [${topics.topic}]`);
      if (!Number.isFinite(value))
        fields.refuse(`offset [${String(offset)}] of partition [${partition}] is not an integer`);
      return Number.isSafeInteger(value) ? [[partitionIn(partition), value]] : [];
    }),
  );
}

function periodMs(fields: SpecFields | undefined, name: string): number {
  const period = fields && printedPeriod(fields, name);
  const length = period ? addPeriod(0, parsePeriod(period)) : Number.POSITIVE_INFINITY;
  return Number.isSafeInteger(length) ? length : Number.POSITIVE_INFINITY;
}

/** The payload in its stored form. */
export const completeStreamSpec = (given: SpecValues, { dataSchema }: StreamSpec): SpecValues => {
  const { type: _, id: __, groupId: ___, resource: ____, context: _____, ...rest } = given;
  return { ...rest, dataSource: dataSchema.dataSource };
};
