// One supervisor: looks at its stream and its tasks every `period`, and starts, ends and replaces tasks (Druid: SeekableStreamSupervisor).
import type { Refusal } from '../../refusals.ts';
import type { Metadata } from '../../storage/metadata.ts';
import { findTask, listTasks } from '../../storage/tasks.ts';
import { commitOffsets, committedOffsets } from '../stream/committed-offsets.ts';
import { type Offsets, type OpenStream, type RunningStreamTasks, type Stream, StreamUnavailable } from '../stream/stream.ts';
import type { TaskQueue } from '../task-queue.ts';
import type { SupervisorDefaults } from './defaults.ts';
import { Lag } from './lag.ts';
import { RowRates } from './row-rates.ts';
import type { StreamSpec } from './spec.ts';
import { StateMachine } from './state-machine.ts';
import { assignmentOf, streamTaskPayload, streamTaskType } from './stream-task-payload.ts';

export interface SupervisorParts extends SupervisorDefaults {
  readonly metadata: Metadata;
  readonly queue: TaskQueue;
  readonly openStream: OpenStream;
  readonly streamTasks: RunningStreamTasks;
  readonly now: () => number; // milliseconds since 1970
  readonly wake: () => void; // asks for a look at what is due
}

/** A task as its supervisor knows it. */
export interface SupervisedTask {
  readonly id: string;
  readonly groupId: number;
  readonly start: Offsets;
  readonly rates: RowRates;
  startedMs: number | undefined; // when it was first seen reading
  finishWanted: boolean;
  publishingSinceMs: number | undefined;
  end: Offsets | undefined; // where it has stopped reading; the next task goes on there while this one publishes
}

export class Supervisor {
  readonly spec: StreamSpec;
  readonly states: StateMachine;
  readonly lag = new Lag();
  readonly #parts: SupervisorParts;
  readonly #tasks: Map<string, SupervisedTask>;
  #partitions: readonly number[] = [];
  #stream: Stream | undefined;
  #running: Promise<void> | undefined;
  #nextRunMs: number;
  #isStopped = false;

  /** `inherited` are tasks that a former specification of the same supervisor has left; they publish what they have read. */
  constructor(spec: StreamSpec, parts: SupervisorParts, inherited: readonly SupervisedTask[] = []) {
    this.spec = spec;
    this.states = new StateMachine(parts.thresholds, spec.suspended);
    this.#parts = parts;
    this.#tasks = new Map(inherited.map((task) => [task.id, task]));
    this.#nextRunMs = parts.now() + spec.io.startDelayMs;
    for (const task of inherited) this.#watch(task);
  }

