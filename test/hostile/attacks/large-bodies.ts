// Bodies of requests that are large, wide, deep, packed or without an end.
import { gzipSync } from 'node:zlib';
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  failed,
  get,
  held,
  list,
  post,
  refused,
  refusedWith,
  remove,
  succeeded,
  timedOut,
  tooMuch,
} from '../attack.ts';
import { nativeOn, sampled, supervisorOf, taskOf } from './bodies.ts';

const large: Ending = refusedWith([400, 413, 500, 501], /^(?!.*internal error)./is);
const count = [{ type: 'count', name: 'n' }];
const one = { queryType: 'timeseries', granularity: 'all', aggregations: count };
const times = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));

function nested<T>(depth: number, wrap: (inner: T) => T, core: T): T {
  let value = core;
  for (let at = 0; at < depth; at++) value = wrap(value);
  return value;
}

// Fields of Protocol Buffers, with less than 128 bytes each.
const field = (number: number, bytes: Buffer) =>
  Buffer.concat([Buffer.from([number * 8 + 2, bytes.length]), bytes]);
const manyFields: readonly (readonly [name: string, request: string, field: Buffer])[] = [
  ['200,000 parameters', 'ExecuteRequest', field(2, Buffer.from([8, 13, 32, 2]))],
  ['200,000 empty parameters', 'ExecuteRequest', field(2, Buffer.alloc(0))],
  ['200,000 properties', 'OpenConnectionRequest', field(2, field(1, Buffer.from('a')))],
  ['200,000 statements', 'PrepareAndExecuteBatchRequest', field(3, Buffer.alloc(0))],
  ['200,000 unknown fields', 'ExecuteRequest', field(9, Buffer.alloc(0))],
];

function wireMessage(request: string, message: Buffer): Buffer {
  const name = Buffer.from(`org.apache.calcite.avatica.proto.Requests$${request}`);
  const length: number[] = [];
  for (let rest = message.length; rest > 0; rest >>>= 7)
    length.push((rest & 127) | (rest > 127 ? 128 : 0));
  return Buffer.concat([field(1, name), Buffer.from([18, ...length]), message]);
}

const emptyPart = gzipSync('');

