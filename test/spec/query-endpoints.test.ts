// The specification's tables of SQL queries, asynchronous statements and native queries (lines 216
// to 256), over HTTP.
import { beforeAll, describe, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { endless, type Sent, served } from './served.ts';

const { get, post, remove, load, until, rows } = served({ rolePorts: true, workerCapacity: 6 });
const days = ['01', '02', '03'];
beforeAll(async () => {
  await load('wiki', days);
});

const sql = (query: string, rest: object = {}) => post('/svc/v2/sql', { query, ...rest });

describe('SQL', () => {
  test('[367, 370] a query is answered with 200', async () => {
    const { status, body } = await sql('SELECT SUM(n) AS n FROM wiki');
    expect([status, body]).toEqual([200, [{ n: 6 }]]);
  });

  test('[368, 369] the header X-Svc-SQL-Query-Id has the id of the context, or a new one', async () => {
    const idOf = async (context?: object) =>
      (await sql('SELECT 1', { context })).headers.get('x-svc-sql-query-id');
    expect(await idOf({ sqlQueryId: 'given' })).toBe('given');
    expect(await idOf()).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idOf()).not.toBe(await idOf());
  });

  test('[371] what cannot be read is 400, with an error object', async () => {
    const { status, body } = await sql('SELECT FROM');
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ error: expect.any(String), errorMessage: expect.any(String) }),
    ]);
  });

  test('[372, 672, 673] what fails while it runs is 500, with an error object', async () => {
    const { status, body } = await sql('SELECT 1 / (n - n) FROM wiki');
    expect([status, body]).toEqual([
      500,
      expect.objectContaining({ error: expect.any(String), errorMessage: expect.any(String) }),
    ]);
  });

  test('[373] tables of metadata are queried too', async () => {
    expect(await rows(`SELECT COUNT(*) FROM sys.segments WHERE datasource = 'wiki'`)).toEqual([
      [3],
    ]);
    expect(
      await rows(
        `SELECT COLUMN_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_NAME = 'wiki' ORDER BY 1`,
      ),
    ).toContainEqual(['page']);
  });

  test('[374, 375, 377] DELETE on Router or Broker cancels every query of an id, with 202 and nothing more', async () => {
    for (const sent of [{}, { role: 'broker' }] as const) {
      const cancelled = await cancelledTogether(sent);
      expect(cancelled).toEqual({
        status: 202,
        text: '',
        ends: ['Query cancelled', 'Query cancelled'],
      });
    }
  });

  /**
   * Starts two queries of one id and cancels it once; on a slow machine again, until both had
   * begun.
   */
  async function cancelledTogether(sent: Sent) {
    for (let waitMs = 300; ; waitMs *= 2) {
      const both = [1, 2].map(() =>
        sql(endless, { context: { sqlQueryId: 'twins', timeout: 20_000 } }),
      );
      await new Promise((wake) => setTimeout(wake, waitMs));
      const { status, text } = await remove('/svc/v2/sql/twins', sent);
      const ends = (await Promise.all(both)).map(({ body }) => body.errorMessage ?? body.error);
      if (waitMs > 5000 || !ends.some((end) => end.includes('timeout')))
        return { status, text, ends };
    }
  }

  test('[379] DELETE of what does not run is 404', async () => {
    await sql('SELECT 1', { context: { sqlQueryId: 'over' } });
    for (const id of ['over', 'unheard-of'])
      expect([id, (await remove(`/svc/v2/sql/${id}`)).status]).toEqual([id, 404]);
  });

  test.each(
    Object.entries({
      '[380] object': ['object', 'application/json', '[{"a":1,"b":"x"}]\n'],
      '[381] array': ['array', 'application/json', '[[1,"x"]]\n'],
      '[382] objectLines': ['objectLines', 'text/plain', '{"a":1,"b":"x"}\n\n'],
      '[383] arrayLines': ['arrayLines', 'text/plain', '[1,"x"]\n\n'],
      '[384] csv': ['csv', 'text/csv', '1,x\n\n'],
    }),
  )('%s has its content type and its layout', async (_, [resultFormat, type, text]) => {
    const reply = await sql(`SELECT 1 AS a, 'x' AS b`, { resultFormat });
    expect([reply.type, reply.text]).toEqual([type, text]);
  });

  test('[385] X-Svc-SQL-Header-Included: yes with a header, whether or not types are asked for', async () => {
    const included = async (rest: object) =>
      (await sql('SELECT 1', rest)).headers.get('x-svc-sql-header-included');
    expect(await included({ header: true })).toBe('yes');
    expect(await included({ header: true, typesHeader: true, sqlTypesHeader: true })).toBe('yes');
    expect(await included({})).toBeNull();
  });

  const all = { header: true, typesHeader: true, sqlTypesHeader: true };
  const query = `SELECT 1 AS a, 'x' AS b`;

  test('[386] as object, the first element has the types of each column', async () => {
    const first = async (rest: object) => (await sql(query, rest)).body[0];
    expect(await first(all)).toEqual({
      a: { type: 'LONG', sqlType: 'INTEGER' },
      b: { type: 'STRING', sqlType: 'CHAR' },
    });
    expect(await first({ header: true, typesHeader: true })).toEqual({
      a: { type: 'LONG' },
      b: { type: 'STRING' },
    });
    expect((await sql(query, all)).body[1]).toEqual({ a: 1, b: 'x' });
  });

  test('[387] or null, when no types are asked for', async () => {
    expect((await sql(query, { header: true })).body).toEqual([
      { a: null, b: null },
      { a: 1, b: 'x' },
    ]);
  });

  test('[388] as array: names, types, SQL types, rows', async () => {
    expect((await sql(query, { ...all, resultFormat: 'array' })).body).toEqual([
      ['a', 'b'],
      ['LONG', 'STRING'],
      ['INTEGER', 'CHAR'],
      [1, 'x'],
    ]);
  });

  test('[389] as csv the same, a line each', async () => {
    expect((await sql(query, { ...all, resultFormat: 'csv' })).text).toBe(
      'a,b\nLONG,STRING\nINTEGER,CHAR\n1,x\n\n',
    );
  });
});

