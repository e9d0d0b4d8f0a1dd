// Every field of every specification: of the wrong type it is refused by name and place; unknown
// ones are ignored, as the real engine's reader does.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const whole = {
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'loaded',
      timestampSpec: { column: 't', format: 'iso', missingValue: '2022-03-01' },
      dimensionsSpec: {
        dimensions: [
          'k',
          { type: 'string', name: 'm', multiValueHandling: 'ARRAY', createBitmapIndex: true },
          { type: 'auto', name: 'a', castToType: 'LONG' },
        ],
        dimensionExclusions: ['x'],
        includeAllDimensions: false,
        useSchemaDiscovery: false,
      },
      metricsSpec: [
        { type: 'count', name: 'n' },
        { type: 'longSum', name: 's', fieldName: 'v' },
      ],
      granularitySpec: {
        type: 'uniform',
        segmentGranularity: 'DAY',
        queryGranularity: 'NONE',
        rollup: true,
        intervals: ['2022/2023'],
      },
      transformSpec: {
        filter: { type: 'selector', dimension: 'k', value: 'a' },
        transforms: [{ type: 'expression', name: 'e', expression: 'k' }],
      },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'inline', data: '{}' },
      inputFormat: {
        type: 'json',
        assumeNewlineDelimited: false,
        flattenSpec: {
          useFieldDiscovery: true,
          fields: [{ type: 'path', name: 'p', expr: '$.p' }],
        },
      },
      appendToExisting: false,
      dropExisting: false,
    },
    tuningConfig: {
      type: 'index_parallel',
      partitionsSpec: { type: 'hashed', numShards: 2, partitionDimensions: ['k'] },
      forceGuaranteedRollup: true,
      maxParseExceptions: 3,
      maxSavedParseExceptions: 3,
      logParseExceptions: true,
      reportParseExceptions: false,
      awaitSegmentAvailabilityTimeoutMillis: 0,
      maxRowsInMemory: 1000,
      maxBytesInMemory: 0,
      skipBytesInMemoryOverheadCheck: false,
      splitHintSpec: { type: 'maxSize', maxSplitSize: '1M', maxNumFiles: 5 },
      indexSpec: {
        bitmap: { type: 'roaring' },
        dimensionCompression: 'LZ4',
        metricCompression: 'none',
        longEncoding: 'longs',
        stringDictionaryEncoding: { type: 'frontCoded', bucketSize: 4, formatVersion: 1 },
      },
      indexSpecForIntermediatePersists: { bitmap: { type: 'concise' } },
      appendableIndexSpec: { type: 'onheap', preserveExistingMetrics: false },
      segmentWriteOutMediumFactory: { type: 'tmpFile' },
      maxPendingPersists: 0,
      pushTimeout: 0,
      maxRetry: 3,
      taskStatusCheckPeriodMs: 1000,
      chatHandlerTimeout: 'PT10S',
      chatHandlerNumRetries: 5,
      maxColumnsToMerge: -1,
      numPersistThreads: 1,
    },
  },
};
const kill = {
  type: 'kill',
  dataSource: 'loaded',
  interval: '2022/2023',
  batchSize: 10,
  limit: 5,
  versions: ['v'],
  maxUsedStatusLastUpdatedTime: '2022',
};
const compact = {
  type: 'compact',
  dataSource: 'loaded',
  ioConfig: {
    type: 'compact',
    inputSpec: { type: 'interval', interval: '2022/2023' },
    allowNonAlignedInterval: false,
    dropExisting: false,
  },
  dimensionsSpec: { dimensions: ['k'] },
  metricsSpec: [{ type: 'longSum', name: 's', fieldName: 'v' }],
  granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'HOUR', rollup: true },
  transformSpec: { filter: { type: 'selector', dimension: 'k', value: 'a' } },
  tuningConfig: {
    type: 'index_parallel',
    partitionsSpec: { type: 'dynamic', maxRowsPerSegment: 10 },
  },
  compactionRunner: { type: 'native' },
};
const noop = { type: 'noop', dataSource: 'loaded', runTime: 60_000, isReadyTime: 0 };

type Json = unknown;
type Path = readonly (string | number)[];

// A value that no field takes in place of its own. Texts take any scalar, and what a filter or an
// expression means is another matter.
const wrongFor = (value: Json): Json => (typeof value === 'object' ? 17 : { wrong: true });

function pathsIn(value: Json, path: Path = []): { path: Path; value: Json }[] {
  const own = path.length > 0 ? [{ path, value }] : [];
  if (Array.isArray(value))
    return [...own, ...value.flatMap((item, index) => pathsIn(item, [...path, index]))];
  if (typeof value !== 'object' || value === null) return own;
  if (path.at(-1) === 'filter') return own;
  return [
    ...own,
    ...Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name])),
  ];
}

