import { expect, test } from 'vitest';
import { lookups } from '../../../src/contract/lookups.ts';
import { callsTo, refusalOf } from '../../support/calls.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const lookup = (version: string, map: Record<string, string>) => ({
  version,
  lookupExtractorFactory: { type: 'map', map },
});
const ofDefault = { tier: '__default', lookup: 'countries' };

test('lookups that were never set are not there, but the tier of the nodes is', async () => {
  const service = await startService();
  const call = callsTo(service);
  expect((await api(service).get('/svc/coordinator/v1/lookups/config')).status).toBe(404);
  expect((await api(service).get('/svc/coordinator/v1/lookups/config/all')).status).toBe(404);
  expect(await refusalOf(call(lookups.list, { params: { tier: '__default' } }))).toEqual([
    404,
    'No lookups found: [__default]',
  ]);
  expect(await refusalOf(call(lookups.status))).toEqual([404, 'No lookups found']);
  expect(await refusalOf(call(lookups.tierStatus, { params: { tier: '__default' } }))).toEqual([
    404,
    'No lookups found: [__default]',
  ]);
  expect(await refusalOf(call(lookups.nodeStatus))).toEqual([404, 'No lookups found']);
  expect(await call(lookups.tiers, { query: { discover: true } })).toEqual(['__default']);
});

test('a lookup is set, answers in SQL at once, is updated to a greater version only, and is deleted', async () => {
  const service = await startService();
  const call = callsTo(service);
  const sql = async () =>
    (await api(service).post('/svc/v2/sql', { query: `SELECT LOOKUP('fr', 'countries') AS c` }))
      .body;
  await call(lookups.setAll, { body: {} });
  await call(lookups.set, {
    params: ofDefault,
    body: lookup('v1', { fr: 'France', de: 'Germany' }),
  });
  expect(await sql()).toEqual([{ c: 'France' }]);
  expect(await call(lookups.get, { params: ofDefault })).toEqual(
    lookup('v1', { fr: 'France', de: 'Germany' }),
  );
  expect(
    (await refusalOf(call(lookups.set, { params: ofDefault, body: lookup('v1', {}) })))[0],
  ).toBe(400);
  const body = {
    __default: { countries: lookup('v2', { fr: 'FR' }), towns: lookup('v1', {}) },
    cold: { old: lookup('v1', { a: 'b' }) },
  };
  expect(await call(lookups.setAll, { body })).toEqual(body);
  expect(await sql()).toEqual([{ c: 'FR' }]);
  expect(await call(lookups.all)).toEqual(body);
  expect(await call(lookups.tiers)).toEqual(['__default', 'cold']);
  expect(await call(lookups.list, { params: { tier: '__default' } })).toEqual([
    'countries',
    'towns',
  ]);
  expect(await call(lookups.list, { params: { tier: 'cold' }, query: { detailed: true } })).toEqual(
    body.cold,
  );
  await call(lookups.remove, { params: ofDefault });
  expect(await refusalOf(call(lookups.get, { params: ofDefault }))).toEqual([
    404,
    'lookup [countries] not found',
  ]);
  expect((await refusalOf(call(lookups.remove, { params: ofDefault })))[0]).toBe(404);
  await call(lookups.removeTier, { params: { tier: 'cold' } });
  expect(await refusalOf(call(lookups.list, { params: { tier: 'cold' } }))).toEqual([
    404,
    'Tier [cold] not found',
  ]);
  expect((await refusalOf(call(lookups.removeTier, { params: { tier: 'cold' } })))[0]).toBe(404);
});

