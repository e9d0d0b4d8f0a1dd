// Forbidden reads: variables and files of the server, internal addresses, and secrets of others.
import {
  type Attack,
  type AttackClass,
  answered,
  type Ending,
  failed,
  forbidden,
  get,
  type Plain,
  post,
  quoted,
  refused,
  refusedWith,
  succeeded,
} from '../attack.ts';
import { secretVariable } from '../watched.ts';
import { externOf, nativeOn, sampled, sampledFrom, supervisorOf, taskOf } from './bodies.ts';

const supervisor = '/svc/indexer/v1/supervisor';
const shown = (id: string, lacks: RegExp, afterMs = 0) =>
  ['', '/status', '/history', '/stats', '/parseErrors'].map((part) => ({
    as: 'writer' as const,
    asks: get(`${supervisor}/${id}${part}`),
    ...(part === '/status' && { afterMs }),
    expects: [answered(/(?:)/, lacks), refusedWith([400, 404, 403, 500], /(?:)/)],
  }));
const terminate = (id: string): Plain => post(`${supervisor}/${id}/terminate`);

const provider = (variable: string) => ({ type: 'environment', variable });
const providers: readonly [name: string, properties: object][] = [
  ['ssl.keystore.password', { 'ssl.keystore.password': provider(secretVariable) }],
  ['sasl.jaas.config', { 'sasl.jaas.config': provider(secretVariable) }],
  ['bootstrap.servers', { 'bootstrap.servers': provider(secretVariable) }],
  ['client.id', { 'client.id': provider(secretVariable) }],
  ['group.id', { 'group.id': provider(secretVariable) }],
  ['an unknown property', { 'anything.at.all': provider(secretVariable) }],
  ['ADMIN_PASSWORD', { 'sasl.jaas.config': provider('ADMIN_PASSWORD') }],
  ['PATH', { 'client.id': provider('PATH') }],
  [
    'a map of variables',
    {
      'druid.dynamic.config.provider': {
        type: 'environment',
        variables: { 'client.id': secretVariable },
      },
    },
  ],
  [
    'a map of variables by the own name',
    {
      'svc.dynamic.config.provider': {
        type: 'environment',
        variables: { 'client.id': secretVariable },
      },
    },
  ],
  [
    'a map of texts',
    {
      'druid.dynamic.config.provider': {
        type: 'mapString',
        config: { 'client.id': provider(secretVariable) },
      },
    },
  ],
  [
    'a provider in a provider',
    { 'sasl.jaas.config': { type: 'default', password: provider(secretVariable) } },
  ],
  [
    'a provider of another spelling',
    {
      'sasl.jaas.config': {
        type: 'Environment',
        variable: secretVariable,
        Variable: secretVariable,
      },
    },
  ],
  ['the prototype', { 'sasl.jaas.config': provider('__proto__') }],
];

const environment = providers.flatMap(([name, properties]): Attack[] => [
  {
    name: `a variable of the server as ${name} of a supervisor`,
    as: 'writer',
    asks: post(supervisor, supervisorOf(properties)),
    expects: [refused(), forbidden, ...(/spelling/.test(name) ? [answered()] : [])],
    then: shown('wiki', /canary|:\/bin/, 1000),
    cleanUp: [terminate('wiki')],
  },
  {
    name: `a variable of the server as ${name} in the sampler`,
    as: 'admin',
    asks: post('/svc/indexer/v1/sampler', {
      ...supervisorOf(properties),
      samplerConfig: { numRows: 1, timeoutMs: 1000 },
    }),
    expects: [refusedWith([400, 403, 500], /^(?!.*canary)/s), answered(/(?:)/, /canary/)],
  },
]);

