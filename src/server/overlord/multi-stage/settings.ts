// Context parameters of SQL tasks (Druid: multi-stage-query/reference, "Context parameters";
// MultiStageQueryContext).
import { parseJson } from '../../../model/json.ts';
import { badContextValue, oneOfNames, wrongContextValue } from '../../checks/context-values.ts';
import { Refusal } from '../../checks/refusals.ts';
import { defaultCompression } from '../../engine/segment-file.ts';
import { type JoinAlgorithm, joinAlgorithmIn } from '../../statements/sql-context.ts';
import { lockTypes } from '../../tasks/lock-types.ts';

export interface QuerySettings {
  readonly maxWorkers: number; // concurrent, without the controller
  readonly taskAssignment: 'MAX' | 'AUTO';
  readonly maxInputBytesPerWorker: number; // a target, for AUTO
  readonly maxInputFilesPerWorker: number;
  readonly rowsPerSegment: number;
  readonly rowsPerPage: number; // of an exported file
  readonly rowsInMemory: number; // when a segment is written
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
  readonly indexSpec: EncodingSpec;
  readonly segmentSortOrder: readonly string[];
  readonly forceSegmentSortByTime: boolean;
  readonly skipTypeVerification: readonly string[];
  readonly joinAlgorithm: JoinAlgorithm;
  readonly timeoutMs: number; // 0 means none
}

/**
 * Storage options of segments. Options other than compression have no effect on Parquet; they are
 * stored on request.
 */
export interface EncodingSpec {
  readonly given: Readonly<Record<string, unknown>>;
  readonly compression: 'zstd' | 'lz4_raw' | 'uncompressed';
}

type Context = Readonly<Record<string, unknown>>;

/**
 * Reads the parameters of a context; throws a Refusal for a value of the wrong type or size.
 * Unknown parameters are ignored.
 */
export function settingsIn(context: Context): QuerySettings {
  for (const name of reserved) {
    if (Object.hasOwn(context, name))
      throw new Refusal('invalidInput', `Query context parameter [${name}] is not allowed`);
  }
  for (const [name, { kind }] of Object.entries(withoutEffect)) checkKind(context, name, kind);
  for (const [name, kind] of Object.entries(readElsewhere)) checkKind(context, name, kind);
  const maxNumTasks = integer(context, 'maxNumTasks', integer(context, 'numTasks', 2));
  if (maxNumTasks < 2) {
    throw new Refusal(
      'invalidInput',
      `Context maxNumTasks [${maxNumTasks}] cannot be less than 2, since at least 1 controller and 1 worker is necessary.`,
    );
  }
  const maxNumSegments =
    context.maxNumSegments === undefined || context.maxNumSegments === null
      ? undefined
      : integer(context, 'maxNumSegments', 0);
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
      'Query context parameter [faultTolerance] needs durable storage: remove [durableShuffleStorage], or set it to true.',
    );
  return {
    maxWorkers: maxNumTasks - 1,
    taskAssignment:
      oneOfNames(context, 'taskAssignment', 'WorkerAssignmentStrategy', ['MAX', 'AUTO']) ?? 'MAX',
    maxInputBytesPerWorker: Math.max(
      1,
      integer(context, 'maxInputBytesPerWorker', 512 * 1024 ** 2),
    ),
    maxInputFilesPerWorker: Math.max(1, integer(context, 'maxInputFilesPerWorker', 10_000)),
    rowsPerSegment: Math.max(1, integer(context, 'rowsPerSegment', 3_000_000)),
    rowsPerPage: Math.max(1, integer(context, 'rowsPerPage', 100_000)),
    rowsInMemory: Math.max(
      1,
      integer(context, 'maxRowsInMemory', integer(context, 'rowsInMemory', 122_880)),
    ),
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
    arrayIngestMode:
      oneOfNames(context, 'arrayIngestMode', 'ArrayIngestMode', ['NONE', 'ARRAY', 'MVD']) ??
      'ARRAY',
    indexSpec: indexSpec(context),
    segmentSortOrder: names(context, 'segmentSortOrder'),
    forceSegmentSortByTime: truth(context, 'forceSegmentSortByTime', true),
    skipTypeVerification: names(context, 'skipTypeVerification'),
    joinAlgorithm: joinAlgorithmIn(context),
    timeoutMs: Math.max(0, integer(context, 'timeout', 0, 'long')),
  };
}

// Parameters that the planner passes to the engine, forbidden for others (Druid:
// SqlEngines.validateNoSpecialContextKeys).
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

interface WithoutEffect {
  readonly kind:
    | 'truth'
    | 'integer'
    | { readonly enumeration: string; readonly values: readonly string[] };
  readonly why: string;
}

const oneProcess = 'frames and sorters of machines that exchange rows: one process exchanges none';
const oneEngine = 'threads and stages are divided by DuckDB, for all queries together';

