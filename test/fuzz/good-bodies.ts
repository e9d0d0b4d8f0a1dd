// Bodies that the service takes, by endpoint: what happens to them in a run is worse the further
// they get.

/** By the endpoint's name in the contract; for the others a body is made from its schema. */
export const goodBodies: Readonly<Record<string, readonly unknown[]>> = {
  'sql.query': statements().map((query) => ({
    query,
    resultFormat: 'array',
    header: true,
    context: { sqlTimeZone: 'Etc/UTC', timeout: 5000 },
  })),
  'sql.task': tasks().map((query) => ({ query, context: { maxNumTasks: 2 } })),
  'statements.submit': [...statements(), ...tasks()].map((query) => ({
    query,
    context: { executionMode: 'ASYNC' },
  })),
  'native.query': nativeQueries(),
  'native.candidates': nativeQueries(),
  'tasks.submit': [
    batch({ type: 'index_parallel' }),
    batch({ type: 'index' }),
    {
      type: 'compact',
      dataSource: 'wiki',
      ioConfig: {
        type: 'compact',
        inputSpec: { type: 'interval', interval: '2024-01-01/2024-01-02' },
      },
    },
    { type: 'kill', dataSource: 'wiki', interval: '2024-01-01/2024-01-02' },
    { type: 'noop', runTime: 1 },
  ],
  'tasks.sample': [
    { ...batch({ type: 'index_parallel' }), samplerConfig: { numRows: 10, timeoutMs: 1000 } },
    { ...batch({ type: 'index' }), samplerConfig: { numRows: 1 } },
  ],
  'supervisors.submit': [
    stream('kafka', { topic: 'a', consumerProperties: { 'bootstrap.servers': '127.0.0.1:1' } }),
  ],
  'rules.set': [
    [
      {
        type: 'loadByPeriod',
        period: 'P1M',
        includeFuture: true,
        tieredReplicants: { _default_tier: 1 },
      },
      { type: 'dropBeforeByPeriod', period: 'P1Y' },
      { type: 'loadByInterval', interval: '2024-01-01/2025-01-01', useDefaultTierForNull: true },
      { type: 'dropForever' },
    ],
  ],
  'compaction.set': [
    {
      dataSource: 'wiki',
      skipOffsetFromLatest: 'P1D',
      granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'HOUR', rollup: true },
      tuningConfig: {
        type: 'index_parallel',
        partitionsSpec: { type: 'dynamic', maxRowsPerSegment: 100 },
      },
      metricsSpec: [{ type: 'count', name: 'count' }],
    },
  ],
  'config.set': [
    {
      maxSegmentsToMove: 5,
      replicationThrottleLimit: 10,
      killDataSourceWhitelist: ['a'],
      pauseCoordination: false,
    },
  ],
  'lookups.setAll': [
    {
      __default: { a: { version: 'v1', lookupExtractorFactory: { type: 'map', map: { a: 'b' } } } },
    },
  ],
  'lookups.set': [{ version: 'v1', lookupExtractorFactory: { type: 'map', map: { a: 'b' } } }],
  'segments.markSomeUnused': [
    { interval: '2024-01-01/2024-01-02' },
    { segmentIds: ['wiki_2024-01-01_2024-01-02_v'] },
  ],
  'segments.markSomeUsed': [
    { interval: '2024-01-01/2024-01-02' },
    { segmentIds: ['wiki_2024-01-01_2024-01-02_v'] },
  ],
};

function statements(): string[] {
  return [
    'SELECT 1',
    'SELECT page, COUNT(*), SUM("views") FROM wiki WHERE __time >= TIMESTAMP \'2024-01-01\' GROUP BY 1 ORDER BY 2 DESC LIMIT 5',
    "SELECT TIME_FLOOR(__time, 'PT1H'), APPROX_COUNT_DISTINCT(page) FROM wiki GROUP BY 1",
    'SELECT * FROM INFORMATION_SCHEMA.COLUMNS',
    'SELECT * FROM sys.segments',
    'SELECT * FROM sys.tasks',
    'SELECT * FROM sys.supervisors',
    'SELECT a.page FROM wiki a JOIN (SELECT page FROM wiki GROUP BY 1) b ON a.page = b.page',
    'EXPLAIN PLAN FOR SELECT page FROM wiki',
    "SELECT LOOKUP(page, 'a'), REGEXP_EXTRACT(page, '(a+)', 1), JSON_VALUE(page, '$.a') FROM wiki",
    'SELECT ROW_NUMBER() OVER (PARTITION BY page ORDER BY __time) FROM wiki',
  ];
}

function tasks(): string[] {
  const rows = `TABLE(EXTERN('{"type":"inline","data":"2024-01-01,a"}','{"type":"csv","columns":["t","page"]}')) EXTEND (t VARCHAR, page VARCHAR)`;
  return [
    `REPLACE INTO wiki OVERWRITE ALL SELECT TIME_PARSE(t) AS __time, page, 1 AS "views" FROM ${rows} PARTITIONED BY DAY CLUSTERED BY page`,
    `INSERT INTO "../outside" SELECT TIME_PARSE(t) AS __time, page FROM ${rows} PARTITIONED BY ALL`,
    `INSERT INTO wiki SELECT TIME_PARSE(t) AS __time, page, 2 AS "views" FROM ${rows} PARTITIONED BY MONTH`,
  ];
}

