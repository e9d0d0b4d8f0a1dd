// The generator of `npm run fuzz:sql`, asked of one service: whatever it writes is answered or
// refused. FUZZ_SQL lengthens a run, SEED repeats one.
import { expect, test } from 'vitest';
import { startServed } from '../support/served.js';
import { differenceOf } from './sql/compare.js';
import { Generator } from './sql/generator.js';
import { minimized } from './sql/minimize.js';
import { randomNumbers } from './sql/random.js';
import { serviceAt } from './sql/service.js';
import { textOf } from './sql/tree.js';

// Always the same statements, so that a change is to blame
const seed = Number(process.env.SEED ?? 1);
const count = Number(process.env.FUZZ_SQL ?? 300);

test(`statements of analysts and dashboards (seed ${seed}) are answered or refused, twice in the same way`, async () => {
  const served = await startServed([
    '--service',
    'druid',
    '--ephemeral',
    '--allow-dir',
    'src/demo',
  ]);
  const service = serviceAt(served.url);
  await service.load();
  const generator = new Generator(randomNumbers(seed));
  const bugs: unknown[] = [];
  let answered = 0;
  for (let asked = 0; asked < count; asked++) {
    const statement = textOf(generator.next().tree);
    const first = await service.ask(statement);
    if (first.status === 200) answered++;
    const difference = differenceOf(first, await service.ask(statement));
    if (difference !== undefined) bugs.push({ statement, ...difference });
  }
  expect(bugs).toEqual([]);
  expect(answered).toBeGreaterThan(count / 4);
  await served.stop();
}, 300_000);

test('a statement shrinks to what still shows the difference', async () => {
  const generator = new Generator(randomNumbers(seed));
  const withCount = () => {
    for (;;) {
      const { tree } = generator.next();
      if (textOf(tree).includes('COUNT(*)') && textOf(tree).length > 120) return tree;
    }
  };
  const tree = withCount();
  const smallest = textOf(
    await minimized(tree, async (candidate) => textOf(candidate).includes('COUNT(*)')),
  );
  expect(smallest).toContain('COUNT(*)');
  expect(smallest.length).toBeLessThan(textOf(tree).length);
});

test('doubles may differ by a hair, longs by nothing, rows only in their order', () => {
  const reply = (...rows: unknown[][]) => ({
    status: 200,
    ms: 1,
    columns: ['a'],
    sqlTypes: ['X'],
    nativeTypes: ['X'],
    rows,
  });
  const number = (text: string) => `\uE000${text}`;
  expect(differenceOf(reply([number('0.1')]), reply([number('0.10000000000001')]))).toBeUndefined();
  expect(
    differenceOf(reply([number('9007199254740993')]), reply([number('9007199254740992')])),
  ).toMatchObject({ kind: 'values' });
  expect(differenceOf(reply(['a'], ['b']), reply(['b'], ['a']))).toBeUndefined();
  expect(differenceOf(reply(['a'], ['b']), reply(['b'], ['a']), [0])).toMatchObject({
    kind: 'order',
  });
  expect(differenceOf(reply([null]), reply(['']))).toMatchObject({ kind: 'values' });
});