/**
 * Parameters that are accepted and have no effect here. Invalid values are refused nevertheless.
 * Parameters in neither table nor QuerySettings are read elsewhere: `finalizeAggregations`,
 * `groupByEnableMultiValueUnnesting` and `maxRowsMaterializedInWindow` by the translation;
 * `includeSegmentSource`, `selectDestination` and `taskLockType` in files of their own.
 */
const withoutEffect: Readonly<Record<string, WithoutEffect>> = {
  backgroundFetchExternalFiles: {
    kind: 'truth',
    why: 'files are fetched whole before they are read',
  },
  clusterStatisticsMergeMode: {
    kind: { enumeration: 'ClusterStatisticsMergeMode', values: ['SEQUENTIAL', 'PARALLEL', 'AUTO'] },
    why: 'partitions are cut where the rows are, without statistics that would have to be merged',
  },
  composedIntermediateSuperSorterStorageEnabled: { kind: 'truth', why: oneProcess },
  includeAllCounters: {
    kind: 'truth',
    why: 'hides counters from servers that are older than the task; there are none',
  },
  isReindex: { kind: 'truth', why: 'REPLACE is known as such, and what it reads, too' },
  maxConcurrentStages: { kind: 'integer', why: oneEngine },
  maxThreads: { kind: 'integer', why: oneEngine },
  rowBasedFrameType: { kind: 'integer', why: oneProcess },
  sketchEncoding: {
    kind: { enumeration: 'SketchEncoding', values: ['OCTET_STREAM', 'JSON'] },
    why: 'sketches of keys are not sent',
  },
  targetPartitionsPerWorker: { kind: 'integer', why: oneEngine },
  useAutoColumnSchemas: {
    kind: 'truth',
    why: 'columns have the type that the statement says; segments know no other kind',
  },
  windowFunctionOperatorTransformation: {
    kind: 'truth',
    why: 'window functions have one plan only',
  },
};

// Read elsewhere, but validated with the others.
const readElsewhere: Readonly<Record<string, WithoutEffect['kind']>> = {
  finalizeAggregations: 'truth',
  groupByEnableMultiValueUnnesting: 'truth',
  maxRowsMaterializedInWindow: 'integer',
  taskLockType: { enumeration: 'TaskLockType', values: lockTypes },
  useConcurrentLocks: 'truth',
};

function checkKind(context: Context, name: string, kind: WithoutEffect['kind']): void {
  if (kind === 'truth') truth(context, name);
  else if (kind === 'integer') integer(context, name, 0);
  else oneOfNames(context, name, kind.enumeration, kind.values);
}

function integer(
  context: Context,
  name: string,
  defaultValue: number,
  kind: 'integer' | 'long' = 'integer',
): number {
  const value = context[name];
  if (value === undefined || value === null) return defaultValue;
  const number =
    typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value))
      ? Number(value)
      : value;
  if (typeof number !== 'number' || !Number.isInteger(number))
    throw badContextValue(name, kind, value);
  return number;
}

function truth(context: Context, name: string, defaultValue = false): boolean {
  const value = context[name];
  if (value === undefined || value === null) return defaultValue;
  if (value === 'true' || value === 'false') return value === 'true';
  if (typeof value !== 'boolean') throw badContextValue(name, 'boolean', value);
  return value;
}

// Names in CSV or in a JSON text.
function names(context: Context, name: string): readonly string[] {
  const given = context[name];
  if (given === undefined || given === null) return [];
  const value = typeof given === 'string' && /^\s*\[/.test(given) ? parseOrUndefined(given) : given;
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  if (typeof value !== 'string') throw wrongContextValue(name, 'CSV or JSON array', given);
  return [...value.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)]
    .map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain.trim())
    .filter((item) => item !== '');
}

function indexSpec(context: Context): EncodingSpec {
  const given = context.indexSpec;
  if (given === undefined || given === null) return { given: {}, compression: defaultCompression };
  const value = typeof given === 'string' ? parseOrUndefined(given) : given;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrongContextValue('indexSpec', 'an indexSpec', given);
  const spec: Readonly<Record<string, unknown>> = { ...value };
  const compressions = [
    'dimensionCompression',
    'metricCompression',
    'jsonCompression',
    'complexMetricCompression',
  ].flatMap((key) =>
    spec[key] === undefined || spec[key] === null ? [] : [String(spec[key]).toLowerCase()],
  );
  if (compressions.some((compression) => !(compression in parquetCompressions)))
    throw wrongContextValue('indexSpec', 'an indexSpec', given);
  return {
    given: spec,
    compression: parquetCompressions[compressions[0] ?? ''] ?? defaultCompression,
  };
}

const parquetCompressions: Readonly<Record<string, EncodingSpec['compression']>> = {
  lz4: 'lz4_raw',
  lzf: 'lz4_raw',
  zstd: 'zstd',
  uncompressed: 'uncompressed',
  none: 'uncompressed',
};

function parseOrUndefined(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
