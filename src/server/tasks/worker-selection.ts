// Assignment of tasks to the one worker by the Overlord's dynamic configuration (Druid:
// WorkerSelectUtils, TaskLimits).
import type { OverlordDynamicConfig } from '../../contract/workers.ts';
import { isObject } from '../checks/spec-fields.ts';

/** A task that is ready to run, and the load of its worker. */
export interface Applicant {
  readonly type: string;
  readonly dataSource: string;
  readonly slots: number; // that the task needs
  readonly slotsOfType: number; // that tasks of its type use
}

export interface SelectedWorker {
  readonly host: string; // and port
  readonly category: string;
  readonly capacity: number; // slots
}

/**
 * The reason why a configuration does not assign a task to the worker now; undefined when it does.
 */
export function findWorkerRefusal(
  { selectStrategy }: OverlordDynamicConfig,
  task: Applicant,
  worker: SelectedWorker,
): string | undefined {
  if (!selectStrategy) return undefined;
  const { affinityConfig, workerCategorySpec, taskLimits } = selectStrategy;
  const limit = limitOf(taskLimits, task.type, worker.capacity);
  if (task.slotsOfType + task.slots > limit)
    return `tasks of type [${task.type}] may take at most [${limit}] slots`;
  if (affinityConfig && !takesByAffinity(affinityConfig, task.dataSource, worker.host))
    return `datasource [${task.dataSource}] has an affinity to other workers`;
  return workerCategorySpec && !takesByCategory(workerCategorySpec, task, worker.category)
    ? `no worker is of the category that tasks of type [${task.type}] need`
    : undefined;
}

type Strategy = NonNullable<OverlordDynamicConfig['selectStrategy']>;

// A worker reserved for a datasource takes no tasks of others. With a strong affinity, the
// datasource uses no other workers.
function takesByAffinity(
  { affinity, strong }: NonNullable<Strategy['affinityConfig']>,
  dataSource: string,
  host: string,
): boolean {
  const own = new Map(Object.entries(affinity ?? {})).get(dataSource);
  if (own?.includes(host)) return true;
  return !(own && strong) && !Object.values(affinity ?? {}).some((hosts) => hosts.includes(host));
}

function takesByCategory(
  { categoryMap, strong }: NonNullable<Strategy['workerCategorySpec']>,
  { type, dataSource }: Applicant,
  category: string,
): boolean {
  const wanted = new Map(Object.entries(categoryMap ?? {})).get(type);
  const preferred =
    entryOf(wanted?.categoryAffinity, dataSource) ?? wanted?.defaultCategory ?? category;
  return !strong || preferred === category;
}

function limitOf(limits: unknown, type: string, capacity: number): number {
  if (!isObject(limits)) return Number.POSITIVE_INFINITY;
  const count = Number(entryOf(limits.maxSlotCountByType, type) ?? Number.POSITIVE_INFINITY);
  const ratio = Number(entryOf(limits.maxSlotRatioByType, type) ?? Number.POSITIVE_INFINITY);
  return Math.min(count, Math.floor(ratio * capacity));
}

const entryOf = (map: unknown, key: string): unknown =>
  isObject(map) && Object.hasOwn(map, key) ? map[key] : undefined;
