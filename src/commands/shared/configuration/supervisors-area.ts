import { UsageError } from '../../../cli/process/errors.ts';
import { check } from '../../../contract/schema.ts';
import { type SupervisorSpec, supervisors } from '../../../contract/supervisors.ts';
import { isObject, withoutNulls } from '../../../model/difference.ts';
import type { Area } from './area.ts';
import { fillIn } from './filled-in.ts';
import { withPeriods } from './periods.ts';

/**
 * Streaming supervisors by id. Supervisors that the service derives from a compaction configuration
 * are left out.
 */
export const supervisorsArea: Area = {
  name: 'supervisors',
  endpoints: [supervisors.list],
  writes: [supervisors.submit, supervisors.terminate],
  read: async ({ call }) => {
    const all = await call(supervisors.list, { query: { full: true } });
    const known = all.flatMap((supervisor) =>
      typeof supervisor === 'string' || !supervisor.spec
        ? []
        : [[supervisor.id, supervisor.spec] as const],
    );
    return new Map(known.filter(([, { type }]) => type !== 'autocompact'));
  },
  schema: () => supervisors.submit.body,
  normal: (document, name) => {
    const { id: _, ...spec } = withoutNulls(document) as SupervisorSpec;
    const filled = fillIn(spec, {
      suspended: false,
      ...(spec.type === 'kafka' && { spec: defaultKafka }),
    });
    return withPeriods({ ...withOneName(filled), id: name });
  },
  check: (document, name) => {
    const spec = check(supervisors.submit.body, document);
    const id = idIn(spec);
    if (id !== undefined && id !== name)
      throw new UsageError(
        `the specification is that of supervisor [${id}], the file is named after [${name}]`,
        'give both the same name',
      );
  },
  set: async ({ call }, _, { document }) => {
    await call(supervisors.submit, {
      body: check(supervisors.submit.body, document),
      query: { skipRestartIfUnmodified: true },
    });
  },
  remove: async ({ call }, supervisorId) => {
    await call(supervisors.terminate, { params: { supervisorId } });
  },
  isLostWhenRemoved: true,
};

function idIn({ id, spec }: SupervisorSpec): string | undefined {
  if (typeof id === 'string') return id;
  const dataSource = spec?.dataSchema?.dataSource;
  return typeof dataSource === 'string' ? dataSource : undefined;
}

// The service repeats the topic and the start position under the names that all kinds of streams
// share.
function withOneName(document: unknown): object {
  if (!isObject(document)) return {};
  const { spec } = document;
  if (!isObject(spec) || !isObject(spec.ioConfig)) return document;
  const { stream: _, useEarliestSequenceNumber: __, type: ___, ...ioConfig } = spec.ioConfig;
  return {
    ...document,
    spec: { ...spec, ...withGranularity(spec), ioConfig: withScaling(ioConfig) },
  };
}

// An autoscaling supervisor sets the number of its tasks itself.
function withScaling({ taskCount, ...ioConfig }: Readonly<Record<string, unknown>>): object {
  const { autoScalerConfig } = ioConfig;
  if (!isObject(autoScalerConfig)) return { taskCount, ...ioConfig };
  const isOn =
    autoScalerConfig.enableTaskAutoScaler === true ||
    autoScalerConfig.enableTaskAutoScaler === 'true';
  const scaling = { ...defaultScaling, ...autoScalerConfig };
  // Without scaling, the service ignores the bounds.
  return {
    ...ioConfig,
    ...(isOn
      ? { autoScalerConfig: scaling }
      : { taskCount, autoScalerConfig: { ...scaling, taskCountMax: 0, taskCountMin: 0 } }),
  };
}

// NONE and {"type": "none"} are the same granularity.
function withGranularity({ dataSchema }: Readonly<Record<string, unknown>>): object {
  if (!isObject(dataSchema) || !isObject(dataSchema.granularitySpec)) return {};
  const { queryGranularity } = dataSchema.granularitySpec;
  if (typeof queryGranularity !== 'string') return {};
  const granularitySpec = {
    ...dataSchema.granularitySpec,
    queryGranularity: { type: queryGranularity.toLowerCase() },
  };
  return { dataSchema: { ...dataSchema, granularitySpec } };
}

// Druid, "Supervisor": autoScalerConfig.
const defaultScaling = {
  enableTaskAutoScaler: false,
  autoScalerStrategy: 'lagBased',
  minTriggerScaleActionFrequencyMillis: 600_000,
  lagCollectionIntervalMillis: 30_000,
  lagCollectionRangeMillis: 600_000,
  scaleOutThreshold: 6_000_000,
  triggerScaleOutFractionThreshold: 0.3,
  scaleInThreshold: 1_000_000,
  triggerScaleInFractionThreshold: 0.9,
  scaleActionStartDelayMillis: 300_000,
  scaleActionPeriodMillis: 60_000,
  scaleInStep: 1,
  scaleOutStep: 2,
};

// Druid, "Supervisor API" and "Apache Kafka ingestion": default values of a specification.
const defaultKafka = {
  dataSchema: {
    granularitySpec: {
      type: 'uniform',
      segmentGranularity: 'DAY',
      queryGranularity: { type: 'none' },
      rollup: true,
      intervals: [],
    },
    metricsSpec: [],
    transformSpec: { transforms: [] },
  },
  ioConfig: {
    replicas: 1,
    taskCount: 1,
    taskDuration: 'PT1H',
    lagAggregator: { type: 'default' },
    pollTimeout: 100,
    startDelay: 'PT5S',
    period: 'PT30S',
    useEarliestOffset: false,
    completionTimeout: 'PT30M',
    emitTimeLagMetrics: false,
  },
  tuningConfig: {
    type: 'kafka',
    maxRowsInMemory: 150_000,
    maxBytesInMemory: 0,
    maxRowsPerSegment: 5_000_000,
    maxPendingPersists: 0,
    handoffConditionTimeout: 900_000,
    chatRetries: 8,
    maxParseExceptions: 2_147_483_647,
    maxSavedParseExceptions: 0,
    numPersistThreads: 1,
    maxColumnsToMerge: -1,
    skipBytesInMemoryOverheadCheck: false,
    reportParseExceptions: false,
    resetOffsetAutomatically: false,
    logParseExceptions: false,
    skipSequenceNumberAvailabilityCheck: false,
    releaseLocksOnHandoff: false,
    intermediatePersistPeriod: 'PT10M',
    httpTimeout: 'PT10S',
    shutdownTimeout: 'PT80S',
    offsetFetchPeriod: 'PT30S',
    intermediateHandoffPeriod: 'P2147483647D',
    repartitionTransitionDuration: 'PT2M',
    appendableIndexSpec: { type: 'onheap', preserveExistingMetrics: false },
    indexSpec: {},
    indexSpecForIntermediatePersists: {},
  },
};
