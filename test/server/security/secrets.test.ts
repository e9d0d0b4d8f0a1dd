// Secrets in specifications, tasks and statements: kept for running, shown nowhere, and not
// overwritten by what stands for them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { maskDocument, maskSql } from '../../../src/server/handlers/masks.ts';
import { openStorage } from '../../../src/server/storage/storage.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/storage.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { ask } from '../../support/users.ts';

const secret = 'hunter2';

test.each<[unknown, unknown]>([
  [{ httpAuthenticationPassword: secret }, { httpAuthenticationPassword: '<masked>' }],
  [
    { httpAuthenticationPassword: { type: 'default', password: secret } },
    { httpAuthenticationPassword: { type: 'default', password: '<masked>' } },
  ],
  [
    { a: { type: 'environment', variable: 'PASSWORD' } },
    { a: { type: 'environment', variable: 'PASSWORD' } },
  ],
  [
    { p: { type: 'mapString', config: { any: secret } } },
    { p: { type: 'mapString', config: { any: '<masked>' } } },
  ],
  [
    { requestHeaders: { Authorization: secret } },
    { requestHeaders: { Authorization: '<masked>' } },
  ],
  [
    { credentials: { user: secret, list: [secret] } },
    { credentials: { user: '<masked>', list: ['<masked>'] } },
  ],
  [
    { 'ssl.keystore.key': secret, passphrase: 5, clientSecret: '' },
    { 'ssl.keystore.key': '<masked>', passphrase: '<masked>', clientSecret: '' },
  ],
  [{ uris: [`http://ann:${secret}@a.test/x`] }, { uris: ['http://ann:<masked>@a.test/x'] }],
  [
    { connectURI: `jdbc:mysql://ann:${secret}@a.test/x` },
    { connectURI: 'jdbc:mysql://ann:<masked>@a.test/x' },
  ],
  [
    { connectURI: `jdbc:derby:x;password=${secret};user=ann` },
    { connectURI: 'jdbc:derby:x;password=<masked>;user=ann' },
  ],
  [
    { uri: `https://a.test/x?token=${secret}&page=1#top` },
    { uri: 'https://a.test/x?token=<masked>&page=1#top' },
  ],
  [{ description: 'use ?password=x' }, { description: 'use ?password=x' }],
  [
    { data: [{ password: secret }], map: [{ token: secret }] },
    { data: [{ password: '<masked>' }], map: [{ token: '<masked>' }] },
  ],
  [
    { type: 'inline', data: '{"password":"row"}' },
    { type: 'inline', data: '{"password":"row"}' },
  ],
  [
    { type: 'map', map: { password: 'entry' } },
    { type: 'map', map: { password: 'entry' } },
  ],
  [
    { type: 'staticMap', map: { password: 'entry' } },
    { type: 'staticMap', map: { password: 'entry' } },
  ],
  [{ results: [['a', { password: 'row' }]] }, { results: [['a', { password: 'row' }]] }],
  [{ specString: `{"password":"${secret}"}` }, { specString: '{"password":"<masked>"}' }],
])('%j is shown as %j', (given, shown) => {
  expect(maskDocument(given)).toEqual(shown);
});

test.each([
  [
    `SELECT 'a' FROM TABLE(EXTERN('{"type":"http","httpAuthenticationPassword":"it''s"}', '{"type":"json"}'))`,
  ],
  [
    `SELECT * FROM TABLE(HTTP(userName => 'ann', password => 'it''s', uris => ARRAY['http://a.test']))`,
  ],
  [
    `SELECT * FROM TABLE(EXTERN('{"httpAuthentication' || 'Password":"' || 'it''s' || '"}', '{"passwordX": "y' ))`,
  ],
  [`SELECT * FROM TABLE(HTTP(uris => ARRAY['http://ann:it''s@a.test']))`],
  [
    `SELECT * FROM TABLE(S3(uris => ARRAY['s3://a/b'], accessKeyId => 'AKID', secretAccessKey => 'it''s', format => 'json')) EXTEND (a VARCHAR)`,
  ],
  [
    `SELECT * FROM TABLE(EXTERN('{"type":"s3","properties":{"accessKeyId":"a","secretAccessKey":{"type":"default","password":"it''s"}}}', '{"type":"json"}'))`,
  ],
  [`SELECT U&'{"secret":"it''s"}'`],
])('a statement is shown without its secrets: %s', (statement) => {
  const shown = maskSql(statement);
  expect(shown).not.toContain("it''s");
  expect(shown).toContain('<masked>');
});

test('a statement without secrets is shown as it is', () => {
  const statement = `SELECT "password", '{"key": "a"}' FROM t -- token\nWHERE "secret" = 'it''s'`;
  expect(maskSql(statement)).toBe(statement);
});

