// The context parameters of SQL tasks (Druid: multi-stage-query/reference, "Context parameters"; MultiStageQueryContext).
import { parseJson } from '../../../model/json.ts';
import { badContextValue } from '../../broker/sql-refusals.ts';
import { oneOfNames } from '../../broker/sql-request.ts';
import { Refusal } from '../../refusals.ts';

export interface QuerySettings {
  readonly maxWorkers: number; // at once, beside the controller
  readonly taskAssignment: 'MAX' | 'AUTO';
  readonly maxInputBytesPerWorker: number; // a wish, for AUTO
  readonly maxInputFilesPerWorker: number;
  readonly rowsPerSegment: number;
  readonly rowsPerPage: number; // of an exported file
  readonly rowsInMemory: number; // written at once to a segment
  readonly maxNumSegments: number | undefined; // of one time chunk
  readonly maxParseExceptions: number; // -1: any number
  readonly maxVerboseParseExceptions: number; // described in the report
  readonly maxPartitions: number;
  readonly maxFrameBytes: number; // of one row
  readonly faultTolerance: boolean;
  readonly failOnEmptyInsert: boolean;
  readonly waitUntilSegmentsLoad: boolean;
  readonly storeCompactionState: boolean;
  readonly removeNullBytes: boolean;
  readonly arrayIngestMode: 'NONE' | 'ARRAY' | 'MVD';
  readonly indexSpec: IndexSpec;
  readonly segmentSortOrder: readonly string[];
  readonly forceSegmentSortByTime: boolean;
  readonly skipTypeVerification: readonly string[];
  readonly timeoutMs: number; // 0 is none
}

/** How segments are to be stored. What is not about compression means nothing to Parquet; it is kept where it is asked for. */
export interface IndexSpec {
  readonly given: Readonly<Record<string, unknown>>;
  readonly compression: 'zstd' | 'lz4_raw' | 'uncompressed';
}

type Context = Readonly<Record<string, unknown>>;

/** Reads the parameters of a context; throws a Refusal for one of the wrong kind or size. Unknown ones are nobody's business. */
export function settingsIn(context: Context): QuerySettings {
  for (const name of reserved) {
    if (Object.hasOwn(context, name)) throw new Refusal('invalidInput', `Query context parameter [${name}] is not allowed`);
  }
  for (const name of truths) truth(context, name);
  for (const name of integers) integer(context, name, 0);
  for (const [name, { values, type }] of Object.entries(enumerations)) oneOfNames(context, name, type, values);
  const maxNumTasks = integer(context, 'maxNumTasks', integer(context, 'numTasks', 2));
  if (maxNumTasks < 2) {
    throw new Refusal(
      'invalidInput',
      `Context maxNumTasks [${maxNumTasks}] cannot be less than 2, since at least 1 controller and 1 worker is necessary.`,
    );
  }
  const maxNumSegments =
    context.maxNumSegments === undefined || context.maxNumSegments === null ? undefined : integer(context, 'maxNumSegments', 0);
  if (maxNumSegments !== undefined && maxNumSegments < 1)
    throw new Refusal(
      'invalidInput',
      `Context maxNumSegments [${maxNumSegments}] cannot be less than 1: every time chunk needs a segment.`,
    );
  const nonStrict = context.mode === 'nonStrict';
  const durableShuffleStorage = truth(context, 'durableShuffleStorage', true);
  const faultTolerance = truth(context, 'faultTolerance');
  if (faultTolerance && !durableShuffleStorage)
    throw new Refusal(
      'invalidInput',
      'Context faultTolerance [true] needs durable storage: leave out [durableShuffleStorage], or set it to true.',
    );
  return {
    maxWorkers: maxNumTasks - 1,
    taskAssignment: oneOfNames(context, 'taskAssignment', 'WorkerAssignmentStrategy', ['MAX', 'AUTO']) ?? 'MAX',
    maxInputBytesPerWorker: Math.max(1, integer(context, 'maxInputBytesPerWorker', 512 * 1024 ** 2)),
    maxInputFilesPerWorker: Math.max(1, integer(context, 'maxInputFilesPerWorker', 10_000)),
    rowsPerSegment: Math.max(1, integer(context, 'rowsPerSegment', 3_000_000)),
    rowsPerPage: Math.max(1, integer(context, 'rowsPerPage', 100_000)),
    rowsInMemory: Math.max(1, integer(context, 'maxRowsInMemory', integer(context, 'rowsInMemory', 122_880))),
    maxNumSegments,
    maxParseExceptions: integer(context, 'maxParseExceptions', nonStrict ? -1 : 0),
    maxVerboseParseExceptions: Math.max(0, integer(context, 'maxVerboseParseExceptions', 5)),
    maxPartitions: integer(context, 'maxPartitions', 25_000),
    maxFrameBytes: integer(context, 'maxFrameSize', 1_000_000),
    faultTolerance,
    failOnEmptyInsert: truth(context, 'failOnEmptyInsert'),
    waitUntilSegmentsLoad: truth(context, 'waitUntilSegmentsLoad'),
    storeCompactionState: truth(context, 'storeCompactionState'),
    removeNullBytes: truth(context, 'removeNullBytes'),
    arrayIngestMode: oneOfNames(context, 'arrayIngestMode', 'ArrayIngestMode', ['NONE', 'ARRAY', 'MVD']) ?? 'ARRAY',
    indexSpec: indexSpec(context),
    segmentSortOrder: names(context, 'segmentSortOrder'),
    forceSegmentSortByTime: truth(context, 'forceSegmentSortByTime', true),
    skipTypeVerification: names(context, 'skipTypeVerification'),
    timeoutMs: Math.max(0, integer(context, 'timeout', 0, 'long')),
  };
}

