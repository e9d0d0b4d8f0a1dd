// Requests of those who may not make them, passwords, and web pages that drive a service.
import {
  type Attack,
  type AttackClass,
  answered,
  failed,
  forbidden,
  get,
  type Identity,
  post,
  refused,
  refusedWith,
  remove,
  value,
} from '../attack.ts';
import { nativeOn, supervisorOf, taskOf } from './bodies.ts';

const unauthorized = refusedWith(401, /(?:)/);
const no = refusedWith([401, 403], /(?:)/);
const base = '/svc-ext/basic-security';

const foreignTexts = [
  'SELECT * FROM other',
  'SELECT w.word FROM wiki w JOIN other o ON w.__time = o.__time',
  'SELECT COUNT(*) FROM wiki WHERE word IN (SELECT word FROM other)',
  'SELECT word FROM wiki UNION ALL SELECT word FROM other',
  'WITH x AS (SELECT * FROM other) SELECT * FROM x',
  'EXPLAIN PLAN FOR SELECT * FROM other',
  'SELECT (SELECT MAX(word) FROM other)',
  'SELECT * FROM "druid"."other"',
  "SELECT * FROM TABLE(APPEND('wiki', 'other'))",
  "SELECT LOOKUP(word, 'other') FROM other",
  'SELECT * FROM wiki CROSS JOIN other',
  'SELECT * FROM view.other',
  'SELECT 1 FROM other WHERE FALSE',
  'SELECT COUNT(*) FROM other LIMIT 0',
];
const foreign = (['reader', 'writer', 'powerless'] as const).flatMap((as) =>
  foreignTexts.map(
    (sql): Attack => ({
      name: `${as}: ${sql}`,
      as,
      asks: { sql },
      expects: [
        forbidden,
        ...(/view\.|APPEND|MAX/.test(sql) ? [refused()] : []),
        ...(sql.includes('LOOKUP') ? [refusedWith(500, /Lookup \[other\] not found/)] : []),
      ],
    }),
  ),
);
const tables: readonly Attack[] = (['reader', 'powerless'] as const).flatMap((as): Attack[] => [
  {
    name: `${as}: the datasources of others in INFORMATION_SCHEMA`,
    as,
    asks: { sql: 'SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES' },
    expects: [answered(/(?:)/, /other/), forbidden],
  },
  {
    name: `${as}: the columns of others`,
    as,
    asks: { sql: "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'other'" },
    expects: [answered(/^\[\]/), forbidden],
  },
  {
    name: `${as}: the segments of others`,
    as,
    asks: { sql: 'SELECT * FROM sys.segments' },
    expects: [answered(/(?:)/, /other/), forbidden],
  },
  {
    name: `${as}: the tasks of others`,
    as,
    asks: { sql: 'SELECT * FROM sys.tasks' },
    expects: [answered(/(?:)/, /"other"/), forbidden],
  },
  {
    name: `${as}: the servers`,
    as,
    asks: { sql: 'SELECT * FROM sys.servers' },
    expects: [forbidden],
  },
]);
const natives: readonly Attack[] = [
  ['a scan', { queryType: 'scan', dataSource: 'other' }],
  ['a union', { queryType: 'scan', dataSource: { type: 'union', dataSources: ['wiki', 'other'] } }],
  [
    'a subquery',
    {
      queryType: 'timeseries',
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'n' }],
      dataSource: { type: 'query', query: nativeOn({ queryType: 'scan', dataSource: 'other' }) },
    },
  ],
  [
    'a join',
    {
      queryType: 'scan',
      dataSource: {
        type: 'join',
        left: 'wiki',
        right: 'other',
        rightPrefix: 'r.',
        condition: 'word == "r.word"',
        joinType: 'LEFT',
      },
    },
  ],
  ['segmentMetadata', { queryType: 'segmentMetadata', dataSource: 'other' }],
  ['dataSourceMetadata', { queryType: 'dataSourceMetadata', dataSource: 'other' }],
  [
    'a filtered datasource',
    {
      queryType: 'scan',
      dataSource: {
        type: 'filter',
        base: { type: 'table', name: 'other' },
        filter: { type: 'true' },
      },
    },
  ],
  [
    'an unnested datasource',
    {
      queryType: 'scan',
      dataSource: {
        type: 'unnest',
        base: { type: 'table', name: 'other' },
        virtualColumn: { type: 'expression', name: 'u', expression: 'word', outputType: 'STRING' },
      },
    },
  ],
].map(
  ([name, query]): Attack => ({
    name: `reader: native ${name}`,
    as: 'reader',
    asks: { native: nativeOn(query as object) },
    expects: [forbidden, ...(String(name).includes('filtered') ? [refused()] : [])],
  }),
);

