// Interfaces between supervisors and their tasks: a stream, and a task that reads it.

import type { Partition, Topics } from './topics.ts';

/** Where reading goes on: partition -> the offset of the next record. */
export type Offsets = ReadonlyMap<Partition, number>;

/** What names a stream: the part of an ioConfig that is needed to look at it. */
export interface StreamAddress extends Topics {
  // `bootstrap.servers` and whatever else clients of Kafka take
  readonly consumerProperties: Readonly<Record<string, unknown>>;
}

/**
 * A stream that is open. All methods throw StreamUnavailable when the broker or the topic is away.
 */
export interface Stream {
  /** The partitions there are now, in ascending order. */
  partitions(): Promise<Partition[]>;
  /** The first offset that can still be read, of each of the partitions. */
  earliest(partitions: readonly Partition[]): Promise<Offsets>;
  /** The offset that the next record will get, of each of the partitions. */
  latest(partitions: readonly Partition[]): Promise<Offsets>;
  close(): Promise<void>;
}

/** A record of a stream, as its producer wrote it. */
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
  readonly next: Offsets; // where reading goes on, of the partitions that have moved
}

export interface Reading {
  readonly from: Offsets;
  readonly to?: Offsets; // up to here, exclusive; a partition without one is read for ever
  readonly maxBytes: number; // of one batch; a record that is larger comes alone
  readonly signal: AbortSignal; // ends the reading, without an error
  /**
   * Hears of a broker or topic that is away: why, and the how many-th time in a row. Reading goes
   * on as soon as it is back.
   */
  readonly onTrouble?: (message: string, times: number) => void;
}

/** A stream that can be read. */
export interface ReadStream extends Stream {
  /**
   * Batches as they come, in the order of each partition; an empty one when nothing has come for a
   * moment. Throws OffsetsOutOfRange.
   */
  read(reading: Reading): AsyncIterable<StreamBatch>;
}

/**
 * The stream does not have the records that were asked for: they are deleted, or were never there.
 */
export class OffsetsOutOfRange extends Error {
  readonly offsets: Offsets;
  constructor(stream: string, offsets: Offsets) {
    const places = [...offsets]
      .map(([partition, offset]) => `partition [${partition}] offset [${offset}]`)
      .join(', ');
    super(`Stream [${stream}] does not have what was to be read next: ${places}`);
    this.offsets = offsets;
  }
}

/**
 * Opens a stream; a topic that does not exist is created where the broker creates topics by itself.
 * Throws StreamUnavailable.
 */
export type OpenStream = (address: StreamAddress) => Promise<Stream>;

/** The same, for a task that reads it. */
export type OpenReadStream = (address: StreamAddress) => Promise<ReadStream>;

/**
 * The broker or the topic is away: a sentence that names it, and the class under which the real
 * engine tells of it.
 */
export class StreamUnavailable extends Error {
  readonly exceptionClass: string;
  constructor(message: string, exceptionClass = 'org.apache.kafka.common.KafkaException') {
    super(message);
    this.exceptionClass = exceptionClass;
  }
}

/**
 * Rows a task has read so far, counted as the real engine counts them (Druid: RowIngestionMeters).
 */
export interface RowCounts {
  readonly processed: number;
  readonly processedBytes: number;
  readonly processedWithError: number;
  readonly thrownAway: number;
  readonly unparseable: number;
}

/** A task that reads a stream at this moment, in the hands of its supervisor. */
export interface RunningStreamTask {
  readonly taskId: string;
  offsets(): Offsets;
  /**
   * Resolves when it reads no more, with the offsets it ends at; publishing is still to come, and
   * may fail.
   */
  stopped(): Promise<Offsets>;
  /**
   * Stops reading, publishes and succeeds; resolves when the task has done so, or has failed. More
   * than one call makes no difference.
   */
  finish(): Promise<void>;
  rowStats(): RowCounts;
  /** Reports of the rows that could not be read, as far as the task keeps them. */
  parseErrors(): readonly unknown[];
  /** The share of its time that it has waited for records: 0 to 1. */
  pollIdleRatio(): number;
}

/**
 * The tasks that read streams, by id: a task adds itself when it starts to read and removes itself
 * when it has ended.
 */
export type RunningStreamTasks = Map<string, RunningStreamTask>;
