// JDBC, as drivers ask for it: every request of Avatica over real HTTP.
import { expect, test, vi } from 'vitest';
import { startService } from '../../../support/service.ts';
import { addUser, ask, startGuarded } from '../../../support/users.ts';
import { api } from '../../../support/wire.ts';
import { type Answer, driver, protobuf } from './driver.ts';

const numbers = (count: number) =>
  `SELECT n FROM (VALUES ${Array.from({ length: count }, (_, n) => `(${n})`).join()}) AS t (n)`;
const ise = (message: string) => ({
  status: 500,
  response: 'error',
  errorCode: -1,
  errorMessage: `ISE: ${message}`,
});
const unreadable = (message: string) =>
  `IllegalArgumentException: The request cannot be read: ${message}`;

test('a statement is run, its rows are fetched in frames, and its end is told with the last of them', async () => {
  const { open, run, ask } = driver(await startService());
  expect(await open()).toMatchObject({
    status: 200,
    response: 'openConnection',
    rpcMetadata: { response: 'rpcMetadata' },
  });
  const first = await run(numbers(250), { maxRowsInFirstFrame: 100 });
  expect(first).toMatchObject({
    response: 'resultSet',
    statementId: 1,
    updateCount: -1,
    firstFrame: { offset: 0, done: false },
  });
  expect(first.firstFrame.rows).toHaveLength(100);
  const fetch = (offset: number) => ask('fetch', { statementId: 1, offset, fetchMaxRowCount: 100 });
  const second = await fetch(100);
  expect(second).toMatchObject({
    response: 'fetch',
    missingStatement: false,
    missingResults: false,
    frame: { offset: 100, done: false },
  });
  expect(second.frame.rows[0]).toEqual([100]);
  expect((await fetch(100)).errorMessage).toContain(
    'Druid can only fetch forward. Requested offset of 100 != current offset 200',
  );
  expect(await ask('syncResults', { statementId: 1, offset: 200 })).toMatchObject({
    response: 'syncResults',
    moreResults: true,
  });
  expect(await ask('syncResults', { statementId: 1, offset: 5 })).toMatchObject(
    ise('Requested offset 5 does not match currentOffset 200'),
  );
  const last = await fetch(200);
  expect([last.frame.done, last.frame.rows.length, last.frame.rows.at(-1)]).toEqual([
    true,
    50,
    [249],
  ]);
  expect(await fetch(250)).toMatchObject(ise('No result set open for statement [1]'));
  expect(await ask('closeStatement', { statementId: 1 })).toMatchObject({
    status: 200,
    response: 'closeStatement',
  });
  expect(await ask('closeStatement', { statementId: 1 })).toMatchObject({
    status: 200,
    response: 'closeStatement',
  });
});

test('a frame has at least as many rows as the settings say and no more than that, and setMaxRows ends the result', async () => {
  const service = await startService({
    properties: {
      'svc.sql.avatica.minRowsPerFrame': '10',
      'svc.sql.avatica.maxRowsPerFrame': '20',
    },
  });
  const { open, run } = driver(service);
  await open();
  const sizes = [];
  for (const wanted of [-1, 0, 5, 15, 100])
    sizes.push((await run(numbers(50), { maxRowsInFirstFrame: wanted })).firstFrame?.rows.length);
  expect(sizes).toEqual([20, 10, 10, 15, undefined]); // the fifth statement is one too many
  const other = driver(service, 'other');
  await other.open();
  expect((await other.run(numbers(50), { maxRowsTotal: 3 })).firstFrame).toEqual({
    offset: 0,
    done: true,
    rows: [[0], [1], [2]],
  });
});