const doing: readonly [name: string, asks: Attack['asks'], as?: Identity][] = [
  ['INSERT INTO other', { sqlTask: 'INSERT INTO other SELECT * FROM wiki PARTITIONED BY ALL' }],
  [
    'INSERT INTO other by a statement',
    { statement: 'INSERT INTO other SELECT * FROM wiki PARTITIONED BY ALL' },
  ],
  ['INSERT FROM other', { sqlTask: 'INSERT INTO wiki SELECT * FROM other PARTITIONED BY ALL' }],
  [
    'INSERT as a reader',
    { sqlTask: 'INSERT INTO wiki SELECT * FROM wiki PARTITIONED BY ALL' },
    'reader',
  ],
  [
    'a task for other',
    { task: taskOf({ dataSource: 'other', inputSource: { type: 'inline', data: '{}' } }) },
  ],
  [
    'a task for other under another name',
    {
      task: {
        ...taskOf({ dataSource: 'other', inputSource: { type: 'inline', data: '{}' } }),
        dataSource: 'wiki',
      },
    },
  ],
  [
    'a task as a reader',
    { task: taskOf({ dataSource: 'wiki', inputSource: { type: 'inline', data: '{}' } }) },
    'reader',
  ],
  ['kill of other', { task: { type: 'kill', dataSource: 'other', interval: '2000/2030' } }],
  ['compact of other', { task: { type: 'compact', dataSource: 'other', interval: '2000/2030' } }],
  [
    'a supervisor of other',
    post('/svc/indexer/v1/supervisor', supervisorOf({}, { dataSource: 'other' })),
  ],
  [
    'a supervisor of other under another name',
    post('/svc/indexer/v1/supervisor', supervisorOf({}, { dataSource: 'other', id: 'wiki' })),
  ],
  ['rules of other', post('/svc/coordinator/v1/rules/other', [{ type: 'dropForever' }])],
  ['rules of all', post('/svc/coordinator/v1/rules/_default', [{ type: 'dropForever' }])],
  [
    'rules as a reader',
    post('/svc/coordinator/v1/rules/wiki', [{ type: 'dropForever' }]),
    'reader',
  ],
  [
    'marking other',
    post('/svc/coordinator/v1/datasources/other/markUnused', { interval: '2000/2030' }),
  ],
  ['removing other', remove('/svc/coordinator/v1/datasources/other')],
  ['removing other by encoded signs', remove('/svc/coordinator/v1/datasources/wiki%2f..%2fother')],
  ['removing other with dots', remove('/svc/coordinator/v1/datasources/wiki/../other')],
  ['reading other', get('/svc/v2/datasources/other')],
  ['reading other at the Coordinator', get('/svc/coordinator/v1/datasources/other?full')],
  [
    'reading the segments of other',
    get('/svc/coordinator/v1/metadata/datasources/other/segments?full'),
  ],
  ['a configuration', post('/svc/coordinator/v1/config', { maxSegmentsToMove: 1 })],
  [
    'a lookup',
    post('/svc/coordinator/v1/lookups/config/__default/x', {
      version: 'v1',
      lookupExtractorFactory: { type: 'map', map: {} },
    }),
  ],
  [
    'compaction of other',
    post('/svc/indexer/v1/compaction/config/datasources/other', { dataSource: 'other' }),
  ],
  [
    'compaction of other in the body',
    post('/svc/indexer/v1/compaction/config/datasources/wiki', { dataSource: 'other' }),
  ],
  ['the sampler', post('/svc/indexer/v1/sampler', {})],
  ['ending all tasks of other', post('/svc/indexer/v1/datasources/other/shutdownAllTasks')],
  ['a new user', post(`${base}/authentication/db/users/users/mallory`)],
  [
    'a password of the administrator',
    post(`${base}/authentication/db/users/users/admin/credentials`, { password: 'x' }),
  ],
  ['a role of one self', post(`${base}/authorization/db/roles/users/writer/roles/admin`)],
  [
    'permissions of one self',
    post(`${base}/authorization/db/roles/roles/writer/permissions`, [
      { resource: { type: 'DATASOURCE', name: '.*' }, action: 'WRITE' },
    ]),
  ],
  ['all users', get(`${base}/authentication/db/users/users`)],
  ['the users as they are stored', get(`${base}/authentication/db/users/cachedSerializedUserMap`)],
  ['disabling the worker', post('/svc/worker/v1/disable')],
  [
    'the tasks and locks of all',
    post('/svc/indexer/v1/activeLocks', [{ datasource: 'other', priority: 0 }]),
  ],
];
const actions = doing.map(
  ([name, asks, as = 'writer']): Attack => ({
    name: `${as}: ${name}`,
    as,
    asks,
    expects: [
      no,
      ...(/encoded|dots|in the body|another name/.test(name)
        ? [refused(), refusedWith([404, 400])]
        : []),
    ],
  }),
);