const natives: readonly [name: string, query: () => object, ...right: Ending[]][] = [
  [
    'sixteen megabytes of inline rows',
    () => ({
      ...one,
      dataSource: {
        type: 'inline',
        columnNames: ['__time', 'a'],
        columnTypes: ['LONG', 'STRING'],
        rows: times(500_000, (at) => [1_420_070_400_000, `v${at}`]),
      },
    }),
    answered(/500000/),
    large,
  ],
  [
    'a million inline rows of one number',
    () => ({
      ...one,
      dataSource: {
        type: 'inline',
        columnNames: ['a'],
        columnTypes: ['LONG'],
        rows: times(1_500_000, (at) => [at]),
      },
    }),
    answered(),
    large,
  ],
  [
    'an inline row of a million columns',
    () => ({
      ...one,
      dataSource: {
        type: 'inline',
        columnNames: times(300_000, (at) => `c${at}`),
        columnTypes: times(300_000, () => 'LONG'),
        rows: [times(300_000, (at) => at)],
      },
    }),
    large,
    answered(),
  ],
  [
    'inline rows of long lists',
    () => ({
      ...one,
      dataSource: {
        type: 'inline',
        columnNames: ['a'],
        columnTypes: ['ARRAY<LONG>'],
        rows: [[times(2_000_000, (at) => at)]],
      },
    }),
    large,
    answered(),
  ],
  [
    'a filter of a million values',
    () => ({
      ...one,
      filter: { type: 'in', dimension: 'page', values: times(900_000, (at) => `p${at}`) },
    }),
    answered(/"n":0/),
    large,
  ],
  [
    'a filter of 200,000 alternatives',
    () => ({
      ...one,
      filter: {
        type: 'or',
        fields: times(200_000, (at) => ({ type: 'selector', dimension: 'page', value: `p${at}` })),
      },
    }),
    answered(/"n":0/),
    large,
  ],
  [
    'a filter of 200,000 bounds',
    () => ({
      ...one,
      filter: {
        type: 'or',
        fields: times(100_000, (at) => ({
          type: 'bound',
          dimension: 'added',
          lower: String(-at),
          upper: String(-at),
          ordering: 'numeric',
        })),
      },
    }),
    answered(),
    large,
  ],
  [
    'a filter nested 900 deep',
    () => ({
      ...one,
      filter: nested<object>(900, (field) => ({ type: 'not', field }), {
        type: 'selector',
        dimension: 'page',
        value: 'a',
      }),
    }),
    answered(),
    large,
  ],
  [
    '200,000 intervals',
    () => ({ ...one, intervals: times(200_000, (at) => `${1000 + (at % 1000)}-01-01/P1D`) }),
    answered(),
    large,
  ],
  [
    '20,000 virtual columns',
    () => ({
      ...one,
      virtualColumns: times(20_000, (at) => ({
        type: 'expression',
        name: `v${at}`,
        expression: `added + ${at}`,
        outputType: 'LONG',
      })),
    }),
    answered(),
    large,
  ],
  [
    'virtual columns that double',
    () => ({
      ...one,
      virtualColumns: times(40, (at) => ({
        type: 'expression',
        name: `v${at + 1}`,
        expression: at === 0 ? 'added + added' : `v${at} + v${at}`,
        outputType: 'LONG',
      })),
      aggregations: [{ type: 'longSum', name: 's', fieldName: 'v40' }],
    }),
    answered(),
    large,
  ],
  [
    '20,000 aggregators',
    () => ({
      ...one,
      aggregations: times(20_000, (at) => ({
        type: 'longSum',
        name: `s${at}`,
        fieldName: 'added',
      })),
    }),
    answered(),
    large,
  ],
  [
    'post-aggregators nested 900 deep',
    () => ({
      ...one,
      postAggregations: [
        nested<object>(
          300,
          (inner) => ({
            type: 'arithmetic',
            name: 'p',
            fn: '+',
            fields: [inner, { type: 'constant', name: 'c', value: 1 }],
          }),
          { type: 'fieldAccess', fieldName: 'n' },
        ),
      ],
    }),
    answered(),
    large,
  ],
  [
    '10,000 dimensions',
    () => ({
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: times(10_000, (at) => ({
        type: 'default',
        dimension: 'page',
        outputName: `d${at}`,
      })),
    }),
    answered(),
    large,
  ],
  [
    'subqueries nested 300 deep',
    () => ({
      ...one,
      dataSource: nested<object>(
        300,
        (query) => ({
          type: 'query',
          query: {
            queryType: 'scan',
            dataSource: query,
            intervals: ['2000/2030'],
            columns: ['page'],
          },
        }),
        { type: 'table', name: 'wikipedia' },
      ),
    }),
    answered(),
    large,
  ],
  [
    'a union of 100,000 tables',
    () => ({
      ...one,
      dataSource: { type: 'union', dataSources: times(100_000, () => 'wikipedia') },
    }),
    answered(),
    large,
  ],
  [
    'joins nested 300 deep',
    () => ({
      ...one,
      dataSource: nested<object>(
        300,
        (left) => ({
          type: 'join',
          left,
          right: { type: 'inline', columnNames: ['k'], columnTypes: ['STRING'], rows: [['a']] },
          rightPrefix: 'r.',
          condition: 'page == "r.k"',
          joinType: 'LEFT',
        }),
        { type: 'table', name: 'wikipedia' },
      ),
    }),
    answered(),
    large,
  ],
  [
    'an expression of a million signs',
    () => ({
      ...one,
      virtualColumns: [
        { type: 'expression', name: 'v', expression: '1+'.repeat(500_000) + 1, outputType: 'LONG' },
      ],
      aggregations: [{ type: 'longSum', name: 's', fieldName: 'v' }],
    }),
    large,
  ],
  [
    'an expression of 100,000 parentheses',
    () => ({
      ...one,
      filter: { type: 'expression', expression: `${'('.repeat(100_000)}1${')'.repeat(100_000)}` },
    }),
    large,
  ],
  [
    'an expression of 100,000 minus signs',
    () => ({ ...one, filter: { type: 'expression', expression: `${'-'.repeat(100_000)}1` } }),
    large,
  ],
  [
    'an expression with a long text',
    () => ({
      ...one,
      filter: { type: 'expression', expression: `page == '${'x'.repeat(10_000_000)}'` },
    }),
    answered(),
    large,
  ],
  [
    'an expression of unended quotes',
    () => ({ ...one, filter: { type: 'expression', expression: "'".repeat(10_000_001) } }),
    large,
  ],
  [
    'a having nested 900 deep',
    () => ({
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: ['channel'],
      aggregations: count,
      having: nested<object>(300, (havingSpec) => ({ type: 'not', havingSpec }), {
        type: 'greaterThan',
        aggregation: 'n',
        value: 0,
      }),
    }),
    answered(),
    large,
  ],
  [
    'a lookup of 200,000 entries in a dimension',
    () => ({
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [
        {
          type: 'extraction',
          dimension: 'page',
          outputName: 'd',
          extractionFn: {
            type: 'lookup',
            lookup: {
              type: 'map',
              map: Object.fromEntries(times(300_000, (at) => [`k${at}`, 'v'])),
            },
          },
        },
      ],
      limitSpec: { type: 'default', limit: 1 },
    }),
    answered(),
    large,
  ],
  [
    'a case extraction cascade of 900',
    () => ({
      queryType: 'groupBy',
      granularity: 'all',
      dimensions: [
        {
          type: 'extraction',
          dimension: 'page',
          outputName: 'd',
          extractionFn: nested<object>(
            300,
            (inner) => ({ type: 'cascade', extractionFns: [inner, { type: 'upper' }] }),
            { type: 'lower' },
          ),
        },
      ],
      limitSpec: { type: 'default', limit: 1 },
    }),
    answered(),
    large,
  ],
  [
    'a context of 500,000 names',
    () => ({ ...one, context: Object.fromEntries(times(500_000, (at) => [`k${at}`, at])) }),
    answered(),
    large,
  ],
  [
    'search in 100,000 dimensions',
    () => ({
      queryType: 'search',
      granularity: 'all',
      searchDimensions: times(100_000, () => 'page'),
      query: { type: 'contains', value: 'a' },
    }),
    answered(),
    large,
  ],
  [
    'search for 100,000 fragments',
    () => ({
      queryType: 'search',
      granularity: 'all',
      searchDimensions: ['page'],
      query: { type: 'fragment', values: times(100_000, (at) => `f${at}`) },
    }),
    answered(),
    large,
  ],
  [
    'search for 100,000 equal fragments',
    () => ({
      queryType: 'search',
      granularity: 'all',
      searchDimensions: ['page', 'comment'],
      query: { type: 'fragment', values: times(100_000, () => 'a') },
    }),
    answered(),
    large,
  ],
  [
    'segmentMetadata of 500,000 columns',
    () => ({
      queryType: 'segmentMetadata',
      toInclude: { type: 'list', columns: times(500_000, (at) => `c${at}`) },
    }),
    answered(),
    large,
  ],
  [
    'a scan of 100,000 columns',
    () => ({ queryType: 'scan', columns: times(100_000, (at) => `c${at}`), limit: 1 }),
    answered(),
    large,
  ],
];

