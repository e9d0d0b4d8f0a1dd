// Table of tasks.
import { jsonText, jsonValue, type SqlValue, type Transaction } from './metadata.ts';

export type TaskStatusCode = 'RUNNING' | 'SUCCESS' | 'FAILED';
export type RunnerStatusCode = 'WAITING' | 'PENDING' | 'RUNNING' | 'NONE';

/**
 * The fields of a task that lists show. Times are milliseconds since 1970; `durationMs` is -1 until
 * the task has ended.
 */
export interface TaskRecord {
  readonly id: string;
  readonly groupId: string;
  readonly type: string;
  readonly dataSource: string;
  readonly createdMs: number;
  readonly queuedMs: number;
  readonly priority: number;
  readonly status: TaskStatusCode;
  readonly runnerStatus: RunnerStatusCode;
  readonly durationMs: number;
  readonly errorMsg: string | undefined;
  readonly location: TaskLocation | undefined;
}

export interface TaskLocation {
  readonly host: string | null;
  readonly port: number;
  readonly tlsPort: number;
}

export type StoredPayload = Readonly<Record<string, unknown>>;

export interface TaskFilter {
  readonly status?: readonly TaskStatusCode[];
  readonly runnerStatus?: readonly RunnerStatusCode[];
  readonly dataSource?: string;
  readonly type?: string;
  readonly groupId?: string;
  readonly createdAfterMs?: number; // at this time or later
  readonly createdBeforeMs?: number;
  readonly after?: Pick<TaskRecord, 'createdMs' | 'id'>; // only tasks after it in the list
  readonly max?: number;
}

/**
 * Adds a task, by two writes that need a transaction; returns false and changes nothing when the id
 * is taken.
 */
export function insertTask(tx: Transaction, task: TaskRecord, payload: StoredPayload): boolean {
  const changed = tx.insert('tasks', listed, rowOf(task), 'ON CONFLICT DO NOTHING');
  if (changed === 0) return false;
  tx.run('INSERT INTO task_payloads VALUES (?, ?)', task.id, jsonText(payload));
  return true;
}

/**
 * Moves a task to another state; only the given fields change. `from` is the expected state:
 * returns false and changes nothing when the task is unknown or in another state, after a
 * concurrent change.
 */
export function updateTask(
  tx: Transaction,
  id: string,
  change: Partial<
    Pick<TaskRecord, 'status' | 'runnerStatus' | 'durationMs' | 'errorMsg' | 'location'>
  >,
  from: TaskStatusCode = 'RUNNING',
): boolean {
  const columns: [string, SqlValue][] = [];
  if (change.status !== undefined) columns.push(['status', change.status]);
  if (change.runnerStatus !== undefined) columns.push(['runner_status', change.runnerStatus]);
  if (change.durationMs !== undefined) columns.push(['duration_ms', change.durationMs]);
  if ('errorMsg' in change) columns.push(['error_msg', change.errorMsg ?? null]);
  if ('location' in change) columns.push(['location', jsonText(change.location)]);
  if (columns.length === 0) return findTask(tx, id)?.status === from;
  const assignments = columns.map(([name]) => `${name} = ?`).join(', ');
  return (
    tx.run(
      `UPDATE tasks SET ${assignments} WHERE id = ? AND status = ?`,
      ...columns.map(([, value]) => value),
      id,
      from,
    ) === 1
  );
}

export function findTask(tx: Transaction, id: string): TaskRecord | undefined {
  const [row] = tx.lists<TaskRow>(listed, 'tasks WHERE id = ?', id);
  return row && recordOf(row);
}

export function findTaskPayload(tx: Transaction, id: string): StoredPayload | undefined {
  const row = tx.get<{ payload: string }>('SELECT payload FROM task_payloads WHERE id = ?', id);
  return row && jsonValue(row.payload);
}

/** The task's reports by name; undefined when there are none (yet). */
export function findTaskReports(
  tx: Transaction,
  id: string,
): Readonly<Record<string, unknown>> | undefined {
  const text = tx.get<{ reports: string | null }>(
    'SELECT reports FROM tasks WHERE id = ?',
    id,
  )?.reports;
  return typeof text === 'string' ? jsonValue(text) : undefined;
}

