// One supervisor: checks its stream and tasks every `period`, and starts, ends and replaces tasks
// (Druid: SeekableStreamSupervisor).

import type { Refusal } from '../../checks/refusals.ts';
import type { Outside } from '../../ingestion/outside.ts';
import { committedOffsets } from '../stream/committed-offsets.ts';
import { type Offsets, type OpenStream, type Stream, StreamUnavailable } from '../stream/stream.ts';
import { groupOf, offsetsAmong, type Partition } from '../stream/topics.ts';
import type { SupervisorDefaults } from './defaults.ts';
import { Lag } from './lag.ts';
import { LagBasedScaling } from './lag-based-scaling.ts';
import type { StreamSupervisorSpec } from './spec.ts';
import { startOffsets } from './start-offsets.ts';
import { StateMachine } from './state-machine.ts';
import { newSequenceName, streamTaskPayload } from './stream-task-payload.ts';
import {
  type SupervisedTask,
  SupervisedTasks,
  type TaskDependencies,
  type TaskGroup,
} from './supervised-tasks.ts';

export interface SupervisorParts extends SupervisorDefaults, TaskDependencies {
  readonly openStream: OpenStream;
  readonly outside: Outside;
  readonly wake: () => void; // requests a check for due work
  /** Stores another number of tasks; returns the changed specification. */
  readonly keepScaled: (spec: StreamSupervisorSpec, taskCount: number) => StreamSupervisorSpec;
}

export class RunningSupervisor {
  readonly states: StateMachine;
  readonly lag = new Lag();
  readonly #parts: SupervisorParts;
  readonly #tasks: SupervisedTasks;
  readonly #scaling: LagBasedScaling | undefined;
  #spec: StreamSupervisorSpec;
  #partitions: readonly Partition[] = [];
  #stream: Stream | undefined;
  #running: Promise<void> | undefined;
  #nextRunMs: number;
  #resets = 0;
  #isStopped = false;

  /**
   * `inherited` are tasks that an earlier specification of the same supervisor has left; they
   * publish their rows.
   */
  constructor(
    spec: StreamSupervisorSpec,
    parts: SupervisorParts,
    inherited: readonly SupervisedTask[] = [],
  ) {
    this.#spec = spec;
    this.#scaling = spec.io.autoScaler && new LagBasedScaling(spec.io.autoScaler, parts.now());
    this.states = new StateMachine(parts.thresholds, spec.suspended);
    this.#parts = parts;
    this.#nextRunMs = parts.now() + spec.io.startDelayMs;
    const listener = {
      ended: (isGood: boolean) => this.states.taskEnded(isGood),
      moved: () => this.#runSoon(),
    };
    this.#tasks = new SupervisedTasks(parts, listener, inherited);
  }

  get spec(): StreamSupervisorSpec {
    return this.#spec;
  }

  get tasks(): readonly SupervisedTask[] {
    return this.#tasks.all;
  }

  get partitions(): readonly Partition[] {
    return this.#partitions;
  }

  /** The current position of the task in the stream. */
  offsetsOf = (task: SupervisedTask): Offsets => this.#tasks.offsetsOf(task);

