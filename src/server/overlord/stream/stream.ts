// What supervisors and the tasks they start know of each other: a stream seen from outside, and a task that reads one.

/** Where reading goes on: partition -> the offset of the next record. */
export type Offsets = ReadonlyMap<number, number>;

/** What names a stream: the part of an ioConfig that is needed to look at it. */
export interface StreamAddress {
  readonly topic: string;
  readonly consumerProperties: Readonly<Record<string, unknown>>; // `bootstrap.servers` and whatever else clients of Kafka take
}

/** A stream that is open. All methods throw StreamUnavailable when the broker or the topic is away. */
export interface Stream {
  /** The partitions there are now, in ascending order. */
  partitions(): Promise<number[]>;
  /** The first offset that can still be read, of each of the partitions. */
  earliest(partitions: readonly number[]): Promise<Offsets>;
  /** The offset that the next record will get, of each of the partitions. */
  latest(partitions: readonly number[]): Promise<Offsets>;
  close(): Promise<void>;
}

/** Opens a stream; a topic that does not exist is created where the broker creates topics by itself. Throws StreamUnavailable. */
export type OpenStream = (address: StreamAddress) => Promise<Stream>;

/** The broker or the topic is away: a sentence that names it. */
export class StreamUnavailable extends Error {}

/** Rows a task has read so far, counted as the real engine counts them (Druid: RowIngestionMeters). */
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
  /** Stops reading, publishes and succeeds; resolves when the task has done so, or has failed. More than one call makes no difference. */
  finish(): Promise<void>;
  rowStats(): RowCounts;
  /** Reports of the rows that could not be read, as far as the task keeps them. */
  parseErrors(): readonly unknown[];
  /** The share of its time that it has waited for records: 0 to 1. */
  pollIdleRatio(): number;
}

/** The tasks that read streams, by id: a task adds itself when it starts to read and removes itself when it has ended. */
export type RunningStreamTasks = Map<string, RunningStreamTask>;