  get tasks(): readonly SupervisedTask[] {
    return [...this.#tasks.values()];
  }

  get partitions(): readonly number[] {
    return this.#partitions;
  }

  /** Where the task is in the stream now. */
  offsetsOf = ({ id, start }: SupervisedTask): Offsets => this.#parts.streamTasks.get(id)?.offsets() ?? start;

  committed = (): Offsets => committedOffsets(this.#parts.metadata, this.spec.id, this.spec.io.address.topic);

  /** How far the supervisor has come in each partition: by its tasks, or by what is committed where nobody reads. */
  offsets(): Offsets {
    const found = new Map(this.committed());
    for (const task of this.tasks)
      for (const [partition, offset] of this.offsetsOf(task)) found.set(partition, Math.max(offset, found.get(partition) ?? 0));
    return found;
  }

  /** Looks, if it is time to; resolves when it has looked. A second call while one is under way waits for the same look. */
  async runIfDue(): Promise<void> {
    if (this.#isStopped) return;
    const { streamTasks, now } = this.#parts;
    for (const task of this.tasks) if (streamTasks.has(task.id)) task.startedMs ??= now();
    if (now() < this.#nextRunMs) return;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    await this.#running;
  }

  /** Reads the newest offsets of the stream, where that is quick. */
  async refreshLag(): Promise<void> {
    this.#noteTasks();
    if (!this.#stream || this.#partitions.length === 0) return;
    await this.#readLatest(this.#stream).catch(() => undefined); // the next run says what is wrong
  }

  /** Lets the tasks of some groups publish before their time. */
  handOff(groupIds: readonly number[]): void {
    for (const task of this.tasks.filter(({ groupId }) => groupIds.includes(groupId))) this.#finish(task);
    this.#runSoon();
  }

  /** Stops the tasks that read some partitions, or all tasks, without publishing. */
  discardTasks(partitions?: ReadonlySet<number>): void {
    for (const task of this.tasks) {
      if (partitions && ![...task.start.keys()].some((partition) => partitions.has(partition))) continue;
      this.#tasks.delete(task.id);
      this.#parts.queue.shutdown(task.id, 'The offsets of the supervisor were reset');
    }
    this.#runSoon();
  }

  /** Ends the supervisor: its tasks publish what they have, unless it ends with the whole service. */
  async stop({ publish }: { readonly publish: boolean }): Promise<void> {
    this.#isStopped = true;
    this.states.stops();
    if (publish) for (const task of this.tasks) this.#finish(task);
    await this.#running?.catch(() => undefined);
    await this.#closeStream();
  }

  /** What a task of a supervisor that has ended still waits for: to be finished once it reads. True when none is left. */
  isGone(): boolean {
    this.#noteTasks();
    for (const task of this.tasks) if (task.finishWanted) this.#finish(task);
    return this.#tasks.size === 0;
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
      if (!states.hasRun) this.#discoverTasks();
      this.#noteTasks();
      this.#endTasksInTime();
      if (!spec.suspended && stream) {
        states.begins('CREATING_TASKS');
        states.settles(this.#steadyState());
        await this.#createTasks(stream);
      }
    } catch (error) {
      this.#failed(error);
    } finally {
      states.runEnded();
      if (this.#nextRunMs === Number.POSITIVE_INFINITY)
        this.#nextRunMs = now() + (this.tasks.some(({ finishWanted }) => finishWanted) ? soonMs : spec.io.periodMs);
    }
  }

  async #lookAtStream(): Promise<Stream | undefined> {
    try {
      this.#stream ??= await this.#parts.openStream(this.spec.io.address);
      const found = await this.#stream.partitions();
      const { bounds } = this.spec.io;
      const partitions = bounds ? found.filter((partition) => bounds.end.has(partition)) : found;
      if (partitions.length === 0) throw new StreamUnavailable(`No partitions found for stream [${this.spec.io.address.topic}]`);
      this.#partitions = partitions;
      await this.#readLatest(this.#stream);
      return this.#stream;
    } catch (error) {
      this.#failed(error);
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

  // Tasks that waited for a slot when the service was stopped are taken over where they begin at what is committed; others are of no use.
  #discoverTasks(): void {
    const { metadata, queue } = this.#parts;
    const committed = this.committed();
    for (const { id } of listTasks(metadata, { dataSource: this.spec.dataSource, type: streamTaskType, status: ['RUNNING'] })) {
      const payload = queue.payload(id);
      if (this.#tasks.has(id) || payload.supervisorId !== this.spec.id) continue;
      const assignment = assignmentOf(payload);
      if (assignment && [...assignment.start].every(([partition, offset]) => committed.get(partition) === offset)) {
        this.#add(id, assignment.groupId, assignment.start);
      } else queue.shutdown(id, 'The supervisor has no use for this task: it begins at other offsets than the committed ones');
    }
  }

  #add(id: string, groupId: number, start: Offsets): void {
    const task = {
      id,
      groupId,
      start,
      rates: new RowRates(),
      startedMs: undefined,
      finishWanted: false,
      publishingSinceMs: undefined,
      end: undefined,
    };
    this.#tasks.set(id, task);
    this.#watch(task);
  }

  // A task that has ended well is replaced at once; after one that has failed, the next run is soon enough.
  #watch({ id }: SupervisedTask): void {
    this.#parts.queue.ended(id).then(
      ({ status }) => {
        if (status === 'SUCCESS') this.#runSoon();
      },
      () => undefined,
    );
  }

  #runSoon(): void {
    if (this.#isStopped) return;
    this.#nextRunMs = this.states.hasRun ? this.#parts.now() : this.#nextRunMs;
    this.#parts.wake();
  }

  #noteTasks(): void {
    const { metadata, streamTasks, now } = this.#parts;
    for (const task of this.tasks) {
      const { status } = findTask(metadata, task.id) ?? { status: 'FAILED' };
      const running = streamTasks.get(task.id);
      if (status === 'RUNNING') {
        if (!running) continue;
        task.rates.note(now(), running.rowStats());
      } else {
        this.#tasks.delete(task.id);
        this.states.taskEnded(status === 'SUCCESS');
        if (status !== 'SUCCESS') this.#discardFollowers(task);
      }
    }
  }

  // Tasks that went on where this one ended have read from offsets that will never be committed.
  #discardFollowers({ end = new Map() }: SupervisedTask): void {
    for (const task of this.tasks) {
      if (![...task.start].some(([partition, offset]) => end.get(partition) === offset)) continue;
      this.#tasks.delete(task.id);
      this.#parts.queue.shutdown(task.id, 'The task before this one could not publish, so its rows have to be read again first');
      this.#discardFollowers(task);
    }
  }

  #endTasksInTime(): void {
    const { queue, now } = this.#parts;
    const { io, suspended } = this.spec;
    const young = (task: SupervisedTask) => task.startedMs === undefined || now() - task.startedMs < io.taskDurationMs;
    const publishing = this.tasks.filter(({ publishingSinceMs }) => publishingSinceMs !== undefined).length;
    let mayEnd = (io.stopTaskCount ?? Number.POSITIVE_INFINITY) - publishing;
    for (const task of this.tasks) {
      if (task.publishingSinceMs !== undefined) {
        if (now() - task.publishingSinceMs > io.completionTimeoutMs)
          queue.shutdown(task.id, `The task did not publish within the completionTimeout of [${io.completionTimeoutMs / 1000}] seconds`);
      } else if (suspended || task.finishWanted || this.#misses(task)) this.#finish(task);
      else if (!young(task) && mayEnd-- > 0) this.#finish(task);
    }
  }

  // Does a task of a group lack a partition that was added to the topic, or read one that is gone?
  #misses({ groupId, start }: SupervisedTask): boolean {
    if (this.spec.io.bounds) return false;
    const wanted = this.#groups().get(groupId) ?? [];
    return wanted.length !== start.size || wanted.some((partition) => !start.has(partition));
  }

  #finish(task: SupervisedTask): void {
    if (task.publishingSinceMs !== undefined) return;
    const { streamTasks, queue, metadata, now } = this.#parts;
    const running = streamTasks.get(task.id);
    if (running) {
      task.publishingSinceMs = now();
      running.finish().catch(() => undefined); // how it ended is the task's own to tell
      running.stopped().then(
        (end) => {
          task.end = end;
          this.#runSoon();
        },
        () => undefined,
      );
    } else if (findTask(metadata, task.id)?.runnerStatus !== 'RUNNING') {
      this.#tasks.delete(task.id);
      queue.shutdown(task.id, 'The supervisor has no more use for this task, which has read nothing yet');
    } else task.finishWanted = true; // it is about to read: at the next look
  }

