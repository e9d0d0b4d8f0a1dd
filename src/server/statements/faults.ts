// Faults of SQL tasks with the codes and messages of the multi-stage engine (Druid:
// multi-stage-query/reference, "Error codes"). Codes that cannot occur here:
// - DurableStorageConfiguration: a statement that needs missing durable storage is refused before
//   it becomes a task.
// - TaskStartTimeout: a controller has its first worker from the beginning, and further workers
//   only in free slots.
// - TooManyAttemptsForJob: all workers are relaunched together, so the limit of one worker is
//   always reached first.
// - WorkerRpcFailed: workers are in this process.
import { brokenWindowLimit } from '../../sql/queries/window-limit.ts';
import { DiskFull, withPlace } from '../checks/disk-full.ts';
import { Refusal } from '../checks/refusals.ts';
import { OutOfMemory } from '../engine/refusals.ts';

export interface Fault {
  readonly errorCode: string;
  readonly errorMessage?: string;
  readonly [field: string]: unknown;
}

/** A query that failed with a fault code; the task's message consists of code and reason. */
export class QueryFailed extends Error {
  readonly fault: Fault;
  constructor(
    errorCode: string,
    errorMessage: string,
    fields: Readonly<Record<string, unknown>> = {},
  ) {
    super(`${errorCode}: ${errorMessage}`);
    this.fault = { errorCode, ...fields, errorMessage };
  }
}

const cancellations = {
  USER_REQUEST: 'Query canceled',
  TASK_SHUTDOWN: 'Query canceled due to task shutdown',
  QUERY_TIMEOUT: 'Query timed out',
};
export const cancellationOf = (reason: keyof typeof cancellations) =>
  new QueryFailed('Canceled', cancellations[reason], { reason });
export const cannotParse = (detail: string) => new QueryFailed('CannotParseExternalData', detail);
export const tooManyWarnings = (maxWarnings: number, rootErrorCode: string) =>
  new QueryFailed(
    'TooManyWarnings',
    `Too many warnings of type ${rootErrorCode} generated (max = ${maxWarnings})`,
    {
      maxWarnings,
      rootErrorCode,
    },
  );
export const timeIsNull = () =>
  new QueryFailed(
    'InsertTimeNull',
    'Null timestamp (__time) encountered during INSERT or REPLACE.',
  );
export const timeOutOfBounds = (interval: string, targets: readonly string[]) =>
  new QueryFailed(
    'InsertTimeOutOfBounds',
    `Inserted data contains time chunks outside of target time chunks specified in REPLACE OVERWRITE WHERE. If you want to include this data, expand your OVERWRITE WHERE. Interval [${interval}] is not within [${targets.join(', ')}]`,
    { interval, intervalBounds: targets },
  );
export const nothingToInsert = (dataSource: string) =>
  new QueryFailed(
    'InsertCannotBeEmpty',
    `No rows to insert for dataSource[${dataSource}]. Set failOnEmptyInsert : false in the query context to allow empty inserts.`,
    { dataSource },
  );
export const tooManyBuckets = (maxBuckets: number) =>
  new QueryFailed(
    'TooManyBuckets',
    `Too many partition buckets (max = ${group(maxBuckets)}); try breaking your query up into smaller queries or using a wider PARTITIONED BY`,
    { maxBuckets },
  );
export const tooManyPartitions = (maxPartitions: number) =>
  new QueryFailed(
    'TooManyPartitions',
    `Too many partitions (max = ${maxPartitions}); try breaking your query up into smaller queries or increasing the number of rows per segment using the [rowsPerSegment] parameter`,
    { maxPartitions },
  );
/** `timeChunk` is the instant in ISO 8601, `granularity` its name, `json` as the wire spells it. */
export const tooManySegments = (
  timeChunk: string,
  numSegments: number,
  maxNumSegments: number,
  granularity: { readonly name: string; readonly json: unknown },
) =>
  new QueryFailed(
    'TooManySegmentsInTimeChunk',
    `Too many segments requested to be generated in time chunk[${timeChunk}] with granularity[${granularity.name}] (requested = [${group(numSegments)}], maximum = [${group(maxNumSegments)}]). Please try breaking up your query or change the maximum using the query context parameter[maxNumSegments].`,
    { timeChunk, numSegments, maxNumSegments, segmentGranularity: granularity.json },
  );
export const tooManyColumns = (numColumns: number, maxColumns: number) =>
  new QueryFailed(
    'TooManyColumns',
    `Too many output columns (requested = ${numColumns}, max = ${maxColumns})`,
    { numColumns, maxColumns },
  );