test('a specification that is sent back as it is shown keeps its secrets, and sends them nowhere else', async () => {
  const service = await startService();
  const consumerProperties = {
    'bootstrap.servers': '127.0.0.1:1',
    'security.protocol': 'SASL_PLAINTEXT',
    'sasl.mechanism': 'PLAIN',
    'sasl.jaas.config': `a.B required username="me" password="${secret}";`,
    'ssl.key.password': { type: 'default', password: secret },
  };
  const post = async (body: unknown) => {
    const { status, text } = await ask(
      service,
      undefined,
      'POST /svc/indexer/v1/supervisor?skipRestartIfUnmodified=true',
      body,
    );
    return { status, ...JSON.parse(text) };
  };
  const shown = async () =>
    JSON.parse((await ask(service, undefined, 'GET /svc/indexer/v1/supervisor/edits')).text);
  const given = streamSpec({ suspended: true, ioConfig: { consumerProperties } });
  expect(await post(given)).toMatchObject({ status: 200, modified: true });
  const first = await shown();
  expect(first.spec.ioConfig.consumerProperties).toEqual({
    ...consumerProperties,
    'sasl.jaas.config': '<masked>',
    'ssl.key.password': { type: 'default', password: '<masked>' },
  });
  expect(await post(first)).toMatchObject({ status: 200, modified: false });
  expect(await post({ ...first, suspended: false })).toMatchObject({ status: 200, modified: true });
  // Suspended again, with the same secrets
  expect(await post(given)).toMatchObject({ status: 200, modified: true });
  expect(await post({ ...(await shown()), suspended: true })).toMatchObject({
    status: 200,
    modified: false,
  });

  const elsewhere = structuredClone(first);
  elsewhere.spec.ioConfig.consumerProperties['bootstrap.servers'] = 'evil.test:9092';
  expect(await post(elsewhere)).toMatchObject({
    status: 400,
    error: expect.stringContaining(
      'Field [spec.ioConfig.consumerProperties.sasl.jaas.config] is [<masked>], the placeholder',
    ),
  });
  const overridden = structuredClone(first);
  overridden.spec.ioConfig.configOverrides = { 'bootstrap.servers': 'evil.test:9092' };
  expect(await post(overridden)).toMatchObject({
    status: 400,
    error: expect.stringContaining('the fields beside it differ from those of the supervisor'),
  });
  const secretOverrides = { 'ssl.keystore.password': secret };
  const withOverrides = streamSpec({
    id: 'tenant',
    suspended: true,
    ioConfig: { consumerProperties, configOverrides: secretOverrides },
  });
  expect(await post(withOverrides)).toMatchObject({ status: 200, modified: true });
  const tenant = JSON.parse(
    (await ask(service, undefined, 'GET /svc/indexer/v1/supervisor/tenant')).text,
  );
  expect(tenant.spec.ioConfig.configOverrides).toEqual({ 'ssl.keystore.password': '<masked>' });
  expect(await post(tenant)).toMatchObject({ status: 200, modified: false });
  tenant.spec.ioConfig.consumerProperties['bootstrap.servers'] = 'evil.test:9092';
  expect(await post(tenant)).toMatchObject({
    status: 400,
    error: expect.stringContaining('spec.ioConfig.'),
  });
  expect(await post({ ...first, id: 'other' })).toMatchObject({
    status: 400,
    error: expect.stringContaining('<masked>'),
  });
  expect(
    (await ask(service, undefined, 'POST /svc/indexer/v1/supervisor/edits/terminate')).status,
  ).toBe(200);
  expect(await post(first)).toMatchObject({ status: 200, modified: true }); // as an undo does
  for (const path of [
    'supervisor?full',
    'supervisor?system',
    'supervisor/history',
    'supervisor/edits/history',
    'supervisor/edits/status',
  ])
    expect([
      path,
      (await ask(service, undefined, `GET /svc/indexer/v1/${path}`)).text.includes(secret),
    ]).toEqual([path, false]);
  const { text } = await ask(service, undefined, 'POST /svc/v2/sql', {
    query: 'SELECT spec FROM sys.supervisors',
  });
  expect(text).toContain('<masked>');
  expect(text).not.toContain(secret);
});

