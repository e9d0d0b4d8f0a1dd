// Whole specifications that a real Druid takes in, with most of their fields.

// More slots than a cluster has: an accepted task waits until it is shut down.
const resource = { availabilityGroup: 'fuzz', requiredCapacity: 999 };

const dataSchema = {
  dataSource: 'fuzz_specifications',
  timestampSpec: { column: 't', format: 'auto', missingValue: '2020-01-01' },
  dimensionsSpec: {
    dimensions: [
      'a',
      { type: 'long', name: 'n', createBitmapIndex: true },
      { type: 'string', name: 's', multiValueHandling: 'ARRAY', createBitmapIndex: true },
    ],
    includeAllDimensions: false,
    useSchemaDiscovery: false,
  },
  metricsSpec: [
    { type: 'count', name: 'c' },
    { type: 'longSum', name: 'ls', fieldName: 'n' },
    {
      type: 'filtered',
      name: 'f',
      filter: { type: 'selector', dimension: 'a', value: 'x' },
      aggregator: { type: 'doubleSum', name: 'ds', fieldName: 'n' },
    },
  ],
  granularitySpec: {
    type: 'uniform',
    segmentGranularity: 'DAY',
    queryGranularity: { type: 'period', period: 'PT1H', timeZone: 'UTC', origin: '2020-01-01' },
    rollup: true,
    intervals: ['2020/2021'],
  },
  transformSpec: {
    filter: { type: 'in', dimension: 'a', values: ['x'] },
    transforms: [{ type: 'expression', name: 'e', expression: 'n + 1' }],
  },
};

const flattenSpec = {
  useFieldDiscovery: true,
  fields: [
    { type: 'path', name: 'p', expr: '$.a.b' },
    { type: 'root', name: 'r', expr: 'r' },
    { type: 'jq', name: 'q', expr: '.a.b' },
    { type: 'tree', name: 'o', nodes: ['a', 'b'] },
  ],
};

const indexSpec = {
  bitmap: { type: 'roaring' },
  dimensionCompression: 'lz4',
  metricCompression: 'lz4',
  longEncoding: 'longs',
  stringDictionaryEncoding: { type: 'frontCoded', bucketSize: 4, formatVersion: 1 },
};

const tuningConfig = {
  type: 'index_parallel',
  maxRowsInMemory: 1000,
  maxBytesInMemory: 0,
  skipBytesInMemoryOverheadCheck: false,
  splitHintSpec: { type: 'maxSize', maxSplitSize: '1M', maxNumFiles: 5 },
  partitionsSpec: { type: 'dynamic', maxRowsPerSegment: 100, maxTotalRows: 1000 },
  indexSpec,
  indexSpecForIntermediatePersists: { bitmap: { type: 'concise' } },
  appendableIndexSpec: { type: 'onheap', preserveExistingMetrics: false },
  segmentWriteOutMediumFactory: { type: 'tmpFile' },
  maxPendingPersists: 0,
  forceGuaranteedRollup: false,
  reportParseExceptions: false,
  pushTimeout: 0,
  maxNumConcurrentSubTasks: 1,
  maxRetry: 3,
  taskStatusCheckPeriodMs: 1000,
  chatHandlerTimeout: 'PT10S',
  chatHandlerNumRetries: 5,
  awaitSegmentAvailabilityTimeoutMillis: 0,
  logParseExceptions: true,
  maxParseExceptions: 5,
  maxSavedParseExceptions: 5,
  maxColumnsToMerge: -1,
  numPersistThreads: 1,
};

const batch = (inputSource, inputFormat, tuning = tuningConfig) => ({
  path: '/indexer/v1/task',
  body: {
    type: 'index_parallel',
    resource,
    spec: {
      dataSchema,
      ioConfig: {
        type: 'index_parallel',
        inputSource,
        inputFormat,
        appendToExisting: false,
        dropExisting: false,
      },
      tuningConfig: tuning,
    },
  },
});

const interval = '2000-01-01/2001-01-01';

/** Each with the path that takes it in. */
export const wholeSpecifications = [
  batch(
    { type: 'inline', data: 'x' },
    { type: 'json', flattenSpec, keepNullColumns: false, assumeNewlineDelimited: false },
  ),
  batch(
    { type: 'local', baseDir: '/tmp', filter: '*.csv', files: null },
    {
      type: 'csv',
      columns: ['t', 'a'],
      listDelimiter: '|',
      findColumnsFromHeader: false,
      skipHeaderRows: 1,
      tryParseNumbers: true,
    },
    {
      ...tuningConfig,
      forceGuaranteedRollup: true,
      partitionsSpec: { type: 'hashed', numShards: 2, partitionDimensions: ['a'] },
    },
  ),
  batch(
    { type: 'http', uris: ['http://localhost/x'], httpAuthenticationUsername: 'u' },
    { type: 'tsv', columns: ['t', 'a'], delimiter: '\t', listDelimiter: '|', skipHeaderRows: 1 },
    {
      ...tuningConfig,
      forceGuaranteedRollup: true,
      partitionsSpec: { type: 'range', partitionDimensions: ['a'], targetRowsPerSegment: 5 },
    },
  ),
  batch(
    { type: 'combining', delegates: [{ type: 'local', files: ['/tmp/a'] }] },
    { type: 'regex', pattern: '(.*)', columns: ['t', 'a'], listDelimiter: '|' },
  ),
  {
    path: '/indexer/v1/task',
    body: {
      type: 'compact',
      resource,
      dataSource: 'fuzz_specifications',
      ioConfig: {
        type: 'compact',
        inputSpec: { type: 'interval', interval },
        allowNonAlignedInterval: true,
        dropExisting: false,
      },
      granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'HOUR', rollup: true },
      dimensionsSpec: { dimensions: ['a'] },
      metricsSpec: [{ type: 'count', name: 'c' }],
      transformSpec: { filter: { type: 'selector', dimension: 'a', value: 'x' } },
      tuningConfig,
    },
  },
  {
    path: '/indexer/v1/task',
    body: {
      type: 'kill',
      resource,
      dataSource: 'fuzz_specifications',
      interval,
      versions: ['v'],
      batchSize: 10,
      limit: 5,
      maxUsedStatusLastUpdatedTime: '2020-01-01',
    },
  },
  {
    path: '/coordinator/v1/config/compaction',
    body: {
      dataSource: 'fuzz_specifications',
      taskPriority: 25,
      inputSegmentSizeBytes: 1000,
      skipOffsetFromLatest: 'P1D',
      tuningConfig: { maxRowsInMemory: 5, indexSpec, partitionsSpec: { type: 'dynamic' } },
      granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'HOUR', rollup: true },
      dimensionsSpec: { dimensions: ['a', { type: 'long', name: 'n' }] },
      metricsSpec: [{ type: 'count', name: 'c' }],
      ioConfig: { dropExisting: false },
      taskContext: { a: 1 },
    },
  },
];
