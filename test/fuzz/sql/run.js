// Asks two services the same random statements and tells where they differ. Usage: npm run
// fuzz:sql -- --left URL --right URL --seed N [--count N] [--workload] [--failures FILE] [--width
// N] [--quick] With --workload the statements are those of every day's work, with --dashboards
// only those of dashboards and pipelines; without both, whatever the types allow. The left one is
// ours; the right one is a real Druid. What differs for a known reason stands in
// known-differences.json.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Tally } from '../tally.js';
import { differenceOf } from './compare.js';
import { Generator } from './generator.js';
import { minimized, shapeOf } from './minimize.js';
import { randomNumbers } from './random.js';
import { serviceAt } from './service.js';
import { textOf } from './tree.js';
import { Workload } from './workload.js';

const { values: options } = parseArgs({
  options: {
    left: { type: 'string' },
    right: { type: 'string' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '1000' },
    width: { type: 'string', default: '3' },
    failures: { type: 'string' },
    workload: { type: 'boolean' },
    dashboards: { type: 'boolean' },
    quick: { type: 'boolean' }, // differences as they are, not minimized
  },
});
if (!options.left || !options.right) {
  console.error('error: say --left URL (serve --service druid) and --right URL (a real Druid)');
  process.exit(2);
}
const slowMs = 300; // below, times say nothing
const slowFactor = 10;
// Distinct values are estimated there.
const isEstimated = (statement) => /COUNT\(DISTINCT|APPROX_COUNT_DISTINCT/.test(statement);
const known = JSON.parse(readFileSync(new URL('known-differences.json', import.meta.url), 'utf8'));
const [left, right] = [serviceAt(options.left), serviceAt(options.right)];
await Promise.all([left.load(), right.load()]);

const random = randomNumbers(Number(options.seed));
const isWorkload = options.workload || options.dashboards;
const generator = isWorkload ? new Workload(random, options.dashboards) : new Generator(random);
const tally = new Tally(known, options.failures);
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

async function judge({ tree, order }) {
  const statement = textOf(tree);
  const [ours, theirs] = await Promise.all([left.ask(statement), right.ask(statement)]);
  const fate = tally.fateOf(theirs);
  tally[fate]++;
  if (
    ours.status === 200 &&
    fate === 'answered' &&
    ours.ms > slowMs &&
    ours.ms > slowFactor * theirs.ms
  )
    await judgeTime(statement);
  const difference = differenceOf(ours, theirs, order, isEstimated(statement));
  if (difference === undefined) {
    tally.agrees(fate);
    return;
  }
  if (difference.kind === 'internal error') tally.internal++;
  let smallest = tree;
  let smallestDifference = difference;
  if (!options.quick && !isWorkload) {
    smallest = await minimized(tree, async (candidate) => {
      const text = textOf(candidate);
      const replies = await Promise.all([left.ask(text), right.ask(text)]);
      const still = differenceOf(...replies);
      if (still?.kind !== difference.kind || outline(still) !== outline(difference)) return false;
      smallestDifference = still;
      return true;
    });
  }
  const text = textOf(smallest);
  tally.differs(classOf(smallestDifference, text), text, smallestDifference, statement);
}

// Refusals stay the same refusal while a statement shrinks; values may become others.
function outline({ kind, detail }) {
  if (['values', 'order', 'columns', 'sqlTypes', 'nativeTypes'].includes(kind)) return kind;
  return detail.replace(/\[[^\]]*\]|'[^']*'|"[^"]*"|\d+/g, '').slice(0, 60);
}

// What is slow once may have waited for others: it counts when it is slow alone, twice.
async function judgeTime(statement) {
  for (let round = 0; round < 2; round++) {
    const ours = await left.ask(statement);
    const theirs = await right.ask(statement);
    if (ours.ms <= slowMs || ours.ms <= slowFactor * theirs.ms) return;
  }
  tally.slow++;
  tally.note('slow', statement, { kind: 'slow', detail: '' }, statement);
}

// Refusals are counted by what is refused, values by the shape of the statement.
function classOf(difference, statement) {
  const said = outline(difference);
  return `${difference.kind}: ${said === difference.kind ? shapeOf(statement) : said}`;
}

function report() {
  tally.report(`fuzz:sql seed ${options.seed}`);
}