const strangers = [
  '/status',
  '/status/properties',
  '/svc/v2/datasources',
  '/svc/indexer/v1/tasks',
  '/svc/coordinator/v1/config',
  `${base}/authentication/db/users/users`,
  '/nowhere',
  '/svc/v2/sql/engines',
  '/unified-console.html',
  '//status',
  '/status/',
  '/STATUS',
  '/status/../status',
  '/status%2f',
  '/status/health/../properties',
  '/status/health;x',
  '/svc/coordinator/v1/isLeader/../config',
].map(
  (path): Attack => ({
    name: `nobody asks for ${path}`,
    as: 'stranger',
    asks: get(path),
    expects: [unauthorized, refusedWith([403, 404, 400], /(?:)/)],
  }),
);
const credentials = (
  [
    'Basic',
    'Basic ',
    'Basic !!!',
    'Basic YWRtaW4=',
    'Basic OjoO',
    'Bearer x',
    'Negotiate x',
    `Basic ${Buffer.from('admin:').toString('base64')}`,
    `Basic ${Buffer.from('admin:wrong').toString('base64')}`,
    `Basic ${Buffer.from(`admin:${'x'.repeat(30_000)}`).toString('base64')}`,
    `Basic ${Buffer.from('unknown:x').toString('base64')}`,
    `Basic ${Buffer.from('ADMIN:admin-password').toString('base64')}`,
    `Basic ${Buffer.from(' admin:admin-password').toString('base64')}`,
    `Basic ${Buffer.from('__proto__:x').toString('base64')}`,
    `basic${' '.repeat(10_000)}x`,
  ] as const
).map(
  (authorization, at): Attack => ({
    name: `the wrong credentials ${at}: ${authorization.slice(0, 30)}`,
    as: 'stranger',
    asks: get('/status', { authorization }),
    expects: [unauthorized, refusedWith([429, 400], /(?:)/)],
  }),
);

const role = (name: string, permissions: unknown): Attack['asks'] =>
  post(`${base}/authorization/db/roles/roles/${name}/permissions`, () => permissions as object);
