// Fault codes of the multi-stage engine with meaning and remedy, for `svcctl help fault CODE`.

import { nearest } from '../../model/nearest.ts';
import { UsageError } from '../process/errors.ts';

interface Explained {
  readonly means: string;
  readonly remedy: string;
}

const again = 'Run the statement again.';
const log = 'The log has more: svcctl tasks log ID.';
const split =
  'Cut the statement into several, each over a smaller interval of time (WHERE __time, OVERWRITE WHERE).';

const faults: Readonly<Record<string, Explained>> = {
  BroadcastTablesTooLarge: {
    means: 'The right side of a join is held in memory by every worker, and it does not fit.',
    remedy:
      'Put the small table on the right, filter it first, or join by sorting: --context sqlJoinAlgorithm=sortMerge.',
  },
  Canceled: {
    means: 'The query was cancelled, its task was shut down, or its timeout passed.',
    remedy:
      'The field reason says which. For a timeout: raise the context parameter timeout, or ask for less.',
  },
  CannotParseExternalData: {
    means: 'A row of the files could not be read in the format that EXTERN names.',
    remedy:
      'Correct the row or the format; --context maxParseExceptions=N leaves out up to N such rows, -1 all of them.',
  },
  ColumnNameRestricted: {
    means: 'A column has a name that the engine keeps for itself.',
    remedy: 'Give it another name with AS.',
  },
  ColumnTypeNotSupported: {
    means: 'A column has a type that cannot be stored or sorted by.',
    remedy: 'CAST it to VARCHAR, BIGINT, DOUBLE or an array of them, or leave it out.',
  },
  DruidException: {
    means: 'Something outside the engine refused; the report has its code, category and message.',
    remedy:
      'Read the message. Category INVALID_INPUT is about the statement, the others about the service.',
  },
  DurableStorageConfiguration: {
    means: 'The query needs durable storage, which the service lacks or cannot reach.',
    remedy:
      'Run it without durable storage (durableShuffleStorage=false, selectDestination=taskReport), or configure the storage.',
  },
  InsertCannotAllocateSegment: {
    means:
      'No segment could be made for a chunk of time: segments of another granularity are there already.',
    remedy:
      'Use a PARTITIONED BY that fits the segments in the interval, or REPLACE the whole of it.',
  },
  InsertCannotBeEmpty: {
    means: 'The statement had no rows to write, and failOnEmptyInsert makes this a failure.',
    remedy:
      'Look at its WHERE and its files; --context failOnEmptyInsert=false accepts an empty result.',
  },
  InsertLockPreempted: {
    means:
      'A task of higher priority took the lock on the interval before the segments were published. Nothing was written.',
    remedy: `${again} svcctl tasks locks shows who holds which interval.`,
  },
  InsertTimeNull: {
    means:
      'A row has no time: __time was null. TIME_PARSE gives null for what is not in its format.',
    remedy:
      'Correct the format, or replace nulls: COALESCE(TIME_PARSE("t"), TIMESTAMP \'2000-01-01\'), or leave such rows out with WHERE.',
  },
  InsertTimeOutOfBounds: {
    means: 'A row lies outside of the interval that OVERWRITE WHERE names.',
    remedy: 'Filter the rows by the same interval, or widen OVERWRITE WHERE.',
  },
  InvalidField: {
    means: 'A value of a row could not be kept; the report says in which file, row and column.',
    remedy: 'Correct the value in the source, or change it in the statement.',
  },
  InvalidNullByte: {
    means:
      'A text holds a null byte, which the engine uses itself; the report says in which column and where.',
    remedy: "Take it out: REPLACE(\"column\", U&'\\0000', ''), or --context removeNullBytes=true.",
  },
  NotEnoughMemory: {
    means:
      'The server has not enough memory for the workers and stages that would run at the same time.',
    remedy:
      'Use fewer tasks (maxNumTasks), fewer stages at once (maxConcurrentStages=1), or a server with as much memory as suggested.',
  },
  NotEnoughTemporaryStorageFault: {
    means: 'The folder for data between stages is full.',
    remedy: `Free the suggested amount of space, or read less at once. ${split}`,
  },
  QueryNotSupported: {
    means: 'The multi-stage engine cannot run this kind of query.',
    remedy: 'Write it differently; a SELECT may run with svcctl sql instead.',
  },
  QueryRuntimeError: {
    means: 'An expression failed on the values of a row: a wrong CAST, a number that is too large.',
    remedy: 'The message names the expression. SAFE_CAST and TRY_CAST give null instead.',
  },
  RowTooLarge: {
    means: 'A row is larger than a frame, the unit in which rows travel between stages (1 MB).',
    remedy: 'Leave out or shorten large texts (SUBSTRING), or select fewer columns.',
  },
  TaskStartTimeout: {
    means: 'The workers did not start in time: there were not enough free slots.',
    remedy:
      'Wait for other tasks (svcctl tasks list --state running), use fewer (maxNumTasks), or add capacity.',
  },
  TooManyAttemptsForJob: {
    means: 'Workers failed and were started again more often than is allowed for one query (100).',
    remedy: `Correct the root error, which is in the report. ${log}`,
  },
  TooManyAttemptsForWorker: {
    means: 'The same worker failed and was started again more often than is allowed (2).',
    remedy: `Correct the root error, which is in the report: often memory or disk. ${log}`,
  },
  TooManyBuckets: {
    means: 'The rows fall into more chunks of time than one statement may write (5000).',
    remedy: `Use a coarser PARTITIONED BY (MONTH instead of DAY), or look for wrong times far in the past. ${split}`,
  },
  TooManyClusteredByColumns: {
    means: 'CLUSTERED BY, ORDER BY or GROUP BY has more columns than can be sorted by (1500).',
    remedy: 'Name fewer columns there.',
  },
  TooManyColumns: {
    means: 'The result has more columns than one statement may write (2000).',
    remedy: 'Select fewer, or keep rare ones together in one column of JSON.',
  },
  TooManyInputFiles: {
    means: 'There are more files than the workers may read (10000 each).',
    remedy: 'Use more workers (maxNumTasks), larger files, or several statements.',
  },
  TooManyPartitions: {
    means: 'The rows would be cut into more partitions than one stage may have (25000).',
    remedy: `Raise rowsPerSegment, or write less at once. ${split}`,
  },
  TooManyRowsInAWindow: {
    means: 'A window holds more rows than may be in memory (100000).',
    remedy:
      'Add columns to PARTITION BY, or raise the context parameter maxRowsMaterializedInWindow.',
  },
  TooManyRowsWithSameKey: {
    means:
      'Both sides of a join have so many rows with the same key that they do not fit into memory (10 MB).',
    remedy:
      'Make the key finer, aggregate before joining, or leave out keys that stand for nothing, such as empty texts.',
  },
  TooManySegmentsInTimeChunk: {
    means:
      'A chunk of time would get more segments than the context parameter maxNumSegments allows.',
    remedy: 'Use a finer PARTITIONED BY, raise rowsPerSegment, or raise maxNumSegments.',
  },
  TooManyWarnings: {
    means: 'More rows had to be left out than is allowed, mostly because they could not be read.',
    remedy:
      'The warnings in the report name some of them. --context maxParseExceptions=N allows more.',
  },
  TooManyWorkers: {
    means: 'The query would need more workers than may be (1000).',
    remedy: 'Lower maxNumTasks; fewer workers take more input each.',
  },
  UnknownError: {
    means: 'An unexpected error; the message has all that is known.',
    remedy: `${log} ${again}`,
  },
  WorkerFailed: {
    means:
      'The process of a worker ended: it ran out of memory, was killed, or its machine went away.',
    remedy: `Look at the log of the worker that is named. --context faultTolerance=true starts it again. ${again}`,
  },
  WorkerRpcFailed: {
    means: 'A worker stopped answering: check the network and the load of its machine.',
    remedy: `${again} --context faultTolerance=true starts workers again.`,
  },
};

/** All explained fault codes. */
export const faultCodes: readonly string[] = Object.keys(faults);

/** The meaning and remedy of a fault code, as two sentences; undefined for an unknown code. */
export function explanationOf(code: string): Explained | undefined {
  return Object.hasOwn(faults, code) ? faults[code] : undefined;
}

/**
 * The text of `svcctl help fault`, for one code or all codes. Throws UsageError for an unknown
 * code.
 */
export function faultTopic(code: string | undefined): string {
  if (code === undefined) {
    const names = faultCodes.map((name) => `  ${name}\n`);
    return `Fault codes of SQL tasks\n\nsvcctl tasks report ID names the fault; svcctl help fault CODE explains it.\n\n${names.join('')}`;
  }
  const known = faultCodes.find((name) => name.toLowerCase() === code.toLowerCase());
  const fault = known === undefined ? undefined : faults[known];
  if (!fault) {
    const near = nearest(code, faultCodes);
    throw new UsageError(
      `Fault code [${code}] does not exist`,
      near === undefined ? 'svcctl help fault lists them' : `did you mean ${near}?`,
    );
  }
  return `${known}\n\n${fault.means}\n\n${fault.remedy}\n`;
}
