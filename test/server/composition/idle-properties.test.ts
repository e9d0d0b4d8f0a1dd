// A property that has no effect is named when the service starts; one that is needed and left out
// is, too.
import { expect, onTestFinished, test, vi } from 'vitest';
import { startServer } from '../../../src/server/server.ts';
import { linesOfProperties, parseProperties } from '../../../src/server/settings/properties.ts';
import { withUsers } from '../../support/users.ts';
import { api } from '../../support/wire.ts';

async function started(text: string, settings: Parameters<typeof startServer>[0] = {}) {
  const written: string[] = [];
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    written.push(String(chunk));
    return true;
  });
  onTestFinished(() => stderr.mockRestore());
  const service = await startServer({
    port: 0,
    properties: parseProperties(text),
    propertyLines: linesOfProperties(text),
    ...settings,
  });
  onTestFinished(() => service.close());
  return { service, warnings: written.filter((line) => line.startsWith('warning: ')) };
}

test('properties without effect are named with their lines, and why', async () => {
  const { warnings } = await started(`# mine
svc.zk.service.host=zoo
svc.coordinator.perid=PT1S
svc.coordinator.period=PT1S
svc.nothing.like.this=1
svc.coordinator.kill.maxSegments=7
svc.server.hiddenProperties=["word"]
java.io.tmpdir=/tmp
svc.extensions.loadList=["svc-datasketches", "svc-hdfs-storage"]`);
  expect(warnings).toEqual([
    'warning: Property [svc.zk.service.host] in line [2] has no effect here: there is no ZooKeeper\n',
    'warning: Property [svc.coordinator.perid] in line [3] has no effect: this service has no such property; did you mean [svc.coordinator.period]?\n',
    'warning: Property [svc.nothing.like.this] in line [5] has no effect: this service has no such property\n',
    'warning: Property [svc.coordinator.kill.maxSegments] in line [6] has no effect here: property [coordinator.kill.on] is not true\n',
    'warning: Extension [svc-hdfs-storage] of property [svc.extensions.loadList] is not available here\n',
  ]);
});

test('a service whose properties all have an effect says nothing', async () => {
  const users = Object.entries(withUsers).map(([name, value]) => `${name}=${value}`);
  const { warnings } = await started(
    [
      ...users,
      'svc.router.http.readTimeout=PT5M',
      'svc.auth.authenticator.users.enableCacheNotifications=true',
    ].join('\n'),
  );
  expect(warnings).toEqual([]);
});

test('notifications of changed users cannot be turned off, and waiting for them has no effect', async () => {
  const users = Object.entries(withUsers).map(([name, value]) => `${name}=${value}`);
  const of = (property: string) =>
    started([...users, `svc.auth.authenticator.users.${property}`].join('\n'));
  await expect(of('enableCacheNotifications=false')).rejects.toThrow('take effect at once');
  expect((await of('cacheNotificationTimeout=5000')).warnings).toEqual([
    expect.stringContaining('and needs no copies of them'),
  ]);
});

test.each(['svc', 'druid'])(
  'without its extension in the list of [%s], basic security does not start',
  async (service) => {
    const users = Object.entries(withUsers).map(
      ([name, value]) => `${name.replace(/^svc/, service)}=${value}`,
    );
    const listed = (...names: string[]) =>
      started([...users, `${service}.extensions.loadList=${JSON.stringify(names)}`].join('\n'), {
        service,
      });
    await expect(listed(`${service}-datasketches`)).rejects.toThrow(
      `needs extension [${service}-basic-security], which is off because property [${service}.extensions.loadList] does not list it`,
    );
    expect((await listed(`${service}-basic-security`)).warnings).toEqual([]);
  },
);

const supervisor = {
  type: 'kafka',
  spec: {
    dataSchema: { dataSource: 'k', timestampSpec: { column: 't' }, dimensionsSpec: {} },
    ioConfig: {
      topic: 'k',
      inputFormat: { type: 'json' },
      consumerProperties: { 'bootstrap.servers': '127.0.0.1:1' },
    },
  },
};