const hostileRole = `${base}/authorization/db/roles/roles/hostile`;
const prepareRole = [
  post(hostileRole),
  post(`${base}/authorization/db/roles/users/powerless/roles/hostile`),
];
const evilPatterns = [
  '(a+)+$',
  '(.*a){25}$',
  '(?=w)wiki',
  '(w)\\1iki',
  '(',
  '[',
  'w{1000}{1000}',
  `${'('.repeat(5000)}w${')'.repeat(5000)}`,
  'x'.repeat(1_000_000),
  '(?!other).*',
];
const ofPatterns = evilPatterns.map(
  (name): Attack => ({
    name: `a permission whose name is ${name.slice(0, 30)}`,
    as: 'admin',
    prepare: prepareRole,
    asks: role('hostile', [{ resource: { type: 'DATASOURCE', name }, action: 'READ' }]),
    expects: [refusedWith([400, 500], /^(?!.*internal error)./is), answered()],
    then: [
      {
        as: 'powerless',
        asks: { sql: `SELECT COUNT(*) FROM "${'a'.repeat(60)}!"` },
        expects: [forbidden, refused()],
      },
      {
        as: 'powerless',
        asks: { sql: 'SELECT * FROM INFORMATION_SCHEMA.TABLES' },
        expects: [answered()],
      },
    ],
    cleanUp: [remove(hostileRole)],
  }),
);
const permissions: readonly Attack[] = [
  {
    name: 'a permission that only begins with a name',
    as: 'admin',
    prepare: prepareRole,
    asks: role('hostile', [{ resource: { type: 'DATASOURCE', name: 'oth' }, action: 'READ' }]),
    expects: [answered()],
    then: [{ as: 'powerless', asks: { sql: 'SELECT * FROM other' }, expects: [forbidden] }],
    cleanUp: [remove(hostileRole)],
  },
  {
    name: 'a permission over two lines',
    as: 'admin',
    prepare: prepareRole,
    asks: role('hostile', [{ resource: { type: 'DATASOURCE', name: 'x\nother' }, action: 'READ' }]),
    expects: [answered(), refused()],
    then: [{ as: 'powerless', asks: { sql: 'SELECT * FROM other' }, expects: [forbidden] }],
    cleanUp: [remove(hostileRole)],
  },
  {
    name: 'a hundred thousand permissions',
    as: 'admin',
    prepare: prepareRole,
    asks: role(
      'hostile',
      Array.from({ length: 100_000 }, (_, at) => ({
        resource: { type: 'DATASOURCE', name: `d${at}.*` },
        action: 'READ',
      })),
    ),
    expects: [answered(), refusedWith([400, 413])],
    then: [
      {
        as: 'powerless',
        asks: { sql: 'SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES' },
        expects: [answered()],
      },
    ],
    cleanUp: [remove(hostileRole)],
  },
  {
    name: 'permissions of no kind',
    as: 'admin',
    prepare: prepareRole,
    asks: role('hostile', [
      { resource: { type: 7, name: null }, action: 'EVERYTHING' },
      null,
      'x',
      [],
    ]),
    expects: [refusedWith([400, 500], /^(?!.*internal error)./is)],
    cleanUp: [remove(hostileRole)],
  },
  {
    name: 'a user of a megabyte',
    as: 'admin',
    asks: post(`${base}/authentication/db/users/users/${'u'.repeat(50_000)}`),
    expects: [refusedWith([400, 414, 431], /(?:)/), answered()],
    cleanUp: [remove(`${base}/authentication/db/users/users/${'u'.repeat(50_000)}`)],
  },
  {
    name: 'a password of ten megabytes',
    as: 'admin',
    asks: post(`${base}/authentication/db/users/users/powerless/credentials`, () => ({
      password: 'x'.repeat(10_000_000),
    })),
    expects: [refusedWith([400, 413]), answered()],
    cleanUp: [
      post(`${base}/authentication/db/users/users/powerless/credentials`, {
        password: 'powerless',
      }),
    ],
  },
  {
    name: 'two thousand million iterations',
    as: 'admin',
    asks: post(`${base}/authentication/db/users/users/powerless/credentials`, {
      password: 'powerless',
      iterations: 2_000_000_000,
    }),
    expects: [refused(), answered()],
    withinMs: 5000,
    cleanUp: [
      post(`${base}/authentication/db/users/users/powerless/credentials`, {
        password: 'powerless',
      }),
    ],
  },
  {
    name: 'no iterations',
    as: 'admin',
    asks: post(`${base}/authentication/db/users/users/powerless/credentials`, {
      password: 'powerless',
      iterations: -1,
    }),
    expects: [refused(), answered()],
    cleanUp: [
      post(`${base}/authentication/db/users/users/powerless/credentials`, {
        password: 'powerless',
      }),
    ],
  },
  {
    name: 'a supervisor of another datasource with an id that exists',
    as: 'writer',
    prepare: [
      post(
        '/svc/indexer/v1/supervisor',
        supervisorOf({}, { dataSource: 'other', id: 'shared', suspended: true }),
      ),
    ],
    asks: post(
      '/svc/indexer/v1/supervisor',
      supervisorOf({}, { dataSource: 'wiki', id: 'shared', suspended: true }),
    ),
    expects: [forbidden, refused()],
    then: [
      { as: 'admin', asks: get('/svc/indexer/v1/supervisor/shared'), expects: [answered(/other/)] },
    ],
    cleanUp: [post('/svc/indexer/v1/supervisor/shared/terminate')],
  },
  {
    name: 'a task with an id that exists',
    as: 'writer',
    asks: {
      task: {
        ...taskOf({
          dataSource: 'wiki',
          inputSource: { type: 'inline', data: '{"t":"2024-01-01","page":"a"}' },
        }),
        id: 'same',
      },
    },
    expects: [answered(/SUCCESS/), failed()],
    then: [
      {
        as: 'admin',
        asks: {
          task: {
            ...taskOf({ dataSource: 'other', inputSource: { type: 'inline', data: '{}' } }),
            id: 'same',
          },
        },
        expects: [refused()],
      },
    ],
  },
  {
    name: 'the statement of another user',
    as: 'admin',
    asks: { statement: 'SELECT * FROM wiki', context: { sqlQueryId: 'of-admin' } },
    expects: [answered(/SUCCESS/)],
    then: [
      {
        as: 'reader',
        asks: get('/svc/v2/sql/statements/of-admin/results'),
        expects: [forbidden, refusedWith(404)],
      },
      {
        as: 'reader',
        asks: remove('/svc/v2/sql/statements/of-admin'),
        expects: [forbidden, refusedWith(404)],
      },
    ],
  },
  {
    name: 'a context that names another user',
    as: 'reader',
    asks: {
      sql: 'SELECT COUNT(*) FROM other',
      context: {
        authenticationResult: { identity: 'admin' },
        user: 'admin',
        __user: 'admin',
        internal: true,
      },
    },
    expects: [forbidden],
  },
  {
    name: 'headers that name another user',
    as: 'reader',
    asks: post(
      '/svc/v2/sql',
      { query: 'SELECT COUNT(*) FROM other' },
      {
        'x-druid-user': 'admin',
        'x-forwarded-user': 'admin',
        'x-remote-user': 'admin',
        'Druid-Authorization-Checked': 'true',
      },
    ),
    expects: [forbidden],
  },
  {
    name: 'a pattern of the own name is not an attack',
    as: 'reader',
    asks: { sql: 'SELECT COUNT(*) FROM wiki' },
    expects: [value(1), answered()],
  },
  {
    name: 'a role with names of the prototype',
    as: 'admin',
    asks: post(`${base}/authorization/db/roles/roles/__proto__`),
    expects: [answered(), refused()],
    cleanUp: [remove(`${base}/authorization/db/roles/roles/__proto__`)],
  },
  {
    name: 'a group mapping of an evil pattern',
    as: 'admin',
    asks: post(`${base}/authorization/db/roles/groupMappings/hostile`, {
      name: 'hostile',
      groupPattern: '(a+)+$',
    }),
    expects: [answered(), refusedWith([400, 404, 500], /^(?!.*internal error)/is)],
    cleanUp: [remove(`${base}/authorization/db/roles/groupMappings/hostile`)],
  },
];

