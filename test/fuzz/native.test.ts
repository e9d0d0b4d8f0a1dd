// The generator of `npm run fuzz:native`, asked of one service: each query is answered or refused.
// FUZZ_NATIVE lengthens a run, SEED repeats one.
import { expect, test } from 'vitest';
import { startServed } from '../support/served.js';
import { nativeDifferenceOf } from './native/compare.js';
import { NativeGenerator } from './native/generator.js';
import { minimizedQuery } from './native/minimize.js';
import { randomNumbers } from './sql/random.js';
import { serviceAt } from './sql/service.js';

// Always the same queries, so that a change is to blame
const seed = Number(process.env.SEED ?? 1);
const count = Number(process.env.FUZZ_NATIVE ?? 300);

test(`native queries (seed ${seed}) are answered or refused, twice in the same way`, async () => {
  const served = await startServed([
    '--service',
    'druid',
    '--ephemeral',
    '--allow-dir',
    'src/demo',
  ]);
  const service = serviceAt(served.url);
  await service.load();
  const generator = new NativeGenerator(randomNumbers(seed));
  const bugs: unknown[] = [];
  let answered = 0;
  for (let asked = 0; asked < count; asked++) {
    const query = generator.next();
    const first = await service.askNative(query);
    if (first.status === 200) answered++;
    const difference = nativeDifferenceOf(first, await service.askNative(query), query);
    if (difference !== undefined) bugs.push({ query, ...difference });
  }
  expect(bugs).toEqual([]);
  expect(answered).toBeGreaterThan(count / 2);
  await served.stop();
}, 300_000);

test('a native query shrinks to what still shows the difference', async () => {
  const query = {
    queryType: 'groupBy',
    dataSource: 'edits',
    filter: { type: 'and', fields: [{ type: 'null', column: 'a' }, { type: 'true' }] },
    aggregations: [
      {
        type: 'filtered',
        name: 'a',
        filter: { type: 'true' },
        aggregator: { type: 'count', name: 'a' },
      },
      { type: 'longSum', fieldName: 'added', name: 'b' },
    ],
  };
  const smallest = await minimizedQuery(query, async (candidate) => {
    const text = JSON.stringify(candidate);
    return text.includes('"null"') && text.includes('"count"');
  });
  expect(smallest).toMatchObject({
    queryType: 'groupBy',
    filter: { type: 'null' },
    aggregations: [{ type: 'count' }],
  });
});

test('native replies differ by values, by order, by status and by the error', () => {
  const reply = (body: unknown, status = 200) => ({ status, text: JSON.stringify(body) });
  const kindOf = (
    left: ReturnType<typeof reply>,
    right: ReturnType<typeof reply>,
    query: object = {},
  ) => nativeDifferenceOf(left, right, query)?.kind;
  expect(kindOf(reply([{ a: 0.1 }]), reply([{ a: 0.10000000000001 }]))).toBeUndefined();
  expect(kindOf(reply([{ a: 1 }]), reply([{ a: 2 }]))).toBe('values');
  expect(kindOf(reply([{ a: 1 }, { a: 2 }]), reply([{ a: 2 }, { a: 1 }]))).toBe('order');
  const estimated = { aggregations: [{ type: 'cardinality' }] };
  expect(kindOf(reply([{ a: 100 }]), reply([{ a: 104 }]), estimated)).toBeUndefined();
  const topN = { queryType: 'topN', metric: 'n', threshold: 1 };
  const top = (key: string, n: number) => reply([{ result: [{ key, n }] }]);
  expect(kindOf(top('a', 1), top('b', 1), topN)).toBeUndefined();
  expect(kindOf(top('a', 1), top('b', 2), topN)).toBe('values');
  const refusal = { error: 'Unknown exception', errorClass: 'A' };
  expect(kindOf(reply(refusal, 500), reply([]))).toBe('refused here');
  expect(kindOf(reply([]), reply(refusal, 400))).toBe('refused there');
  expect(kindOf(reply(refusal, 400), reply({ ...refusal, errorClass: 'B' }, 400))).toBe(
    'another refusal',
  );
});
