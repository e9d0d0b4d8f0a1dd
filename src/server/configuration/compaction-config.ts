// Compaction configuration of a datasource, completed as by the real engine (the specification,
// "Automatic compaction configuration"; Druid: InlineSchemaDataSourceCompactionConfig).
import type { CompactionConfig } from '../../contract/compaction.ts';
import { shownGranularity } from '../../model/granularity.ts';
import { InvalidTime } from '../../model/instant.ts';
import { formatInterval, parseInterval } from '../../model/interval.ts';
import { reprintPeriod } from '../../model/period.ts';
import { Refusal } from '../checks/refusals.ts';
import { isObject, SpecFields, type SpecValues } from '../checks/spec-fields.ts';
import { parseDimensionsSpec } from '../ingestion/dimensions.ts';
import { parsePartitionsSpec } from '../ingestion/partitions-spec.ts';
import { filterIn } from '../ingestion/transforms.ts';
import { checkUnreadTuning } from '../ingestion/unread-tuning.ts';
import { checkLockType } from '../tasks/lock-types.ts';
import { unreadableCompactionConfig, unsupportedCompactionEngine } from './refusals.ts';

/**
 * Reads a configuration and fills in defaults. Refuses invalid periods and intervals, unknown
 * granularities, aggregators without a type, and the engine `msq`, which the Coordinator does not
 * have.
 */
export function completeCompactionConfig(given: CompactionConfig): CompactionConfig {
  if (typeof given.engine === 'string' && given.engine.toLowerCase() === 'msq')
    throw unsupportedCompactionEngine();
  try {
    return complete(given);
  } catch (error) {
    if (error instanceof InvalidTime)
      throw unreadableCompactionConfig(
        `Cannot construct instance of a compaction configuration: ${error.message}`,
      );
    throw error instanceof Refusal ? unreadableCompactionConfig(error.message) : error;
  }
}

function complete(given: CompactionConfig): CompactionConfig {
  const fields = new SpecFields(given, '');
  const engine = fields.optionalText('engine')?.toLowerCase();
  checkLockType(given.taskContext);
  if (engine !== undefined && engine !== 'native')
    fields.refuse(`engine [${engine}] is not one of [native, msq]`);
  return {
    type: given.type === 'catalog' ? 'catalog' : 'inline',
    dataSource: given.dataSource,
    taskPriority: given.taskPriority ?? 25,
    inputSegmentSizeBytes: given.inputSegmentSizeBytes ?? 100_000_000_000_000,
    maxRowsPerSegment: given.maxRowsPerSegment ?? null,
    skipOffsetFromLatest: reprintPeriod(given.skipOffsetFromLatest || 'P1D'),
    skipIntervals: (given.skipIntervals ?? []).map((text) => formatInterval(parseInterval(text))),
    tuningConfig: given.tuningConfig ? completeTuning(fields.object('tuningConfig')) : null,
    granularitySpec: given.granularitySpec
      ? completeGranularities(fields.object('granularitySpec'))
      : null,
    dimensionsSpec: given.dimensionsSpec
      ? completeDimensions(fields.object('dimensionsSpec'))
      : null,
    metricsSpec: given.metricsSpec ? fields.objects('metricsSpec').map(checkAggregator) : null,
    transformSpec: given.transformSpec
      ? { ...given.transformSpec, filter: filterIn(fields.object('transformSpec')) ?? null }
      : null,
    baseTable: given.baseTable ?? null,
    projections: given.projections ?? null,
    ioConfig: given.ioConfig
      ? { dropExisting: optionalTruth(fields.object('ioConfig'), 'dropExisting') ?? null }
      : null,
    engine: engine ?? null,
    taskContext: given.taskContext ?? null,
  };
}

/**
 * The partitioning of a configuration, in the form its tasks use; 5 million rows per segment by
 * default.
 */
export const wantedPartitions = ({
  tuningConfig,
  maxRowsPerSegment,
}: CompactionConfig): SpecValues =>
  comparablePartitions(tuningConfig?.partitionsSpec ?? { type: 'dynamic', maxRowsPerSegment });

/** A partitionsSpec in a normal form, for comparing configurations with segments. */
export function comparablePartitions(given: unknown): SpecValues {
  const spec = completePartitions(isObject(given) ? given : {});
  return spec.type === 'dynamic'
    ? { ...spec, maxTotalRows: spec.maxTotalRows ?? 9_223_372_036_854_775_807n }
    : spec;
}

const completeTuning = (fields: SpecFields): SpecValues => {
  const { values: given } = fields;
  checkUnreadTuning(fields);
  const partitionsSpec = isObject(given.partitionsSpec)
    ? completePartitions(given.partitionsSpec)
    : null;
  if (partitionsSpec) refuseUnreadable(partitionsSpec, fields);
  return {
    ...Object.fromEntries(tuningFields.map((name) => [name, given[name] ?? null])),
    partitionsSpec,
    type: 'index_parallel',
    forceGuaranteedRollup: partitionsSpec !== null && partitionsSpec.type !== 'dynamic',
  };
};

