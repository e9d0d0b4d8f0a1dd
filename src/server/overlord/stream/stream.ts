// Interfaces between supervisors and their tasks: a stream, and a task that reads it.

import type { Partition, Topics } from './topics.ts';

/** Offset of the next record to read, by partition. */
export type Offsets = ReadonlyMap<Partition, number>;

/** Address of a stream: the part of an ioConfig that is needed to open it. */
export interface StreamAddress extends Topics {
  // `bootstrap.servers` and other properties of Kafka clients
  readonly consumerProperties: Readonly<Record<string, unknown>>;
}

/**
 * An open stream. All methods throw StreamUnavailable when the broker or the topic is unavailable.
 */
export interface Stream {
  /** The current partitions, in ascending order. */
  partitions(): Promise<Partition[]>;
  /** The first available offset of each partition. */
  earliest(partitions: readonly Partition[]): Promise<Offsets>;
  /** The offset of the next record to be written, for each partition. */
  latest(partitions: readonly Partition[]): Promise<Offsets>;
  close(): Promise<void>;
}

/** A record of a stream as written by its producer. */
export interface StreamRecord {
  readonly partition: Partition;
  readonly offset: number;
  readonly timestampMs: number;
  readonly key: Buffer | null | undefined;
  readonly value: Buffer | null | undefined; // null: a tombstone
  readonly headers: readonly (readonly [Buffer | null | undefined, Buffer | null | undefined])[];
}

export interface StreamBatch {
  readonly records: readonly StreamRecord[];
  readonly next: Offsets; // next offsets of the partitions that have moved
}

export interface StreamReading {
  readonly from: Offsets;
  readonly to?: Offsets; // exclusive end; a partition without one is read forever
  readonly maxBytes: number; // of one batch; a larger record comes alone
  readonly signal: AbortSignal; // ends the reading without an error
  /**
   * Called when the broker or topic is unavailable, with the reason and the number of failures in a
   * row. Reading continues as soon as it is available again.
   */
  readonly onTrouble?: (message: string, times: number) => void;
}

/** A stream that can be read. */
export interface ReadStream extends Stream {
  /**
   * Batches as they arrive, in the order of each partition; an empty one when no record has arrived
   * for a moment. Throws OffsetsOutOfRange.
   */
  read(reading: StreamReading): AsyncIterable<StreamBatch>;
}

/** The stream does not have the requested records: they were deleted, or never existed. */
export class OffsetsOutOfRange extends Error {
  readonly offsets: Offsets;
  constructor(stream: string, offsets: Offsets) {
    const places = [...offsets]
      .map(([partition, offset]) => `partition [${partition}] offset [${offset}]`)
      .join(', ');
    super(`Stream [${stream}] does not have the next offsets any more: ${places}`);
    this.offsets = offsets;
  }
}

/**
 * Opens a stream; a missing topic is created where the broker creates topics automatically. Throws
 * StreamUnavailable.
 */
export type OpenStream = (address: StreamAddress) => Promise<Stream>;

/** Opens a stream for a task that reads it. */
export type OpenReadStream = (address: StreamAddress) => Promise<ReadStream>;

/**
 * The broker or the topic is unavailable: a sentence that names it, and the real engine's exception
 * class.
 */
export class StreamUnavailable extends Error {
  readonly exceptionClass: string;
  constructor(message: string, exceptionClass = 'org.apache.kafka.common.KafkaException') {
    super(message);
    this.exceptionClass = exceptionClass;
  }
}

/**
 * Numbers of rows that a task has read so far, counted as in the real engine (Druid:
 * RowIngestionMeters).
 */
export interface StreamRowCounts {
  readonly processed: number;
  readonly processedBytes: number;
  readonly processedWithError: number;
  readonly thrownAway: number;
  readonly unparseable: number;
}

/** A task that is reading a stream, as controlled by its supervisor. */
export interface RunningStreamTask {
  readonly taskId: string;
  offsets(): Offsets;
  /**
   * Resolves when the task has stopped reading, with its end offsets. Publication follows, and may
   * fail.
   */
  stopped(): Promise<Offsets>;
  /**
   * Stops reading and publishes; resolves when the task has succeeded or failed. Further calls have
   * no effect.
   */
  finish(): Promise<void>;
  rowStats(): StreamRowCounts;
  /** Reports of unreadable rows, as many as the task keeps. */
  parseErrors(): readonly unknown[];
  /** The share of time spent waiting for records: 0 to 1. */
  pollIdleRatio(): number;
}

/**
 * Tasks that read streams, by id: a task adds itself when it starts to read and removes itself at
 * its end.
 */
export type RunningStreamTasks = Map<string, RunningStreamTask>;
