// Requests that break HTTP, paths that break routes, and places in results that do not exist.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  get,
  held,
  list,
  type Plain,
  post,
  refused,
  refusedWith,
  remove,
} from '../attack.ts';

const closed = {
  kind: 'refused',
  statuses: [0, 400, 404, 405, 408, 411, 413, 414, 417, 426, 431, 501, 505],
  says: /(?:)/,
} as const;
const host = 'host: localhost\r\n';

const bytes: readonly [name: string, text: () => readonly (string | Buffer)[]][] = [
  [
    'a header of a megabyte',
    () => [`GET /status HTTP/1.1\r\n${host}x: ${'a'.repeat(1_000_000)}\r\n\r\n`],
  ],
  [
    'ten thousand headers',
    () => [`GET /status HTTP/1.1\r\n${host}${list(10_000, (at) => `x-${at}: a\r\n`, '')}\r\n`],
  ],
  [
    'a thousand times the same header',
    () => [`GET /status HTTP/1.1\r\n${host}${'cookie: a\r\n'.repeat(5000)}\r\n`],
  ],
  [
    'a header without an end',
    () => [
      `GET /status HTTP/1.1\r\n${host}x: `,
      ...Array.from({ length: 100 }, () => 'a'.repeat(10_000)),
    ],
  ],
  ['a path of a megabyte', () => [`GET /${'a'.repeat(1_000_000)} HTTP/1.1\r\n${host}\r\n`]],
  [
    'a length and chunks',
    () => [
      `POST /svc/v2/sql HTTP/1.1\r\n${host}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /status HTTP/1.1\r\n${host}\r\n`,
    ],
  ],
  [
    'two lengths',
    () => [
      `POST /svc/v2/sql HTTP/1.1\r\n${host}content-length: 5\r\ncontent-length: 6\r\n\r\nhello!`,
    ],
  ],
  ['a length of -1', () => [`POST /svc/v2/sql HTTP/1.1\r\n${host}content-length: -1\r\n\r\n`]],
  [
    'a length of a text',
    () => [`POST /svc/v2/sql HTTP/1.1\r\n${host}content-length: many\r\n\r\n`],
  ],
  [
    'a length of 2^64',
    () => [`POST /svc/v2/sql HTTP/1.1\r\n${host}content-length: 18446744073709551616\r\n\r\n`],
  ],
  [
    'chunks of a text',
    () => [`POST /svc/v2/sql HTTP/1.1\r\n${host}transfer-encoding: chunked\r\n\r\nzz\r\n`],
  ],
  [
    'a chunk of 2^64',
    () => [
      `POST /svc/v2/sql HTTP/1.1\r\n${host}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n`,
    ],
  ],
  [
    'chunk extensions without an end',
    () => [
      `POST /svc/v2/sql HTTP/1.1\r\n${host}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n1;${'a'.repeat(1_000_000)}`,
    ],
  ],
  [
    'an unknown transfer encoding',
    () => [`POST /svc/v2/sql HTTP/1.1\r\n${host}transfer-encoding: gzip, chunked, x\r\n\r\n`],
  ],
  ['no version', () => ['GET /status\r\n\r\n']],
  ['HTTP/9.9', () => [`GET /status HTTP/9.9\r\n${host}\r\n`]],
  ['the beginning of HTTP/2', () => ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
  ['a TLS greeting', () => [Buffer.from('16030100a5010000a10303', 'hex'), Buffer.alloc(160)]],
  [
    'random bytes',
    () => [Buffer.from(Array.from({ length: 10_000 }, (_, at) => (at * 7919) % 256))],
  ],
  [
    'five thousand requests at once',
    () => [`GET /status/health HTTP/1.1\r\n${host}\r\n`.repeat(5000)],
  ],
  ['only line ends', () => ['\r\n'.repeat(500_000)]],
  ['NUL in a header', () => [`GET /status HTTP/1.1\r\n${host}x: a\u0000b\r\n\r\n`]],
  ['a folded header', () => [`GET /status HTTP/1.1\r\n${host}x: a\r\n b\r\n\r\n`]],
  ['no Host', () => ['GET /status HTTP/1.1\r\n\r\n']],
  ['two Hosts', () => [`GET /status HTTP/1.1\r\n${host}host: evil.example\r\n\r\n`]],
  ['an unknown method', () => [`BREW /status HTTP/1.1\r\n${host}\r\n`]],
  ['CONNECT', () => ['CONNECT example.com:443 HTTP/1.1\r\nhost: example.com:443\r\n\r\n']],
  ['TRACE', () => [`TRACE /status HTTP/1.1\r\n${host}\r\n`]],
  ['OPTIONS *', () => [`OPTIONS * HTTP/1.1\r\n${host}\r\n`]],
  ['a NUL in the path', () => [`GET /status\u0000 HTTP/1.1\r\n${host}\r\n`]],
  [
    'an expectation nobody knows',
    () => [
      `POST /svc/v2/sql HTTP/1.1\r\n${host}expect: the-spanish-inquisition\r\ncontent-length: 1\r\n\r\n`,
    ],
  ],
];
const stays: Ending[] = [held]; // until the headers have taken too long
const endings: Readonly<Record<string, Ending[]>> = {
  'only line ends': stays,
  'no version': [answered()],
  'five thousand requests at once': [answered()],
  'a thousand times the same header': [answered()],
};
const broken = bytes.map(
  ([name, text]): Attack => ({
    name,
    as: 'anyone',
    asks: { raw: text },
    expects: [closed, ...(endings[name] ?? [])],
    withinMs: 3000,
  }),
);
const upgrades: readonly Attack[] = [
  {
    name: 'an upgrade to a web socket',
    as: 'anyone',
    asks: {
      raw: () => [
        `GET /svc/v2/sql HTTP/1.1\r\n${host}connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n`,
      ],
    },
    expects: [closed],
    withinMs: 2000,
  },
  {
    name: 'an upgrade to HTTP/2',
    as: 'anyone',
    asks: {
      raw: () => [
        `GET /status/health HTTP/1.1\r\n${host}connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAAP__\r\n\r\n`,
      ],
    },
    expects: [closed, answered()],
    withinMs: 2000,
  },
  {
    name: 'an absolute address',
    as: 'anyone',
    asks: {
      raw: () => [
        `GET http://evil.example/status/health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`,
      ],
    },
    expects: [closed, refusedWith(403), answered(/true/)],
    withinMs: 3000,
  },
  {
    name: 'five thousand requests on one connection',
    as: 'anyone',
    asks: {
      raw: () => [
        `GET /status/health HTTP/1.1\r\n${host}\r\n`.repeat(4999),
        `GET /status/health HTTP/1.1\r\n${host}connection: close\r\n\r\n`,
      ],
    },
    expects: [answered(/true/)],
  },
  {
    name: 'fifty queries on one connection',
    as: 'anyone',
    asks: {
      raw: () => {
        const body = JSON.stringify({ query: 'SELECT COUNT(*) FROM wikipedia' });
        return [
          `POST /svc/v2/sql HTTP/1.1\r\n${host}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`.repeat(
            50,
          ),
          `GET /status/health HTTP/1.1\r\n${host}connection: close\r\n\r\n`,
        ];
      },
    },
    expects: [answered(/39244/)],
  },
  {
    name: 'half a request',
    as: 'anyone',
    asks: { raw: () => ['POST /svc/v2/sql HT'] },
    expects: [held],
    withinMs: 2000,
  },
  {
    name: 'nothing at all',
    as: 'anyone',
    asks: { raw: () => [] },
    expects: [held],
    withinMs: 2000,
  },
];

const ids = [
  '%2e%2e',
  '%2e%2e%2f%2e%2e%2fetc%2fpasswd',
  '..%5c..',
  '%00',
  '%',
  '%zz',
  '%ff',
  'a%0d%0ab',
  `${'x'.repeat(50_000)}`,
  '__proto__',
  'constructor',
  '%E2%80%AE',
  '*',
  "'",
  '%22',
  '%1b%5b31m',
];
const places = [
  '/svc/indexer/v1/task/ID/status',
  '/svc/indexer/v1/task/ID/log',
  '/svc/indexer/v1/task/ID/reports',
  '/svc/v2/sql/statements/ID',
  '/svc/v2/sql/statements/ID/results',
  '/svc/indexer/v1/supervisor/ID/status',
  '/svc/coordinator/v1/lookups/config/__default/ID',
  '/svc/coordinator/v1/rules/ID',
  '/svc/coordinator/v1/servers/ID',
];
const inPaths = ids.flatMap((id, at) =>
  places
    .filter((_, place) => (at + place) % 3 === 0)
    .map(
      (path): Attack => ({
        name: `${path.replace('ID', id.slice(0, 30))}`,
        as: 'anyone',
        asks: get(path.replace('ID', id)),
        expects: [
          refusedWith([400, 404, 414, 431], /(?:)/),
          ...(path.includes('rules') ? [answered()] : []),
        ],
      }),
    ),
);

const statement = (path: string): Plain => get(`/svc/v2/sql/statements/paged/results${path}`);
const pages: readonly Attack[] = [
  '?page=9007199254740992',
  '?page=9223372036854775807',
  '?page=99999999999999999999',
  '?page=-1',
  '?page=1e400',
  '?page=NaN',
  '?page=0x0',
  '?page=',
  '?page=0&page=1',
  `?page=${'9'.repeat(50_000)}`,
  '?resultFormat=nope',
  '?filename=../../x',
  '?filename=a%0d%0ab',
  `?filename=${'a'.repeat(10_000)}`,
  '?filename=%2e%2e%2fx',
].map(
  (path): Attack => ({
    name: `results${path.slice(0, 40)}`,
    as: 'anyone',
    asks: { statement: 'SELECT 1', context: { sqlQueryId: `paged-${path.length}` } },
    expects: [answered(/SUCCESS/), refused()],
    then: [
      {
        as: 'anyone',
        asks: statement(path.replace('', '')),
        expects: [refusedWith([400, 404, 406, 431], /(?:)/), answered()],
      },
    ],
  }),
);

const queries: readonly Attack[] = [
  ['/svc/indexer/v1/tasks?max=9007199254740993'],
  ['/svc/indexer/v1/tasks?max=-1'],
  ['/svc/indexer/v1/tasks?createdTimeInterval=-292275055-05-16_292278994-08-17'],
  ['/svc/indexer/v1/tasks?createdTimeInterval=x'],
  ['/svc/indexer/v1/runningTasks?createdTimeInterval=-292275055-05-16_292278994-08-17'],
  ['/svc/indexer/v1/pendingTasks?createdTimeInterval=x'],
  ['/svc/indexer/v1/task/x/log?offset=-9223372036854775808'],
  ['/svc/indexer/v1/task/x/log?offset=9223372036854775807'],
  ['/svc/coordinator/v1/rules/history?count=9223372036854775807'],
  ['/svc/coordinator/v1/rules/history?count=0'],
  ['/svc/coordinator/v1/rules/history?interval=-292275055-05-16/292278994-08-17'],
  ['/svc/coordinator/v1/config/history?interval=0000/9999'],
  ['/svc/coordinator/v1/config/history?count=9007199254740991'],
  ['/svc/indexer/v1/worker/history?count=9007199254740993'],
  ['/svc/coordinator/v1/intervals/-292275055-05-16_292278994-08-17?simple'],
  ['/svc/coordinator/v1/intervals/2000_P1000000000Y'],
  ['/svc/coordinator/v1/intervals/P1Y_P1Y'],
  ['/svc/v2/datasources/wikipedia?interval=-292275055-05-16/292278994-08-17'],
  ['/svc/v2/datasources/wikipedia/candidates?intervals=x'],
  [
    '/svc/v2/datasources/wikipedia/candidates?intervals=2000/2030&numCandidates=9223372036854775807',
  ],
  [`/svc/v2/datasources/wikipedia/candidates?intervals=${list(2000, '2000/2030', ',')}`],
  [
    '/svc/coordinator/v1/metadata/segments?datasources=wikipedia&datasources=x&includeOvershadowedStatus',
  ],
  [
    '/svc/coordinator/v1/metadata/segments?datasources=%00&includeOvershadowedStatus&includeRealtimeSegments',
  ],
  [`/svc/coordinator/v1/metadata/segments?${list(3000, (at) => `datasources=d${at}`, '&')}`],
  ['/svc/coordinator/v1/datasources/wikipedia/loadstatus?forceMetadataRefresh=x&interval=x'],
  [
    '/svc/coordinator/v1/metadata/datasources/wikipedia/unusedSegments?limit=9223372036854775807&interval=2000/2030',
  ],
  ['/svc/coordinator/v1/metadata/datasources/wikipedia/unusedSegments?limit=-1'],
  ['/svc/indexer/v1/workers?x=%'],
  ['/status/health?%zz=%zz'],
  [`/status?${'a&'.repeat(20_000)}`],
].map(
  ([path = '']): Attack => ({
    name: path.slice(0, 100),
    as: 'anyone',
    asks: get(path),
    expects: [answered(), refusedWith([400, 404, 500, 204, 431], /^(?!.*internal error)/is)],
  }),
);

const periods = [
  'P2147483647Y',
  'P-2147483647Y',
  'PT9223372036854775807S',
  'P0D',
  'PT0S',
  'P',
  'x',
  `P${'1D'.repeat(10_000)}`,
  'P1000000000000000000000Y',
].flatMap((period): Attack[] => [
  {
    name: `a rule of the period ${period.slice(0, 30)}`,
    as: 'anyone',
    asks: post('/svc/coordinator/v1/rules/hostile', [
      { type: 'loadByPeriod', period, tieredReplicants: { _default_tier: 1 } },
    ]),
    expects: [answered(), refused()],
    then: [{ as: 'anyone', asks: get('/svc/coordinator/v1/loadstatus'), expects: [answered()] }],
    cleanUp: [post('/svc/coordinator/v1/rules/hostile', [])],
  },
  {
    name: `a rule of the period ${period.slice(0, 30)} for data that is there`,
    as: 'anyone',
    asks: post('/svc/coordinator/v1/rules/wikipedia', [
      { type: 'broadcastByPeriod', period },
      { type: 'loadForever', tieredReplicants: { _default_tier: 1 } },
    ]),
    expects: [answered(), refused()],
    then: [
      {
        as: 'anyone',
        asks: get('/svc/coordinator/v1/datasources/wikipedia?full'),
        expects: [answered()],
      },
    ],
    cleanUp: [post('/svc/coordinator/v1/rules/wikipedia', [])],
  },
  {
    name: `compaction with the offset ${period.slice(0, 30)}`,
    as: 'anyone',
    asks: post('/svc/coordinator/v1/config/compaction', {
      dataSource: 'hostile',
      skipOffsetFromLatest: period,
      granularitySpec: { segmentGranularity: { type: 'period', period } },
    }),
    expects: [answered(), refusedWith([400, 500], /^(?!.*internal error)./is)],
    then: [
      {
        as: 'anyone',
        asks: post('/svc/coordinator/v1/compaction/compact'),
        expects: [answered(), refusedWith([400, 404])],
      },
    ],
    cleanUp: [remove('/svc/coordinator/v1/config/compaction/hostile')],
  },
]);

export const http: AttackClass = {
  name: 'http',
  attacks: [...broken, ...upgrades, ...inPaths, ...pages, ...queries, ...periods],
};
