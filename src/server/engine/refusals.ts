// Refusals of running queries in Druid's words, and the translation of DuckDB's errors.
import { basename, sep } from 'node:path';
import {
  classWords,
  failureClasses,
  invalidWords,
  ownWords,
  unexpectedWords,
  unsupportedWords,
  unwritableWords,
} from '../../sql/runtime/own-words.ts';
import { DiskFull } from '../checks/disk-full.ts';
import { Refusal } from '../checks/refusals.ts';

const className = (name: string) => `org.apache.druid.query.${name}`;

/**
 * More concurrent queries than allowed (Druid: QueryCapacityExceededException, status 429).
 * `capacity` counts queries.
 */
export const capacityExceeded = (capacity: number) =>
  new Refusal(
    'capacityExceeded',
    `Too many concurrent queries, total query capacity of ${capacity} exceeded. Please try your query again later.`,
    {
      legacy: {
        code: 'Query capacity exceeded',
        errorClass: className('QueryCapacityExceededException'),
      },
    },
  );

/**
 * The query took longer than its context or the service allows (Druid: QueryTimeoutException,
 * status 504).
 */
export const queryTimeout = () =>
  new Refusal('timeout', 'Query timeout', {
    legacy: { code: 'Query timeout', errorClass: className('QueryTimeoutException') },
  });

/** The query was cancelled (Druid: QueryInterruptedException). */
export const queryCancelled = () => cancelledWith('Query cancelled');

/** A session of the segment cache ended, or did not begin, so that a task has its memory. */
export class YieldsToTask extends Error {
  override readonly name = 'YieldsToTask';
}

/** The rows of an unread result were in memory that others needed. */
export const resultNotRead = () =>
  cancelledWith(
    'Query cancelled: its result was not read. Read faster, or ask for fewer results at once.',
  );

const cancelledWith = (message: string) =>
  new Refusal('canceled', message, {
    legacy: { code: 'Query cancelled', errorClass: className('QueryInterruptedException') },
  });

/**
 * The query needs more memory, disk or rows than allowed (Druid: ResourceLimitExceededException);
 * `message` names the resource and the remedy.
 */
export const resourceLimitExceeded = (message: string) =>
  new Refusal('invalidInput', message, {
    legacy: {
      code: 'Resource limit exceeded',
      errorClass: className('ResourceLimitExceededException'),
    },
  });

/** A query ran out of memory, or of room on disk for spilled data. */
export class OutOfMemory extends Refusal {
  readonly lacking: 'memory' | 'disk';
  constructor(lacking: 'memory' | 'disk') {
    const { category, message, details } = resourceLimitExceeded(
      'Not enough memory or disk space for the query. Try a shorter interval, fewer groups, or a larger memory limit of the service.',
    );
    super(category, message, details);
    this.lacking = lacking;
  }
}

/**
 * Deeper nesting than DuckDB accepts, such as a WITH whose thousand tables each read the previous
 * one.
 */
const nestedTooDeeply = () => new Refusal('invalidInput', 'The query is nested too deeply');

/** An error of DuckDB that passes on a function's refusal to exceed a limit. */
export class FunctionLimitExceeded extends Error {}

/**
 * The parts of a DuckDB error. Lines after the first quote the statement and may cut its paths. The
 * message is our own when one of our macros or functions has failed.
 */
export function partsOfError(message: string): {
  readonly kind: string;
  readonly text: string;
  readonly firstLine: string;
  readonly isOwn: boolean;
  readonly errorClass?: string; // of the engine's exception
} {
  const [, kind = 'DuckDB', given = message] = /^([\w ]+?) Error: (.*)/s.exec(message) ?? [];
  const isOwn = given.startsWith(ownWords);
  const own = given.slice(ownWords.length);
  const names = Object.keys(failureClasses) as (keyof typeof failureClasses)[];
  const name = isOwn ? names.find((known) => own.startsWith(classWords(known))) : undefined;
  const text = name ? own.slice(classWords(name).length) : isOwn ? own : given;
  const [firstLine = ''] = text.split('\n');
  return { kind, text, firstLine, isOwn, ...(name && { errorClass: failureClasses[name] }) };
}

/** Whether an error of DuckDB is a fault of its own: its database refuses all later statements. */
export const isFatal = (error: unknown): boolean =>
  error instanceof Error && ['FATAL', 'INTERNAL'].includes(partsOfError(error.message).kind);

/**
 * A query failed at run time: a division by zero, a value out of range. `errorClass` is the class
 * of the exception, if it is known.
 */
export const failedAtRunTime = (message: string, errorClass?: string) =>
  new Refusal('runtimeFailure', message, {
    persona: 'OPERATOR',
    legacy: { code: 'Unknown exception', ...(errorClass !== undefined && { errorClass }) },
  });

// An exception of another kind that a query meets while it runs (Druid: DruidException).
const failedUnexpectedly = (message: string) =>
  new Refusal('uncategorized', message, {
    persona: 'OPERATOR',
    legacy: { code: 'druidException' },
  });