export const setTaskReports = (
  tx: Transaction,
  id: string,
  reports: Readonly<Record<string, unknown>>,
): boolean => tx.run('UPDATE tasks SET reports = ? WHERE id = ?', jsonText(reports), id) === 1;

/** Tasks, newest first. */
export function listTasks(tx: Transaction, filter: TaskFilter = {}): TaskRecord[] {
  const [where, values] = condition(filter);
  const limit = filter.max === undefined ? '' : 'LIMIT ?';
  const limits = filter.max === undefined ? [] : [filter.max];
  return tx
    .lists<TaskRow>(
      listed,
      `tasks ${where} ORDER BY created_ms DESC, id ${limit}`,
      ...values,
      ...limits,
    )
    .map(recordOf);
}

/**
 * Tasks, read lazily a thousand at a time, so that neither other work nor the memory suffers from
 * their number.
 */
export function* eachTask(
  tx: Transaction,
  { max = Number.MAX_SAFE_INTEGER, ...filter }: TaskFilter,
): Generator<TaskRecord, undefined> {
  let after: TaskRecord | undefined;
  for (let left = max; left > 0; ) {
    const wanted = Math.min(left, 1000);
    const some = listTasks(tx, { ...filter, ...(after && { after }), max: wanted });
    yield* some;
    if (some.length < wanted) return;
    after = some.at(-1);
    left -= wanted;
  }
}

/** The number of tasks that match a filter. */
export function countTasks(tx: Transaction, filter: Omit<TaskFilter, 'max'> = {}): number {
  const [where, values] = condition(filter);
  return (
    tx.get<{ count: number }>(`SELECT count(*) AS count FROM tasks ${where}`, ...values)?.count ?? 0
  );
}

const listed = [
  'id',
  'group_id',
  'type',
  'datasource',
  'created_ms',
  'queued_ms',
  'priority',
  'status',
  'runner_status',
  'duration_ms',
  'error_msg',
  'location',
];

type TaskRow = readonly [
  id: string,
  groupId: string,
  type: string,
  dataSource: string,
  createdMs: number,
  queuedMs: number,
  priority: number,
  status: TaskStatusCode,
  runnerStatus: RunnerStatusCode,
  durationMs: number,
  errorMsg: string | null,
  location: string | null,
];

const rowOf = (task: TaskRecord): TaskRow => [
  task.id,
  task.groupId,
  task.type,
  task.dataSource,
  task.createdMs,
  task.queuedMs,
  task.priority,
  task.status,
  task.runnerStatus,
  task.durationMs,
  task.errorMsg ?? null,
  jsonText(task.location),
];

function recordOf(row: TaskRow): TaskRecord {
  const [
    id,
    groupId,
    type,
    dataSource,
    createdMs,
    queuedMs,
    priority,
    status,
    runnerStatus,
    durationMs,
    errorMsg,
    location,
  ] = row;
  return {
    id,
    groupId,
    type,
    dataSource,
    createdMs,
    queuedMs,
    priority,
    status,
    runnerStatus,
    durationMs,
    errorMsg: errorMsg ?? undefined,
    location: location === null ? undefined : jsonValue(location),
  };
}

function condition({
  status,
  runnerStatus,
  dataSource,
  type,
  groupId,
  createdAfterMs,
  createdBeforeMs,
  after,
}: TaskFilter): [string, (string | number)[]] {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const oneOf = (column: string, list: readonly string[]) => {
    parts.push(`${column} IN (${list.map((value) => `'${value}'`).join(', ')})`); // literals, so that SQLite can use the partial index
  };
  if (status) oneOf('status', status);
  if (runnerStatus) oneOf('runner_status', runnerStatus);
  for (const [column, value] of [
    ['datasource', dataSource],
    ['type', type],
    ['group_id', groupId],
  ] as const) {
    if (value === undefined) continue;
    parts.push(`${column} = ?`);
    values.push(value);
  }
  if (createdAfterMs !== undefined) {
    parts.push('created_ms >= ?');
    values.push(createdAfterMs);
  }
  if (createdBeforeMs !== undefined) {
    parts.push('created_ms < ?');
    values.push(createdBeforeMs);
  }
  if (after) {
    parts.push('created_ms <= ? AND (created_ms < ? OR id > ?)'); // the first condition uses the index
    values.push(after.createdMs, after.createdMs, after.id);
  }
  return [parts.length ? `WHERE ${parts.join(' AND ')}` : '', values];
}