test('values travel as the real engine sends them, with the types of JDBC', async () => {
  const { open, run } = driver(await startService());
  await open({ sqlTimeZone: 'America/New_York' });
  const { signature, firstFrame } = await run(
    `SELECT 1 AS a, CAST(9007199254740993 AS BIGINT) AS b, 1.5 AS c, 2e0 AS d, CAST(0.1 AS FLOAT) AS e, TRUE AS f, 'ü' AS g, CAST(NULL AS VARCHAR) AS h,
     TIMESTAMP '2020-07-02 03:04:05' AS i, DATE '2020-07-02' AS j, ARRAY['x', 'y'] AS k, JSON_OBJECT('a': 1) AS l, MILLIS_TO_TIMESTAMP(0) AS m`,
  );
  const types = signature.columns.map(({ label, type, precision }: Answer) => [
    label,
    type.name,
    type.id,
    type.rep,
    precision,
  ]);
  expect(types).toEqual([
    ['a', 'INTEGER', 4, 'NUMBER', 10],
    ['b', 'BIGINT', -5, 'NUMBER', 19],
    ['c', 'DECIMAL', 3, 'NUMBER', expect.any(Number)],
    ['d', 'DOUBLE', 8, 'NUMBER', 15],
    ['e', 'FLOAT', 6, 'NUMBER', 15],
    ['f', 'BOOLEAN', 16, 'BOOLEAN', 1],
    ['g', 'CHAR', 1, 'STRING', 1],
    ['h', 'VARCHAR', 12, 'STRING', -1],
    ['i', 'TIMESTAMP', 93, 'NUMBER', expect.any(Number)],
    ['j', 'DATE', 91, 'NUMBER', 0],
    ['k', 'ARRAY', 2003, 'ARRAY', -1],
    ['l', 'OTHER', 1111, 'OBJECT', -1],
    ['m', 'TIMESTAMP', 93, 'NUMBER', expect.any(Number)],
  ]);
  const wall = Date.parse('2020-07-02T03:04:05Z'); // the clock on the wall, as if it were UTC
  const row = [
    1,
    9007199254740992,
    1.5,
    2,
    0.1,
    true,
    'ü',
    null,
    wall,
    wall / 86_400_000 - ((wall / 86_400_000) % 1),
    ['x', 'y'],
    '{"a":1}',
    -18_000_000,
  ];
  expect(firstFrame.rows).toEqual([row]);
});

test('a double keeps its point and a long its digits', async () => {
  const service = await startService();
  const { open, statement } = driver(service);
  await open();
  const body = {
    request: 'prepareAndExecute',
    connectionId: 'connection',
    statementId: await statement(),
    maxRowsTotal: -1,
  };
  const sql = 'SELECT 2e0, CAST(9007199254740993 AS BIGINT), CAST(1e20 AS DOUBLE), ARRAY[1.5, 2]';
  const { text } = await api(service).post('/svc/v2/sql/avatica', { ...body, sql });
  expect(text).toContain('"rows":[[2.0,9007199254740993,1.0E20,[1.5,2.0]]]');
  expect(text.endsWith('}\n')).toBe(true);
});

test('a prepared statement tells its columns and parameters, and runs again with other values', async () => {
  const { open, ask, execute } = driver(await startService());
  await open();
  const sql =
    "SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME LIKE ? AND CAST(? AS BIGINT) > 1 AND TIMESTAMP '2020-01-02 00:00:00' > ? LIMIT ?";
  const prepared = await ask('prepare', { sql, maxRowCount: -1 });
  const { id, signature } = prepared.statement;
  expect(signature.columns).toMatchObject([{ label: 'TABLE_NAME', type: { name: 'VARCHAR' } }]);
  expect(signature.parameters.map(({ typeName, name }: Answer) => [name, typeName])).toEqual([
    ['?0', 'VARCHAR'],
    ['?1', 'VARCHAR'],
    ['?2', 'BIGINT'],
    ['?3', 'TIMESTAMP'],
    ['?4', 'INTEGER'],
  ]);
  const values = (name: string, time: string) => [
    { type: 'STRING', value: 'INFORMATION_SCHEMA' },
    { type: 'STRING', value: name },
    { type: 'LONG', value: 2 },
    { type: 'JAVA_SQL_TIMESTAMP', value: Date.parse(time) },
    { type: 'INTEGER', value: 10 },
  ];
  const rows = async (name: string, time: string) =>
    (await execute(id, values(name, time))).results[0].firstFrame.rows;
  expect(await rows('COL%', '2020-01-01T00:00:00Z')).toEqual([['COLUMNS']]);
  expect(await rows('SCH%', '2020-01-01T00:00:00Z')).toEqual([['SCHEMATA']]);
  expect(await rows('SCH%', '2020-01-03T00:00:00Z')).toEqual([]);
  expect(
    (await execute(id, values('x', '2020-01-01T00:00:00Z').slice(0, 2))).errorMessage,
  ).toContain('No value bound for parameter (position [3])');
  expect((await execute(id, [null])).errorMessage).toContain(
    'No value bound for parameter (position [1])',
  );
  expect(
    (await ask('prepareAndExecute', { statementId: id, sql: 'SELECT 1' })).errorMessage,
  ).toContain('NoSuchStatementException');
});

