// Random SQL: whatever is asked is answered or refused, and never an internal error. SQL_STATEMENTS and SEED repeat or lengthen a run.
import { expect, test } from 'vitest';
import { aggregates } from '../../src/sql/aggregates.ts';
import { scalarFunctionTable } from '../../src/sql/functions.ts';
import { randomFrom } from '../support/random.ts';
import { startService } from '../support/service.ts';
import { oddRows, RandomStatements, uncalledFunctions } from './statements.ts';

const seed = Number(process.env.SEED ?? 1); // always the same statements, so that a change is to blame
const most = Number(process.env.SQL_STATEMENTS ?? 600);
const longestMs = 40_000;

test(`random statements (seed ${seed}) are answered or refused`, async () => {
  const service = await startService();
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: reply.status, text: await reply.text() };
  };
  const { taskId } = JSON.parse((await post('/svc/v2/sql/task', { query: oddRows })).text) as { taskId: string };
  const status = async () => (await fetch(`${service.url}/svc/indexer/v1/task/${taskId}/status`)).text();
  await expect.poll(status, { timeout: 60_000 }).toContain('SUCCESS');
  const statements = new RandomStatements(randomFrom(seed));
  const bugs: string[] = [];
  let answered = 0;
  const started = Date.now();
  for (let count = 0; count < most && Date.now() - started < longestMs; count++) {
    const query = statements.next();
    const reply = await post('/svc/v2/sql', { query, context: { timeout: 5000 } });
    if (reply.status === 200) answered++;
    if (reply.text.includes('Internal error')) bugs.push(query);
  }
  expect(bugs, `seed ${seed}`).toEqual([]);
  expect(answered).toBeGreaterThan(0);
});

test('random statements call every function', () => {
  const rare = [
    'CEILING',
    'CHARACTER_LENGTH',
    'VARIANCE',
    'VAR_SAMP',
    'STDDEV_SAMP',
    'APPROX_COUNT_DISTINCT_BUILTIN',
    'POSITION',
    'OVERLAY',
  ]; // other names of others
  const uncalled = uncalledFunctions([...Object.keys(scalarFunctionTable), ...Object.keys(aggregates)]);
  expect(uncalled.filter((name) => !rare.includes(name))).toEqual([]);
});