function nativeQueries(): unknown[] {
  const on = {
    dataSource: 'wiki',
    intervals: ['2024-01-01/2025-01-01'],
    context: { timeout: 5000 },
  };
  const aggregations = [
    { type: 'count', name: 'rows' },
    { type: 'longSum', name: 'views', fieldName: 'views' },
    {
      type: 'filtered',
      filter: { type: 'selector', dimension: 'page', value: 'a' },
      aggregator: { type: 'doubleMax', name: 'm', fieldName: 'views' },
    },
  ];
  const filter = {
    type: 'and',
    fields: [
      { type: 'in', dimension: 'page', values: ['a', null] },
      { type: 'not', field: { type: 'bound', dimension: 'page', lower: '1', ordering: 'numeric' } },
      { type: 'like', dimension: 'page', pattern: 'a%' },
      { type: 'regex', dimension: 'page', pattern: 'a+' },
    ],
  };
  const postAggregations = [
    {
      type: 'arithmetic',
      name: 'p',
      fn: '/',
      fields: [
        { type: 'fieldAccess', name: 'a', fieldName: 'rows' },
        { type: 'constant', name: 'c', value: 2 },
      ],
    },
  ];
  const virtualColumns = [
    { type: 'expression', name: 'v', expression: 'concat(page, 1 + 2)', outputType: 'STRING' },
  ];
  return [
    {
      ...on,
      queryType: 'timeseries',
      granularity: { type: 'period', period: 'P1D', timeZone: 'Europe/Paris' },
      aggregations,
      postAggregations,
      filter,
    },
    {
      ...on,
      queryType: 'topN',
      granularity: 'all',
      dimension: 'page',
      metric: { type: 'inverted', metric: 'rows' },
      threshold: 5,
      aggregations,
    },
    {
      ...on,
      queryType: 'groupBy',
      granularity: 'day',
      virtualColumns,
      dimensions: [
        'v',
        {
          type: 'extraction',
          dimension: 'page',
          extractionFn: { type: 'substring', index: 0, length: 1 },
        },
      ],
      aggregations,
      having: { type: 'greaterThan', aggregation: 'rows', value: 0 },
      limitSpec: {
        type: 'default',
        limit: 5,
        columns: [{ dimension: 'v', direction: 'descending' }],
      },
    },
    {
      ...on,
      queryType: 'scan',
      columns: ['page', '__time'],
      resultFormat: 'compactedList',
      limit: 5,
      order: 'ascending',
      filter,
    },
    {
      ...on,
      queryType: 'search',
      granularity: 'all',
      searchDimensions: ['page'],
      query: { type: 'insensitive_contains', value: 'a' },
    },
    { ...on, queryType: 'timeBoundary', bound: 'maxTime' },
    {
      ...on,
      queryType: 'segmentMetadata',
      analysisTypes: ['cardinality', 'minmax'],
      toInclude: { type: 'list', columns: ['page'] },
      merge: true,
    },
    { ...on, queryType: 'dataSourceMetadata' },
    {
      ...on,
      queryType: 'timeseries',
      granularity: 'all',
      dataSource: { type: 'inline', columnNames: ['a'], columnTypes: ['LONG'], rows: [[1]] },
      aggregations,
    },
  ];
}

function batch(kind: { readonly type: string }): Record<string, unknown> {
  return {
    ...kind,
    spec: {
      dataSchema: {
        dataSource: 'wiki',
        timestampSpec: { column: 't', format: 'auto', missingValue: '2024-01-01' },
        dimensionsSpec: {
          dimensions: ['page', { type: 'long', name: 'n' }],
          dimensionExclusions: ['x'],
        },
        metricsSpec: [{ type: 'count', name: 'count' }],
        granularitySpec: {
          type: 'uniform',
          segmentGranularity: 'day',
          queryGranularity: 'hour',
          rollup: true,
          intervals: ['2024-01-01/2024-01-02'],
        },
        transformSpec: {
          filter: { type: 'selector', dimension: 'page', value: 'a' },
          transforms: [{ type: 'expression', name: 'e', expression: 'upper(page)' }],
        },
      },
      ioConfig: {
        type: kind.type,
        inputSource: {
          type: 'inline',
          data: '{"t":"2024-01-01T01:00:00Z","page":"a","n":1}\n{"t":null}',
        },
        inputFormat: {
          type: 'json',
          flattenSpec: {
            useFieldDiscovery: true,
            fields: [{ type: 'path', name: 'p', expr: '$.a[0]' }],
          },
        },
        appendToExisting: false,
      },
      tuningConfig: {
        type: kind.type,
        partitionsSpec: { type: 'dynamic', maxRowsPerSegment: 1000 },
        maxNumConcurrentSubTasks: 1,
      },
    },
  };
}

function stream(type: string, ioConfig: Record<string, unknown>): Record<string, unknown> {
  const { spec } = batch({ type }) as { spec: { dataSchema: Record<string, unknown> } };
  return {
    type,
    spec: {
      dataSchema: { ...spec.dataSchema, dataSource: 'stream' },
      ioConfig: {
        ...ioConfig,
        inputFormat: { type: 'json' },
        taskCount: 1,
        replicas: 1,
        taskDuration: 'PT1H',
        useEarliestOffset: true,
      },
      tuningConfig: { type, maxRowsInMemory: 1000 },
    },
    suspended: true,
  };
}