test('without its extension in the list, a supervisor of a stream is refused; without a list there are all', async () => {
  const submitted = async (text: string) =>
    api((await started(text)).service).post('/svc/indexer/v1/supervisor', supervisor);
  expect(await submitted('svc.extensions.loadList=[]')).toMatchObject({
    status: 400,
    body: {
      error: expect.stringContaining(
        'A supervisor of type [kafka] needs extension [svc-kafka-indexing-service], which is off',
      ),
    },
  });
  expect(await submitted('svc.extensions.loadList=["svc-kafka-indexing-service"]')).toMatchObject({
    status: 200,
  });
  expect(await submitted('')).toMatchObject({ status: 200 });
});

const off = (name: string) =>
  `needs extension [svc-${name}], which is off because property [svc.extensions.loadList] does not list it. Add [svc-${name}] to the list, or remove the property to have all extensions`;
const values = "(VALUES (1, 'a'), (2, 'b')) AS t(n, s)";

test.each([
  [
    'datasketches',
    `SELECT APPROX_COUNT_DISTINCT_DS_HLL(s) FROM ${values}`,
    'APPROX_COUNT_DISTINCT_DS_HLL',
  ],
  [
    'datasketches',
    `SELECT s, THETA_SKETCH_ESTIMATE(DS_THETA(s)) FROM ${values} GROUP BY s`,
    'THETA_SKETCH_ESTIMATE',
  ],
  [
    'datasketches',
    `SELECT * FROM (SELECT APPROX_QUANTILE_DS(n, 0.5) FROM ${values}) AS q`,
    'APPROX_QUANTILE_DS',
  ],
  ['histogram', `SELECT APPROX_QUANTILE(n, 0.5) FROM ${values}`, 'APPROX_QUANTILE'],
  ['stats', `SELECT STDDEV(n) FROM ${values}`, 'STDDEV'],
  ['stats', `SELECT SUM(n) FILTER (WHERE s = 'a') + VAR_POP(n) FROM ${values}`, 'VAR_POP'],
  ['bloom-filter', `SELECT BLOOM_FILTER(s, 10) FROM ${values}`, 'BLOOM_FILTER'],
])(
  'without extension [%s] in the list its functions are refused by name: %s',
  async (extension, query, name) => {
    const answers = async (...listed: string[]) => {
      const { service } = await started(`svc.extensions.loadList=${JSON.stringify(listed)}`);
      const { post } = api(service);
      const long = `${query} -- ${'x'.repeat(5000)}`; // which is planned in a process of its own
      const routine = `SELECT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME = '${name}'`;
      return [
        await post('/svc/v2/sql', { query, resultFormat: 'array' }),
        await post('/svc/v2/sql', { query: long, resultFormat: 'array' }),
        await post('/svc/v2/sql', { query: routine, resultFormat: 'array' }),
      ];
    };
    const refused = {
      status: 400,
      body: {
        errorMessage: expect.stringContaining(
          `Function [${name}] ${off(extension)} (line [1], column [`,
        ),
      },
    };
    expect(await answers('svc-kafka-indexing-service')).toMatchObject([
      refused,
      refused,
      { status: 200, body: [] },
    ]);
    expect(await answers(`svc-${extension}`)).toMatchObject([
      { status: 200 },
      { status: 200 },
      { status: 200, body: [[name]] },
    ]);
  },
);

