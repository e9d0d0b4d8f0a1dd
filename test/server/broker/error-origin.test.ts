// Failed queries name their code, the class of the error and the host, as the specification says
// ("Error object"); the real engine does so sometimes.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const scan = { queryType: 'scan', dataSource: 'unknown', intervals: '0/2' };
const slow = `SELECT COUNT(*) FROM ${['a', 'b', 'c', 'd'].map((name) => `(SELECT * FROM UNNEST(ARRAY[${Array.from({ length: 500 }, (_, at) => at).join(',')}]) AS u(n)) ${name}`).join(', ')} WHERE a.n + b.n + c.n + d.n = 3`;

test.each<[string, string, object, number, string, string]>([
  [
    'what cannot be planned',
    'sql',
    { query: 'SELECT x' },
    400,
    'invalidInput',
    'error.DruidException',
  ],
  ['what is not SQL', 'sql', { query: 'SELECT FROM' }, 400, 'invalidInput', 'error.DruidException'],
  [
    'what is not a request',
    'sql',
    { query: 'SELECT 1', typesHeader: true },
    400,
    'Unknown exception',
    'query.QueryException',
  ],
  [
    'what takes too long',
    'sql',
    { query: slow, context: { timeout: 50 } },
    504,
    'Query timeout',
    'query.QueryTimeoutException',
  ],
  [
    'a wrong context',
    'sql',
    { query: 'SELECT 1', context: { timeout: 'x' } },
    400,
    'Query context parse failed',
    'query.BadQueryContextException',
  ],
  [
    'an unknown type',
    '',
    { ...scan, queryType: 'most' },
    400,
    'Unknown exception',
    'query.QueryException',
  ],
  [
    'a wrong timeout',
    '',
    { ...scan, context: { timeout: -1 } },
    400,
    'Query context parse failed',
    'query.BadQueryContextException',
  ],
  [
    'no query',
    'candidates',
    { dataSource: 'unknown' },
    400,
    'Unknown exception',
    'query.QueryException',
  ],
])('%s names its code, class and host', async (_, path, body, status, error, errorClass) => {
  const service = await startService();
  const host = new URL(service.url).host;
  const reply = await api(service).post(`/svc/v2/${path}`, body);
  expect(reply).toMatchObject({
    status,
    body: {
      error,
      errorMessage: expect.any(String),
      errorClass: `org.apache.druid.${errorClass}`,
      host,
    },
  });
});

test('the real engine says [druidException], and names neither class nor host of what cannot be planned', async () => {
  const { post } = api(await startService({ service: 'druid' }));
  const { body } = await post('/druid/v2/sql', { query: 'SELECT x' });
  expect(Object.keys(body)).toEqual([
    'error',
    'errorCode',
    'persona',
    'category',
    'errorMessage',
    'context',
  ]);
  expect(body.error).toBe('druidException');
});

test('the real engine does not know the spellings of query types that the specification has', async () => {
  const { post } = api(await startService({ service: 'druid' }));
  const reply = await post('/druid/v2', { queryType: 'timeBoundaries', dataSource: 'unknown' });
  expect(reply).toMatchObject({
    status: 400,
    body: { errorMessage: expect.stringContaining("type id 'timeBoundaries'") },
  });
});
