// I/O configuration of a supervisor: source, tasks and replicas (Druid: KafkaSupervisorIOConfig).
import { requestLimits } from '../../../model/limits.ts';
import { requestLimitExceeded } from '../../checks/refusals.ts';
import { isObject, type SpecFields, type SpecValues } from '../../checks/spec-fields.ts';
import {
  duration,
  formatDuration,
  optionalDuration,
  optionalInstant,
} from '../../checks/spec-times.ts';
import {
  type AutoScalerConfig,
  completeAutoScaler,
  parseAutoScaler,
} from './auto-scaler-config.ts';
import { consumerPropertiesIn } from './config-overrides.ts';
import type { Offsets, StreamAddress } from './stream.ts';
import { parseStreamFormat } from './stream-format.ts';
import { isPartitionOf, partitionIn, type Topics, topicsMatching } from './topics.ts';

export interface StreamIoConfig {
  readonly address: StreamAddress;
  readonly inputFormat: SpecValues | undefined;
  readonly emitTimeLagMetrics: boolean; // accepted without effect
  readonly pollTimeoutMs: number;
  readonly taskCount: number; // with autoscaling, the current number
  readonly autoScaler: AutoScalerConfig | undefined; // absent: the number of tasks is constant
  readonly replicas: number; // of each task
  readonly taskDurationMs: number;
  readonly startDelayMs: number;
  readonly periodMs: number;
  readonly completionTimeoutMs: number;
  readonly useEarliestOffset: boolean;
  readonly lateMs: number | undefined;
  readonly earlyMs: number | undefined;
  readonly notBefore: number | undefined; // milliseconds since 1970
  // infinite: never; undefined: the property of the service applies
  readonly idleAfterMs: number | undefined;
  readonly stopTaskCount: number | undefined; // that may publish at once because of their age
  readonly bounds: Bounds | undefined;
}

/** A range of a stream that is read once. */
export interface Bounds {
  readonly start: Offsets;
  readonly end: Offsets;
}

/**
 * Reads the ioConfig of a Kafka supervisor; throws a Refusal. `scaledTo` is the number of tasks
 * that autoscaling has set.
 */
export function parseIoConfig(fields: SpecFields, scaledTo: number | undefined): StreamIoConfig {
  const topics = topicsIn(fields);
  const consumerProperties = fields.object('consumerProperties').values;
  if (
    typeof consumerProperties['bootstrap.servers'] !== 'string' ||
    consumerProperties['bootstrap.servers'] === ''
  )
    fields.refuse('consumerProperties must contain entry for [bootstrap.servers]');
  const [lateMs, earlyMs] = [
    optionalDuration(fields, 'lateMessageRejectionPeriod'),
    optionalDuration(fields, 'earlyMessageRejectionPeriod'),
  ];
  const notBefore = optionalInstant(fields, 'lateMessageRejectionStartDateTime');
  if (lateMs !== undefined && notBefore !== undefined)
    fields.refuse(
      'lateMessageRejectionPeriod and lateMessageRejectionStartDateTime cannot both be set',
    );
  const givenCount = positive(fields, 'taskCount', 1);
  const autoScaler = parseAutoScaler(fields.optionalObject('autoScalerConfig'));
  const stopTaskCount = fields.has('stopTaskCount')
    ? positive(fields, 'stopTaskCount', 1)
    : undefined;
  const mostTasks = autoScaler?.taskCountMax ?? givenCount;
  if (stopTaskCount !== undefined && stopTaskCount > mostTasks)
    fields.refuse(
      `stopTaskCount[${stopTaskCount}] is more than ${autoScaler ? 'taskCountMax' : 'taskCount'}[${mostTasks}]`,
    );
  for (const name of ['lagAggregator', 'serverPriorityToReplicas']) fields.optionalObject(name); // accepted if they are objects
  const inputFormat = fields.optionalObject('inputFormat');
  parseStreamFormat(inputFormat); // read by the tasks, but refused here, before any task starts
  return {
    address: { ...topics, consumerProperties: consumerPropertiesIn(fields) },
    inputFormat: inputFormat?.values,
    emitTimeLagMetrics: fields.truth('emitTimeLagMetrics'),
    pollTimeoutMs: fields.long('pollTimeout', 100),
    taskCount: autoScaler ? within(autoScaler, scaledTo ?? autoScaler.taskCountStart) : givenCount,
    autoScaler,
    replicas: replicasIn(fields),
    taskDurationMs: duration(fields, 'taskDuration', 'PT1H'),
    startDelayMs: duration(fields, 'startDelay', 'PT5S'),
    periodMs: duration(fields, 'period', 'PT30S'),
    completionTimeoutMs: duration(fields, 'completionTimeout', 'PT30M'),
    useEarliestOffset: fields.truth('useEarliestOffset', fields.truth('useEarliestSequenceNumber')),
    lateMs,
    earlyMs,
    notBefore,
    idleAfterMs: idleAfter(fields.optionalObject('idleConfig')),
    stopTaskCount,
    bounds: boundsIn(fields.optionalObject('boundedStreamConfig'), topics),
  };
}

/**
 * An ioConfig in the form that is stored and shown: durations in seconds, and defaults filled in.
 */