/**
 * A row requires a feature that the engine does not have (Druid: QueryUnsupportedException, status
 * 501).
 */
const unsupportedQuery = (message: string) =>
  new Refusal('unsupported', message, {
    legacy: { code: 'Unsupported query', errorClass: className('QueryUnsupportedException') },
  });

/**
 * A value was out of range at run time, in DuckDB's words: suitable for a log and for input files,
 * not for the caller of a query.
 */
export class ValueMisfit extends Refusal {
  constructor(message: string) {
    const { category, message: shown, details } = failedAtRunTime(message);
    super(category, shown, details);
  }
}

/** Whether a query was refused for a failure at run time, by `failedAtRunTime`. */
export const isFailedCalculation = (error: unknown): error is Refusal =>
  error instanceof Refusal &&
  (error.category === 'runtimeFailure' || error.category === 'uncategorized');

/**
 * Converts an error of DuckDB to a refusal. An error that generated SQL should never cause stays an
 * error: its text goes to the log, not to the caller. `folders` are removed from messages because
 * the file paths of the service are private. Only the name of the full folder directly in
 * `dataFolder` is reported.
 */
export function refusalFor(
  error: unknown,
  folders: readonly string[],
  dataFolder: string,
): unknown {
  if (!(error instanceof Error) || error instanceof Refusal || error instanceof EngineError)
    return error;
  const { kind, text, firstLine, isOwn, errorClass } = partsOfError(error.message);
  // Our own messages name no files
  const message = isOwn
    ? firstLine
    : folders.reduce((shown, folder) => shown.replaceAll(folder, '...'), firstLine);
  if (error instanceof FunctionLimitExceeded) return resourceLimitExceeded(message);
  if (/max expression depth/i.test(text)) return nestedTooDeeply();
  if (!isOwn && longLine.test(text)) return lineTooLong(text);
  if (kind === 'IO' && roomless.test(firstLine))
    return new DiskFull(folderIn(firstLine, dataFolder));
  if (kind === 'IO' && damaged.test(firstLine))
    return new DamagedFile(`${kind}: ${message}`, { cause: error });
  switch (kind) {
    case 'Out of Memory':
      return new OutOfMemory(/max_temp_directory_size/.test(text) ? 'disk' : 'memory');
    case 'Conversion':
    case 'Invalid Input':
    case 'Out of Range':
      if (/^More than one row returned by a subquery/.test(text))
        return failedUnexpectedly('Subquery expression returned more than one row');
      // The bits of distinct numbers are those of a range that the plan knew
      if (/outside of provided min and max range/.test(text))
        return failedAtRunTime('Rows were added while the query was planned. Run the query again.');
      if (isOwn && message.startsWith(unsupportedWords))
        return unsupportedQuery(message.slice(unsupportedWords.length));
      if (isOwn && message.startsWith(unwritableWords))
        return new Refusal('invalidInput', message.slice(unwritableWords.length), {
          code: 'general',
        });
      if (isOwn && message.startsWith(invalidWords))
        return new Refusal('invalidInput', message.slice(invalidWords.length));
      if (isOwn && message.startsWith(unexpectedWords))
        return failedUnexpectedly(message.slice(unexpectedWords.length));
      return isOwn ? failedAtRunTime(message, errorClass) : new ValueMisfit(message);
    case 'Catalog':
      return new MissingFunction(`${kind}: ${message}`, { cause: error });
    default:
      return new EngineError(`${kind}: ${message}`, { cause: error });
  }
}

// DuckDB's reader of texts found a line that is longer than its buffer.
const longLine =
  /Maximum line size of \d+ bytes exceeded|does not support a full read on this file/;

function lineTooLong(text: string): Refusal {
  const [, line] = /CSV Error on Line: (\d+)/.exec(text) ?? [];
  const [, path] = /^\s*file = (.+)$/m.exec(text) ?? [];
  const place = line === undefined ? 'A line' : `Line [${line}]`;
  const file = path === undefined ? 'a file' : `file [${basename(path)}]`;
  return new Refusal('invalidInput', `${place} of ${file} is longer than [${maxLineBytes}] bytes`);
}

/** The longest line of a text file, in bytes. */
export const maxLineBytes = 32 * 1024 ** 2;

// Messages of the operating system, at the end of DuckDB's own.
const roomless = /(No space left on device|Disk quota exceeded|File too large)\W*$/;

// Messages of DuckDB about its own files.
const damaged = /^(Corrupt database file|Could not read enough bytes)/;

// The folder directly in the data folder. Errors about spilled data name no path.
const folderIn = (message: string, dataFolder: string) =>
  message.split(dataFolder + sep)[1]?.split(sep)[0] ?? 'spill';

/** A failure of the engine itself: a bug of the service, or a failing disk. */
export class EngineError extends Error {}

/** A file of DuckDB has other bytes than were written. */
export class DamagedFile extends EngineError {}

/** A statement uses a function or a table that a database does not have. */
export class MissingFunction extends EngineError {}