test('every node of the default tier has loaded what was set', async () => {
  const service = await startService({ rolePorts: true });
  const call = callsTo(service);
  expect(await refusalOf(call(lookups.set, { params: ofDefault, body: lookup('v1', {}) }))).toEqual(
    [500, expect.stringMatching(/^Not initialized/)],
  );
  await call(lookups.setAll, { body: {} });
  await call(lookups.set, { params: ofDefault, body: lookup('v1', { fr: 'France' }) });
  await call(lookups.setAll, { body: { cold: { old: lookup('v1', {}) } } });
  const state = { current: { countries: 'v1' }, toLoad: {}, toDrop: [] };
  const [broker = '', historical = ''] = ['broker', 'historical'].map((role) =>
    service.urls.get(role as 'broker')?.slice('http://'.length),
  );
  const ofNodes = { [broker]: state, [historical]: state };
  expect(await call(lookups.nodeStatus)).toEqual({ __default: ofNodes, cold: {} });
  expect(await call(lookups.tierNodeStatus, { params: { tier: '__default' } })).toEqual(ofNodes);
  expect(
    await call(lookups.oneNodeStatus, { params: { tier: '__default', node: broker } }),
  ).toEqual(state);
  expect(
    await refusalOf(call(lookups.oneNodeStatus, { params: { tier: 'cold', node: broker } })),
  ).toEqual([404, `Node [${broker}] status is unknown.`]);
  expect(await call(lookups.tierNodeStatus, { params: { tier: 'x' } })).toEqual({});
  expect(await call(lookups.status)).toEqual({
    __default: { countries: { loaded: true } },
    cold: { old: { loaded: true } },
  });
  expect(await call(lookups.status, { query: { detailed: true } })).toMatchObject({
    __default: { countries: { pendingNodes: [] } },
  });
  expect(await refusalOf(call(lookups.tierStatus, { params: { tier: 'x' } }))).toEqual([
    404,
    'No lookups found for tier [x].',
  ]);
  expect(await call(lookups.tierStatus, { params: { tier: '__default' } })).toMatchObject({
    countries: { loaded: true },
  });
  expect(await call(lookups.lookupStatus, { params: ofDefault })).toMatchObject({ loaded: true });
  expect(
    await refusalOf(call(lookups.lookupStatus, { params: { ...ofDefault, lookup: 'x' } })),
  ).toEqual([404, 'Lookup [x] not found for tier [__default].']);
});

test('the Broker shows what is in a lookup, also in one over a static map', async () => {
  const call = callsTo(await startService());
  const params = { lookup: 'countries' };
  const extractionNamespace = { type: 'staticMap', map: { fr: 'France', de: null } };
  const body = {
    version: 'v7',
    lookupExtractorFactory: { type: 'cachedNamespace', extractionNamespace },
  };
  await call(lookups.setAll, { body: {} });
  await call(lookups.set, { params: ofDefault, body });
  expect(await call(lookups.contents, { params })).toEqual({ fr: 'France', de: null });
  expect(await call(lookups.keys, { params })).toEqual(['fr', 'de']);
  expect(await call(lookups.values, { params })).toEqual(['France', null]);
  expect(await call(lookups.version, { params })).toEqual({ version: 'v7' });
  for (const endpoint of [lookups.contents, lookups.keys, lookups.values, lookups.version] as const)
    expect((await refusalOf(call(endpoint, { params: { lookup: 'none' } })))[0]).toBe(404);
});

test.each([
  ['__default.version', { __default: lookup('v1', {}) }],
  [
    '__default.lookupExtractorFactory.lookupExtractorFactory',
    { __default: { lookupExtractorFactory: { type: 'map', map: {} } } },
  ],
  [
    '__default.towns.lookupExtractorFactory',
    { __default: { towns: { version: 'v1', type: 'map', map: {} } } },
  ],
])(
  'a lookup one level too high or too low is refused at [%s], and nothing of it is kept',
  async (place, body) => {
    const { get, post } = api(await startService());
    const path = '/svc/coordinator/v1/lookups/config';
    await post(path, {});
    const refused = await post(path, body);
    expect([refused.status, refused.body.error]).toEqual([
      400,
      expect.stringContaining(`Invalid value for field [${place}]`),
    ]);
    expect((await get(`${path}/all`)).body).toEqual({});
  },
);

