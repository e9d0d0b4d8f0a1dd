// Asks two services the same random native queries and tells where they differ. Usage: npm run
// fuzz:native -- --left URL --right URL --seed N [--count N] [--failures FILE] [--width N]
// [--quick] The left one is ours; the right one is a real Druid. Known differences are in
// known-differences.json.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../sql/random.js';
import { serviceAt } from '../sql/service.js';
import { Tally } from '../tally.js';
import { nativeDifferenceOf } from './compare.js';
import { NativeGenerator } from './generator.js';
import { minimizedQuery, shapeOfQuery } from './minimize.js';

const { values: options } = parseArgs({
  options: {
    left: { type: 'string' },
    right: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '500' },
    width: { type: 'string', default: '3' },
    failures: { type: 'string' },
    quick: { type: 'boolean' }, // differences as they are, not minimized
  },
});
if (!options.left || !options.right) {
  console.error('error: say --left URL (serve --service druid) and --right URL (a real Druid)');
  process.exit(2);
}
const known = JSON.parse(readFileSync(new URL('known-differences.json', import.meta.url), 'utf8'));
const [left, right] = [serviceAt(options.left), serviceAt(options.right)];
await Promise.all([left.load(), right.load()]);

const generator = new NativeGenerator(randomNumbers(Number(options.seed)));
const tally = new Tally(known, options.failures);
const report = () => tally.report(`fuzz:native seed ${options.seed}`);
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    report();
    process.exit();
  });
}
await Promise.all(Array.from({ length: Number(options.width) }, work));
report();

async function work() {
  while (tally.asked < Number(options.count)) {
    tally.asked++;
    await judge(generator.next());
  }
}

async function judge(query) {
  const { theirs, difference } = await compared(query);
  const fate = tally.fateOf(theirs);
  tally[fate]++;
  if (difference === undefined) {
    tally.agrees(fate);
    return;
  }
  if (difference.kind === 'internal error') tally.internal++;
  let smallest = { query, difference };
  if (!options.quick) {
    await minimizedQuery(query, async (candidate) => {
      const { difference: still } = await compared(candidate);
      if (still?.kind !== difference.kind || outline(still) !== outline(difference)) return false;
      smallest = { query: candidate, difference: still };
      return true;
    });
  }
  const name = `${difference.kind}: ${outline(smallest.difference)} ${shapeOfQuery(smallest.query)}`;
  tally.differs(name, JSON.stringify(smallest.query), smallest.difference, query);
}

async function compared(query) {
  const [ours, theirs] = await Promise.all([left.askNative(query), right.askNative(query)]);
  return { theirs, difference: nativeDifferenceOf(ours, theirs, query) };
}

// Refusals stay the same refusal while a query shrinks; values may become others.
function outline({ kind, detail }) {
  if (['values', 'order'].includes(kind)) return '';
  return detail.replace(/\[[^\]]*\]|'[^']*'|"[^"]*"|\d+/g, '').slice(0, 60);
}