const shapes: readonly [
  name: string,
  path: string,
  body: () => string | Buffer,
  headers?: Record<string, string>,
][] = [
  ['lists 8 million deep', '/svc/v2/', () => '['.repeat(8_000_000)],
  ['objects 2 million deep', '/svc/v2/sql', () => '{"a":'.repeat(2_000_000)],
  ['a thousand and one lists in each other', '/svc/v2/', () => '['.repeat(1001) + ']'.repeat(1001)],
  ['deep lists in the sampler', '/svc/indexer/v1/sampler', () => '['.repeat(8_000_000)],
  [
    'deep lists as a task',
    '/svc/indexer/v1/task',
    () => `{"type":"index_parallel","spec":${'['.repeat(999)}${']'.repeat(999)}}`,
  ],
  ['five million nulls', '/svc/v2/', () => `[${list(3_000_000, 'null', ',')}]`],
  [
    'an object of a million names',
    '/svc/v2/sql',
    () => `{"query":"SELECT 1","context":{${list(600_000, (at) => `"${at}":1`, ',')}}}`,
  ],
  [
    'the same name a million times',
    '/svc/v2/sql',
    () =>
      `{${list(1_000_000, '"query":"SELECT 1"', ',')
        .slice(0, 15_000_000)
        .replace(/,[^,]*$/, '')}}`,
  ],
  [
    'a number of 15 million digits',
    '/svc/v2/',
    () => `{"queryType":"scan","limit":${'9'.repeat(15_000_000)}}`,
  ],
  [
    'a number with 15 million digits after the point',
    '/svc/v2/',
    () => `{"queryType":"scan","limit":0.${'1'.repeat(15_000_000)}}`,
  ],
  [
    'a number with a vast exponent',
    '/svc/v2/',
    () =>
      '{"queryType":"scan","dataSource":"wikipedia","intervals":["2000/2001"],"limit":1e999999999}',
  ],
  [
    'a text of a million escapes',
    '/svc/v2/sql',
    () => `{"query":"${'\\u0041'.repeat(2_500_000)}"}`,
  ],
  [
    'a text of half characters',
    '/svc/v2/sql',
    () => `{"query":"SELECT '${'\\ud800'.repeat(100_000)}'"}`,
  ],
  ['an unended text', '/svc/v2/sql', () => `{"query":"${'x'.repeat(15_000_000)}`],
  ['sixteen million blanks', '/svc/v2/sql', () => ' '.repeat(16_000_000)],
  ['bytes that are no text', '/svc/v2/sql', () => Buffer.alloc(15_000_000, 0xff)],
  ['too many bytes', '/svc/v2/sql', () => Buffer.alloc(17_000_000, 0x20)],
  [
    'a hundred megabytes of zeros in gzip',
    '/svc/v2/sql',
    () => gzipSync(Buffer.alloc(100_000_000)),
    { 'content-encoding': 'gzip' },
  ],
  [
    'a gigabyte of zeros in gzip of native',
    '/svc/v2/',
    () => Buffer.concat(times(10, () => gzipSync(Buffer.alloc(100_000_000)))),
    { 'content-encoding': 'gzip' },
  ],
  [
    'gzip in the sampler',
    '/svc/indexer/v1/sampler',
    () => gzipSync(Buffer.alloc(200_000_000)),
    { 'content-encoding': 'gzip' },
  ],
  [
    'gzip that breaks off',
    '/svc/v2/sql',
    () => gzipSync(Buffer.alloc(1_000_000)).subarray(0, 500),
    { 'content-encoding': 'gzip' },
  ],
  [
    'gzip in gzip',
    '/svc/v2/sql',
    () => gzipSync(gzipSync(Buffer.alloc(100_000_000))),
    { 'content-encoding': 'gzip' },
  ],
];

