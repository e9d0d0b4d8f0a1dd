// Refusals of running queries in Druid's words, and the translation of DuckDB's errors.
import { sep } from 'node:path';
import { ownWords, unsupportedWords, unwritableWords } from '../../sql/runtime/own-words.ts';
import { DiskFull } from '../checks/disk-full.ts';
import { Refusal } from '../checks/refusals.ts';

const className = (name: string) => `org.apache.druid.query.${name}`;

/**
 * More queries at once than are let in (Druid: QueryCapacityExceededException, status 429).
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

/** Somebody cancelled the query (Druid: QueryInterruptedException). */
export const queryCancelled = () =>
  new Refusal('canceled', 'Query cancelled', {
    legacy: { code: 'Query cancelled', errorClass: className('QueryInterruptedException') },
  });

/**
 * The query needs more memory, disk or rows than it may have (Druid:
 * ResourceLimitExceededException); `message` says what and what to do.
 */
export const resourceLimitExceeded = (message: string) =>
  new Refusal('invalidInput', message, {
    legacy: {
      code: 'Resource limit exceeded',
      errorClass: className('ResourceLimitExceededException'),
    },
  });

/** Memory, or room on disk for what does not fit into it, was not enough for a query. */
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
 * More queries in each other than DuckDB takes, such as a WITH whose thousand tables are each made
 * of the one before.
 */
const nestedTooDeeply = () =>
  new Refusal(
    'invalidInput',
    'The query is nested too deeply: too many of its parts are made of one another',
  );

/** An error of DuckDB that passes on the refusal of a function to go over a limit. */
export class FunctionLimitExceeded extends Error {}

/**
 * The parts of an error of DuckDB. The lines after the first quote the statement, and cut through
 * its paths. The words are our own when a macro or a function of ours has failed.
 */
export function partsOfError(message: string): {
  readonly kind: string;
  readonly text: string;
  readonly firstLine: string;
  readonly isOwn: boolean;
} {
  const [, kind = 'DuckDB', given = message] = /^([\w ]+?) Error: (.*)/s.exec(message) ?? [];
  const isOwn = given.startsWith(ownWords);
  const text = isOwn ? given.slice(ownWords.length) : given;
  const [firstLine = ''] = text.split('\n');
  return { kind, text, firstLine, isOwn };
}

/** What a query did wrong while it ran: a division by zero, a value that does not fit. */
export const failedAtRunTime = (message: string) =>
  new Refusal('runtimeFailure', message, {
    persona: 'OPERATOR',
    legacy: { code: 'Unknown exception' },
  });

/**
 * The query asks for what the engine does not do, as a row has shown (Druid:
 * QueryUnsupportedException, status 501).
 */
const unsupportedQuery = (message: string) =>
  new Refusal('unsupported', message, {
    legacy: { code: 'Unsupported query', errorClass: className('QueryUnsupportedException') },
  });

/**
 * A value did not fit while a query ran, in DuckDB's words: good for a log and for files that are
 * read, not for the caller of a query.
 */
export class ValueMisfit extends Refusal {
  constructor(message: string) {
    const { category, message: shown, details } = failedAtRunTime(message);
    super(category, shown, details);
  }
}

/** Whether a query was refused for what it did wrong while it ran, as `failedAtRunTime` says it. */
export const isFailedCalculation = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.category === 'runtimeFailure';

/**
 * An error of DuckDB as a refusal; one that the generated SQL should never have caused stays an
 * error, whose text goes to the log and not to the caller. `folders` are taken out of messages:
 * where the service keeps its files is nobody's business. Which of the folders right in
 * `dataFolder` has no room is told.
 */
export function refusalFor(
  error: unknown,
  folders: readonly string[],
  dataFolder: string,
): unknown {
  if (!(error instanceof Error) || error instanceof Refusal || error instanceof EngineError)
    return error;
  const { kind, text, firstLine, isOwn } = partsOfError(error.message);
  const message = folders.reduce((shown, folder) => shown.replaceAll(folder, '...'), firstLine);
  if (error instanceof FunctionLimitExceeded) return resourceLimitExceeded(message);
  if (/max expression depth/i.test(text)) return nestedTooDeeply();
  if (kind === 'IO' && roomless.test(firstLine))
    return new DiskFull(folderIn(firstLine, dataFolder));
  switch (kind) {
    case 'Out of Memory':
      return new OutOfMemory(/max_temp_directory_size/.test(text) ? 'disk' : 'memory');
    case 'Conversion':
    case 'Invalid Input':
    case 'Out of Range':
      if (/^More than one row returned by a subquery/.test(text))
        return failedAtRunTime('Subquery expression returned more than one row');
      if (isOwn && message.startsWith(unsupportedWords))
        return unsupportedQuery(message.slice(unsupportedWords.length));
      if (isOwn && message.startsWith(unwritableWords))
        return new Refusal('invalidInput', message.slice(unwritableWords.length), {
          code: 'general',
        });
      return isOwn ? failedAtRunTime(message) : new ValueMisfit(message);
    case 'Catalog':
      return new MissingFunction(`${kind}: ${message}`, { cause: error });
    default:
      return new EngineError(`${kind}: ${message}`, { cause: error });
  }
}

// The operating system's words for it, at the end of DuckDB's own.
const roomless = /(No space left on device|Disk quota exceeded|File too large)\W*$/;

// The folder right in the data folder; what queries spill is written without a word of where.
const folderIn = (message: string, dataFolder: string) =>
  message.split(dataFolder + sep)[1]?.split(sep)[0] ?? 'spill';

/** A failure of the engine itself: a bug of the service, or its disk. */
export class EngineError extends Error {}

/** A statement calls a function, or reads a table, that a database does not have. */
export class MissingFunction extends EngineError {}
