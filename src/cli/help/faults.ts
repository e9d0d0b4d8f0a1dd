// Fault codes of the multi-stage engine with meaning and remedy, for `svcctl help fault CODE`.

import { nearest } from '../../model/nearest.ts';
import { UsageError } from '../process/errors.ts';

interface Explained {
  readonly means: string;
  readonly remedy: string;
}

const again = 'Run the statement again.';
const log = 'Details are in the log: svcctl tasks log ID.';
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
      'The field reason shows the cause. For a timeout: raise the context parameter timeout, or request less data.',
  },
  CannotParseExternalData: {
    means: 'A row of the files does not match the format of EXTERN.',
    remedy:
      'Correct the row or the format; --context maxParseExceptions=N skips up to N such rows; -1 skips all.',
  },
  ColumnNameRestricted: {
    means: 'A column has a name that the engine reserves.',
    remedy: 'Give it another name with AS.',
  },
  ColumnTypeNotSupported: {
    means: 'A column has a type that cannot be stored or sorted by.',
    remedy: 'CAST it to VARCHAR, BIGINT, DOUBLE or an array of them, or remove it.',
  },
  DruidException: {
    means:
      'Another part of Druid reported an error; the report has its code, category and message.',
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
      'No segment could be allocated for a time chunk: segments of another granularity exist there.',
    remedy:
      'Use a PARTITIONED BY that fits the segments in the interval, or REPLACE the whole interval.',
  },
  InsertCannotBeEmpty: {
    means: 'The statement had no rows to write, which fails because failOnEmptyInsert is set.',
    remedy:
      'Check its WHERE clause and its files; --context failOnEmptyInsert=false accepts an empty result.',
  },
  InsertLockPreempted: {
    means:
      'A task of higher priority took the lock on the interval before the segments were published. Nothing was written.',
    remedy: `${again} svcctl tasks locks shows which task has locked which interval.`,
  },
  InsertTimeNull: {
    means:
      'A row has no time: __time was null. TIME_PARSE returns null for a text that does not match its format.',
    remedy:
      'Correct the format, or replace nulls: COALESCE(TIME_PARSE("t"), TIMESTAMP \'2000-01-01\'), or skip such rows with WHERE.',
  },
  InsertTimeOutOfBounds: {
    means: 'A row is outside of the interval of OVERWRITE WHERE.',
    remedy: 'Filter the rows by the same interval, or widen OVERWRITE WHERE.',
  },
  InvalidField: {
    means: 'A value of a row could not be stored; the report has the file, row and column.',
    remedy: 'Correct the value in the source, or change it in the statement.',
  },
  InvalidNullByte: {
    means:
      'A text has a null byte, which the engine reserves; the report has the column and the position.',
    remedy: "Remove it: REPLACE(\"column\", U&'\\0000', ''), or --context removeNullBytes=true.",
  },
  NotEnoughMemory: {
    means:
      'The server does not have enough memory for the workers and stages that run at the same time.',
    remedy:
      'Use fewer tasks (maxNumTasks), fewer stages at once (maxConcurrentStages=1), or a server with the suggested memory.',
  },
  NotEnoughTemporaryStorageFault: {
    means: 'The folder for data between stages is full.',
    remedy: `Free the suggested amount of space, or read less data at once. ${split}`,
  },
  QueryNotSupported: {
    means: 'The multi-stage engine cannot run this kind of query.',
    remedy: 'Rewrite it; a SELECT may run with svcctl sql instead.',
  },
  QueryRuntimeError: {
    means: 'An expression failed on the values of a row: a wrong CAST, a number that is too large.',
    remedy: 'The message names the expression. SAFE_CAST and TRY_CAST return null instead.',
  },
  RowTooLarge: {
    means: 'A row is larger than a frame, the unit in which rows travel between stages (1 MB).',
    remedy: 'Remove or shorten large texts (SUBSTRING), or select fewer columns.',
  },
  TaskStartTimeout: {
    means: 'The workers did not start in time: there were not enough free slots.',
    remedy:
      'Wait for other tasks (svcctl tasks list --state running), use fewer (maxNumTasks), or add capacity.',
  },
  TooManyAttemptsForJob: {
    means: 'Workers failed and were restarted more often than the limit of one query (100).',
    remedy: `Correct the root error, which is in the report. ${log}`,
  },
  TooManyAttemptsForWorker: {
    means: 'The same worker failed and was restarted more often than the limit (2).',
    remedy: `Correct the root error, which is in the report: often memory or disk. ${log}`,
  },
  TooManyBuckets: {
    means: 'The rows are in more time chunks than one statement may write (5000).',
    remedy: `Use a coarser PARTITIONED BY (MONTH instead of DAY), or look for wrong times far in the past. ${split}`,
  },
  TooManyClusteredByColumns: {
    means: 'CLUSTERED BY, ORDER BY or GROUP BY has more columns than can be sorted by (1500).',
    remedy: 'Use fewer columns there.',
  },
  TooManyColumns: {
    means: 'The result has more columns than one statement may write (2000).',
    remedy: 'Select fewer columns, or combine rare ones in one JSON column.',
  },
  TooManyInputFiles: {
    means: 'The input has more files than the workers may read (10000 each).',
    remedy: 'Use more workers (maxNumTasks), larger files, or several statements.',
  },
  TooManyPartitions: {
    means: 'The rows need more partitions than one stage may have (25000).',
    remedy: `Raise rowsPerSegment, or write less data at once. ${split}`,
  },
  TooManyRowsInAWindow: {
    means: 'A window has more rows than may be in memory (100000).',
    remedy:
      'Add columns to PARTITION BY, or raise the context parameter maxRowsMaterializedInWindow.',
  },
  TooManyRowsWithSameKey: {
    means:
      'Both sides of a join have so many rows with the same key that they do not fit into memory (10 MB).',
    remedy:
      'Make the key finer, aggregate before joining, or filter out keys without meaning, such as empty texts.',
  },
  TooManySegmentsInTimeChunk: {
    means: 'A time chunk needs more segments than the context parameter maxNumSegments allows.',
    remedy: 'Use a finer PARTITIONED BY, raise rowsPerSegment, or raise maxNumSegments.',
  },
  TooManyWarnings: {
    means: 'More rows were skipped than allowed, mostly because they could not be parsed.',
    remedy:
      'The warnings in the report show some of them. --context maxParseExceptions=N allows more.',
  },
  TooManyWorkers: {
    means: 'The query needs more workers than allowed (1000).',
    remedy: 'Lower maxNumTasks; fewer workers read more input each.',
  },
  UnknownError: {
    means: 'An unexpected error; the message has all known details.',
    remedy: `${log} ${again}`,
  },
  WorkerFailed: {
    means:
      'The process of a worker ended: it ran out of memory, was killed, or its machine failed.',
    remedy: `Read the log of that worker. --context faultTolerance=true restarts it. ${again}`,
  },
  WorkerRpcFailed: {
    means: 'A worker does not answer: check the network and the load of its machine.',
    remedy: `${again} --context faultTolerance=true restarts workers.`,
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