test('tasks and statements show no password of the files that they fetch, and fetch them with it', async () => {
  const seen = new Set<string | undefined>();
  const server = createServer(({ headers }, reply) => {
    seen.add(headers.authorization);
    reply.end('{"t":"2024-01-01","password":"row"}\n');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((wake) => server.once('listening', wake));
  const inputSource = {
    type: 'http',
    uris: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/x`],
    httpAuthenticationUsername: 'ann',
    httpAuthenticationPassword: secret,
    requestHeaders: { 'x-token': secret },
  };
  const service = await startService();
  const send = (path: string, body: unknown) => ask(service, undefined, `POST /svc/${path}`, body);
  const select = `SELECT * FROM TABLE(EXTERN('${JSON.stringify(inputSource)}', '{"type":"json"}')) EXTEND (t VARCHAR, "password" VARCHAR)`;
  const spec = {
    dataSchema: { dataSource: 'd', timestampSpec: { column: 't' }, dimensionsSpec: {} },
    ioConfig: { type: 'index_parallel', inputSource, inputFormat: { type: 'json' } },
  };
  const tasks = [
    JSON.parse((await send('indexer/v1/task', { type: 'index_parallel', id: 'batch', spec })).text)
      .task,
    JSON.parse(
      (await send('v2/sql/statements', { query: select, context: { executionMode: 'ASYNC' } }))
        .text,
    ).queryId,
  ];
  const get = async (path: string) => (await ask(service, undefined, `GET /svc/${path}`)).text;
  for (const id of tasks) {
    while ((await get(`indexer/v1/task/${id}/status`)).includes('RUNNING'))
      await new Promise((wake) => setTimeout(wake, 50));
    for (const path of ['', '/status', '/log', '/reports']) {
      const text = await get(`indexer/v1/task/${id}${path}`);
      expect([path, text.includes(secret)]).toEqual([path, false]);
    }
    expect(await get(`indexer/v1/task/${id}`)).toContain('<masked>');
  }
  const status = await get(`v2/sql/statements/${tasks[1]}?detail=true`);
  expect([status.includes(secret), status.includes('"row"')]).toEqual([false, true]);
  expect((await send('v2/sql/task', { query: `EXPLAIN PLAN FOR ${select}` })).text).not.toContain(
    secret,
  );
  expect([...seen]).toEqual([`Basic ${Buffer.from(`ann:${secret}`).toString('base64')}`]);
  const shown = JSON.parse(await get('indexer/v1/task/batch')).payload;
  expect(await send('indexer/v1/task', { ...shown, id: 'again' })).toMatchObject({
    status: 400,
    text: expect.stringContaining(
      'Field [spec.ioConfig.inputSource.httpAuthenticationPassword] is [<masked>]',
    ),
  });
  expect((await send('v2/sql/task', { query: maskSql(select) })).status).toBe(400);
});

// What a service has stored, after its end.
async function storedIn(folder: string, service: { close(): Promise<void> }, query: string) {
  await service.close();
  const storage = openStorage(folder);
  const rows = storage.metadata.all<Readonly<Record<string, string>>>(query);
  await storage.close();
  return rows;
}

test('a lookup that is sent back as it is shown keeps its secrets, and sends them nowhere else', async () => {
  const dataDir = await temporaryFolder();
  const service = await startService({ dataDir });
  const path = '/svc/coordinator/v1/lookups/config';
  const post = (to: string, body: unknown) => ask(service, undefined, `POST ${path}${to}`, body);
  const get = async (from: string) => (await ask(service, undefined, `GET ${path}${from}`)).text;
  const namespace = (connectURI: string, password: unknown, pollPeriod = 'PT1H') => ({
    type: 'cachedNamespace',
    extractionNamespace: {
      type: 'jdbc',
      connectorConfig: { connectURI, user: 'ann', password },
      table: 't',
      pollPeriod,
    },
  });
  const jdbc = (version: string, ...parts: Parameters<typeof namespace>) => ({
    version,
    lookupExtractorFactory: namespace(...parts),
  });
  const stream = (version: string, broker: string, secretOfIt: string) => ({
    version,
    lookupExtractorFactory: {
      type: 'kafka',
      kafkaTopic: 'names',
      kafkaProperties: { 'bootstrap.servers': broker, 'ssl.truststore.password': secretOfIt },
    },
  });
  const file = (version: string, uri: string) => ({
    version,
    lookupExtractorFactory: { type: 'cachedNamespace', extractionNamespace: { type: 'uri', uri } },
  });
  const words = {
    version: 'v1',
    lookupExtractorFactory: {
      type: 'map',
      map: { password: 'entry', b: '<masked>' },
      apiKey: secret,
    },
  };
  const uri = 'jdbc:postgresql://a.test/names';
  const stored = {
    jdbc: jdbc('v1', uri, { type: 'default', password: secret }),
    stream: stream('v1', 'a.test:9092', secret),
    file: file('v1', `https://ann:${secret}@a.test/x?token=${secret}`),
    words,
  };
  expect((await post('', {})).status).toBe(202);
  expect((await post('', { __default: stored })).status).toBe(202);
  for (const from of [
    '/all',
    '/__default?detailed=true',
    ...Object.keys(stored).map((name) => `/__default/${name}`),
  ]) {
    const text = await get(from);
    expect([from, text.includes(secret), text.includes('<masked>')]).toEqual([from, false, true]);
  }
  expect(JSON.parse(await get('/__default/words')).lookupExtractorFactory).toEqual({
    ...words.lookupExtractorFactory,
    apiKey: '<masked>',
  });

  const masked = { type: 'default', password: '<masked>' };
  expect((await post('/__default/jdbc', jdbc('v2', uri, masked, 'PT5M'))).status).toBe(202); // the period is not beside the password
  const shown = JSON.parse(await get('/__default/file'));
  expect(
    (
      await post('', {
        __default: {
          file: { ...shown, version: 'v2' },
          stream: stream('v2', 'a.test:9092', '<masked>'),
        },
      })
    ).status,
  ).toBe(202);
  const elsewhere = {
    jdbc: jdbc('v3', 'jdbc:postgresql://evil.test/names', masked),
    stream: stream('v3', 'evil.test:9092', '<masked>'),
    file: file('v3', 'https://ann:<masked>@evil.test/x?token=<masked>'),
    unknown: jdbc('v3', uri, masked),
  };
  for (const [name, lookup] of Object.entries(elsewhere)) {
    const refused = `Lookup [${name}] cannot be stored: field [lookupExtractorFactory.`;
    expect(await post(`/__default/${name}`, lookup)).toMatchObject({
      status: 400,
      text: expect.stringContaining(refused),
    });
    expect(await post('', { __default: { [name]: lookup } })).toMatchObject({
      status: 400,
      text: expect.stringContaining(refused),
    });
  }
  const kept = await storedIn(
    dataDir,
    service,
    `SELECT name, spec FROM lookups WHERE name <> 'words' ORDER BY name`,
  );
  expect(kept.map(({ name, spec }) => [name, JSON.parse(String(spec))])).toEqual([
    ['file', file('v2', `https://ann:${secret}@a.test/x?token=${secret}`)],
    ['jdbc', jdbc('v2', uri, { type: 'default', password: secret }, 'PT5M')],
    ['stream', stream('v2', 'a.test:9092', secret)],
  ]);
});

test('configurations that hold secrets show none, nor do their histories, and keep them when they are sent back', async () => {
  const dataDir = await temporaryFolder();
  const service = await startService({ dataDir });
  const send = (to: string, body?: unknown) => ask(service, undefined, to, body);
  const compaction = (at: object) => ({ dataSource: 'd', taskContext: at });
  const bodies: readonly (readonly [
    path: string,
    history: string,
    body: object,
    masked: object,
  ])[] = [
    [
      'coordinator/v1/config/compaction',
      'coordinator/v1/config/compaction/d/history',
      compaction({ apiKey: secret }),
      compaction({ apiKey: '<masked>', other: 1 }),
    ],
    [
      'indexer/v1/compaction/config/datasources/d',
      'indexer/v1/compaction/config/datasources/d/history',
      compaction({ apiKey: secret, number: 2 }),
      compaction({ apiKey: '<masked>', other: 2 }),
    ],
    [
      'indexer/v1/worker',
      'indexer/v1/worker/history',
      { autoScaler: { apiKey: secret } },
      { autoScaler: { apiKey: '<masked>', other: 1 } },
    ],
    [
      'coordinator/v1/broker/config',
      'coordinator/v1/broker/config/history',
      { queryContext: { apiKey: secret } },
      { queryContext: { apiKey: '<masked>', other: 1 } },
    ],
  ];
  for (const [path, history, body, masked] of bodies) {
    expect([path, (await send(`POST /svc/${path}`, body)).status]).toEqual([path, 200]);
    expect([path, (await send(`POST /svc/${path}`, masked)).status]).toEqual([path, 200]);
    for (const from of [path, history]) {
      const { text } = await send(`GET /svc/${from}`);
      expect([
        from,
        text.includes(secret),
        text.includes('<masked>'),
        text.includes('other'),
      ]).toEqual([from, false, true, true]);
    }
    const added = JSON.parse(
      JSON.stringify(masked).replace('"other":', '"password":"<masked>","other":'),
    );
    const { status, text } = await send(`POST /svc/${path}`, added);
    expect([path, status, text]).toEqual([
      path,
      400,
      expect.stringContaining('password] is [<masked>], the placeholder'),
    ]);
  }
  const kept = await storedIn(
    dataDir,
    service,
    'SELECT payload AS text FROM audit UNION ALL SELECT config FROM compaction_configs',
  );
  expect(kept.map(({ text }) => text).join()).not.toContain('<masked>');
});
