// Every field of a specification: missing, of every wrong type, and beside fields that nobody
// knows.
import { expect, test } from 'vitest';
import { Refusal } from '../../../../src/server/checks/refusals.ts';
import { parseSupervisorSpec } from '../../../../src/server/overlord/supervisors/spec.ts';
import { streamSpec } from '../../../support/supervisors.ts';

const wrong = {
  text: [{}, []],
  integer: ['many', '1.5', true, {}, [], 1e30],
  truth: ['maybe', 1.5, {}, []],
  duration: ['soon', 'P1Q', 1.5, true, {}, []],
  object: ['text', 5, true, []],
  list: ['text', 5, true, {}],
} as const;
type Kind = keyof typeof wrong;

const fields: Readonly<Record<string, Readonly<Partial<Record<Kind, readonly string[]>>>>> = {
  '': { text: ['id', 'type'], truth: ['suspended'], object: ['spec', 'context'] },
  spec: { object: ['dataSchema', 'ioConfig', 'tuningConfig'] },
  'spec.dataSchema': {
    text: ['dataSource'],
    object: ['timestampSpec', 'dimensionsSpec', 'granularitySpec', 'transformSpec'],
    list: ['metricsSpec'],
  },
  'spec.ioConfig': {
    text: ['topic', 'lateMessageRejectionStartDateTime'],
    integer: ['taskCount', 'replicas', 'pollTimeout', 'stopTaskCount'],
    truth: ['useEarliestOffset', 'emitTimeLagMetrics'],
    duration: [
      'taskDuration',
      'startDelay',
      'period',
      'completionTimeout',
      'lateMessageRejectionPeriod',
      'earlyMessageRejectionPeriod',
    ],
    object: [
      'consumerProperties',
      'inputFormat',
      'autoScalerConfig',
      'idleConfig',
      'configOverrides',
      'lagAggregator',
      'serverPriorityToReplicas',
      'boundedStreamConfig',
    ],
  },
  'spec.ioConfig.idleConfig': { integer: ['inactiveAfterMillis'], truth: ['enabled'] },
  'spec.ioConfig.autoScalerConfig': {
    integer: [
      'taskCountMax',
      'taskCountMin',
      'taskCountStart',
      'minTriggerScaleActionFrequencyMillis',
      'lagCollectionIntervalMillis',
      'lagCollectionRangeMillis',
      'scaleActionStartDelayMillis',
      'scaleActionPeriodMillis',
      'scaleOutThreshold',
      'scaleInThreshold',
      'scaleInStep',
      'scaleOutStep',
    ],
    truth: ['enableTaskAutoScaler'],
    text: [
      'autoScalerStrategy',
      'lagAggregate',
      'triggerScaleOutFractionThreshold',
      'triggerScaleInFractionThreshold',
      'stopTaskCountRatio',
    ],
  },
  'spec.tuningConfig': {
    integer: [
      'maxRowsInMemory',
      'maxBytesInMemory',
      'maxRowsPerSegment',
      'maxTotalRows',
      'maxPendingPersists',
      'handoffConditionTimeout',
      'workerThreads',
      'chatRetries',
      'maxParseExceptions',
      'maxSavedParseExceptions',
      'numPersistThreads',
      'maxColumnsToMerge',
    ],
    truth: [
      'skipBytesInMemoryOverheadCheck',
      'reportParseExceptions',
      'resetOffsetAutomatically',
      'logParseExceptions',
      'skipSequenceNumberAvailabilityCheck',
      'releaseLocksOnHandoff',
    ],
    duration: [
      'intermediatePersistPeriod',
      'httpTimeout',
      'shutdownTimeout',
      'offsetFetchPeriod',
      'intermediateHandoffPeriod',
      'repartitionTransitionDuration',
    ],
    object: [
      'appendableIndexSpec',
      'indexSpec',
      'indexSpecForIntermediatePersists',
      'segmentWriteOutMediumFactory',
    ],
  },
};

const required = new Set([
  'type',
  'spec',
  'dataSchema',
  'ioConfig',
  'dataSource',
  'timestampSpec',
  'topic',
  'consumerProperties',
]);

type Node = Record<string, unknown>;

/** A specification with all the objects that have fields of their own. */
const whole = (): Node =>
  structuredClone(
    streamSpec({
      ioConfig: {
        idleConfig: { enabled: true, inactiveAfterMillis: 1000 },
        autoScalerConfig: { enableTaskAutoScaler: true, taskCountMax: 4, taskCountMin: 1 },
      },
    }),
  );

/** The same with one field changed; undefined takes it away. */
function changed(path: string, name: string, value: unknown): Node {
  const spec = whole();
  let node = spec;
  for (const step of path === '' ? [] : path.split('.')) node = node[step] as Node;
  if (value === undefined) delete node[name];
  else node[name] = value;
  return spec;
}

function refusalOf(spec: Node): string | undefined {
  try {
    parseSupervisorSpec(spec);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal && error.category === 'invalidInput') return error.message;
    throw error;
  }
}

const all = Object.entries(fields).flatMap(([path, kinds]) =>
  (Object.entries(kinds) as [Kind, readonly string[]][]).flatMap(([kind, names]) =>
    names.map((name) => [path, name, kind] as const),
  ),
);

test('the specification that is changed is a good one', () =>
  expect(refusalOf(whole())).toBeUndefined());