  #groups(): Map<number, number[]> {
    const groups = new Map<number, number[]>();
    for (const partition of this.#partitions) {
      const group = partition % this.spec.io.taskCount;
      groups.set(group, [...(groups.get(group) ?? []), partition]);
    }
    return groups;
  }

  #steadyState(): 'RUNNING' | 'IDLE' | 'COMPLETED' {
    const { idleAfterMs = this.#parts.idleAfterMs, bounds } = this.spec.io;
    if (bounds && this.#tasks.size === 0) {
      const offsets = this.offsets();
      if (
        this.#partitions.every(
          (partition) => (offsets.get(partition) ?? bounds.start.get(partition) ?? 0) >= (bounds.end.get(partition) ?? 0),
        )
      )
        return 'COMPLETED';
    }
    return this.lag.quietMs(this.#parts.now()) >= idleAfterMs ? 'IDLE' : 'RUNNING';
  }

  async #createTasks(stream: Stream): Promise<void> {
    const { queue, now } = this.#parts;
    if (this.#steadyState() !== 'RUNNING') return;
    const busy = new Set(this.tasks.flatMap(({ start, end }) => (end ? [] : [...start.keys()])));
    for (const [groupId, partitions] of this.#groups()) {
      if (partitions.some((partition) => busy.has(partition))) continue;
      const all = await this.#startOffsets(stream, partitions);
      const { bounds } = this.spec.io;
      const start = bounds ? new Map([...all].filter(([partition, offset]) => offset < (bounds.end.get(partition) ?? 0))) : all;
      if (start.size === 0 || this.#isStopped) continue;
      const end = bounds && new Map([...start.keys()].map((partition) => [partition, bounds.end.get(partition) ?? 0]));
      const payload = streamTaskPayload(this.spec, { groupId, start, end }, now());
      queue.submit(payload);
      this.#add(payload.id, groupId, start);
    }
  }

  async #startOffsets(stream: Stream, partitions: readonly number[]): Promise<Offsets> {
    const { metadata } = this.#parts;
    const { id, io } = this.spec;
    const { topic } = io.address;
    const committed = this.#committedSoon();
    const unknown = partitions.filter((partition) => !committed.has(partition));
    await this.#checkAvailable(stream, new Map([...committed].filter(([partition]) => partitions.includes(partition))));
    // A partition that was added later is read from its beginning, whatever was said of the first ones.
    const fromBeginning = io.useEarliestOffset || committed.size > 0;
    const begin =
      io.bounds?.start ?? (unknown.length === 0 ? new Map() : await (fromBeginning ? stream.earliest(unknown) : stream.latest(unknown)));
    const found = new Map(unknown.map((partition) => [partition, begin.get(partition) ?? 0]));
    if (found.size > 0 && !io.bounds) commitOffsets(metadata, id, topic, found); // where reading began is known even if the first task fails
    return new Map(partitions.map((partition) => [partition, committed.get(partition) ?? found.get(partition) ?? 0]));
  }

  // What is committed, and will be when those tasks have published that read no more.
  #committedSoon(): Offsets {
    const found = new Map(this.committed());
    for (const { end = new Map<number, number>() } of this.tasks)
      for (const [partition, offset] of end) found.set(partition, Math.max(offset, found.get(partition) ?? 0));
    return found;
  }

  // The log may have been cut, or the topic made anew, while nobody read.
  async #checkAvailable(stream: Stream, offsets: Offsets): Promise<void> {
    if (offsets.size === 0) return;
    const partitions = [...offsets.keys()];
    const [earliest, latest] = [await stream.earliest(partitions), await stream.latest(partitions)];
    const lost = [...offsets].filter(
      ([partition, offset]) => offset < (earliest.get(partition) ?? 0) || offset > (latest.get(partition) ?? Number.POSITIVE_INFINITY),
    );
    const [first] = lost;
    if (!first) return;
    const [partition, offset] = first;
    const { id, io, resetOffsetAutomatically } = this.spec;
    const what = `Previous sequenceNumber [${offset}] is no longer available for partition [${partition}]`;
    if (!resetOffsetAutomatically) {
      throw new StreamUnavailable(
        `${what}. You can clear the previous sequenceNumber and start reading from a valid message by using the supervisor's reset API.`,
      );
    }
    const target = io.useEarliestOffset ? earliest : latest;
    const found = new Map(lost.map(([partition]) => [partition, target.get(partition) ?? 0]));
    commitOffsets(this.#parts.metadata, id, io.address.topic, found);
    throw new StreamUnavailable(`${what} - automatically resetting sequence`);
  }

  #failed(error: unknown): void {
    const isStream = error instanceof StreamUnavailable;
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    const isRefusal = (given: unknown): given is Refusal => given instanceof Error && 'category' in given;
    const exceptionClass = isStream
      ? error.exceptionClass
      : isRefusal(error)
        ? 'org.apache.druid.error.DruidException'
        : `java.lang.${name === 'Error' ? 'RuntimeException' : name}`;
    this.states.failed({ timeMs: this.#parts.now(), exceptionClass, message, isStream, stackTrace: stack });
  }
}

const soonMs = 500;
