// Specification of a native batch ingestion (Druid: ingestion/native-batch), parsed and completed.
import { formatInterval } from '../../model/interval.ts';
import type { SpecFields, SpecValues } from '../checks/spec-fields.ts';
import { type DataSchema, parseDataSchema } from './data-schema.ts';
import { type InputFormat, parseInputFormat } from './input-format.ts';
import { type InputSource, parseInputSource } from './input-source.ts';
import { type PartitionsSpec, parsePartitionsSpec } from './partitions-spec.ts';
import { checkUnreadTuning } from './unread-tuning.ts';

export interface IndexSpec {
  readonly dataSchema: DataSchema;
  readonly inputSource: InputSource;
  readonly inputFormat: InputFormat | undefined; // undefined for a datasource
  readonly appendToExisting: boolean;
  readonly dropExisting: boolean;
  readonly partitionsSpec: PartitionsSpec;
  readonly forceGuaranteedRollup: boolean;
  readonly maxParseExceptions: number;
  readonly maxSavedParseExceptions: number;
  readonly logParseExceptions: boolean;
  readonly awaitSegmentAvailabilityTimeoutMillis: number;
}

/**
 * Reads a `spec` of type index or index_parallel; throws a Refusal that names the invalid field.
 */
export function parseIndexSpec(spec: SpecFields): IndexSpec {
  const dataSchema = parseDataSchema(spec.object('dataSchema'));
  const io = spec.object('ioConfig');
  io.type('IOConfig', ['index', 'index_parallel']);
  const tuning = spec.optionalObject('tuningConfig');
  tuning?.type('TuningConfig', ['index', 'index_parallel']);
  if (tuning) checkUnreadTuning(tuning);
  const inputSource = parseInputSource(io.object('inputSource'));
  const inputFormat =
    inputSource.type === 'druid' ? undefined : parseInputFormat(io.object('inputFormat'));
  // A datasource has no format: a given one is only checked
  if (!inputFormat && io.has('inputFormat')) parseInputFormat(io.object('inputFormat'));
  const appendToExisting = io.truth('appendToExisting');
  const dropExisting = io.truth('dropExisting');
  if (appendToExisting && dropExisting)
    io.refuse(
      'Cannot both drop existing segments and append to existing segments. Either dropExisting or appendToExisting should be set to false',
    );
  if (dropExisting && !dataSchema.granularitySpec.intervals)
    io.refuse('dropExisting needs intervals in the granularitySpec');
  const partitionsSpec = parsePartitionsSpec(tuning);
  const forceGuaranteedRollup = tuning?.truth('forceGuaranteedRollup') ?? false;
  if (forceGuaranteedRollup && appendToExisting)
    tuning?.refuse('Perfect rollup cannot be guaranteed when appending to existing dataSources');
  const reportParseExceptions = tuning?.truth('reportParseExceptions') ?? false;
  return {
    dataSchema,
    inputSource,
    inputFormat,
    appendToExisting,
    dropExisting,
    partitionsSpec,
    forceGuaranteedRollup,
    maxParseExceptions: reportParseExceptions
      ? 0
      : (tuning?.integer('maxParseExceptions', unlimited) ?? unlimited),
    maxSavedParseExceptions: reportParseExceptions
      ? 1
      : (tuning?.integer('maxSavedParseExceptions', 0) ?? 0),
    logParseExceptions: tuning?.truth('logParseExceptions') ?? false,
    awaitSegmentAvailabilityTimeoutMillis:
      tuning?.long('awaitSegmentAvailabilityTimeoutMillis', 0) ?? 0,
  };
}

const unlimited = 2_147_483_647;

/** A specification in its stored form, with defaults filled in. */
export const completeIndexSpec = (
  spec: SpecFields,
  { dataSchema, appendToExisting, dropExisting }: IndexSpec,
): SpecValues => ({
  ...spec.values,
  dataSchema: completeDataSchema(spec.object('dataSchema').values, dataSchema),
  ioConfig: { ...spec.object('ioConfig').values, appendToExisting, dropExisting },
  tuningConfig: { type: 'index_parallel', ...object(spec.values.tuningConfig) },
});

/** A dataSchema in its stored form, with the defaults of `parseDataSchema` filled in. */
export const completeDataSchema = (
  given: SpecValues,
  { granularitySpec }: DataSchema,
): SpecValues => ({
  ...given,
  timestampSpec: given.timestampSpec ?? { column: 'timestamp', format: 'auto', missingValue: null },
  dimensionsSpec: given.dimensionsSpec ?? { dimensions: [], dimensionExclusions: [] },
  metricsSpec: given.metricsSpec ?? [],
  granularitySpec: {
    type: 'uniform',
    segmentGranularity: 'DAY',
    queryGranularity: { type: 'none' },
    rollup: granularitySpec.rollup,
    ...object(given.granularitySpec),
    intervals: (granularitySpec.intervals ?? []).map(formatInterval),
  },
  transformSpec: { filter: null, transforms: [], ...object(given.transformSpec) },
});

const object = (value: unknown): SpecValues =>
  typeof value === 'object' && value !== null ? { ...value } : {};