test('what the list does not name is off in native queries and input formats, and other things are not', async () => {
  const { service } = await started('svc.extensions.loadList=["svc-kafka-indexing-service"]');
  const { post } = api(service);
  const rows = {
    type: 'inline',
    columnNames: ['__time', 's', 'n'],
    columnTypes: ['LONG', 'STRING', 'LONG'],
    rows: [[0, 'stddev', 1]],
  };
  const native = (more: object) =>
    post('/svc/v2/', {
      queryType: 'timeseries',
      dataSource: rows,
      intervals: ['1970/1971'],
      granularity: 'all',
      ...more,
    });
  const aggregations = (type: string) => ({ aggregations: [{ type, name: 'a', fieldName: 'n' }] });
  for (const [type, extension] of [
    ['thetaSketch', 'datasketches'],
    ['HLLSketchBuild', 'datasketches'],
    ['quantilesDoublesSketch', 'datasketches'],
    ['variance', 'stats'],
  ] as const)
    for (const query of [
      aggregations(type),
      {
        aggregations: [
          {
            type: 'filtered',
            filter: { type: 'true' },
            aggregator: { type, name: 'a', fieldName: 'n' },
          },
        ],
      },
      {
        ...aggregations('longSum'),
        dataSource: {
          type: 'query',
          query: { queryType: 'groupBy', dataSource: rows, ...aggregations(type) },
        },
      },
    ])
      expect(await native(query)).toMatchObject({
        status: 400,
        body: { errorMessage: `Type [${type}] ${off(extension)}` },
      });
  expect(await native(aggregations('longSum'))).toMatchObject({
    status: 200,
    body: [{ result: { a: 1 } }],
  });
  expect(
    await post('/svc/v2/sql', { query: `SELECT SUM(n), COUNT(DISTINCT s) FROM ${values}` }),
  ).toMatchObject({ status: 200 });

  for (const [type, extension] of [
    ['parquet', 'parquet-extensions'],
    ['avro_ocf', 'avro-extensions'],
  ] as const) {
    const inputSource = { type: 'http', uris: ['http://127.0.0.1:1/x'] };
    const spec = {
      dataSchema: { dataSource: 'd', timestampSpec: { column: 't' }, dimensionsSpec: {} },
      ioConfig: { type: 'index_parallel', inputSource, inputFormat: { type } },
    };
    const refused = {
      status: 400,
      text: expect.stringContaining(`Input format [${type}] ${off(extension)}`),
    };
    expect(await post('/svc/indexer/v1/task', { type: 'index_parallel', spec })).toMatchObject(
      refused,
    );
    expect(await post('/svc/indexer/v1/sampler', { type: 'index_parallel', spec })).toMatchObject(
      refused,
    );
    const extern = `SELECT * FROM TABLE(EXTERN('${JSON.stringify(inputSource)}', '{"type":"${type}"}')) EXTEND (t VARCHAR)`;
    expect(
      await post('/svc/v2/sql/statements', { query: extern, context: { executionMode: 'ASYNC' } }),
    ).toMatchObject(refused);
    const into = `REPLACE INTO d OVERWRITE ALL SELECT TIME_PARSE(t) AS __time FROM (${extern}) PARTITIONED BY DAY`;
    expect(await post('/svc/v2/sql/task', { query: into })).toMatchObject(refused);
  }
});

const numbers = `UNNEST(ARRAY[${Array.from({ length: 500 }, (_, at) => at).join(',')}])`;
const slow = `SELECT COUNT(*) FROM ${['a', 'b', 'c', 'd'].map((name) => `(SELECT * FROM ${numbers} AS u(n)) ${name}`).join(', ')} WHERE a.n + b.n + c.n + d.n = 3`;

test('the Router waits for an answer as long as its read timeout says; the Broker itself does not mind', async () => {
  const { service } = await started('svc.router.http.readTimeout=PT1S', { rolePorts: true });
  expect(await api(service).post('/svc/v2/sql', { query: slow })).toMatchObject({
    status: 504,
    text: expect.stringMatching(
      /received no data of the answer for 1 seconds.*property \[svc\.router\.http\.readTimeout\]/,
    ),
  });
  expect(await api(service).post('/svc/v2/sql', { query: 'SELECT 1 AS n' })).toMatchObject({
    status: 200,
    body: [{ n: 1 }],
  });
  const broker = api({ url: service.urls.get('broker') ?? '' });
  const asked = await broker.post('/svc/v2/sql', { query: slow, context: { timeout: 2500 } });
  expect(asked).toMatchObject({ status: 504, body: { error: 'Query timeout' } });
});