test('a lookup needs a version, which may be a number, and any content type', async () => {
  const service = await startService({ service: 'druid' });
  const { get } = api(service);
  const path = '/druid/coordinator/v1/lookups/config';
  const send = async (place: string, body: string, type = 'application/json') => {
    const reply = await fetch(`${service.url}${path}${place}`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    return [reply.status, reply.headers.get('content-type'), await reply.text()];
  };
  expect((await get(`${path}?discover=true`)).body).toEqual(['__default']);
  await send('', '{}');
  const factory = '"lookupExtractorFactory": {"type": "map", "map": {}}';
  expect(await send('/other/towns', `{${factory}}`)).toEqual([
    400,
    'application/json',
    '{"error":"Lookup [towns] is not a lookup: it has no version"}',
  ]);
  expect(await send('/other/towns', `{"version": 5, ${factory}}`, 'text/plain')).toEqual([
    202,
    'application/json',
    '',
  ]);
  expect((await get(`${path}/other/towns`)).body.version).toBe('5');
  expect((await get(`${path}?discover=true`)).body).toEqual(['__default', 'other']);
  for (const [place, body] of [
    ['', '{"other":'],
    ['', '[1'],
    ['/other/towns', '{"version":'],
    ['/other/towns', ' '],
  ] as const)
    expect((await send(place, body)).slice(0, 2)).toEqual([400, 'application/json']);
  expect((await send('', '{}', 'text/plain'))[0]).toBe(415);
});

test('the contents of a lookup are texts, whatever its values are, and a large one is kept as a small one is', async () => {
  const { post, get } = api(await startService());
  const path = '/svc/coordinator/v1/lookups/config';
  await post(path, {});
  const few = { a: 'x', 'it\'s "b"': 5, c: true, d: null, e: 1.5 };
  const many = Object.fromEntries(
    Array.from({ length: 40_000 }, (_, at) => [`key${at}`, `v${at}`]),
  );
  for (const [name, map] of Object.entries({ few, many: { ...few, ...many } })) {
    const spec = { version: 'v1', lookupExtractorFactory: { type: 'map', map } };
    expect((await post(`${path}/__default/${name}`, spec)).status).toBe(202);
    expect((await get(`${path}/__default/${name}`)).body).toEqual(spec);
    const shown = Object.fromEntries(
      Object.entries(map).map(([key, value]) => [key, value === null ? null : String(value)]),
    );
    expect((await get(`/svc/v1/lookups/introspect/${name}`)).body).toEqual(shown);
    expect((await get(`/svc/v1/lookups/introspect/${name}/keys`)).body).toEqual(Object.keys(shown));
    expect((await get(`/svc/v1/lookups/introspect/${name}/values`)).body).toEqual(
      Object.values(shown),
    );
    const wrong = {
      version: 'v2',
      lookupExtractorFactory: { type: 'map', map: { ...map, nested: [1] } },
    };
    for (const [where, body] of [
      [`${path}/__default/${name}`, wrong],
      [path, { __default: { [name]: wrong } }],
    ] as const) {
      const refused = await post(where, body);
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        400,
        expect.stringContaining('the value of key [nested] is a list'),
      ]);
    }
    expect((await get(`${path}/__default/${name}`)).body).toEqual(spec);
  }
  const all = (await get(`${path}/all`)).body;
  expect(Object.keys(all.__default)).toEqual(['few', 'many']);
  const next = { version: 'v2', lookupExtractorFactory: { type: 'map', map: many } };
  expect((await post(path, { __default: { many: next } })).body).toEqual({
    __default: { many: next },
  });
  expect((await get(`${path}/__default/many`)).body).toEqual(next);
});

