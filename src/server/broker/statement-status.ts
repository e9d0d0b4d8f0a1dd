// Status of a statement, derived from its task and report.
import type { StatementResult, StatementState } from '../../contract/statements.ts';
import { formatInstant } from '../../model/instant.ts';
import { formatJson } from '../../model/json.ts';
import { cancellationOf } from '../statements/faults.ts';
import { signatureIn } from '../statements/statement-payload.ts';
import type { StoredResult as KeptResult } from '../storage/statement-results.ts';
import type { StoredPayload, TaskRecord } from '../storage/tasks.ts';
import { hasStarted } from '../tasks/task-states.ts';
import type { Reports } from '../tasks/task-type.ts';

export interface StatementTask {
  readonly task: TaskRecord;
  readonly payload: StoredPayload;
  readonly reports: Reports | undefined;
  readonly kept: KeptResult | undefined; // the rows of a successful SELECT
}

/** The state of a statement, from its task. */
export function stateOf(task: TaskRecord): StatementState {
  if (task.status !== 'RUNNING') return task.status;
  return hasStarted(task) ? 'RUNNING' : 'ACCEPTED';
}

/**
 * The status of a statement; `detail` adds stages, counters and warnings. `sampleOf` adds the
 * sample rows.
 */
export function statusOf(
  { task, payload, reports, kept }: StatementTask,
  detail: boolean,
): StatementResult {
  const report = objectIn(objectIn(reports?.multiStageQuery).payload);
  const state = stateOf(task);
  const schema = signatureIn(payload);
  return {
    queryId: task.id,
    state,
    createdAt: formatInstant(task.createdMs),
    ...(state !== 'FAILED' && schema && { schema: schema.map((column) => ({ ...column })) }),
    durationMs: task.durationMs,
    ...(state === 'SUCCESS' && {
      result: schema ? resultOf(task, kept) : ingestResultOf(task, report),
    }),
    ...(state === 'FAILED' && { errorDetails: errorOf(task, report) }),
    ...(detail && {
      stages: objectsIn(report.stages),
      counters: Object.fromEntries(
        Object.entries(objectIn(report.counters)).map(([stage, counters]) => [
          stage,
          objectIn(counters),
        ]),
      ),
      warnings: objectsIn(objectIn(report.status).warnings),
    }),
  };
}

type Result = NonNullable<StatementResult['result']>;

function resultOf({ dataSource }: TaskRecord, kept: KeptResult | undefined): Result {
  if (!kept) return { dataSource, sampleRecords: [], pages: [] };
  const { numRows, sizeBytes, pages } = kept;
  return {
    numTotalRows: numRows,
    totalSizeInBytes: sizeBytes,
    dataSource,
    sampleRecords: [],
    pages: pages.map(({ id, numRows, sizeInBytes }) => ({ id, numRows, sizeInBytes })),
  };
}

// The last stage counts the rows written to segments.
function ingestResultOf({ dataSource }: TaskRecord, { counters }: Report): Result {
  const lastStage = Object.values(objectIn(counters)).at(-1);
  const progress = Object.values(objectIn(lastStage)).map(
    (worker) => objectIn(objectIn(worker).segmentGenerationProgress).rowsPushed,
  );
  const pushed = progress.filter((rows) => typeof rows === 'number');
  return {
    ...(pushed.length > 0 && {
      numTotalRows: pushed.reduce((sum, rows) => sum + rows, 0),
      totalSizeInBytes: 0,
    }),
    dataSource,
  };
}

// The fault with its fields as texts. Without a report, the task has only an error message or was
// cancelled.
function errorOf({ errorMsg = '' }: TaskRecord, { status }: Report) {
  const cancellation = cancellationOf('TASK_SHUTDOWN');
  const reported = objectIn(objectIn(objectIn(status).errorReport).error);
  const isCancelled = reported.errorCode === undefined && errorMsg === cancellation.message;
  const { errorCode, errorMessage, ...fields } = isCancelled
    ? objectIn(cancellation.fault)
    : reported;
  return {
    error: 'druidException',
    errorCode: typeof errorCode === 'string' ? errorCode : 'general',
    persona: typeof errorCode === 'string' ? 'USER' : 'DEVELOPER',
    category: 'UNCATEGORIZED',
    errorMessage: typeof errorMessage === 'string' ? errorMessage : errorMsg,
    context: Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [
        name,
        typeof value === 'object' ? formatJson(value) : String(value),
      ]),
    ),
  };
}

type Report = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown): Report =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

const objectsIn = (value: unknown): Report[] => (Array.isArray(value) ? value.map(objectIn) : []);