test.each([
  [{ type: 'BOOLEAN', value: true }, 'BOOLEAN', true],
  [{ type: 'SHORT', value: 7 }, 'BIGINT', 7],
  [{ type: 'LONG', value: -5 }, 'BIGINT', -5],
  [{ type: 'DOUBLE', value: 1.5 }, 'DOUBLE', 1.5],
  [{ type: 'NUMBER', value: 2.5 }, 'DOUBLE', 2.5],
  [{ type: 'STRING', value: "it's" }, 'VARCHAR', "it's"],
  [{ type: 'JAVA_SQL_DATE', value: 18263 }, 'DATE', 18263],
  [{ type: 'JAVA_SQL_TIMESTAMP', value: 1577934245006 }, 'TIMESTAMP', 1577934245006],
  [{ type: 'OBJECT', value: null }, 'VARCHAR', null],
])('a parameter %j is a %s', async (given, type, shown) => {
  const { open, ask, execute } = driver(await startService());
  await open({ sqlTimeZone: 'Asia/Tokyo' });
  const { statement } = await ask('prepare', {
    sql: `SELECT CAST(? AS ${type}) AS x`,
    maxRowCount: -1,
  });
  const { results, errorMessage } = await execute(statement.id, [given]);
  expect(results?.[0].firstFrame.rows ?? errorMessage).toEqual([[shown]]);
});

test.each([
  [{ type: 'LONG', value: 'x' }, 'The value of a parameter does not fit its type [LONG]'],
  [{ type: 'NOPE', value: 1 }, 'parameter type [NOPE] is unknown'],
  [
    { type: 'JAVA_SQL_TIME', value: 1 },
    'Cannot handle literal of unsupported type [JAVA_SQL_TIME]',
  ],
  [
    { type: 'JAVA_SQL_TIMESTAMP', value: 1e18 },
    'The value of a parameter does not fit its type [JAVA_SQL_TIMESTAMP]',
  ],
])('a parameter %j is refused', async (given, message) => {
  const { open, ask, execute } = driver(await startService());
  await open();
  const { statement } = await ask('prepare', {
    sql: 'SELECT CAST(? AS VARCHAR) AS x',
    maxRowCount: -1,
  });
  expect((await execute(statement.id, [given])).errorMessage).toContain(message);
});

