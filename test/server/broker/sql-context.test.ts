// Context parameters of the wrong type, as a real 33.0.0 refuses them in SQL.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
let wire: ReturnType<typeof api>;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  wire = api(service);
  const query = `INSERT INTO edits SELECT TIMESTAMP '2024-05-01' AS __time, 'x' AS page PARTITIONED BY DAY`;
  const { body } = await wire.post('/svc/v2/sql/task', { query });
  await wire.ended(body.taskId);
});
afterAll(() => service.close());

const ask = (query: string, context: object) => wire.post('/svc/v2/sql', { query, context });

test.each([
  [{ sqlJoinAlgorithm: 'hash' }, 'one of [broadcast, sortMerge], but got [hash]'],
  [{ sqlJoinAlgorithm: 'SORTMERGE' }, 'one of [broadcast, sortMerge], but got [SORTMERGE]'],
  [{ sqlJoinAlgorithm: 5 }, 'a String, but got [java.lang.Integer]'],
  [{ sqlPlannerBloat: 'x' }, 'in integer format, but got [x]'],
  [{ inSubQueryThreshold: true }, 'an Integer, but got [java.lang.Boolean]'],
  [{ useApproximateTopN: 5 }, 'a Boolean, but got [java.lang.Integer]'],
])('the planner refuses %j before it looks at the statement', async (context, words) => {
  const [key] = Object.keys(context);
  for (const query of ['SELECT 1', 'SELECT nosuch FROM edits']) {
    const { status, body } = await ask(query, context);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      error: 'Query context parse failed',
      errorMessage: `Expected key [${key}] to be ${words}`,
    });
  }
});

test.each([
  [{ lane: 5 }, 'a String, but got [java.lang.Integer]'],
  [{ maxScatterGatherBytes: 'x' }, 'in long format, but got [x]'],
  [{ uncoveredIntervalsLimit: 'x' }, 'in integer format, but got [x]'],
])('a query of a table refuses %j, one of the catalog does not', async (context, words) => {
  const [key] = Object.keys(context);
  expect((await ask('SELECT page FROM edits', context)).body).toMatchObject({
    errorMessage: `Expected key [${key}] to be ${words}`,
  });
  const ofCatalog = 'SELECT COUNT(*) AS n FROM INFORMATION_SCHEMA.SCHEMATA';
  expect((await ask(ofCatalog, context)).status).toBe(200);
});

test('SET is read as the context is', async () => {
  const { status, body } = await ask("SET sqlJoinAlgorithm = 'sortMerge'; SELECT 1", {});
  expect(status).toBe(400);
  expect(body.errorMessage).toContain('Join algorithm [sortMerge]');
});

test('tasks alone join by sorting', async () => {
  const query = 'SELECT COUNT(*) AS n FROM edits';
  expect((await ask(query, { sqlJoinAlgorithm: 'broadcast' })).body).toEqual([{ n: 1 }]);
  const { status, body } = await ask(query, { sqlJoinAlgorithm: 'sortMerge' });
  expect(status).toBe(400);
  expect(body.errorMessage).toBe('Join algorithm [sortMerge] is not supported by engine [native]');
});
