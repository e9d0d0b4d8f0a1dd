// Stored tasks: their records, payloads, reports and published segments.
import { unknownTask } from '../checks/refusals.ts';
import type { Metadata, Transaction } from '../storage/metadata.ts';
import {
  findTask,
  findTaskPayload,
  findTaskReports,
  type StoredPayload,
  setTaskReports,
  type TaskRecord,
} from '../storage/tasks.ts';
import type { Reports } from './task-type.ts';

export class StoredTasks {
  readonly #metadata: Metadata;
  // Starting a task at once reads its payload three times
  #lastPayload: { readonly id: string; readonly payload: StoredPayload } | undefined;

  constructor(metadata: Metadata) {
    this.#metadata = metadata;
  }

  find(taskId: string): TaskRecord | undefined {
    return findTask(this.#metadata, taskId);
  }

  get(taskId: string): TaskRecord {
    const task = this.find(taskId);
    if (!task) throw unknownTask(taskId);
    return task;
  }

  payload(taskId: string): StoredPayload {
    const payload =
      this.#lastPayload?.id === taskId
        ? this.#lastPayload.payload
        : findTaskPayload(this.#metadata, taskId);
    if (!payload) throw unknownTask(taskId);
    this.cachePayload(taskId, payload);
    return payload;
  }

  cachePayload(id: string, payload: StoredPayload): void {
    this.#lastPayload = { id, payload };
  }

  /** Drops the cached payload, which may be many megabytes. */
  dropCachedPayload(): void {
    this.#lastPayload = undefined;
  }

  /** The reports that a task stored. Undefined when there are none. */
  reports(taskId: string): Reports | undefined {
    const { [publishedKey]: _, ...reports } = findTaskReports(this.#metadata, taskId) ?? {};
    return Object.keys(reports).length > 0 ? reports : undefined;
  }

  /** The ids of the segments that a task published. */
  listPublished(taskId: string): readonly string[] {
    this.get(taskId);
    const ids = findTaskReports(this.#metadata, taskId)?.[publishedKey];
    return Array.isArray(ids) ? ids : [];
  }

  /** Stores the reports of a task and the ids of the segments that it published. */
  storeReports(
    tx: Transaction,
    taskId: string,
    reports: Reports | undefined,
    published: readonly string[] = [],
  ): void {
    const stored = { ...reports, ...(published.length > 0 && { [publishedKey]: published }) };
    if (Object.keys(stored).length > 0) setTaskReports(tx, taskId, stored);
  }
}

const publishedKey = 'publishedSegments'; // stored with the reports, without being one