test('catalogs, schemas, tables and columns are those of INFORMATION_SCHEMA that a pattern fits', async () => {
  const { open, ask } = driver(await startService());
  await open();
  const rows = async (request: Parameters<typeof ask>[0], fields: object = {}) => {
    const { firstFrame, errorMessage } = await ask(request, fields);
    return firstFrame?.rows ?? errorMessage;
  };
  expect(await rows('getCatalogs')).toEqual([['druid']]);
  expect(await rows('getSchemas', { catalog: 'druid', schemaPattern: '%s%' })).toEqual([
    ['sys', 'druid'],
  ]);
  expect(await rows('getTableTypes')).toEqual([['SYSTEM_TABLE']]);
  const tables = await rows('getTables', {
    schemaPattern: 'INFORMATION\\_SCHEMA',
    tableNamePattern: 'S%',
    typeList: ['SYSTEM_TABLE'],
  });
  expect(tables).toEqual([
    ['druid', 'INFORMATION_SCHEMA', 'SCHEMATA', 'SYSTEM_TABLE', null, null, null, null, null, null],
  ]);
  expect(await rows('getTables', { tableNamePattern: "it's" })).toEqual([]);
  expect(await rows('getTables', { typeList: [] })).toEqual([]);
  const columns = await rows('getColumns', {
    schemaPattern: 'sys',
    tableNamePattern: 'servers',
    columnNamePattern: 'server',
  });
  expect(columns.map((column: unknown[]) => column.slice(0, 7))).toEqual([
    ['druid', 'sys', 'servers', 'server', 12, 'VARCHAR', -1],
  ]);
  expect(await ask('databaseProperties')).toMatchObject({
    response: 'databaseProperties',
    map: {},
  });
  expect(await ask('commit')).toEqual({ status: 200, response: 'commit' });
  const props = {
    connProps: 'connPropsImpl',
    autoCommit: true,
    readOnly: null,
    transactionIsolation: null,
    catalog: null,
    schema: null,
    dirty: true,
  };
  expect((await ask('connectionSync', { connProps: props })).connProps).toEqual(props);
});

test('what nobody can do is refused', async () => {
  const { open, ask, run, send } = driver(await startService());
  await open();
  const message = async (answer: ReturnType<typeof send>) => (await answer).errorMessage;
  expect(
    await message(ask('prepareAndExecuteBatch', { statementId: 1, sqlCommands: ['SELECT 1'] })),
  ).toBe('UOE: Batch statements not supported');
  expect(await message(ask('getTypeInfo'))).toBe('UOE: Type information not supported');
  expect(await message(run('SELECT nope FROM sys.servers'))).toContain(
    "Column 'nope' not found in any table",
  );
  expect(await message(run('SELECT FROM'))).toMatch(
    /^QueryInterruptedException: Incorrect syntax near the keyword 'FROM'.* -> DruidException/s,
  );
  expect(await message(run('SELECT NULL AS x'))).toBe('ISE: No rep for SQL type [NULL]');
  expect(
    await message(ask('fetch', { statementId: 77, offset: 0, fetchMaxRowCount: 1 })),
  ).toContain('NoSuchStatementException');
  expect(await message(open())).toBe('ISE: Connection [connection] already open.');
});

test.each([
  ['x', /^Ill.*cannot be read: /],
  ['', /^Ill.*cannot be read: /],
  ['[]', unreadable('it is not a JSON object')],
  ['{}', /field \[request\] must be one of openConnection, /],
  ['{"request":"toString"}', /field \[request\] must be one of openConnection, /],
  ['{"request":"getCatalogs"}', unreadable('field [connectionId] is missing')],
  ['{"request":"getCatalogs","connectionId":5}', unreadable('field [connectionId] is not a text')],
  ['{"request":"getCatalogs","connectionId":"c","nope":1}', unreadable('field [nope] is unknown')],
  [
    '{"request":"getTables","connectionId":"c","typeList":[1]}',
    unreadable('field [typeList] is not a list of texts'),
  ],
  [
    '{"request":"openConnection","connectionId":"c","info":{"a":1}}',
    unreadable('field [info] is not an object of texts'),
  ],
  [
    '{"request":"fetch","connectionId":"c","offset":1.5}',
    unreadable('field [offset] is not a whole number'),
  ],
  [
    `{"request":"commit","connectionId":${'['.repeat(200)}${']'.repeat(200)}}`,
    unreadable('objects and lists are nested more than 100 levels'),
  ],
  [
    `{"request":"openConnection","connectionId":"${'x'.repeat(1001)}"}`,
    /Limit \[nameLength\] exceeded in \[connectionId\]/,
  ],
  [
    `{"request":"prepare","connectionId":"c","sql":"${' '.repeat(2 * 1024 * 1024)}"}`,
    /Limit \[documentBytes\] exceeded/,
  ],
])('a request that cannot be read is refused with the reason: %.80s', async (body, message) => {
  const answer = await driver(await startService()).send(body);
  expect(answer).toMatchObject({ status: 500, response: 'error', errorCode: -1 });
  expect(answer.errorMessage).toMatch(message);
});