export function completeIoConfig(given: SpecValues, io: StreamIoConfig): SpecValues {
  const { topic, matches } = io.address;
  const inSeconds = (ms: number | undefined) => (ms === undefined ? null : formatDuration(ms));
  return {
    topic: matches ? null : topic,
    topicPattern: matches ? topic : null,
    inputFormat: given.inputFormat ?? null,
    replicas: io.replicas,
    taskCount: io.taskCount,
    taskDuration: formatDuration(io.taskDurationMs),
    consumerProperties: given.consumerProperties,
    autoScalerConfig: isObject(given.autoScalerConfig)
      ? completeAutoScaler(given.autoScalerConfig, io.autoScaler)
      : null,
    lagAggregator: given.lagAggregator ?? { type: 'default' },
    pollTimeout: io.pollTimeoutMs,
    startDelay: formatDuration(io.startDelayMs),
    period: formatDuration(io.periodMs),
    useEarliestOffset: io.useEarliestOffset,
    completionTimeout: formatDuration(io.completionTimeoutMs),
    lateMessageRejectionPeriod: inSeconds(io.lateMs),
    earlyMessageRejectionPeriod: inSeconds(io.earlyMs),
    lateMessageRejectionStartDateTime: given.lateMessageRejectionStartDateTime ?? null,
    configOverrides: given.configOverrides ?? null,
    idleConfig: isObject(given.idleConfig)
      ? { enabled: false, inactiveAfterMillis: defaultIdleMs, ...given.idleConfig }
      : null,
    stopTaskCount: io.stopTaskCount ?? null,
    emitTimeLagMetrics: io.emitTimeLagMetrics,
    serverPriorityToReplicas: given.serverPriorityToReplicas ?? null,
    boundedStreamConfig: given.boundedStreamConfig ?? null,
    stream: topic,
    useEarliestSequenceNumber: io.useEarliestOffset,
  };
}

const defaultIdleMs = 600_000;

// A shown specification contains the pattern as `stream`, too.
function topicsIn(fields: SpecFields): Topics {
  const [topic, pattern, stream] = [
    fields.optionalText('topic'),
    fields.optionalText('topicPattern'),
    fields.optionalText('stream'),
  ];
  if (pattern !== undefined) {
    if (topic !== undefined || (stream !== undefined && stream !== pattern))
      fields.refuse('Only one of topic or topicPattern can be specified');
    return pattern
      ? topicsMatching(pattern, (problem) => fields.refuse(problem))
      : fields.refuse('topicPattern must not be empty');
  }
  return {
    topic: topic || stream || fields.refuse('Either topic or topicPattern must be specified'),
  };
}

function positive(fields: SpecFields, name: string, defaultValue: number): number {
  const value = fields.integer(name, defaultValue);
  return value > 0 ? value : fields.refuse(`${name}[${value}] must be greater than 0`);
}

function replicasIn(fields: SpecFields): number {
  const replicas = positive(fields, 'replicas', 1);
  if (replicas > requestLimits.replicas.most)
    throw requestLimitExceeded('replicas', replicas, `${fields.path}.replicas`);
  return replicas;
}

function idleAfter(fields: SpecFields | undefined): number | undefined {
  if (!fields) return undefined;
  const inactiveAfterMs = fields.long('inactiveAfterMillis', defaultIdleMs);
  if (inactiveAfterMs <= 0) fields.refuse('inactiveAfterMillis should be a positive number');
  return fields.truth('enabled') ? inactiveAfterMs : Number.POSITIVE_INFINITY;
}

const within = ({ taskCountMin, taskCountMax }: AutoScalerConfig, count: number): number =>
  Math.min(Math.max(count, taskCountMin), taskCountMax);

function boundsIn(fields: SpecFields | undefined, topics: Topics): Bounds | undefined {
  if (!fields) return undefined;
  const [start, end] = [
    offsetsIn(fields.object('startSequenceNumbers'), topics),
    offsetsIn(fields.object('endSequenceNumbers'), topics),
  ];
  for (const [partition, offset] of end) {
    const from = start.get(partition);
    if (from === undefined)
      return fields.refuse(
        'startSequenceNumbers and endSequenceNumbers must name the same partitions',
      );
    if (offset < from)
      return fields.refuse(
        `The end [${offset}] of partition [${partition}] is before its start [${from}]`,
      );
  }
  if (end.size !== start.size)
    fields.refuse('startSequenceNumbers and endSequenceNumbers must name the same partitions');
  return { start, end };
}

const offsetsIn = (fields: SpecFields, topics: Topics): Offsets =>
  new Map(
    Object.keys(fields.values).map((partition) => {
      const offset = fields.long(partition, 0);
      if (!isPartitionOf(topics, partition)) fields.refuse(notAPartitionOf(topics, partition));
      return [partitionIn(partition), offset];
    }),
  );

/** The fault of a text that names no partition of the topics. */
export const notAPartitionOf = ({ topic, matches }: Topics, text: string): string =>
  matches
    ? `Partition [${text}] is not a topic:number of topics that match [${topic}]`
    : `Partition [${text}] is not a number`;