test.each([
  ['few thousand', 5000],
  ['hundred thousand', 100_000],
])(
  'queries find the pairs of a lookup of a %s entries: the last of a key that comes twice, and what it is changed to',
  async (_, count) => {
    const service = await startService();
    const { post, get, send, ended } = api(service);
    const path = '/svc/coordinator/v1/lookups/config';
    await post(path, {});
    const set = async (body: string) => {
      const headers = { 'content-type': 'application/json' };
      expect(
        (await fetch(`${service.url}${path}/__default/large`, { method: 'POST', headers, body }))
          .status,
      ).toBe(202);
    };
    const odd = {
      "it's": 'a "b" \\',
      'é😀': 'ü',
      none: null,
      number: 1.5,
      truth: true,
      'a\u0000b': 'c',
    };
    const map = {
      ...Object.fromEntries(Array.from({ length: count }, (__, at) => [`k${at}`, `v${at}`])),
      ...odd,
      twice: 'last',
    };
    const text = JSON.stringify({ version: 'v1', lookupExtractorFactory: { type: 'map', map } });
    await set(text.replace('{"k0":', '{"twice":"first","k0":'));
    const sql = async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
    const found = (keys: readonly string[]) =>
      sql(`SELECT ${keys.map((key) => `LOOKUP('${key.replace("'", "''")}', 'large')`).join(', ')}`);
    expect(
      await found([
        'k7',
        `k${count - 1}`,
        "it's",
        'é😀',
        'none',
        'number',
        'truth',
        'twice',
        'missing',
      ]),
    ).toEqual([['v7', `v${count - 1}`, 'a "b" \\', 'ü', null, '1.5', 'true', 'last', null]]);
    expect(await sql('SELECT COUNT(*), COUNT(v) FROM lookup."large"')).toEqual([
      [count + 7, count + 6],
    ]);
    expect(
      await sql(
        `SELECT k, v FROM lookup."large" WHERE k IN ('k9', 'twice') GROUP BY k, v ORDER BY k`,
      ),
    ).toEqual([
      ['k9', 'v9'],
      ['twice', 'last'],
    ]);
    const native = {
      queryType: 'groupBy',
      dataSource: {
        type: 'inline',
        columnNames: ['a'],
        columnTypes: ['STRING'],
        rows: [['k5'], ['twice']],
      },
      intervals: ['1000/3000'],
      granularity: 'all',
      dimensions: [
        {
          type: 'extraction',
          dimension: 'a',
          outputName: 'x',
          extractionFn: { type: 'registeredLookup', lookup: 'large' },
        },
        { type: 'lookup', dimension: 'a', outputName: 'y', name: 'large' },
      ],
    };
    expect((await post('/svc/v2/', native)).body).toMatchObject([
      { event: { x: 'last', y: 'last' } },
      { event: { x: 'v5', y: 'v5' } },
    ]);
    const statement = {
      query: `SELECT LOOKUP('twice', 'large') AS v`,
      context: { executionMode: 'ASYNC' },
    };
    const { queryId } = (await post('/svc/v2/sql/statements', statement)).body;
    expect(await ended(queryId)).toMatchObject({ statusCode: 'SUCCESS' });
    expect((await get(`/svc/v2/sql/statements/${queryId}/results`)).body).toEqual([{ v: 'last' }]);
    await set(text.replace('"version":"v1"', '"version":"v2"').replace('"v7"', '"seven"'));
    expect(await found(['k7'])).toEqual([['seven']]);
    await send('DELETE', `${path}/__default/large`);
    expect(
      (await post('/svc/v2/sql', { query: `SELECT LOOKUP('k7', 'large')` })).body.errorMessage,
    ).toBe('Lookup [large] not found');
  },
);

test('a lookup may be named like a property that every object of JavaScript has', async () => {
  const { get, post } = api(await startService());
  await post('/svc/coordinator/v1/lookups/config', {});
  const sent = JSON.parse(
    '{"__default": {"constructor": {"version": "v1", "lookupExtractorFactory": {"type": "map", "map": {"__proto__": "a"}}}}}',
  );
  expect((await post('/svc/coordinator/v1/lookups/config', sent)).body).toEqual(sent);
  expect((await get('/svc/coordinator/v1/lookups/config/all')).body).toEqual(sent);
  const { body } = await post('/svc/v2/sql', {
    query: `SELECT LOOKUP('__proto__', 'constructor') AS c`,
  });
  expect(body).toEqual([{ c: 'a' }]);
});