describe('statements', () => {
  const at = '/svc/v2/sql/statements';
  const submitted = (query: string, context: object = {}) =>
    post(at, { query, context: { executionMode: 'ASYNC', ...context } });
  const stateOf = async (id: string) => (await get(`${at}/${id}`)).body.state;
  const done = async (query: string, context: object = {}): Promise<string> => {
    const { queryId } = (await submitted(query, context)).body;
    await until(async () => ['SUCCESS', 'FAILED'].includes(await stateOf(queryId)));
    return queryId;
  };
  const running = async (): Promise<string> => {
    const { queryId } = (await submitted(endless)).body;
    await until(async () => (await stateOf(queryId)) === 'RUNNING');
    return queryId;
  };
  const ofWiki = 'SELECT page, n FROM wiki ORDER BY n';

  test('[392, 397] one is submitted with the fields of an SQL request and answered with 200', async () => {
    const { status, body } = await post(at, {
      query: 'SELECT page FROM wiki WHERE n = ?',
      parameters: [{ type: 'BIGINT', value: 2 }],
      context: { executionMode: 'ASYNC' },
    });
    expect([status, body]).toMatchObject([
      200,
      { queryId: expect.any(String), state: expect.any(String), schema: [{ name: 'page' }] },
    ]);
  });

  test('[393] executionMode may only be ASYNC', async () => {
    expect((await submitted('SELECT 1', { executionMode: 'SYNC' })).status).toBe(400);
    expect((await submitted('SELECT 1', { executionMode: 'ASYNC' })).status).toBe(200);
  });

  test('[394, 395] rows go to the task report, and to durable storage when that is asked for', async () => {
    const usual = await done(ofWiki, { rowsPerPage: 2 });
    const durable = await done(ofWiki, { rowsPerPage: 2, selectDestination: 'durableStorage' });
    const { results } = (await get(`/svc/indexer/v1/task/${usual}/reports`)).body.multiStageQuery
      .payload;
    expect(results.results).toHaveLength(3);
    const pages = async (id: string) => (await get(`${at}/${id}`)).body.result.pages.length;
    // Only what is stored is divided
    expect([await pages(usual), await pages(durable)]).toEqual([1, 2]);
  });

  test('[396] durable storage must be enabled', async () => {
    const { url } = await startService({ durableStorage: false });
    const body = JSON.stringify({
      query: 'SELECT 1',
      context: { executionMode: 'ASYNC', selectDestination: 'durableStorage' },
    });
    const reply = await fetch(url + at, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect([reply.status, await reply.text()]).toEqual([400, expect.stringContaining('durable')]);
  });

  test('[398] a bad one is 400', async () => {
    expect((await submitted('SELECT FROM')).status).toBe(400);
  });

  test('[399] while it runs its status is what the submission was answered', async () => {
    const { body } = await submitted(endless);
    await until(async () => (await stateOf(body.queryId)) === 'RUNNING');
    expect((await get(`${at}/${body.queryId}`)).body).toEqual({ ...body, state: 'RUNNING' });
    await remove(`${at}/${body.queryId}`);
  });

  test('[400] when it is complete, result and pages are there', async () => {
    const { body } = await get(`${at}/${await done(ofWiki)}`);
    expect(body).toMatchObject({
      state: 'SUCCESS',
      result: { numTotalRows: 3, pages: [{ id: 0 }] },
    });
  });

  test('[401] a status is 200', async () => {
    expect((await get(`${at}/${await done(ofWiki)}`)).status).toBe(200);
  });

  test('[402, 403] results come by page, or all pages in their order', async () => {
    const id = await done(`${ofWiki} DESC`, {
      selectDestination: 'durableStorage',
      rowsPerPage: 2,
    });
    const page = async (query: string) =>
      (await get(`${at}/${id}/results?resultFormat=array${query}`)).body.map(
        ([, n]: [string, number]) => n,
      );
    expect([await page('&page=0'), await page('&page=1'), await page('')]).toEqual([
      [3, 2],
      [1],
      [3, 2, 1],
    ]);
  });

  test.each(['arrayLines', 'objectLines', 'array', 'object', 'csv'])(
    '[404] results come as %s',
    async (resultFormat) => {
      const layouts: Record<string, string> = {
        arrayLines: '["page 01",1]\n\n',
        objectLines: '{"page":"page 01","n":1}\n\n',
        array: '[["page 01",1]]\n',
        object: '[{"page":"page 01","n":1}]\n',
        csv: 'page 01,1\n\n',
      };
      const id = await done('SELECT page, n FROM wiki WHERE n = 1');
      expect((await get(`${at}/${id}/results?resultFormat=${resultFormat}`)).text).toBe(
        layouts[resultFormat],
      );
    },
  );

  test('[406] results of one that runs are 400', async () => {
    const id = await running();
    expect((await get(`${at}/${id}/results`)).status).toBe(400);
    await remove(`${at}/${id}`);
  });

  test('[407, 674] what is not there is 404', async () => {
    expect((await get(`${at}/unheard-of/results`)).status).toBe(404);
    expect((await get(`${at}/unheard-of`)).body).toMatchObject({
      error: expect.any(String),
      errorMessage: expect.stringContaining('unheard-of'),
    });
  });

  test('[408] results of one that failed or was cancelled are 404', async () => {
    const failed = await done('SELECT 1 / (n - n) FROM wiki');
    const cancelled = await running();
    await remove(`${at}/${cancelled}`);
    await until(async () => (await stateOf(cancelled)) === 'FAILED');
    for (const id of [failed, cancelled])
      expect((await get(`${at}/${id}/results`)).status).toBe(404);
  });

  test('[409] results that cannot be written are 500', async () => {
    expect((await get(`${at}/${await done(ofWiki)}/results?resultFormat=unheard-of`)).status).toBe(
      500,
    );
  });

  test('[410] one that ingests has empty results', async () => {
    const id = await done(`INSERT INTO "made" SELECT __time, n FROM wiki PARTITIONED BY DAY`);
    const { status, text } = await get(`${at}/${id}/results`);
    expect([status, text]).toEqual([200, '']);
  });

  test('[411, 412] DELETE cancels what runs with 202; what is over is 200, what is not there 404', async () => {
    const id = await running();
    const cancel = async (which: string) => (await remove(`${at}/${which}`)).status;
    expect(await cancel(id)).toBe(202);
    await until(async () => (await stateOf(id)) === 'FAILED');
    expect([await cancel(id), await cancel('unheard-of')]).toEqual([200, 404]);
  });

  test('[697] of more than 3000 rows the report has no more, durable storage all', async () => {
    const numbers = (table: string) =>
      `UNNEST(ARRAY[${Array.from({ length: 60 }, (_, at) => at).join()}]) AS ${table}(n)`;
    const many = `SELECT a.n * 100 + b.n AS v FROM ${numbers('a')}, ${numbers('b')}`;
    const [usual, durable] = [
      await done(many),
      await done(many, { selectDestination: 'durableStorage' }),
    ];
    const { results } = (await get(`/svc/indexer/v1/task/${usual}/reports`)).body.multiStageQuery
      .payload;
    expect([results.results.length, results.resultsTruncated]).toEqual([3000, true]);
    expect((await get(`${at}/${durable}/results?resultFormat=array`)).body).toHaveLength(3600);
  });
});

describe('native queries', () => {
  const sum = { type: 'longSum', name: 'n', fieldName: 'n' };
  const of = (queryType: string, rest: object = {}) => ({
    queryType,
    dataSource: 'wiki',
    intervals: ['2024/2025'],
    ...rest,
  });
  const asked = async (query: object) => (await post('/svc/v2/', query)).body;
  const topN = of('topN', {
    dimension: 'page',
    threshold: 2,
    metric: 'n',
    granularity: 'all',
    aggregations: [sum],
  });

  test('[413] pretty indents the reply', async () => {
    const query = of('timeseries', { granularity: 'all', aggregations: [sum] });
    expect((await post('/svc/v2/?pretty', query)).text).toContain('\n  ');
    expect((await post('/svc/v2/', query)).text).not.toContain('\n  ');
  });

  test.each<[string, [object, object]]>(
    Object.entries({
      '[414] timeseries': [
        of('timeseries', { granularity: 'all', aggregations: [sum] }),
        [{ result: { n: 6 } }],
      ],
      '[415] topN': [
        topN,
        [
          {
            result: [
              { page: 'page 03', n: 3 },
              { page: 'page 02', n: 2 },
            ],
          },
        ],
      ],
      '[416] groupBy': [
        of('groupBy', { dimensions: ['page'], granularity: 'all', aggregations: [sum] }),
        [
          { event: { page: 'page 01', n: 1 } },
          { event: { page: 'page 02' } },
          { event: { page: 'page 03' } },
        ],
      ],
      '[418] segmentMetadata': [
        of('segmentMetadata', { merge: true }),
        [{ columns: { page: { type: 'STRING' } } }],
      ],
      '[420] scan': [
        of('scan', { columns: ['page'], limit: 1 }),
        [{ events: [{ page: expect.any(String) }] }],
      ],
      '[421] search': [
        of('search', {
          granularity: 'all',
          searchDimensions: ['page'],
          query: { type: 'insensitive_contains', value: '02' },
        }),
        [{ result: [{ dimension: 'page', value: 'page 02', count: 1 }] }],
      ],
    }),
  )('%s is answered', async (_, [query, shows]) => {
    expect(await asked(query)).toMatchObject(shows);
  });

  test('[422] dataSource is a text or an object', async () => {
    const query = of('timeseries', { granularity: 'all', aggregations: [sum] });
    expect(await asked({ ...query, dataSource: { type: 'table', name: 'wiki' } })).toEqual(
      await asked(query),
    );
    const inner = of('groupBy', { dimensions: ['page'], granularity: 'day', aggregations: [sum] });
    expect(await asked({ ...query, dataSource: { type: 'query', query: inner } })).toMatchObject([
      { result: { n: 6 } },
    ]);
  });

  test('[423] a bad one is 400, with an error object', async () => {
    const { status, body } = await post('/svc/v2/', of('unheard-of'));
    expect([status, body]).toEqual([
      400,
      expect.objectContaining({ error: expect.any(String), errorMessage: expect.any(String) }),
    ]);
  });

  test('[424, 426] candidates are segments with where they are; a bad query is 400', async () => {
    const { body } = await post('/svc/v2/candidates', of('timeseries', { granularity: 'all' }));
    expect(body).toHaveLength(3);
    expect(body[0].locations).toMatchObject([{ type: 'historical' }]);
    expect((await post('/svc/v2/candidates', of('unheard-of'))).status).toBe(400);
  });

  test('[427] topN has dimension, threshold, metric, granularity, aggregations and intervals', async () => {
    expect((await asked(topN))[0].result).toHaveLength(2);
    expect((await asked({ ...topN, threshold: 1 }))[0].result).toHaveLength(1);
    expect(await asked({ ...topN, granularity: 'day' })).toHaveLength(3);
    expect(
      (await asked({ ...topN, metric: { type: 'inverted', metric: 'n' } }))[0].result[0].n,
    ).toBe(1);
    expect((await asked({ ...topN, intervals: ['2024-01-01/2024-01-02'] }))[0].result).toEqual([
      { page: 'page 01', n: 1 },
    ]);
    expect(
      (
        await asked({ ...topN, dimension: { type: 'default', dimension: 'page', outputName: 'p' } })
      )[0].result[0],
    ).toHaveProperty('p');
  });

  test('[428] its result has the timestamp, and a list of metric and dimension', async () => {
    expect(await asked(topN)).toEqual([
      {
        timestamp: '2024-01-01T00:00:00.000Z',
        result: [
          { page: 'page 03', n: 3 },
          { page: 'page 02', n: 2 },
        ],
      },
    ]);
  });

  const groupBy = of('groupBy', { dimensions: ['page'], granularity: 'all', aggregations: [sum] });

  test('[429] groupBy has dimensions, granularity and aggregations', async () => {
    expect(await asked({ ...groupBy, dimensions: [] })).toMatchObject([{ event: { n: 6 } }]);
    expect(await asked({ ...groupBy, dimensions: [], granularity: 'day' })).toHaveLength(3);
  });

  test('[430] postAggregations compute with what was aggregated', async () => {
    const fields = [1, 2].map((at) => ({ type: 'fieldAccess', name: `n${at}`, fieldName: 'n' }));
    const postAggregations = ['+', '-', '*', '/'].map((fn) => ({
      type: 'arithmetic',
      name: fn,
      fn,
      fields,
    }));
    expect(await asked({ ...groupBy, dimensions: [], postAggregations })).toMatchObject([
      { event: { n: 6, '+': 12, '-': 0, '*': 36, '/': 1 } },
    ]);
  });

  test('[431] limitSpec orders and limits', async () => {
    const limitSpec = {
      type: 'default',
      limit: 2,
      columns: [{ dimension: 'n', direction: 'descending' }],
    };
    const events = (await asked({ ...groupBy, limitSpec })).map(
      ({ event }: { event: { n: number } }) => event.n,
    );
    expect(events).toEqual([3, 2]);
  });

  test('[432] its result has a version, a timestamp and an event', async () => {
    expect((await asked(groupBy))[0]).toEqual({
      version: 'v1',
      timestamp: '2024-01-01T00:00:00.000Z',
      event: { page: 'page 01', n: 1 },
    });
  });
});
