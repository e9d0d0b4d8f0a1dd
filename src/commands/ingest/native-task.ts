// The native batch task that stores the same rows as the statement, for services without SQL tasks.
import { UsageError } from '../../cli/process/errors.ts';
import { ServiceError } from '../../client/errors.ts';
import type { TaskPayload } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import type { Guess, GuessedColumn } from './guess-columns.ts';
import type { TimeColumn } from './guess-time.ts';
import { type ExternSource, formatFor, storedColumns, type Target } from './statement.ts';

/** Whether the error says that the service lacks SQL tasks. */
export const lacksSqlTasks = (error: unknown): boolean =>
  error instanceof ServiceError && error.isLacking;

/** The task. Throws UsageError for a choice that only SQL can express. */
export function nativeTaskFor(
  { dataSource, isReplaced, partitionedBy, columns, where }: Target,
  source: ExternSource,
  guess: Guess,
  time: TimeColumn,
): TaskPayload {
  if (where !== undefined) throw onlySql('--where is a condition of SQL', 'omit --where');
  if (isReplaced)
    throw onlySql(
      `a native batch task replaces only the time chunks of the new rows, not all data of [${dataSource}]`,
      `${commandLine`svcctl datasources drop ${dataSource}`}, then the same command without --replace`,
    );
  if (time.format === undefined)
    throw onlySql(`column [${time.column.name}] has nanoseconds`, 'convert it to milliseconds');
  const dimensions = storedColumns(guess, time, columns).map(dimensionOf);
  return {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource,
        timestampSpec: { column: time.column.name, format: time.format },
        // Without any dimension, the service would store all fields.
        dimensionsSpec:
          dimensions.length > 0
            ? { dimensions }
            : { dimensionExclusions: guess.columns.map(({ name }) => name) },
        granularitySpec: {
          segmentGranularity: partitionedBy,
          queryGranularity: 'NONE',
          rollup: false,
        },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: source,
        inputFormat: formatFor(source, guess),
        appendToExisting: true,
      },
      tuningConfig: {
        type: 'index_parallel',
        partitionsSpec: { type: 'dynamic' },
        // As in SQL, the first broken row fails the task, and its report shows the row.
        maxParseExceptions: 0,
        maxSavedParseExceptions: 1,
        logParseExceptions: true,
      },
    },
  };
}

function dimensionOf({ name, type }: GuessedColumn) {
  const native = nativeTypes[type];
  return native.startsWith('ARRAY')
    ? { type: 'auto', name, castToType: native }
    : { type: native, name };
}

const nativeTypes: Readonly<Record<GuessedColumn['type'], string>> = {
  VARCHAR: 'string',
  BIGINT: 'long',
  DOUBLE: 'double',
  FLOAT: 'float',
  'VARCHAR ARRAY': 'ARRAY<STRING>',
  'BIGINT ARRAY': 'ARRAY<LONG>',
  'DOUBLE ARRAY': 'ARRAY<DOUBLE>',
  "TYPE('COMPLEX<json>')": 'json',
};

const onlySql = (reason: string, remedy: string) =>
  new UsageError(`The service has no SQL tasks, and ${reason}`, remedy);