const withPassword = (httpAuthenticationPassword: unknown) => ({
  type: 'http',
  uris: ['http://127.0.0.1:1/a'],
  httpAuthenticationUsername: 'u',
  httpAuthenticationPassword,
});
const environmentOfTasks: readonly Attack[] = [
  {
    name: 'a variable of the server as the password of a source',
    as: 'writer',
    asks: {
      task: taskOf({ dataSource: 'wiki', inputSource: withPassword(provider(secretVariable)) }),
    },
    expects: [refused(), forbidden, failed()],
  },
  {
    name: 'a variable of the server as the user of a source',
    as: 'writer',
    asks: {
      task: taskOf({
        dataSource: 'wiki',
        inputSource: { ...withPassword('x'), httpAuthenticationUsername: provider(secretVariable) },
      }),
    },
    expects: [refused(), forbidden, failed()],
  },
  {
    name: 'a variable of the server as a header',
    as: 'writer',
    asks: {
      task: taskOf({
        dataSource: 'wiki',
        inputSource: {
          type: 'http',
          uris: ['http://127.0.0.1:1/a'],
          requestHeaders: { a: provider(secretVariable) },
        },
      }),
    },
    expects: [refused(), forbidden, failed()],
  },
  {
    name: 'a variable of the server in EXTERN',
    as: 'writer',
    asks: {
      sqlTask: `INSERT INTO "wiki" SELECT CURRENT_TIMESTAMP AS __time, "a" FROM ${externOf(withPassword(provider(secretVariable)), { type: 'json' }, '"a" VARCHAR')} PARTITIONED BY ALL`,
    },
    expects: [refused(), forbidden, failed()],
  },
  {
    name: 'a variable of the server in the sampler',
    as: 'admin',
    asks: post('/svc/indexer/v1/sampler', {
      ...sampled('', { type: 'json' }),
      spec: {
        dataSchema: { dataSource: 'x' },
        ioConfig: {
          type: 'index_parallel',
          inputSource: withPassword(provider(secretVariable)),
          inputFormat: { type: 'json' },
        },
      },
    }),
    expects: [refusedWith([400, 403, 500])],
  },
  {
    name: 'getenv',
    as: 'admin',
    asks: { sql: `SELECT getenv('${secretVariable}')` },
    expects: [refused()],
  },
  {
    name: 'getvariable',
    as: 'admin',
    asks: { sql: "SELECT getvariable('x'), current_setting('temp_directory')" },
    expects: [refused()],
  },
  {
    name: 'getenv in a native expression',
    as: 'admin',
    asks: {
      native: nativeOn({
        dataSource: 'wiki',
        queryType: 'scan',
        columns: ['v'],
        virtualColumns: [
          {
            type: 'expression',
            name: 'v',
            expression: `getenv('${secretVariable}')`,
            outputType: 'STRING',
          },
        ],
      }),
    },
    expects: [refused()],
  },
  {
    name: 'sys:env in an expression',
    as: 'admin',
    asks: { sql: `SELECT "\${env:${secretVariable}}", '\${sys:user.home}'` },
    expects: [refused()],
  },
  {
    name: 'the properties of the service',
    as: 'admin',
    asks: get('/status/properties'),
    expects: [answered(/(?:)/, /admin-password|canary/)],
  },
  {
    name: 'the properties of the service for those without rights',
    as: 'reader',
    asks: get('/status/properties'),
    expects: [forbidden],
  },
  {
    name: 'a password of a user as a variable',
    as: 'admin',
    asks: post('/svc-ext/basic-security/authentication/db/users/users/reader/credentials', {
      password: provider('ADMIN_PASSWORD'),
    }),
    expects: [refused(), refusedWith(500)],
  },
];