const query = JSON.stringify({ query: 'SELECT 1', resultFormat: 'array' });
const page = { 'content-type': 'application/json' };
const because = refusedWith(403, /host|origin|site/i);
const origins: readonly [name: string, headers: Record<string, string>, isRight?: boolean][] = [
  ['a foreign Host', { ...page, host: 'evil.example' }],
  ['a foreign Host with a port', { ...page, host: 'evil.example:8888' }],
  ['a Host that rebinds', { ...page, host: '127.0.0.1.nip.io' }],
  ['a Host that begins with localhost', { ...page, host: 'localhost.evil.example' }],
  ['a Host that ends with localhost', { ...page, host: 'evil-localhost' }],
  ['a Host with a user', { ...page, host: '127.0.0.1@evil.example' }],
  ['a Host of a number', { ...page, host: '2130706433.evil.example' }],
  ['a Host of another address', { ...page, host: '203.0.113.7' }],
  ['a Host with a point', { ...page, host: 'evil.example.' }],
  ['a foreign Origin', { ...page, origin: 'http://evil.example' }],
  ['an Origin of null', { ...page, origin: 'null' }],
  ['an Origin that begins right', { ...page, origin: 'http://127.0.0.1.evil.example' }],
  ['an Origin with a user', { ...page, origin: 'http://127.0.0.1@evil.example' }],
  ['an Origin of another scheme', { ...page, origin: 'chrome-extension://abc' }],
  ['an Origin of file', { ...page, origin: 'file://' }],
  ['an Origin that is none', { ...page, origin: 'x' }],
  [
    'a page of another site',
    { ...page, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  ],
  ['a page of another site in capitals', { ...page, 'Sec-Fetch-Site': 'Cross-Site' }],
  ['text/plain of a page', { 'content-type': 'text/plain', origin: 'http://evil.example' }],
  [
    'a form of a page',
    {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'http://evil.example',
      'sec-fetch-site': 'cross-site',
    },
  ],
  ['no headers of a page', page, true],
  ['the Host localhost', { ...page, host: 'localhost:8888' }, true],
  ['the Host LOCALHOST', { ...page, host: 'LOCALHOST' }, true],
  ['the Host [::1]', { ...page, host: '[::1]:8888' }, true],
  ['the Host 127.0.0.1', { ...page, host: '127.0.0.1' }, true],
  ['a page of the same origin', { ...page, 'sec-fetch-site': 'same-origin' }, true],
  ['a person who types the address', { ...page, 'sec-fetch-site': 'none' }, true],
];
const ofOrigins = origins.flatMap(([name, headers, isRight]): Attack[] => {
  const paths: readonly (readonly [string, Attack['asks'], number])[] = [
    ['a query', post('/svc/v2/sql', query, headers), 200],
    ['a status', get('/status', headers), 200],
    [
      'an empty POST',
      post('/svc/coordinator/v1/datasources/nowhere/markUnused', '', {
        ...headers,
        'content-length': '0',
      }),
      0,
    ],
  ];
  return paths
    .filter(([, , right]) => !isRight || right === 200)
    .map(
      ([what, asks]): Attack => ({
        name: `${what} with ${name}`,
        as: 'anyone',
        asks,
        expects: [isRight ? answered(what === 'a query' ? /\[\[1\]\]/ : /version/) : because],
      }),
    );
});
const atControl = origins.slice(0, 18).map(
  ([name, headers]): Attack => ({
    name: `the control port with ${name}`,
    as: 'control',
    asks: get('/', headers),
    expects: [because],
  }),
);

export const accessOfUsers: AttackClass = {
  name: 'permissions',
  attacks: [...foreign, ...tables, ...natives, ...actions, ...ofPatterns, ...permissions],
};
export const passwords: AttackClass = {
  name: 'passwords',
  attacks: [...strangers, ...credentials],
};
export const originsOfPages: AttackClass = {
  name: 'origins',
  attacks: [...ofOrigins, ...atControl],
};