function replaced(value: Json, [key, ...rest]: Path, by: Json): Json {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? replaced(item, rest, by) : item));
  return { ...(value as object), [key]: replaced((value as Record<string, Json>)[key], rest, by) };
}

// What is looked at only where it is needed, or takes more than one kind of value.
const lenient = [/^type$/, /granularity$/i, /missingValue$/, /dimensions\.\d+$/, /fields\.\d+$/];

async function started() {
  const service = api(await startService());
  const { body: workers } = await service.get('/svc/indexer/v1/workers');
  await service.post(`/svc/indexer/v1/worker/${workers[0].worker.host}/disable`, {}); // what is taken in does not run
  return service;
}

test('the whole specifications are taken in, also with fields that nobody knows', async () => {
  const { post } = await started();
  for (const task of [whole, kill, compact, noop]) {
    expect(await post('/svc/indexer/v1/task', task)).toMatchObject({ status: 200 });
    for (const { path, value } of pathsIn(task).filter(
      ({ value }) => typeof value === 'object' && !Array.isArray(value),
    )) {
      const more = replaced(task, path, { ...(value as object), nobodyKnows: [1, { x: 2 }] });
      expect(await post('/svc/indexer/v1/task', more), path.join('.')).toMatchObject({
        status: 200,
      });
    }
  }
});

test('a field of the wrong type is refused, and the message names it', async () => {
  const { post } = await started();
  let asked = 0;
  for (const task of [whole, kill, compact, noop]) {
    for (const { path, value } of pathsIn(task)) {
      if (lenient.some((pattern) => pattern.test(path.join('.')))) continue;
      const { status, text } = await post(
        '/svc/indexer/v1/task',
        replaced(task, path, wrongFor(value)),
      );
      const name = [...path].reverse().find((part) => typeof part === 'string');
      expect({ path: path.join('.'), status, text }).toEqual({
        path: path.join('.'),
        status: 400,
        text: expect.stringContaining(String(name)),
      });
      asked++;
    }
  }
  expect(asked).toBeGreaterThan(60);
});

test('a malformed filter is refused before rows are read; what it computes is another matter', async () => {
  const { post } = await started();
  const answerTo = async (filter: Json) => {
    const task = replaced(whole, ['spec', 'dataSchema', 'transformSpec', 'filter'], filter);
    const compaction = { dataSource: 'loaded', transformSpec: { filter } };
    const replies = [
      await post('/svc/indexer/v1/task', task),
      await post('/svc/indexer/v1/task', { ...compact, transformSpec: { filter } }),
      await post('/svc/coordinator/v1/config/compaction', compaction),
    ];
    return [...new Set(replies.map(({ status }) => status))];
  };
  for (const filter of [
    { type: 'bogus' },
    { type: 'and', fields: [{ type: 'bogus' }] },
    { type: 'selector' },
    { type: 'bound', dimension: 'k' },
    { type: 'regex', dimension: 'k', pattern: '(' },
  ])
    expect([filter, await answerTo(filter)]).toEqual([filter, [400]]);
  for (const filter of [
    { type: 'expression', expression: 'nobody_knows(k)' },
    { type: 'range', column: 'k', matchValueType: 'LONG', lower: 5 },
    {
      type: 'selector',
      dimension: 'k',
      value: 'b',
      extractionFn: { type: 'registeredLookup', lookup: 'none' },
    },
  ])
    expect([filter, await answerTo(filter)]).toEqual([filter, [200]]);
});

test.each<[object, Path]>([
  [whole, ['spec']],
  [whole, ['spec', 'dataSchema']],
  [whole, ['spec', 'dataSchema', 'dataSource']],
  [whole, ['spec', 'ioConfig']],
  [whole, ['spec', 'ioConfig', 'inputSource']],
  [whole, ['spec', 'ioConfig', 'inputSource', 'data']],
  [whole, ['spec', 'ioConfig', 'inputFormat']],
  [whole, ['spec', 'dataSchema', 'metricsSpec', 1, 'name']],
  [whole, ['spec', 'dataSchema', 'metricsSpec', 1, 'fieldName']],
  [whole, ['spec', 'dataSchema', 'transformSpec', 'transforms', 0, 'expression']],
  [kill, ['dataSource']],
  [kill, ['interval']],
  [compact, ['dataSource']],
  [compact, ['ioConfig']],
  [compact, ['ioConfig', 'inputSpec']],
  [compact, ['ioConfig', 'inputSpec', 'interval']],
])('without a field that must be there %j is refused by the name of %j', async (task, path) => {
  const { post } = await started();
  const { status, text } = await post('/svc/indexer/v1/task', replaced(task, path, null));
  expect({ status, text }).toEqual({
    status: 400,
    text: expect.stringContaining(String(path.at(-1))),
  });
});