test('there are so many connections and statements as the settings say; a connection without statements makes room', async () => {
  const service = await startService({
    properties: {
      'svc.sql.avatica.maxConnections': '2',
      'svc.sql.avatica.maxStatementsPerConnection': '1',
    },
  });
  const [one, two, three] = [
    driver(service, 'one'),
    driver(service, 'two'),
    driver(service, 'three'),
  ];
  await one.open();
  await one.statement();
  expect(await one.ask('createStatement')).toMatchObject(
    ise('Too many open statements, limit is 1'),
  );
  expect(await one.ask('prepare', { sql: 'SELECT 1' })).toMatchObject(
    ise('Too many open statements, limit is 1'),
  );
  await two.open();
  expect(await three.open()).toMatchObject({ status: 200 }); // in place of the second
  await three.statement();
  expect(await two.ask('createStatement')).toMatchObject({
    status: 500,
    errorCode: 1,
    errorMessage: null,
    severity: 'ERROR',
  });
  expect((await two.open()).errorMessage).toContain(
    'Too many connections, limit is 2: close one, or raise property [svc.sql.avatica.maxConnections]',
  );
  await one.ask('closeConnection');
  expect(await two.open()).toMatchObject({ status: 200 });
});

test('a connection that is left is closed, and its query ends', async () => {
  const service = await startService({
    properties: { 'svc.sql.avatica.connectionIdleTimeout': 'PT0.2S' },
  });
  const { open, run, ask } = driver(service);
  await open();
  const { firstFrame } = await run(numbers(5000), { maxRowsInFirstFrame: 100 });
  expect(firstFrame.done).toBe(false);
  const running = async () => (await api(service).get('/svc/v2/sql/queries')).body.queries;
  expect(await running()).toMatchObject([{ state: 'RUNNING' }]);
  await vi.waitFor(async () => expect(await running()).toEqual([]), 5000);
  expect(await ask('fetch', { statementId: 1, offset: 100, fetchMaxRowCount: 100 })).toMatchObject({
    errorCode: 1,
  });
});

test('a query is cancelled by its id, as over HTTP', async () => {
  const service = await startService();
  const { open, run, ask: send } = driver(service);
  await open({ sqlQueryId: 'mine' });
  await run(numbers(5000), { maxRowsInFirstFrame: 100 });
  expect((await fetch(`${service.url}/svc/v2/sql/mine`, { method: 'DELETE' })).status).toBe(202);
  const fetched = await send('fetch', { statementId: 1, offset: 100, fetchMaxRowCount: 5000 });
  expect(fetched.errorMessage).toContain('Query cancelled');
  expect(
    await send('fetch', { statementId: 1, offset: 100, fetchMaxRowCount: 5000 }),
  ).toMatchObject(ise('No result set open for statement [1]'));
});

test('who says no right password opens no connection, and statements need the permissions of their user', async () => {
  const service = await startGuarded({
    properties: { 'svc.sql.planner.authorizeSystemTablesDirectly': 'true' },
  });
  await addUser(service, 'stranger', []);
  const refused = { status: 500, errorMessage: 'ForbiddenException: Authentication failed.' };
  const { open, rows } = driver(service);
  expect(await open()).toMatchObject(refused);
  expect(await open({ user: 'admin' })).toMatchObject(refused);
  expect(await open({ user: 'admin', password: 'wrong' })).toMatchObject(refused);
  expect(await open({ user: 'nobody', password: 'admin-password' })).toMatchObject(refused);
  expect(
    await open({ user: 'admin', password: 'admin-password', truststore_password: 'geheim' }),
  ).toMatchObject({ status: 200 });
  expect(await rows('SELECT COUNT(*) AS n FROM sys.servers')).toEqual([[expect.any(Number)]]);
  const plan = JSON.stringify(await rows('EXPLAIN PLAN FOR SELECT 1'));
  expect([
    plan.includes('queryType'),
    plan.includes('admin-password'),
    plan.includes('geheim'),
  ]).toEqual([true, false, false]);
  const stranger = driver(service, 'strange');
  expect(await stranger.open({ user: 'stranger', password: 'stranger' })).toMatchObject({
    status: 200,
  });
  expect(await stranger.rows('SELECT COUNT(*) AS n FROM sys.servers')).toBe(
    'ForbiddenException: Unauthorized',
  );
  await ask(
    service,
    'admin:admin-password',
    'DELETE /svc-ext/basic-security/authentication/db/users/users/stranger',
  );
  expect(await stranger.rows('SELECT 1')).toBe('ForbiddenException: Authentication failed.');
});