const stored: readonly Attack[] = [
  {
    name: 'a rule list of 100,000',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/rules/hostile', () => [
      ...times(100_000, () => ({
        type: 'loadByPeriod',
        period: 'P1M',
        tieredReplicants: { _default_tier: 1 },
      })),
      { type: 'loadForever' },
    ]),
    then: [{ as: 'anyone', asks: get('/svc/coordinator/v1/rules'), expects: [answered()] }],
    expects: [answered(), large],
    cleanUp: [post('/svc/coordinator/v1/rules/hostile', [])],
  },
  {
    name: 'a rule with 200,000 tiers',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/rules/hostile', () => [
      {
        type: 'loadForever',
        tieredReplicants: Object.fromEntries(times(300_000, (at) => [`t${at}`, 1])),
      },
    ]),
    expects: [answered(), large],
    cleanUp: [post('/svc/coordinator/v1/rules/hostile', [])],
  },
  {
    name: 'a lookup of 700,000 entries',
    as: 'anyone',
    prepare: [post('/svc/coordinator/v1/lookups/config', {})], // no lookup can be set before
    asks: post('/svc/coordinator/v1/lookups/config/__default/large', () => ({
      version: 'v1',
      lookupExtractorFactory: {
        type: 'map',
        map: Object.fromEntries(times(700_000, (at) => [`k${at}`, 'v'])),
      },
    })),
    then: [
      {
        as: 'anyone',
        asks: { sql: "SELECT COUNT(LOOKUP(page, 'large')) FROM wikipedia" },
        expects: [answered(/^\[\[\d+\]\]/)],
      },
      {
        as: 'anyone',
        asks: {
          sql: `SELECT ${list(6, (at) => `COUNT(LOOKUP(page || '${at}', 'large'))`, ', ')} FROM wikipedia`,
        },
        expects: [answered(/^\[\[\d+,/), tooMuch],
      },
      {
        as: 'anyone',
        asks: { sql: 'SELECT COUNT(*) FROM wikipedia JOIN lookup."large" ON page = k' },
        expects: [answered(/^\[\[\d+\]\]/)],
      },
      {
        as: 'anyone',
        asks: post('/svc/v2/', () =>
          nativeOn({
            queryType: 'groupBy',
            granularity: 'all',
            dimensions: [{ type: 'lookup', dimension: 'page', outputName: 'found', name: 'large' }],
            aggregations: count,
          }),
        ),
        expects: [answered(/"found":/)],
      },
    ],
    expects: [answered(), large],
    cleanUp: [remove('/svc/coordinator/v1/lookups/config/__default/large')],
  },
  {
    name: 'ten thousand lookups at once',
    as: 'anyone',
    prepare: [post('/svc/coordinator/v1/lookups/config', {})],
    asks: post('/svc/coordinator/v1/lookups/config', () => ({
      __default: Object.fromEntries(
        times(10_000, (at) => [
          `many${at}`,
          { version: 'v1', lookupExtractorFactory: { type: 'map', map: { a: 'b' } } },
        ]),
      ),
    })),
    then: [
      {
        as: 'anyone',
        asks: { sql: "SELECT COUNT(LOOKUP(page, 'many7')) FROM wikipedia" },
        expects: [answered(), refused(), refusedWith(500, /not found/)],
      },
    ],
    expects: [answered(), large],
    cleanUp: [remove('/svc/coordinator/v1/lookups/config/__default')],
  },
  {
    name: 'lookups of 700,000 entries of all tiers, and all that is asked of them',
    as: 'anyone',
    prepare: [post('/svc/coordinator/v1/lookups/config', {})],
    asks: post('/svc/coordinator/v1/lookups/config', () => ({
      __default: {
        large: {
          version: 'v1',
          lookupExtractorFactory: {
            type: 'map',
            map: Object.fromEntries(times(700_000, (at) => [`k${at}`, 'v'])),
          },
        },
      },
    })),
    then: ['config/all', 'config/__default/large', 'status', 'nodeStatus'].map((path) => ({
      as: 'anyone' as const,
      asks: get(`/svc/coordinator/v1/lookups/${path}`),
      expects: [answered(/large|k699999/)],
    })),
    expects: [answered(), large],
    cleanUp: [remove('/svc/coordinator/v1/lookups/config/__default/large')],
  },
  {
    name: 'a supervisor with 190,000 properties of its consumer',
    as: 'anyone',
    asks: post('/svc/indexer/v1/supervisor', () =>
      supervisorOf(Object.fromEntries(times(190_000, (at) => [`p${at}`, 1]))),
    ),
    expects: [large],
  },
  {
    name: 'a task with an id of a megabyte',
    as: 'anyone',
    asks: post('/svc/indexer/v1/task', () => ({ type: 'noop', id: 'x'.repeat(1_000_000) })),
    expects: [large],
  },
  {
    name: 'a query with an id of 100,000 letters',
    as: 'anyone',
    asks: post('/svc/v2/sql', () => ({
      query: 'SELECT 1',
      context: { sqlQueryId: 'x'.repeat(100_000) },
    })),
    expects: [large],
  },
  {
    name: 'the status of 900,000 tasks',
    as: 'anyone',
    asks: post('/svc/indexer/v1/taskStatus', () => times(900_000, (at) => `task${at}`)),
    expects: [large],
  },
  {
    name: 'a compaction configuration of 15 MB',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/config/compaction', () => ({
      dataSource: 'hostile',
      dimensionsSpec: { dimensions: times(400_000, (at) => ({ type: 'long', name: `d${at}` })) },
    })),
    expects: [answered(), large],
    cleanUp: [remove('/svc/coordinator/v1/config/compaction/hostile')],
  },
  {
    name: 'a coordinator configuration of 500,000 nodes',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/config', () => ({
      decommissioningNodes: times(500_000, (at) => `host${at}:8083`),
    })),
    expects: [answered(), large],
    cleanUp: [post('/svc/coordinator/v1/config', { decommissioningNodes: [] })],
  },
  {
    name: 'a broker configuration of 100,000 rules',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/broker/config', () => ({
      queryBlocklist: times(100_000, (at) => ({ ruleName: `r${at}`, dataSources: [`d${at}`] })),
    })),
    expects: [answered(), large],
    then: [{ as: 'anyone', asks: { sql: 'SELECT 1' }, expects: [answered()] }],
    cleanUp: [post('/svc/coordinator/v1/broker/config', { queryBlocklist: [] })],
  },
  {
    name: 'a worker configuration of 300,000 categories',
    as: 'anyone',
    asks: post('/svc/indexer/v1/worker', () => ({
      type: 'default',
      selectStrategy: {
        type: 'fillCapacityWithCategorySpec',
        workerCategorySpec: {
          categoryMap: Object.fromEntries(
            times(100_000, (at) => [`t${at}`, { defaultCategory: 'c' }]),
          ),
          strong: false,
        },
      },
    })),
    expects: [answered(), large],
    cleanUp: [
      post('/svc/indexer/v1/worker', { type: 'default', selectStrategy: { type: 'fillCapacity' } }),
    ],
  },
  {
    name: 'the states of a million tasks',
    as: 'anyone',
    asks: post('/svc/indexer/v1/taskStatus', () => times(900_000, (at) => `task${at}`)),
    expects: [answered(), large],
  },
  {
    name: 'the locked intervals of 200,000 policies',
    as: 'anyone',
    asks: post('/svc/indexer/v1/lockedIntervals/v2', () =>
      times(300_000, (at) => ({ datasource: `d${at}`, priority: 0 })),
    ),
    expects: [answered(), large],
  },
  {
    name: 'the schemas of a million datasources',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/metadata/dataSourceInformation', () =>
      times(900_000, (at) => `d${at}`),
    ),
    expects: [answered(), large],
  },
  {
    name: 'a million segments to mark',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/datasources/wikipedia/markUnused', () => ({
      segmentIds: times(300_000, (at) => `wikipedia_2024-01-01T00:00:00.000Z_v_${at}`),
    })),
    expects: [answered(/0/), large],
  },
  {
    name: 'two hundred thousand intervals of segments',
    as: 'anyone',
    asks: post('/svc/coordinator/v1/metadata/datasources/wikipedia/segments', () =>
      times(400_000, (at) => `${1000 + (at % 1000)}-01-01/P1D`),
    ),
    expects: [answered(), large],
  },
  {
    name: 'offsets of 500,000 partitions',
    as: 'anyone',
    asks: post('/svc/indexer/v1/supervisor/nope/resetOffsets', () => ({
      type: 'kafka',
      partitions: {
        type: 'end',
        stream: 'a',
        partitionOffsetMap: Object.fromEntries(times(600_000, (at) => [at, at])),
      },
    })),
    expects: [refusedWith([400, 404, 413])],
  },
  {
    name: 'a supervisor with 200,000 consumer properties',
    as: 'anyone',
    asks: post('/svc/indexer/v1/supervisor', () =>
      supervisorOf(Object.fromEntries(times(200_000, (at) => [`p${at}`, 'v'])), {
        dataSource: 'hostile',
        suspended: true,
      }),
    ),
    expects: [answered(), large],
    cleanUp: [post('/svc/indexer/v1/supervisor/hostile/terminate')],
  },
  {
    name: 'the candidates of 200,000 intervals',
    as: 'anyone',
    asks: post('/svc/v2/candidates', () =>
      nativeOn({ ...one, intervals: times(200_000, (at) => `${1000 + (at % 1000)}-01-01/P1D`) }),
    ),
    expects: [answered(), large],
  },
];