export const tooManyClusteredByColumns = (numColumns: number, maxColumns: number, stage: number) =>
  new QueryFailed(
    'TooManyClusteredByColumns',
    `Too many clustered-by columns present in stage [${stage}] (requested = ${numColumns}, max = ${maxColumns})`,
    { numColumns, maxColumns, stage },
  );
export const tooManyWorkers = (workers: number, maxWorkers: number) =>
  new QueryFailed(
    'TooManyWorkers',
    `Too many workers (current = ${workers}; max = ${maxWorkers})`,
    { workers, maxWorkers },
  );
export const tooManyInputFiles = (
  numInputFiles: number,
  maxInputFiles: number,
  minNumWorkers: number,
) =>
  new QueryFailed(
    'TooManyInputFiles',
    `Too many input files/segments [${numInputFiles}] encountered. Maximum input files/segments per worker is set to [${maxInputFiles}]. Try breaking your query up into smaller queries, or increasing the number of workers to at least [${minNumWorkers}] by setting maxNumTasks in your query context`,
    { numInputFiles, maxInputFiles, minNumWorkers },
  );
export const rowTooLarge = (maxFrameSize: number) =>
  new QueryFailed(
    'RowTooLarge',
    `Encountered row that cannot fit in a single frame (max frame size = ${group(maxFrameSize)}). Try increasing the max frame size using the query context parameter [maxFrameSize], or writing less into one row.`,
    { maxFrameSize },
  );
/** Known details of a value with a null byte: the row counts from 1, and so does the position. */
export const invalidNullByte = (found: {
  source: string;
  rowNumber: number;
  column: string;
  value: string;
  position: number;
}) =>
  new QueryFailed(
    'InvalidNullByte',
    `Invalid null byte at source[${found.source}], rowNumber[${found.rowNumber}], column[${found.column}], value[${found.value.replaceAll('\0', '\\u0000')}], position[${found.position}]. Consider sanitizing the input string column using "REPLACE("${found.column}", U&'\\0000', '') AS ${found.column}" or setting 'removeNullBytes' to true in the query context.`,
    found,
  );
/** A value that could not be computed or stored; `source` names the input. */
export const invalidField = (source: string, column: string, errorMsg: string) => {
  const logMsg = `Error[${errorMsg}] while writing a field for source[${source}], column[${column}].`;
  return new QueryFailed('InvalidField', logMsg, { source, column, errorMsg, logMsg });
};
const tooManyRowsInWindow = ({ numRows, maxRows }: { numRows: number; maxRows: number }) =>
  new QueryFailed(
    'TooManyRowsInAWindow',
    `Too many rows in a window (requested = ${numRows}, max = ${maxRows}). Try creating a window with a higher cardinality column or change the query shape. Or you can change the max using query context param maxRowsMaterializedInWindow. Use it carefully as a higher value can lead to OutOfMemory errors.`,
    { numRows, maxRows },
  );
/** Upper limits of a query: `usableMemory` of the service's `serverMemory`, in bytes. */
export interface QueryLimits {
  readonly serverMemory: number;
  readonly usableMemory: number;
  readonly serverWorkers: number;
  readonly serverThreads: number;
  readonly inputWorkers: number;
}
const notEnoughMemory = (limits: QueryLimits) => {
  const { serverMemory, usableMemory, serverWorkers, serverThreads, inputWorkers } = limits;
  return new QueryFailed(
    'NotEnoughMemory',
    `Not enough memory. (total bytes[${group(serverMemory)}]; usable bytes[${group(usableMemory)}]; input workers[${inputWorkers}]; concurrent stages[1]; server worker capacity[${serverWorkers}]; server processing threads[${serverThreads}]). Increase the memory of the service with the --memory option, or write the query so that it keeps less at once`,
    { ...limits, maxConcurrentStages: 1 },
  );
};
export const restrictedColumn = (columnName: string) =>
  new QueryFailed(
    'ColumnNameRestricted',
    `[${columnName}] column name is reserved for MSQ's internal purpose. Please retry the query after renaming the column.`,
    { columnName },
  );
export const unsupportedColumn = (columnName: string, columnType: string | null) =>
  new QueryFailed(
    'ColumnTypeNotSupported',
    columnType === null
      ? `Cannot handle column [${columnName}] with unknown type`
      : `Cannot handle column [${columnName}] with type [${columnType}]`,
    { columnName, columnType },
  );
/**
 * Intervals are texts; `allocated` is the interval of the existing segment, when it covers the
 * whole requested interval.
 */