test('Protocol Buffers carry the same', async () => {
  const service = await startService();
  const json = driver(service, 'json');
  await json.open();
  const connectionId = 'protobuf';
  expect(await protobuf(service, 'openConnection', { connectionId })).toMatchObject({
    status: 200,
    response: 'openConnection',
  });
  const { statementId } = await protobuf(service, 'createStatement', { connectionId });
  const sql = "SELECT 1 AS a, 'x' AS b, CAST(NULL AS BIGINT) AS c, 2.5e0 AS d";
  const answer = await protobuf(service, 'prepareAndExecute', {
    connectionId,
    statementId,
    sql,
    maxRowsTotal: -1,
    maxRowsInFirstFrame: 100,
  });
  const { signature } = await json.run(sql);
  expect(answer).toMatchObject({
    status: 200,
    response: 'executeResults',
    results: [{ connectionId, statementId: 1, signature: { sql } }],
  });
  const typesOf = (columns: { label: string; type: { name: string; rep: string } }[]) =>
    columns.map(({ label, type }) => [label, type.name, type.rep]);
  expect(typesOf(answer.results[0].signature.columns)).toEqual(typesOf(signature.columns));
  expect(answer.results[0].firstFrame.done).toBe(true);
  const wrong = await protobuf(service, 'prepareAndExecute', {
    connectionId,
    statementId,
    sql: 'SELECT nope FROM sys.servers',
  });
  expect(wrong).toMatchObject({
    status: 500,
    response: 'error',
    errorMessage: expect.stringContaining("Column 'nope' not found"),
  });
  const gone = await protobuf(service, 'createStatement', { connectionId: 'unheard-of' });
  expect(gone).toMatchObject({ status: 500, response: 'error', severity: 'ERROR', errorCode: 1 });
});

test('bytes that are no message are refused', async () => {
  const { url } = await startService();
  const send = async (bytes: number[]) => {
    const reply = await fetch(`${url}/svc/v2/sql/avatica-protobuf/`, {
      method: 'POST',
      body: Buffer.from(bytes),
    });
    return `${reply.status} ${await reply.text()}`;
  };
  expect(await send([])).toMatch(/^500 .*request \[\] does not exist/s);
  expect(await send([0x0a, 0x7f, 1])).toMatch(/^500 .*It ends in the middle of a value/s);
  expect(await send([0x0b])).toMatch(/^500 .*wire type/s);
  expect(await send([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1])).toMatch(
    /^500 .*It holds a number that is too long/s,
  );
});

test('JDBC can be switched off, and settings that cannot be obeyed stop the start', async () => {
  const off = await startService({ properties: { 'svc.sql.avatica.enable': 'false' } });
  expect(
    (await fetch(`${off.url}/svc/v2/sql/avatica/`, { method: 'POST', body: '{}' })).status,
  ).toBeGreaterThanOrEqual(400);
  await expect(
    startService({ properties: { 'svc.sql.avatica.maxConnections': '0' } }),
  ).rejects.toThrow('svc.sql.avatica.maxConnections');
  await expect(
    startService({ properties: { 'svc.sql.avatica.connectionIdleTimeout': 'soon' } }),
  ).rejects.toThrow('connectionIdleTimeout');
});