const data = (rows: number, row: (index: number) => string) => () => list(rows, row, '\n');
const tasks: readonly Attack[] = [
  {
    name: 'a task with 15 MB of inline rows',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: {
            type: 'inline',
            data: data(300_000, (at) => `{"t":"2024-01-01","page":"p${at}"}`)(),
          },
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 60_000,
  },
  {
    name: 'a task with an inline row of 200,000 columns',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: {
            type: 'inline',
            data: `{"t":"2024-01-01",${list(200_000, (at) => `"c${at}":${at}`, ',')}}`,
          },
          dimensions: [],
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 60_000,
  },
  {
    name: 'a task with 50,000 transforms',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: { type: 'inline', data: '{"t":"2024-01-01","page":"a"}' },
          transforms: times(50_000, (at) => ({
            type: 'expression',
            name: `e${at}`,
            expression: `concat(page, '${at}')`,
          })),
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 60_000,
  },
  {
    name: 'a task with 100,000 dimensions',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: { type: 'inline', data: '{"t":"2024-01-01","page":"a"}' },
          dimensions: times(100_000, (at) => `d${at}`),
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 60_000,
  },
  {
    name: 'a task with 20,000 metrics',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: { type: 'inline', data: '{"t":"2024-01-01","page":"a"}' },
          metrics: times(20_000, (at) => ({ type: 'count', name: `m${at}` })),
          granularitySpec: { rollup: true, segmentGranularity: 'DAY', queryGranularity: 'DAY' },
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 60_000,
  },
  {
    name: 'a task with rows nested 900 deep',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: {
            type: 'inline',
            data: `{"t":"2024-01-01","page":${'['.repeat(900)}1${']'.repeat(900)}}`,
          },
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 20_000,
  },
  {
    name: 'a task with rows nested a million deep',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: {
            type: 'inline',
            data: `{"t":"2024-01-01","page":${'['.repeat(1_000_000)}1${']'.repeat(1_000_000)}}`,
          },
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 20_000,
  },
  {
    name: 'a task with 100,000 input files',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({ inputSource: { type: 'local', files: times(100_000, (at) => `/nowhere/${at}`) } }),
    },
    expects: [failed(), large],
    withinMs: 20_000,
  },
  {
    name: 'a task with 100,000 addresses',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: { type: 'http', uris: times(100_000, (at) => `http://127.0.0.1:1/${at}`) },
        }),
    },
    expects: [failed(), large],
    withinMs: 20_000,
  },
  {
    name: 'input sources nested 900 deep',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: nested<object>(400, (inner) => ({ type: 'combining', delegates: [inner] }), {
            type: 'inline',
            data: '{"t":"2024-01-01"}',
          }),
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 20_000,
  },
  {
    name: 'a combining input source that doubles',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({
          inputSource: {
            type: 'combining',
            delegates: times(50_000, () => ({
              type: 'inline',
              data: '{"t":"2024-01-01","page":"a"}',
            })),
          },
        }),
    },
    expects: [succeeded, failed(), large],
    withinMs: 60_000,
  },
  {
    name: 'an id of a megabyte',
    as: 'anyone',
    asks: {
      task: () =>
        taskOf({ id: 'x'.repeat(1_000_000), inputSource: { type: 'inline', data: '{}' } }),
    },
    expects: [refused()],
  },
];