test.each<[string, object, Path, Json]>([
  ['batchSize', kill, ['batchSize'], 0],
  ['limit', kill, ['limit'], -1],
  ['maxUsedStatusLastUpdatedTime', kill, ['maxUsedStatusLastUpdatedTime'], 'yesterday'],
  ['interval', kill, ['interval'], '2023/2022'],
  ['interval', compact, ['ioConfig', 'inputSpec', 'interval'], '2022/2022'],
  ['inputSpec', compact, ['ioConfig', 'inputSpec', 'type'], 'nothing'],
  ['segmentGranularity', compact, ['granularitySpec', 'segmentGranularity'], 'FORTNIGHT'],
  [
    'segmentGranularity',
    whole,
    ['spec', 'dataSchema', 'granularitySpec', 'segmentGranularity'],
    'FORTNIGHT',
  ],
  [
    'multiValueHandling',
    whole,
    ['spec', 'dataSchema', 'dimensionsSpec', 'dimensions', 1, 'multiValueHandling'],
    'SOMEHOW',
  ],
  [
    'partitionDimensions',
    whole,
    ['spec', 'tuningConfig', 'partitionsSpec'],
    { type: 'range', targetRowsPerSegment: 5 },
  ],
  [
    'targetRowsPerSegment',
    whole,
    ['spec', 'tuningConfig', 'partitionsSpec'],
    { type: 'range', partitionDimensions: ['k'] },
  ],
  ['numShards', whole, ['spec', 'tuningConfig', 'partitionsSpec', 'numShards'], -7],
  ['append', whole, ['spec', 'ioConfig', 'appendToExisting'], true],
  ['DynamicPartitionsSpec', whole, ['spec', 'tuningConfig', 'partitionsSpec'], { type: 'dynamic' }],
  ['twice', whole, ['spec', 'dataSchema', 'metricsSpec', 1, 'name'], 'n'],
])('what cannot be is refused, and [%s] is named', async (named, task, path, value) => {
  const { post } = await started();
  const { status, text } = await post('/svc/indexer/v1/task', replaced(task, path, value));
  expect({ status, text }).toEqual({ status: 400, text: expect.stringContaining(named) });
});

test('scalars are taken for each other where the real engine does so', async () => {
  const { get, post } = await started();
  for (const [path, value] of [
    [['spec', 'ioConfig', 'appendToExisting'], 'false'],
    [['spec', 'ioConfig', 'dropExisting'], 0],
    [['spec', 'tuningConfig', 'maxParseExceptions'], '7'],
    [['spec', 'tuningConfig', 'maxSavedParseExceptions'], 1.9],
    [['spec', 'dataSchema', 'dataSource'], 17],
  ] as const) {
    expect(
      await post('/svc/indexer/v1/task', replaced(whole, path, value)),
      path.join('.'),
    ).toMatchObject({ status: 200 });
  }
  const { body } = await get('/svc/indexer/v1/tasks?datasource=17');
  expect(body).toMatchObject([{ dataSource: '17' }]);
});

test.each([
  ['dataSchema', 'timestampSpec', null, /timestampSpec/],
  ['dataSchema', 'dimensionsSpec', { dimensions: [''] }, /dimension with null or empty name/],
  ['dataSchema', 'dimensionsSpec', { dimensions: ['__time'] }, /Type must be 'long'/],
  [
    'dataSchema',
    'dimensionsSpec',
    { dimensions: ['k', { type: 'long', name: '__time' }] },
    /\[__time\] at position\[1\]/,
  ],
  ['dataSchema', 'metricsSpec', [{ type: 'count', name: '' }], /metric with null or empty name/],
  [
    'dataSchema',
    'metricsSpec',
    [{ type: 'count', name: 'k' }],
    /\[k\] is a metric and a dimension/,
  ],
  ['dataSchema', 'metricsSpec', [{ type: 'count', name: '__time' }], /is a metric and the time/],
  ['ioConfig', 'inputSource', { type: 'inline', data: '' }, /empty data/],
  ['ioConfig', 'inputFormat', { type: 'csv' }, /Either \[columns\] or \[findColumnsFromHeader\]/],
  ['ioConfig', 'inputFormat', { type: 'tsv', columns: null }, /Either \[columns\]/],
] as const)(
  'what no task could do is refused at its submission: %s.%s as %j',
  async (part, field, value, words) => {
    const { post } = api(await startService());
    const task = {
      ...whole,
      spec: { ...whole.spec, [part]: { ...whole.spec[part], [field]: value } },
    };
    const refused = await post('/svc/indexer/v1/task', task);
    expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(words) } });
  },
);