const files = [
  '/dev/zero',
  'ALLOWED_FOLDER/fifo',
  'ALLOWED_FOLDER/zero',
  'ALLOWED_FOLDER/link',
  'ALLOWED_FOLDER/../secret.txt',
  'OUTSIDE_FOLDER/secret.txt',
  'OUTSIDE_FOLDER/data/metadata.sqlite',
  '/etc/passwd',
  '/etc/shadow',
  '/proc/self/environ',
  '/proc/self/mem',
  '/dev/stdin',
  '/dev/tty',
  '/dev/random',
  'file:///etc/passwd',
  '/',
  'secret.txt',
  '../secret.txt',
  '\u0000',
  '/etc/passwd\u0000.json',
  `/${'a/'.repeat(3000)}`,
];
const leak = /canary|root:x:|SQLite format|TERM=/;
const unread: Ending[] = [
  refused(),
  forbidden,
  failed(/allow|regular|not exist|no such|cannot read|outside|folder|file/i),
];
const ofSsl = [
  'ssl.truststore.location',
  'ssl.keystore.location',
  'ssl.ca.location',
  'sasl.kerberos.keytab',
].flatMap((property, at) =>
  (at === 0 ? files : files.slice(0, 3)).map(
    (file): Attack => ({
      name: `${property} of ${JSON.stringify(file.slice(0, 40))}`,
      as: 'writer',
      asks: post(
        supervisor,
        supervisorOf({
          'security.protocol': 'SSL',
          'ssl.truststore.type': 'PEM',
          [property]: file,
        }),
      ),
      expects: [refused(), forbidden, answered()],
      then: shown('wiki', leak),
      cleanUp: [terminate('wiki')],
    }),
  ),
);
const ofSources = files.flatMap((file): Attack[] => {
  const named = JSON.stringify(file.slice(0, 40));
  return [
    {
      name: `the file ${named} of a task`,
      as: 'writer',
      asks: {
        task: taskOf({
          dataSource: 'wiki',
          inputSource: { type: 'local', files: [file] },
          inputFormat: { type: 'csv', columns: ['page'] },
        }),
      },
      expects: unread,
      withinMs: 5000,
    },
    {
      name: `the folder ${named} of a task`,
      as: 'writer',
      asks: {
        task: taskOf({
          dataSource: 'wiki',
          inputSource: { type: 'local', baseDir: file, filter: '*' },
          inputFormat: { type: 'csv', columns: ['page'] },
        }),
      },
      expects: unread,
      withinMs: 5000,
    },
    {
      name: `the file ${named} in the sampler`,
      as: 'admin',
      asks: post(
        '/svc/indexer/v1/sampler',
        sampledFrom({ type: 'local', files: [file] }, { type: 'csv', columns: ['page'] }),
      ),
      expects: [refusedWith([400, 403, 500], /^(?!.*(canary|root:x:))/s), answered(/(?:)/, leak)],
    },
  ];
});
const filters = [
  '../secret.txt',
  '../*',
  '**/../../secret.txt',
  '{..,.}/*',
  'link',
  'fifo',
  'zero',
  '.*',
].map(
  (filter): Attack => ({
    name: `the filter ${filter} of a task`,
    as: 'writer',
    asks: {
      task: taskOf({
        dataSource: 'other-of-wiki',
        inputSource: { type: 'local', baseDir: 'ALLOWED_FOLDER', filter },
      }),
    },
    expects: [forbidden, refused(), failed()],
    withinMs: 5000,
  }),
);