function endless(method: string, path: string) {
  return async function* (authorization: string) {
    yield `${method} ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${authorization && `authorization: ${authorization}\r\n`}transfer-encoding: chunked\r\n\r\n`;
    for (let at = 0; at < 300; at++) {
      yield '1\r\n \r\n';
      await new Promise((wake) => setTimeout(wake, 10));
    }
    for (;;) yield `10000\r\n${' '.repeat(65_536)}\r\n`;
  };
}

export const largeBodies: AttackClass = {
  name: 'large bodies',
  attacks: [
    ...natives.map(
      ([name, query, ...right]): Attack => ({
        name,
        as: 'anyone',
        asks: {
          native: () =>
            nativeOn({
              ...query(),
              ...('context' in query() ? {} : { context: { timeout: 10_000 } }),
            }),
        },
        expects: [...right, timedOut, tooMuch],
        withinMs: 15_000,
      }),
    ),
    ...shapes.map(
      ([name, path, body, headers = {}]): Attack => ({
        name,
        as: 'anyone',
        asks: post(path, body, { 'content-type': 'application/json', ...headers }),
        expects: [
          large,
          { kind: 'refused', statuses: [0, 413] },
          ...(name.startsWith('an object') || name.startsWith('the same') || name.includes('half')
            ? [answered()]
            : []),
        ],
      }),
    ),
    ...stored,
    ...tasks,
    {
      name: 'sixteen megabytes of rows in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled(
          data(400_000, (at) => `{"t":"2024-01-01","p":${at}}`)(),
          { type: 'json' },
          { numRows: 500 },
        ),
      ),
      expects: [answered(), large],
    },
    {
      name: 'two hundred thousand columns in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled(`{${list(200_000, (at) => `"c${at}":${at}`, ',')}}`, { type: 'json' }),
      ),
      expects: [answered(), large],
    },
    {
      name: 'a million columns in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled(`{${list(1_000_000, (at) => `"c${at}":1`, ',')}}`, { type: 'json' }),
      ),
      expects: [large],
    },
    {
      name: 'a column of a million values in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled(`{"a":{${list(1_000_000, (at) => `"c${at}":1`, ',')}}}`, { type: 'json' }),
      ),
      expects: [answered(/"error":"The row has more than \[60000\] values, too many to show"/)],
    },
    {
      name: 'two hundred thousand columns of CSV in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled(`${list(200_000, (at) => `c${at}`, ',')}\n${list(200_000, String, ',')}`, {
          type: 'csv',
          findColumnsFromHeader: true,
        }),
      ),
      expects: [answered(), large],
    },
    {
      name: 'two hundred thousand named columns in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled('1,2', { type: 'csv', columns: times(200_000, (at) => `c${at}`) }),
      ),
      expects: [answered(), large],
    },
    {
      name: 'rows of two hundred thousand different columns in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled(
          data(500, (at) => `{${list(400, (column) => `"c${at}_${column}":1`, ',')}}`)(),
          { type: 'json' },
          { numRows: 500 },
        ),
      ),
      expects: [answered(), large],
    },
    {
      name: 'a flattenSpec of 50,000 fields in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled('{"a":1}', {
          type: 'json',
          flattenSpec: {
            fields: times(50_000, (at) => ({ type: 'path', name: `f${at}`, expr: `$.a[${at}]` })),
          },
        }),
      ),
      expects: [answered(), large],
    },
    {
      name: 'a JSONPath of 100,000 steps in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled('{"a":1}', {
          type: 'json',
          flattenSpec: { fields: [{ type: 'path', name: 'f', expr: `$${'..a'.repeat(100_000)}` }] },
        }),
      ),
      expects: [answered(), large],
    },
    {
      name: 'a JSONPath of deep scans in the sampler',
      as: 'anyone',
      asks: post('/svc/indexer/v1/sampler', () =>
        sampled(`{"a":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`, {
          type: 'json',
          flattenSpec: { fields: [{ type: 'path', name: 'f', expr: '$..a..a..a..a..a..a..a' }] },
        }),
      ),
      expects: [answered(), large],
    },
    {
      name: 'a body that never ends',
      as: 'anyone',
      asks: { raw: endless('POST', '/svc/v2/sql') },
      expects: [refusedWith(413), { kind: 'refused', statuses: [0] }],
    },
    {
      name: 'a body that never ends for the sampler',
      as: 'anyone',
      asks: { raw: endless('POST', '/svc/indexer/v1/sampler') },
      expects: [refusedWith(413), { kind: 'refused', statuses: [0] }],
    },
    ...manyFields.map(
      ([name, request, fields]): Attack => ({
        name: `JDBC with ${name} before login`,
        as: 'stranger',
        asks: post(
          '/svc/v2/sql/avatica-protobuf/',
          () => wireMessage(request, Buffer.concat(times(200_000, () => fields))),
          { 'content-type': 'application/x-google-protobuf' },
        ),
        expects: [refusedWith(500, /It has more than \[60000\] fields/)],
      }),
    ),
    {
      name: 'a body of two hundred thousand packed parts',
      as: 'anyone',
      asks: post('/svc/v2/sql', () => Buffer.concat(times(200_000, () => emptyPart)), {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      }),
      expects: [large],
    },
    {
      name: 'a body of a GET that never ends',
      as: 'anyone',
      asks: { raw: endless('GET', '/status') },
      expects: [refusedWith([200, 400, 413])],
      withinMs: 6000,
    },
    {
      name: 'a body that is announced and never comes',
      as: 'anyone',
      asks: {
        raw: () => [
          'POST /svc/v2/sql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{',
        ],
      },
      expects: [held],
      withinMs: 2000,
    },
    {
      name: 'a body announced as a terabyte',
      as: 'anyone',
      asks: {
        raw: () => [
          'POST /svc/v2/sql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1099511627776\r\n\r\n{',
        ],
      },
      expects: [refusedWith(413)],
      withinMs: 3000,
    },
  ],
};