test.each(all)(
  'in [%s], [%s] of another type than %s is refused, and the refusal names it',
  (path, name, kind) => {
    const said = wrong[kind].map((value) => ({
      value,
      refusal: refusalOf(changed(path, name, value)),
    }));
    expect(
      said.filter(({ refusal }) => !refusal?.includes(name === 'type' ? 'type' : name)),
    ).toEqual([]);
  },
);

test.each(all)(
  'in [%s], [%s] may be missing or null, unless nothing can be done without it',
  (path, name) => {
    const said = [undefined, null].map((value) => refusalOf(changed(path, name, value)));
    // What scaling is on for has to say between which numbers.
    const isNeeded = required.has(name) || ['taskCountMax', 'taskCountMin'].includes(name);
    if (isNeeded) {
      expect(
        said.every(
          (refusal) => refusal !== undefined && (refusal.includes(name) || name === 'spec'),
        ),
      ).toBe(true);
    } else expect(said).toEqual([undefined, undefined]);
  },
);

test.each(Object.keys(fields))('in [%s], a field that nobody knows is passed over', (path) => {
  expect(refusalOf(changed(path, 'nonsense', { deep: [1] }))).toBeUndefined();
});

test.each([
  [{ type: 'avro_stream' }, 'avro_stream'],
  [{}, 'type'],
  [{ type: 'kafka' }, 'valueFormat'],
  [{ type: 'kafka', valueFormat: { type: 'parquet' } }, 'parquet'],
  [
    { type: 'kafka', valueFormat: { type: 'json' }, keyFormat: { type: 'parquet' } },
    'Key format [parquet]',
  ],
  [
    { type: 'kafka', valueFormat: { type: 'json' }, headerFormat: { type: 'avro' } },
    'KafkaHeaderFormat',
  ],
  [
    {
      type: 'kafka',
      valueFormat: { type: 'json' },
      headerFormat: { type: 'string', encoding: 'klingon' },
    },
    'klingon',
  ],
])('the format %j is refused before any task reads it', (inputFormat, words) => {
  expect(refusalOf(changed('spec.ioConfig', 'inputFormat', inputFormat))).toContain(words);
});

test.each([
  [{ autoScalerStrategy: 'magic' }, 'autoScalerStrategy [magic] is not known'],
  [{ autoScalerStrategy: 'costBased' }, 'autoScalerStrategy [costBased] is not supported'],
  [
    { enableTaskAutoScaler: false, autoScalerStrategy: 'costBased' },
    'autoScalerStrategy [costBased] is not supported',
  ],
  [{ taskCountMin: 0 }, 'taskCountMin[0]'],
  [{ taskCountMax: 1, taskCountMin: 2 }, 'taskCountMax can not be lower than taskCountMin'],
  [{ taskCountStart: 5 }, 'taskCountStart[5] must lie between taskCountMin[1] and taskCountMax[4]'],
  [{ lagCollectionIntervalMillis: 0 }, 'lagCollectionIntervalMillis[0] must be at least [1]'],
  [{ lagCollectionIntervalMillis: 1 }, 'lagCollectionRangeMillis spans [600001] intervals'],
  [{ scaleActionPeriodMillis: 0 }, 'scaleActionPeriodMillis[0]'],
  [{ scaleOutStep: -1 }, 'scaleOutStep[-1]'],
  [
    { triggerScaleOutFractionThreshold: 30 },
    'triggerScaleOutFractionThreshold[30] must be a number from 0 to 1',
  ],
  [{ triggerScaleInFractionThreshold: 'often' }, 'triggerScaleInFractionThreshold[often]'],
  [{ stopTaskCountRatio: 0 }, 'stopTaskCountRatio[0]'],
  [{ lagAggregate: 'MEDIAN' }, 'lagAggregate [MEDIAN] is not known; known are [SUM, MAX, AVERAGE]'],
])('the autoScalerConfig with %j is refused', (fields, words) => {
  const autoScalerConfig = {
    enableTaskAutoScaler: true,
    taskCountMax: 4,
    taskCountMin: 1,
    ...fields,
  };
  expect(refusalOf(changed('spec.ioConfig', 'autoScalerConfig', autoScalerConfig))).toContain(
    words,
  );
});

test('periods may be whole numbers of milliseconds; durations are shown in seconds', () => {
  const shown = (path: string, name: string, value: unknown) => {
    const [, part = ''] = path.split('.');
    const { stored } = parseSupervisorSpec(changed(path, name, value));
    return ((stored.spec as Node)[part] as Node)[name];
  };
  expect(shown('spec.ioConfig', 'taskDuration', 5000)).toBe('PT5S');
  expect(shown('spec.ioConfig', 'startDelay', 'PT3M')).toBe('PT180S');
  expect(shown('spec.ioConfig', 'period', 1500)).toBe('PT1.500S');
  expect(shown('spec.ioConfig', 'period', '')).toBe('PT30S');
  expect(shown('spec.tuningConfig', 'offsetFetchPeriod', 'PT90M')).toBe('PT5400S');
  expect(shown('spec.tuningConfig', 'intermediatePersistPeriod', 5)).toBe('PT0.005S');
  expect(shown('spec.tuningConfig', 'intermediateHandoffPeriod', 'p1m')).toBe('P1M');
});

test('a number of threads is not negative', () => {
  expect(refusalOf(changed('spec.tuningConfig', 'workerThreads', -1))).toContain(
    'workerThreads[-1] should be positive',
  );
});