// What the planner says to the engine through the context, and nobody else may (Druid: SqlEngines.validateNoSpecialContextKeys).
const reserved = [
  'sqlInsertSegmentGranularity',
  'sqlReplaceTimeChunks',
  'maxTimeArrayOutputName',
  'timestampResultField',
  'timestampResultFieldGranularity',
  'timestampResultFieldInOriginalDimensions',
  'scanSignature',
  '__timeColumn',
];

// How the work is spread over machines and threads is not for one process to follow, but a wrong value is wrong anywhere.
const truths = [
  'finalizeAggregations',
  'composedIntermediateSuperSorterStorageEnabled',
  'useAutoColumnSchemas',
  'includeAllCounters',
  'useConcurrentLocks',
  'isReindex',
  'windowFunctionOperatorTransformation',
  'backgroundFetchExternalFiles',
];
const integers = ['maxConcurrentStages', 'targetPartitionsPerWorker', 'maxRowsMaterializedInWindow', 'maxThreads', 'rowBasedFrameType'];
const enumerations = {
  clusterStatisticsMergeMode: { values: ['SEQUENTIAL', 'PARALLEL', 'AUTO'], type: 'ClusterStatisticsMergeMode' },
  sketchEncoding: { values: ['OCTET_STREAM', 'JSON'], type: 'SketchEncoding' },
  taskLockType: { values: ['EXCLUSIVE', 'SHARED', 'REPLACE', 'APPEND'], type: 'TaskLockType' },
  sqlJoinAlgorithm: { values: ['BROADCAST', 'SORTMERGE'], type: 'JoinAlgorithm' },
};

function integer(context: Context, name: string, usual: number, kind: 'integer' | 'long' = 'integer'): number {
  const value = context[name];
  if (value === undefined || value === null) return usual;
  const number = typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value)) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw badContextValue(name, kind, value);
  return number;
}

function truth(context: Context, name: string, usual = false): boolean {
  const value = context[name];
  if (value === undefined || value === null) return usual;
  if (value === 'true' || value === 'false') return value === 'true';
  if (typeof value !== 'boolean') throw badContextValue(name, 'boolean', value);
  return value;
}

// Names, as CSV or as JSON in a text.
function names(context: Context, name: string): readonly string[] {
  const given = context[name];
  if (given === undefined || given === null) return [];
  const value = typeof given === 'string' && /^\s*\[/.test(given) ? parsed(given) : given;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  if (typeof value !== 'string') throw wrongContextValue(name, 'CSV or JSON array', given);
  return [...value.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)]
    .map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim())
    .filter((item) => item !== '');
}

function indexSpec(context: Context): IndexSpec {
  const given = context.indexSpec;
  if (given === undefined || given === null) return { given: {}, compression: 'zstd' };
  const value = typeof given === 'string' ? parsed(given) : given;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrongContextValue('indexSpec', 'an indexSpec', given);
  const spec: Readonly<Record<string, unknown>> = { ...value };
  const compressions = ['dimensionCompression', 'metricCompression', 'jsonCompression', 'complexMetricCompression'].flatMap((key) =>
    spec[key] === undefined || spec[key] === null ? [] : [String(spec[key]).toLowerCase()],
  );
  if (compressions.some((compression) => !(compression in parquetCompressions)))
    throw wrongContextValue('indexSpec', 'an indexSpec', given);
  return { given: spec, compression: parquetCompressions[compressions[0] ?? 'zstd'] ?? 'zstd' };
}

const parquetCompressions: Readonly<Record<string, IndexSpec['compression']>> = {
  lz4: 'lz4_raw',
  lzf: 'lz4_raw',
  zstd: 'zstd',
  uncompressed: 'uncompressed',
  none: 'uncompressed',
};

const wrongContextValue = (key: string, expected: string, value: unknown) =>
  new Refusal(
    'invalidInput',
    `Expected key [${key}] to be ${expected}, but got [${typeof value === 'object' ? JSON.stringify(value) : String(value)}]`,
    {
      legacy: { code: 'Query context parse failed', errorClass: 'org.apache.druid.query.BadQueryContextException' },
    },
  );

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