const engine = [
  "SELECT * FROM read_text('/etc/passwd')",
  "SELECT * FROM read_csv('/etc/passwd')",
  "SELECT * FROM read_blob('/etc/passwd')",
  "SELECT * FROM glob('/*')",
  "SELECT * FROM '/etc/passwd'",
  'SELECT * FROM "/etc/passwd"',
  'SELECT * FROM "OUTSIDE_FOLDER/secret.txt"',
  "SELECT * FROM read_parquet('OUTSIDE_FOLDER/data/segments/**')",
  "COPY (SELECT 1) TO '/tmp/x'",
  "ATTACH '/etc/passwd' AS x",
  'INSTALL httpfs',
  'LOAD httpfs',
  'PRAGMA database_list',
  "SET temp_directory='/'",
  'CALL pragma_version()',
  'SELECT * FROM duckdb_settings()',
  'SELECT * FROM duckdb_secrets()',
  'SELECT * FROM sqlite_master',
  'SELECT * FROM information_schema.tables; SELECT 1',
  'CREATE TABLE x AS SELECT 1',
  'DROP TABLE wiki',
  "EXPORT DATABASE '/tmp/x'",
  "SELECT * FROM wiki; COPY wiki TO '/tmp/x'",
  "SELECT query('SELECT 1')",
  "SELECT * FROM query_table('wiki')",
  "SELECT sql_auto_complete('x')",
  'SELECT version()',
  'SELECT current_database()',
  'SELECT * FROM range(1000000000000)',
  'SELECT * FROM generate_series(1, 1000000000000)',
  "SELECT pg_read_file('/etc/passwd')",
  'SELECT * FROM wiki TABLESAMPLE 10 PERCENT',
  'SELECT $$a$$',
  'SELECT COLUMNS(*) FROM wiki',
  'SELECT * EXCLUDE (word) FROM wiki',
  'FROM wiki',
  'SELECT {x: 1}',
  'SELECT [1, 2]',
  "SELECT 'a'::VARCHAR",
  'SELECT x -> 1',
  'PIVOT wiki ON word',
];
const ofEngine = engine.map(
  (sql): Attack => ({
    name: `the engine's own ${sql.slice(0, 50)}`,
    as: 'admin',
    asks: { sql },
    expects: [refused()],
  }),
);
const injected = [
  '"; DROP TABLE x; --',
  "'); COPY x TO '/tmp/x'; --",
  "\" UNION SELECT * FROM read_text('/etc/passwd') --",
  '/etc/passwd',
  '../../../etc/passwd',
  '*',
  '$1',
  '`',
  "''",
  '") FROM (SELECT 1',
].flatMap((text): Attack[] => [
  {
    name: `the native datasource ${text}`,
    as: 'admin',
    asks: { native: { queryType: 'scan', dataSource: text, intervals: ['2000/2030'] } },
    expects: [answered(/^\[\]/), refused()],
  },
  {
    name: `the native columns ${text}`,
    as: 'admin',
    asks: {
      native: nativeOn({
        dataSource: 'wiki',
        queryType: 'groupBy',
        granularity: 'all',
        dimensions: [{ type: 'default', dimension: text, outputName: `${text}!` }],
        aggregations: [{ type: 'count', name: text }],
      }),
    },
    expects: [answered(/^\[/, leak), refused()],
  },
  {
    name: `the SQL names ${text}`,
    as: 'admin',
    asks: {
      sql: `SELECT word AS "${text.replaceAll('"', '""')}", ${quoted(text)} AS t FROM wiki ORDER BY "${text.replaceAll('"', '""')}"`,
    },
    expects: [answered(/wiki/, leak), refused()],
  },
]);

const urls = [
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.1.1:80/',
  'http://[fe80::1]/',
  'http://169.254.169.254.nip.io/',
  'file:///etc/passwd',
  'ftp://127.0.0.1/',
  'gopher://127.0.0.1:1/',
  'data:text/plain,a',
  'http://user:hunter2-hostile@127.0.0.1:1/',
  'javascript:1',
  'http:///x',
  'http://a b/',
  '\u0000',
];
const ofUrls = urls.map(
  (uri): Attack => ({
    name: `the address ${uri}`,
    as: 'writer',
    asks: { task: taskOf({ dataSource: 'wiki', inputSource: { type: 'http', uris: [uri] } }) },
    expects: [refused(), forbidden, failed()],
    withinMs: 8000,
  }),
);

const password = 'hunter2-hostile';
const hidden = new RegExp(password);
const stored: readonly [name: string, properties: object][] = [
  [
    'sasl.jaas.config',
    {
      'sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required username="u" password="${password}";`,
    },
  ],
  ['ssl.key.password', { 'ssl.key.password': password }],
  [
    'ssl.keystore.password by a provider',
    { 'ssl.keystore.password': { type: 'default', password } },
  ],
  ['ssl.truststore.password', { 'ssl.truststore.password': password }],
  [
    'a secret of a registry',
    { 'basic.auth.user.info': `u:${password}`, 'schema.registry.secret': password },
  ],
  [
    'a passphrase',
    { 'my.passphrase': password, 'my.Credentials': password, 'SASL.PASSWORD': password },
  ],
  [
    'a dynamic provider',
    {
      'druid.dynamic.config.provider': { type: 'mapString', config: { 'sasl.password': password } },
    },
  ],
];
const masked = stored.map(
  ([name, properties]): Attack => ({
    name: `the stored ${name} of a supervisor`,
    as: 'writer',
    asks: post(supervisor, supervisorOf(properties, { suspended: true })),
    expects: [answered(/(?:)/, hidden), refusedWith([400, 403], /^(?!.*hunter2)/s)],
    then: [
      ...shown('wiki', hidden),
      { as: 'admin', asks: get(`${supervisor}?full`), expects: [answered(/(?:)/, hidden)] },
      { as: 'admin', asks: get(`${supervisor}/history`), expects: [answered(/(?:)/, hidden)] },
      {
        as: 'admin',
        asks: { sql: 'SELECT * FROM sys.supervisors' },
        expects: [answered(/(?:)/, hidden)],
      },
    ],
    cleanUp: [terminate('wiki')],
  }),
);
const ofTasks: readonly Attack[] = [
  {
    name: 'the stored password of a task',
    as: 'writer',
    asks: {
      task: taskOf({ id: 'masked-1', dataSource: 'wiki', inputSource: withPassword(password) }),
    },
    expects: [failed(), refused(), forbidden],
    then: ['', '/status', '/reports', '/log'].map((part) => ({
      as: 'writer',
      asks: get(`/svc/indexer/v1/task/masked-1${part}`),
      expects: [answered(/(?:)/, hidden), refusedWith([404, 403])],
    })),
  },
  {
    name: 'the stored header of a task',
    as: 'writer',
    asks: {
      task: taskOf({
        id: 'masked-2',
        dataSource: 'wiki',
        inputSource: {
          type: 'http',
          uris: [`http://u:${password}@127.0.0.1:1/`],
          requestHeaders: { Authorization: `Bearer ${password}` },
        },
      }),
    },
    expects: [failed(), refused(), forbidden],
    then: ['', '/status', '/reports', '/log'].map((part) => ({
      as: 'writer',
      asks: get(`/svc/indexer/v1/task/masked-2${part}`),
      expects: [answered(/(?:)/, hidden), refusedWith([404, 403])],
    })),
  },
  {
    name: 'the password in a statement of EXTERN',
    as: 'writer',
    asks: {
      sqlTask: `INSERT INTO "wiki" SELECT CURRENT_TIMESTAMP AS __time, "a" FROM ${externOf(withPassword(password), { type: 'json' }, '"a" VARCHAR')} PARTITIONED BY ALL`,
      context: { sqlQueryId: 'masked-3' },
    },
    expects: [failed(), refused(), forbidden],
    then: [
      ...['', '/status', '/reports', '/log'].map((part) => ({
        as: 'admin' as const,
        asks: get(`/svc/indexer/v1/task/masked-3${part}`),
        expects: [answered(/(?:)/, hidden), refusedWith([404, 403])],
      })),
      {
        as: 'admin' as const,
        asks: get('/svc/v2/sql/statements/masked-3?detail=true'),
        expects: [answered(/(?:)/, hidden), refusedWith([404, 403])],
      },
    ],
  },
];

export const environmentOfTheServer: AttackClass = {
  name: 'environment',
  attacks: [...environment, ...environmentOfTasks],
};
export const paths: AttackClass = {
  name: 'paths',
  attacks: [
    ...ofSsl,
    ...ofSources,
    ...filters,
    ...ofEngine,
    ...injected,
    ...ofUrls,
    {
      name: 'an allowed file is not an attack',
      as: 'admin',
      asks: {
        task: taskOf({
          dataSource: 'allowed',
          inputSource: { type: 'local', files: ['ALLOWED_FOLDER/rows.json'] },
        }),
      },
      expects: [succeeded],
    },
  ],
};
export const secrets: AttackClass = { name: 'secrets', attacks: [...masked, ...ofTasks] };
