// Random SQL: whatever is asked is answered or refused, and never an internal error. SQL_STATEMENTS
// and SEED repeat or lengthen a run.
import { expect, test } from 'vitest';
import { aggregates } from '../../src/sql/functions/aggregates.ts';
import { scalarFunctionTable } from '../../src/sql/functions/functions.ts';
import { randomFrom } from '../support/random.ts';
import { startService } from '../support/service.ts';
import { edgeStatements, oddRows, RandomStatements, uncalledFunctions } from './statements.ts';

// Always the same statements, so that a change is to blame
const seed = Number(process.env.SEED ?? 1);
const most = Number(process.env.SQL_STATEMENTS ?? 600);
const longestMs = 40_000;

async function serviceWithOddRows() {
  const service = await startService();
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const { taskId } = JSON.parse((await post('/svc/v2/sql/task', { query: oddRows })).text) as {
    taskId: string;
  };
  const status = async () =>
    (await fetch(`${service.url}/svc/indexer/v1/task/${taskId}/status`)).text();
  await expect.poll(status, { timeout: 60_000 }).toContain('SUCCESS');
  return post;
}

test(`random statements (seed ${seed}) are answered or refused`, async () => {
  const post = await serviceWithOddRows();
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

// EDGE_STEP=1 asks all 24,000 of them, in two minutes.
test('arguments at the edges of their types are answered or refused, and DuckDB is not heard', async () => {
  const post = await serviceWithOddRows();
  const step = Number(process.env.EDGE_STEP ?? 17);
  const bugs: string[] = [];
  let answered = 0;
  for (const [index, query] of [...edgeStatements()].entries()) {
    if (index % step !== seed % step) continue;
    const reply = await post('/svc/v2/sql', { query, context: { timeout: 5000 } });
    if (reply.status === 200) answered++;
    else if (duckdbWords.some((words) => reply.text.includes(words)))
      bugs.push(`${query}: ${reply.text}`);
  }
  expect(bugs, `seed ${seed}`).toEqual([]);
  expect(answered).toBeGreaterThan(0);
}, 600_000);

const duckdbWords = [
  'Internal error',
  'BLOB',
  'HUGEINT',
  'INT128',
  'INT64',
  'INT32',
  'Overflow in',
  'is out of range!',
  'out of range for the destination',
  'outside of supported range',
  'Unimplemented type for cast',
  'Could not convert',
  'Could not decode',
  'Failed to cast',
  'format specifier',
  'druid_',
];

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
  const uncalled = uncalledFunctions([
    ...Object.keys(scalarFunctionTable),
    ...Object.keys(aggregates).filter((name) => !aggregates[name]?.isUnplanned),
  ]);
  expect(uncalled.filter((name) => !rare.includes(name))).toEqual([]);
});