export const cannotAllocate = (
  dataSource: string,
  interval: string,
  allocated: string | undefined,
) =>
  new QueryFailed(
    'InsertCannotAllocateSegment',
    allocated === undefined
      ? `Cannot allocate segment for dataSource [${dataSource}], interval [${interval}]. This can happen if the prior ingestion uses non-extendable shard specs or if the partitioned by granularity is different from the granularity of the pre-existing segments. Check the granularities of the pre-existing segments or re-run the ingestion with REPLACE to overwrite over the existing data`
      : `Requested segment for dataSource [${dataSource}], interval [${interval}], but got [${allocated}] interval instead. This happens when an overlapping segment is already present with a coarser granularity for the requested interval. Either set the partition granularity for the INSERT to that of the interval to append to existing data or use REPLACE to overwrite over the pre-existing segment`,
    { dataSource, interval, allocatedInterval: allocated ?? null },
  );
export const broadcastTooLarge = (
  maxBroadcastTablesSize: number,
  configuredJoinAlgorithm: 'broadcast' | 'sortMerge',
) =>
  new QueryFailed(
    'BroadcastTablesTooLarge',
    `Size of broadcast tables in JOIN exceeds reserved memory limit (memory reserved for broadcast tables = [${group(maxBroadcastTablesSize)}] bytes). ${
      configuredJoinAlgorithm === 'broadcast'
        ? 'Increase available memory, or set [sqlJoinAlgorithm: sortMerge] in query context to use a shuffle-based join.'
        : 'Increase available memory, or write a condition that is made of equalities only: others cannot be joined by [sqlJoinAlgorithm: sortMerge].'
    }`,
    { maxBroadcastTablesSize, configuredJoinAlgorithm },
  );
/** `key` is the join key with too many rows; one side has at least `numBytes` for it. */
export const tooManyRowsWithSameKey = (
  key: readonly unknown[],
  numBytes: number,
  maxBytes: number,
) =>
  new QueryFailed(
    'TooManyRowsWithSameKey',
    `Too many rows with the same key during sort-merge join (bytes buffered = [${group(numBytes)}], limit = [${group(maxBytes)}]). Key: [${key.map(String).join(', ')}]`,
    { key, numBytes, maxBytes },
  );
export const lockLost = () =>
  new QueryFailed(
    'InsertLockPreempted',
    'Insert lock preempted while trying to ingest the data. Please retry the query',
  );
export const workerFailed = (workerTaskId: string, errorMsg: string) =>
  new QueryFailed('WorkerFailed', `Worker task failed: [${workerTaskId}]: ${errorMsg}`, {
    workerTaskId,
    errorMsg,
  });
export const tooManyAttempts = (
  maxPerWorkerRelaunchCount: number,
  taskId: string,
  workerNumber: number,
  rootErrorMessage: string,
) =>
  new QueryFailed(
    'TooManyAttemptsForWorker',
    `Worker[${workerNumber}] exceeded max relaunch count of ${maxPerWorkerRelaunchCount} for task[${taskId}]. Latest failure reason: ${rootErrorMessage}.`,
    { maxPerWorkerRelaunchCount, taskId, workerNumber, rootErrorMessage },
  );
export const notSupported = (errorMessage: string) =>
  new QueryFailed('QueryNotSupported', errorMessage);
const unknownError = (message: string) => new QueryFailed('UnknownError', message, { message });

/**
 * The error that ended a query as a failure with a code; an error without a code becomes its cause.
 * `limits` are the limits of the query.
 */
export function failureOf(caught: unknown, limits: QueryLimits): QueryFailed {
  const error = withPlace(caught, 'staging');
  if (error instanceof QueryFailed) return error;
  const failure = failureWithCode(error, limits);
  if (failure.fault.errorCode !== 'Canceled') failure.cause = error;
  return failure;
}

function failureWithCode(error: unknown, limits: QueryLimits): QueryFailed {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof DiskFull) return new QueryFailed('NotEnoughTemporaryStorageFault', message);
  if (!(error instanceof Refusal)) return unknownError(message);
  if (error instanceof OutOfMemory)
    return error.lacking === 'memory'
      ? notEnoughMemory(limits)
      : new QueryFailed('NotEnoughTemporaryStorageFault', message);
  const window = brokenWindowLimit(message);
  if (window) return tooManyRowsInWindow(window);
  switch (error.category) {
    case 'timeout':
      return cancellationOf('QUERY_TIMEOUT');
    case 'canceled':
      return cancellationOf('TASK_SHUTDOWN');
    default:
      return new QueryFailed('QueryRuntimeError', message, { baseErrorMessage: message });
  }
}

/** Whether a retry may succeed (Druid: RETRYABLE_ERROR_CODES). */
export const isRetryable = ({ fault }: QueryFailed): boolean =>
  fault.errorCode === 'UnknownError' || fault.errorCode === 'WorkerFailed';

const group = (count: number) => count.toLocaleString('en-US');
