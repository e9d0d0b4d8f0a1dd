// How an SQL task fails, in the codes and words of the multi-stage engine (Druid: multi-stage-query/reference, "Error codes").
import { Refusal } from '../../refusals.ts';

export interface Fault {
  readonly errorCode: string;
  readonly errorMessage?: string;
  readonly [field: string]: unknown;
}

/** A query that failed for a reason with a code; the task's message is code and reason. */
export class QueryFailed extends Error {
  readonly fault: Fault;
  constructor(errorCode: string, errorMessage: string, fields: Readonly<Record<string, unknown>> = {}) {
    super(`${errorCode}: ${errorMessage}`);
    this.fault = { errorCode, ...fields, errorMessage };
  }
}

export const canceled = (reason: 'USER_REQUEST' | 'TASK_SHUTDOWN' | 'QUERY_TIMEOUT') =>
  new QueryFailed(
    'Canceled',
    { USER_REQUEST: 'Query canceled by user', TASK_SHUTDOWN: 'Query canceled due to task shutdown', QUERY_TIMEOUT: 'Query timed out' }[
      reason
    ],
    { reason },
  );
export const cannotParse = (detail: string) => new QueryFailed('CannotParseExternalData', detail);
export const tooManyWarnings = (maxWarnings: number, rootErrorCode: string) =>
  new QueryFailed('TooManyWarnings', `Too many warnings of type ${rootErrorCode} generated (max = ${maxWarnings})`, {
    maxWarnings,
    rootErrorCode,
  });
export const timeIsNull = () => new QueryFailed('InsertTimeNull', 'Null timestamp (__time) encountered during INSERT or REPLACE.');
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
    `Too many partition buckets (max = ${maxBuckets}); try breaking your query up into smaller queries or using a wider PARTITIONED BY`,
    { maxBuckets },
  );
export const tooManyPartitions = (maxPartitions: number) =>
  new QueryFailed(
    'TooManyPartitions',
    `Too many partitions (max = ${maxPartitions}); try breaking your query up into smaller queries or increasing the number of rows per segment using the [rowsPerSegment] parameter`,
    { maxPartitions },
  );
export const tooManyColumns = (numColumns: number, maxColumns: number) =>
  new QueryFailed('TooManyColumns', `Too many output columns (requested = ${numColumns}, max = ${maxColumns})`, { numColumns, maxColumns });
export const restrictedColumn = (columnName: string) =>
  new QueryFailed(
    'ColumnNameRestricted',
    `[${columnName}] column name is reserved for MSQ's internal purpose. Please retry the query after renaming the column.`,
    { columnName },
  );
export const cannotAllocate = (dataSource: string, message: string) =>
  new QueryFailed('InsertCannotAllocateSegment', message, { dataSource });
export const lockLost = () =>
  new QueryFailed('InsertLockPreempted', 'Insert lock preempted while trying to ingest the data. Please retry the query');

/** Whatever ended a query, as a failure with a code. `stopped` is true when it was told to stop. */
export function failureOf(error: unknown, stopped: boolean): QueryFailed {
  if (error instanceof QueryFailed) return error;
  if (stopped) return canceled('USER_REQUEST');
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof Refusal)) return new QueryFailed('UnknownError', message, { message });
  switch (error.category) {
    case 'timeout':
      return canceled('QUERY_TIMEOUT');
    case 'canceled':
      return canceled('TASK_SHUTDOWN');
    default:
      return error.details.legacy?.code === 'Resource limit exceeded'
        ? new QueryFailed('NotEnoughTemporaryStorageFault', message)
        : new QueryFailed('QueryRuntimeError', message, { baseErrorMessage: message });
  }
}
