// The tasks of one supervisor: those that read, and those that publish what they have read.
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
  readonly topics: Topics; // that its supervisor had read then
  readonly start: Offsets;
  readonly createdMs: number;
  // Where its tasks have stopped reading; the next group goes on there while they publish
  end: Offsets | undefined;
  isPublished: boolean;
}

/** A task as its supervisor knows it. */
export interface SupervisedTask {
  readonly id: string;
  readonly group: TaskGroup;
  readonly start: Offsets; // of a replica that came later: behind what its group has published
  readonly rates: RowRates;
  startedMs: number | undefined; // when it was first seen reading
  finishWanted: boolean;
  publishingSinceMs: number | undefined;
}

export interface TaskSurroundings {
  readonly metadata: Metadata;
  readonly queue: TaskQueue;
  readonly streamTasks: RunningStreamTasks;
  readonly now: () => number; // milliseconds since 1970
}

/** What a supervisor hears of its tasks. */
export interface TaskListener {
  /** A task has ended, well or not. */
  ended(isGood: boolean): void;
  /** There is something to do: a task has stopped reading, or has ended well. */
  moved(): void;
}

export class SupervisedTasks {
  readonly #parts: TaskSurroundings;
  readonly #listener: TaskListener;
  readonly #tasks: Map<string, SupervisedTask>;

  /** `inherited` are tasks that a former specification of the same supervisor has left. */
  constructor(
    parts: TaskSurroundings,
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

  /** Where the task is in the stream now. */
  offsetsOf = ({ id, start }: SupervisedTask): Offsets =>
    this.#parts.streamTasks.get(id)?.offsets() ?? start;

  /** The groups that have tasks, each with its tasks. */
  get groups(): ReadonlyMap<TaskGroup, readonly SupervisedTask[]> {
    const groups = new Map<TaskGroup, SupervisedTask[]>();
    for (const task of this.all) groups.set(task.group, [...(groups.get(task.group) ?? []), task]);
    return groups;
  }

  /** Takes in a task that was submitted. */
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
   * Takes in what an earlier process has left: tasks that waited for a slot and begin at what is
   * committed; others are of no use and stopped.
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
          'The supervisor has no use for this task: it begins at other offsets than the committed ones',
        );
    }
  }

  /** Notes when tasks were first seen reading. */
  noteStarts(): void {
    const { streamTasks, now } = this.#parts;
    for (const task of this.all) if (streamTasks.has(task.id)) task.startedMs ??= now();
  }

  /** Looks at all tasks: how fast they read, and which of them have ended. */
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

  /** Lets a task publish what it has read; one that has read nothing yet is stopped. */
  finish(task: SupervisedTask): void {
    if (task.publishingSinceMs !== undefined) return;
    const { streamTasks, metadata, now } = this.#parts;
    const running = streamTasks.get(task.id);
    if (running) {
      task.publishingSinceMs = now();
      running.finish().catch(() => undefined); // how it ended is the task's own to tell
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
        'The supervisor has no more use for this task, which has read nothing yet',
      );
    else task.finishWanted = true; // it is about to read: at the next look
  }

  /** Stops a task without publishing. */
  discard({ id }: SupervisedTask, reason: string): void {
    this.#parts.queue.shutdown(id, reason); // first: one that cannot be stopped now is still there
    this.#tasks.delete(id);
  }

  // Tasks that went on where this group ended have read from offsets that will never be committed.
  #discardFollowers({ topics, end: formerEnd = new Map() }: TaskGroup): void {
    for (const [group, tasks] of this.groups) {
      const end = offsetsAmong(group.topics, topics, formerEnd);
      if (![...group.start].some(([partition, offset]) => end.get(partition) === offset)) continue;
      for (const task of tasks)
        this.discard(
          task,
          'The task before this one could not publish, so its rows have to be read again first',
        );
      this.#discardFollowers(group);
    }
  }

  // A task that has ended well is replaced at once; after one that has failed, the next run is soon
  // enough.
  #watch({ id }: SupervisedTask): void {
    this.#parts.queue.ended(id).then(
      ({ status }) => {
        if (status === 'SUCCESS') this.#listener.moved();
      },
      () => undefined,
    );
  }
}