  committed = (): Offsets =>
    committedOffsets(this.#parts.metadata, this.spec.id, this.spec.io.address);

  /**
   * The supervisor's current offset in each partition: from its tasks, or the committed one for
   * partitions without a task.
   */
  offsets(): Offsets {
    const found = new Map(this.committed());
    for (const task of this.tasks)
      for (const [partition, offset] of this.#renamePartitions(task.group, this.offsetsOf(task)))
        found.set(partition, Math.max(offset, found.get(partition) ?? 0));
    return found;
  }

  /**
   * Runs a check if it is due; resolves when it has ended. A call during a running check waits for
   * the same one.
   */
  async runIfDue(): Promise<void> {
    if (this.#isStopped) return;
    this.#tasks.noteStarts();
    this.#scale();
    if (!this.#isDue()) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Reads the newest offsets of the stream, if that is quick. */
  async refreshLag(): Promise<void> {
    this.#tasks.note();
    if (!this.#stream || this.#partitions.length === 0) return;
    await this.#readLatest(this.#stream).catch(() => undefined); // the next run reports the error
  }

  /** Lets the tasks of some groups publish early. */
  handOff(groupIds: readonly number[]): void {
    for (const task of this.tasks.filter(({ group }) => groupIds.includes(group.groupId)))
      this.#tasks.finish(task);
    this.#runSoon();
  }

  /** Stops the tasks that read some partitions, or all tasks, without publication. */
  discardTasks(partitions?: ReadonlySet<Partition>): void {
    this.#resets++;
    for (const task of this.tasks) {
      if (
        partitions &&
        ![...this.#renamePartitions(task.group, task.start).keys()].some((partition) =>
          partitions.has(partition),
        )
      )
        continue;
      this.#tasks.discard(task, 'The offsets of the supervisor were reset');
    }
    this.#runSoon();
  }

  /** Ends the supervisor: its tasks publish their rows, unless the whole service ends. */
  async stop({ publish }: { readonly publish: boolean }): Promise<void> {
    this.#isStopped = true;
    this.states.stops();
    if (publish) for (const task of this.tasks) this.#tasks.finish(task);
    await this.#running?.catch(() => undefined);
    await this.#closeStream();
  }

  /** Finishes a remaining task of an ended supervisor once it reads. True when none is left. */
  isGone(): boolean {
    this.#tasks.note();
    for (const task of this.tasks) if (task.finishWanted) this.#tasks.finish(task);
    return this.tasks.length === 0;
  }

  // After the clock was set back, the supervisor does not wait for it to catch up.
  #isDue(): boolean {
    const waitMs = this.#nextRunMs - this.#parts.now();
    const { periodMs, startDelayMs } = this.spec.io;
    return (
      waitMs <= 0 ||
      (waitMs > Math.max(periodMs, startDelayMs, soonMs) &&
        this.#nextRunMs !== Number.POSITIVE_INFINITY)
    );
  }

  async #run(): Promise<void> {
    const { states, spec } = this;
    const { now } = this.#parts;
    this.#nextRunMs = Number.POSITIVE_INFINITY;
    try {
      states.begins('CONNECTING_TO_STREAM');
      const stream = await this.#lookAtStream();
      if (!stream && !states.hasRun) return;
      states.begins('DISCOVERING_INITIAL_TASKS');
      if (!states.hasRun)
        this.#tasks.discover(spec.id, spec.dataSource, spec.io.address, this.committed());
      this.#tasks.note();
      this.#endTasksInTime();
      if (!spec.suspended && stream) {
        states.begins('CREATING_TASKS');
        states.settles(this.#steadyState());
        await this.#createTasks(stream);
      }
    } catch (error) {
      this.#recordFailure(error);
    } finally {
      states.runEnded();
      if (this.#nextRunMs === Number.POSITIVE_INFINITY)
        this.#nextRunMs =
          now() + (this.tasks.some(({ finishWanted }) => finishWanted) ? soonMs : spec.io.periodMs);
    }
  }

  async #lookAtStream(): Promise<Stream | undefined> {
    try {
      this.#stream ??= await this.#parts.openStream(this.spec.io.address);
      const found = await this.#stream.partitions();
      const { bounds } = this.spec.io;
      const partitions = bounds ? found.filter((partition) => bounds.end.has(partition)) : found;
      if (partitions.length === 0)
        throw new StreamUnavailable(
          `No partitions found for stream [${this.spec.io.address.topic}]`,
        );
      this.#partitions = partitions;
      await this.#readLatest(this.#stream);
      return this.#stream;
    } catch (error) {
      this.#recordFailure(error);
      await this.#closeStream();
      return undefined;
    }
  }

  async #readLatest(stream: Stream): Promise<void> {
    this.lag.note(this.#parts.now(), await stream.latest(this.#partitions), this.offsets());
  }

  async #closeStream(): Promise<void> {
    const stream = this.#stream;
    this.#stream = undefined;
    await stream?.close().catch(() => undefined);
  }

  // Groups whose partitions differ under the new number of tasks are ended at the next check.
  #scale(): void {
    if (!this.#scaling || this.spec.suspended || !this.states.hasRun) return;
    const taskCount = this.#scaling.look(this.#parts.now(), {
      lag: () => this.lag.behind(this.offsets()),
      taskCount: this.spec.io.taskCount,
      partitions: this.#partitions.length,
      isPublishing: this.tasks.some(({ publishingSinceMs }) => publishingSinceMs !== undefined),
    });
    if (taskCount === undefined) return;
    this.#spec = this.#parts.keepScaled(this.spec, taskCount);
    this.#runSoon();
  }

  #runSoon(): void {
    if (this.#isStopped) return;
    this.#nextRunMs = this.states.hasRun ? this.#parts.now() : this.#nextRunMs;
    this.#parts.wake();
  }

  #endTasksInTime(): void {
    const { queue, now } = this.#parts;
    const { io, suspended } = this.spec;
    const isYoung = ({ startedMs }: SupervisedTask) =>
      startedMs === undefined || now() - startedMs < io.taskDurationMs;
    const isPublishing = ({ publishingSinceMs }: SupervisedTask) => publishingSinceMs !== undefined;
    const groups = [...this.#tasks.groups];
    const ratio = io.autoScaler?.stopTaskCountRatio;
    const most =
      ratio === undefined
        ? (io.stopTaskCount ?? Number.POSITIVE_INFINITY)
        : Math.max(1, Math.trunc(io.taskCount * ratio));
    let mayEnd = most - groups.filter(([, tasks]) => tasks.some(isPublishing)).length;
    for (const [group, tasks] of groups) {
      const mustEnd =
        suspended ||
        this.#misses(group) ||
        tasks.some((task) => task.finishWanted || isPublishing(task));
      const ends = mustEnd || (!tasks.every(isYoung) && mayEnd-- > 0);
      for (const task of tasks) {
        if (task.publishingSinceMs === undefined) {
          if (ends) this.#tasks.finish(task);
        } else if (now() - task.publishingSinceMs > io.completionTimeoutMs)
          queue.shutdown(
            task.id,
            `The task did not publish within the completionTimeout of [${io.completionTimeoutMs / 1000}] seconds`,
          );
      }
    }
  }

  // Whether a group lacks a partition that was added to the topic, or reads one that is gone.
  #misses({ groupId, start }: TaskGroup): boolean {
    if (this.spec.io.bounds) return false;
    const wanted = this.#groups().get(groupId) ?? [];
    return wanted.length !== start.size || wanted.some((partition) => !start.has(partition));
  }

  #groups(): Map<number, Partition[]> {
    const groups = new Map<number, Partition[]>();
    for (const partition of this.#partitions) {
      const group = groupOf(partition, this.spec.io.taskCount);
      groups.set(group, [...(groups.get(group) ?? []), partition]);
    }
    return groups;
  }

  #steadyState(): 'RUNNING' | 'IDLE' | 'COMPLETED' {
    const { idleAfterMs = this.#parts.idleAfterMs, bounds } = this.spec.io;
    if (bounds && this.tasks.length === 0) {
      const offsets = this.offsets();
      if (
        this.#partitions.every(
          (partition) =>
            (offsets.get(partition) ?? bounds.start.get(partition) ?? 0) >=
            (bounds.end.get(partition) ?? 0),
        )
      )
        return 'COMPLETED';
    }
    return this.lag.quietMs(this.#parts.now()) >= idleAfterMs ? 'IDLE' : 'RUNNING';
  }

  async #createTasks(stream: Stream): Promise<void> {
    if (this.#steadyState() !== 'RUNNING') return;
    this.#replaceReplicas();
    const reading = [...this.#tasks.groups.keys()].filter(({ end }) => !end);
    const busy = new Set(
      reading.flatMap((group) => [...this.#renamePartitions(group, group.start).keys()]),
    );
    const resets = this.#resets;
    const { metadata } = this.#parts;
    const isCurrent = () => !this.#isStopped && this.#resets === resets;
    const sources = { metadata, spec: this.spec, stream, isCurrent };
    for (const [groupId, partitions] of this.#groups()) {
      if (partitions.some((partition) => busy.has(partition))) continue;
      const all = await startOffsets(sources, this.#nextCommittedOffsets(), partitions);
      if (!all) return; // the next run begins at the offsets that were set
      const { bounds } = this.spec.io;
      const start = bounds
        ? new Map(
            [...all].filter(([partition, offset]) => offset < (bounds.end.get(partition) ?? 0)),
          )
        : all;
      if (start.size === 0) continue;
      const sequenceName = newSequenceName(this.spec.id);
      const group = {
        groupId,
        sequenceName,
        topics: this.spec.io.address,
        start,
        createdMs: this.#parts.now(),
        end: undefined,
        isPublished: false,
      };
      for (let count = 0; count < this.spec.io.replicas; count++) this.#submit(group, start);
    }
  }

  // A failed replica is replaced by one that continues after its group's published records.
  #replaceReplicas(): void {
    const committed = this.committed();
    for (const [group, tasks] of this.#tasks.groups) {
      if (
        group.end ||
        group.isPublished ||
        tasks.some(
          ({ finishWanted, publishingSinceMs }) => finishWanted || publishingSinceMs !== undefined,
        )
      )
        continue;
      const start = new Map(
        [...group.start].map(([partition, offset]) => [
          partition,
          Math.max(offset, committed.get(partition) ?? 0),
        ]),
      );
      for (let count = tasks.length; count < this.spec.io.replicas; count++)
        this.#submit(group, start);
    }
  }

  #submit(group: TaskGroup, start: Offsets): void {
    const { bounds } = this.spec.io;
    const end =
      bounds &&
      new Map([...start.keys()].map((partition) => [partition, bounds.end.get(partition) ?? 0]));
    const payload = streamTaskPayload(this.spec, { ...group, start, end }, group.createdMs);
    this.#parts.queue.submit(payload);
    this.#tasks.add(payload.id, group, start);
  }

  // Offsets of a group under this supervisor's names of partitions: the group may have been created
  // for other topics.
  #renamePartitions = ({ topics }: TaskGroup, offsets: Offsets): Offsets =>
    offsetsAmong(this.spec.io.address, topics, offsets);

  // Committed offsets, including those that publishing tasks will commit.
  #nextCommittedOffsets(): Offsets {
    const found = new Map(this.committed());
    for (const group of this.#tasks.groups.keys())
      for (const [partition, offset] of this.#renamePartitions(group, group.end ?? new Map()))
        found.set(partition, Math.max(offset, found.get(partition) ?? 0));
    return found;
  }

  #recordFailure(error: unknown): void {
    const isStream = error instanceof StreamUnavailable;
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    const isRefusal = (given: unknown): given is Refusal =>
      given instanceof Error && 'category' in given;
    const exceptionClass = isStream
      ? error.exceptionClass
      : isRefusal(error)
        ? 'org.apache.druid.error.DruidException'
        : `java.lang.${name === 'Error' ? 'RuntimeException' : name}`;
    this.states.failed({
      timeMs: this.#parts.now(),
      exceptionClass,
      message,
      isStream,
      stackTrace: stack,
    });
  }
}

const soonMs = 500;
