// Tasks of one supervisor, both reading and publishing ones.
import type { Metadata } from '../../storage/metadata.ts';
import { findTask, listTasks } from '../../storage/tasks.ts';
import type { TaskQueue } from '../../tasks/task-queue.ts';
import type { Offsets, RunningStreamTasks } from '../stream/stream.ts';
import { offsetsAmong, type Topics } from '../stream/topics.ts';
import { RowRates } from './row-rates.ts';
import { assignmentOf, streamTaskType } from './stream-task-payload.ts';

/** Replicas: tasks that read the same partitions from the same offsets and publish once. */
export interface TaskGroup {
  readonly groupId: number;
  readonly sequenceName: string;
  readonly topics: Topics; // of its supervisor at that time
  readonly start: Offsets;
  readonly createdMs: number;
  // Where its tasks have stopped reading; the next group continues there while they publish
  end: Offsets | undefined;
  isPublished: boolean;
}

/** A task in the view of its supervisor. */
export interface SupervisedTask {
  readonly id: string;
  readonly group: TaskGroup;
  readonly start: Offsets; // for a later replica: after the records that its group has published
  readonly rates: RowRates;
  startedMs: number | undefined; // when it was first found reading
  finishWanted: boolean;
  publishingSinceMs: number | undefined;
}

export interface TaskDependencies {
  readonly metadata: Metadata;
  readonly queue: TaskQueue;
  readonly streamTasks: RunningStreamTasks;
  readonly now: () => number; // milliseconds since 1970
}

/** Callbacks of a supervisor for changes of its tasks. */
export interface TaskListener {
  /** A task has ended, successfully or not. */
  ended(isGood: boolean): void;
  /** A task has stopped reading or has succeeded, so that there is work to do. */
  moved(): void;
}

export class SupervisedTasks {
  readonly #parts: TaskDependencies;
  readonly #listener: TaskListener;
  readonly #tasks: Map<string, SupervisedTask>;

  /** `inherited` are tasks that an earlier specification of the same supervisor has left. */
  constructor(
    parts: TaskDependencies,
    listener: TaskListener,
    inherited: readonly SupervisedTask[],
  ) {
    this.#parts = parts;
    this.#listener = listener;
    this.#tasks = new Map(inherited.map((task) => [task.id, task]));
    for (const task of inherited) this.#watch(task);
  }

  get all(): readonly SupervisedTask[] {
    return [...this.#tasks.values()];
  }

  /** The current position of the task in the stream. */
  offsetsOf = ({ id, start }: SupervisedTask): Offsets =>
    this.#parts.streamTasks.get(id)?.offsets() ?? start;

  /** The groups with tasks, each with its tasks. */
  get groups(): ReadonlyMap<TaskGroup, readonly SupervisedTask[]> {
    const groups = new Map<TaskGroup, SupervisedTask[]>();
    for (const task of this.all) groups.set(task.group, [...(groups.get(task.group) ?? []), task]);
    return groups;
  }

  /** Adds a submitted task. */
  add(id: string, group: TaskGroup, start: Offsets): void {
    const task = {
      id,
      group,
      start,
      rates: new RowRates(),
      startedMs: undefined,
      finishWanted: false,
      publishingSinceMs: undefined,
    };
    this.#tasks.set(id, task);
    this.#watch(task);
  }

  /**
   * Adopts tasks of an earlier process: waiting tasks that begin at the committed offsets are kept,
   * and others are stopped.
   */
  discover(supervisorId: string, dataSource: string, topics: Topics, committed: Offsets): void {
    const { metadata, queue } = this.#parts;
    const groups = new Map<string, TaskGroup>();
    for (const { id, createdMs } of listTasks(metadata, {
      dataSource,
      type: streamTaskType,
      status: ['RUNNING'],
    })) {
      const payload = queue.payload(id);
      if (this.#tasks.has(id) || payload.supervisorId !== supervisorId) continue;
      const assignment = assignmentOf(payload);
      if (
        assignment &&
        [...assignment.start].every(([partition, offset]) => committed.get(partition) === offset)
      ) {
        const { sequenceName } = assignment;
        const group = groups.get(sequenceName) ?? {
          ...assignment,
          topics,
          createdMs,
          end: undefined,
          isPublished: false,
        };
        groups.set(sequenceName, group);
        this.add(id, group, assignment.start);
      } else
        queue.shutdown(
          id,
          'The supervisor stopped this task because it does not begin at the committed offsets',
        );
    }
  }

  /** Records when tasks were first found reading. */
  noteStarts(): void {
    const { streamTasks, now } = this.#parts;
    for (const task of this.all) if (streamTasks.has(task.id)) task.startedMs ??= now();
  }

  /** Checks all tasks: measures their speed and finds the ended ones. */
  note(): void {
    const { metadata, streamTasks, now } = this.#parts;
    const ended = new Set<TaskGroup>();
    for (const task of this.all) {
      const { status } = findTask(metadata, task.id) ?? { status: 'FAILED' };
      const running = streamTasks.get(task.id);
      if (status === 'RUNNING') {
        if (!running) continue;
        task.rates.note(now(), running.rowStats());
      } else {
        this.#tasks.delete(task.id);
        task.group.isPublished ||= status === 'SUCCESS';
        this.#listener.ended(status === 'SUCCESS');
        ended.add(task.group);
      }
    }
    const groups = this.groups;
    for (const group of ended)
      if (!group.isPublished && !groups.has(group)) this.#discardFollowers(group);
  }

  /** Lets a task publish its rows; a task without rows is stopped. */
  finish(task: SupervisedTask): void {
    if (task.publishingSinceMs !== undefined) return;
    const { streamTasks, metadata, now } = this.#parts;
    const running = streamTasks.get(task.id);
    if (running) {
      task.publishingSinceMs = now();
      running.finish().catch(() => undefined); // the task reports its own outcome
      running.stopped().then(
        (end) => {
          task.group.end = end;
          this.#listener.moved();
        },
        () => undefined,
      );
    } else if (findTask(metadata, task.id)?.runnerStatus !== 'RUNNING')
      this.discard(
        task,
        'The supervisor stopped this task because it is not needed any more; it has not read any rows',
      );
    else task.finishWanted = true; // it is about to read: finish it at the next check
  }

  /** Stops a task without publication. */
  discard({ id }: SupervisedTask, reason: string): void {
    this.#parts.queue.shutdown(id, reason); // first, because it stays if it cannot be stopped now
    this.#tasks.delete(id);
  }

  // Tasks that continued at this group's end have read from offsets that will never be committed.
  #discardFollowers({ topics, end: formerEnd = new Map() }: TaskGroup): void {
    for (const [group, tasks] of this.groups) {
      const end = offsetsAmong(group.topics, topics, formerEnd);
      if (![...group.start].some(([partition, offset]) => end.get(partition) === offset)) continue;
      for (const task of tasks)
        this.discard(
          task,
          'The previous task could not publish its rows, so they have to be read again first',
        );
      this.#discardFollowers(group);
    }
  }

  // A successful task is replaced at once; after a failure, the next run is soon enough.
  #watch({ id }: SupervisedTask): void {
    this.#parts.queue.ended(id).then(
      ({ status }) => {
        if (status === 'SUCCESS') this.#listener.moved();
      },
      () => undefined,
    );
  }
}