// Refuses what tasks refuse, except for single_dim without its dimension, which the engine stores.
function refuseUnreadable({ type, partitionDimension }: SpecValues, tuning: SpecFields): void {
  if (type === 'single_dim' && partitionDimension === null) return;
  const partitionsSpec = { ...tuning.object('partitionsSpec').values, type };
  const forceGuaranteedRollup = type !== 'dynamic';
  parsePartitionsSpec(new SpecFields({ partitionsSpec, forceGuaranteedRollup }, tuning.path));
}

const tuningFields = [
  'maxRowsInMemory',
  'appendableIndexSpec',
  'maxBytesInMemory',
  'maxTotalRows',
  'splitHintSpec',
  'partitionsSpec',
  'indexSpec',
  'indexSpecForIntermediatePersists',
  'maxPendingPersists',
  'pushTimeout',
  'segmentWriteOutMediumFactory',
  'maxNumConcurrentSubTasks',
  'maxRetry',
  'taskStatusCheckPeriodMs',
  'chatHandlerTimeout',
  'chatHandlerNumRetries',
  'maxNumSegmentsToMerge',
  'totalNumMergeTasks',
  'maxColumnsToMerge',
];

// An unknown type is read as `hashed` (Druid: PartitionsSpec).
function completePartitions(given: SpecValues): SpecValues {
  const { targetRowsPerSegment = null, maxRowsPerSegment = null, assumeGrouped = false } = given;
  switch (given.type) {
    case 'dynamic':
      return {
        type: 'dynamic',
        maxRowsPerSegment: maxRowsPerSegment ?? 5_000_000,
        maxTotalRows: given.maxTotalRows ?? null,
      };
    case 'range': {
      const { partitionDimensions = [] } = given;
      return {
        type: 'range',
        targetRowsPerSegment,
        maxRowsPerSegment,
        partitionDimensions,
        assumeGrouped,
      };
    }
    case 'single_dim':
    case 'dimension': {
      const { partitionDimension = null } = given;
      return {
        type: 'single_dim',
        targetRowsPerSegment,
        maxRowsPerSegment,
        partitionDimension,
        assumeGrouped,
      };
    }
    default: {
      const numShards = given.numShards ?? null;
      return {
        type: 'hashed',
        numShards,
        partitionDimensions: given.partitionDimensions ?? [],
        partitionFunction: given.partitionFunction ?? 'murmur3_32_abs',
        maxRowsPerSegment:
          numShards === null ? (targetRowsPerSegment ?? maxRowsPerSegment ?? 5_000_000) : null,
      };
    }
  }
}

function completeGranularities(fields: SpecFields): SpecValues {
  const { segmentGranularity, queryGranularity } = fields.values;
  const rollup = optionalTruth(fields, 'rollup');
  return {
    ...(present(segmentGranularity) && {
      segmentGranularity: shownGranularity(segmentGranularity),
    }),
    ...(present(queryGranularity) && { queryGranularity: shownGranularity(queryGranularity) }),
    ...(rollup !== undefined && { rollup }),
  };
}

const optionalTruth = (fields: SpecFields, name: string): boolean | undefined =>
  fields.has(name) ? fields.truth(name) : undefined;

const completeDimensions = (fields: SpecFields): SpecValues => ({
  dimensions: parseDimensionsSpec(fields).dimensions.map(
    ({ type, name, multiValueHandling, castToType, dims }) => ({
      type,
      name,
      multiValueHandling,
      createBitmapIndex: !['long', 'double', 'float'].includes(type),
      ...(castToType !== undefined && { castToType }),
      ...(dims !== undefined && { dims }),
    }),
  ),
});

function checkAggregator(fields: SpecFields): SpecValues {
  const type = fields.text('type');
  if (!aggregator.test(type))
    fields.refuse(`Could not resolve type id [${type}] as a subtype of [AggregatorFactory]`);
  fields.text('name');
  return fields.values;
}

// Aggregators of the real engine, including those of its sketches (Druid: querying/aggregations).
const aggregator =
  /^(count|filtered|grouping|cardinality|hyperUnique|histogram|javascript|expression|singleValue|(long|double|float)(Sum|Min|Max|First|Last|Any|Mean)|string(First|Last|Any)(Fold)?|(theta|quantilesDoubles|arrayOfDoubles|kllDoubles|kllFloats|tDigest)Sketch\w*|HLLSketch(Build|Merge)|variance(Fold)?|approxHistogram(Fold)?|fixedBucketsHistogram|bloom|momentSketch\w*|timeM(in|ax)|passthrough|ddSketch|spectator\w*)$/;

const present = (value: unknown) => value !== undefined && value !== null;
