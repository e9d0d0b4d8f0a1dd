// Asks two services the same random statements and tells where they differ. Usage: npm run
// fuzz:sql -- --left URL --right URL --seed N [--count N] [--workload] [--failures FILE] [--width
// N] [--quick] With --workload the statements are those of every day's work, with --dashboards
// only those of dashboards and pipelines; without both, whatever the types allow. The left one is
// ours; the right one is a real Druid. What differs for a known reason stands in
// known-differences.json.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
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
const found = {
  asked: 0,
  answered: 0,
  refused: 0,
  failed: 0,
  valuesAgree: 0,
  refusalsAgree: 0,
  failuresAgree: 0,
  explained: 0,
  internal: 0,
  slow: 0,
};
const agreements = {
  answered: 'valuesAgree',
  refused: 'refusalsAgree',
  failed: 'failuresAgree',
};
const classes = new Map();
if (options.failures) writeFileSync(options.failures, '');
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    report();
    process.exit();
  });
}
await Promise.all(Array.from({ length: Number(options.width) }, work));
report();

async function work() {
  while (found.asked < Number(options.count)) {
    found.asked++;
    await judge(generator.next());
  }
}

async function judge({ tree, order }) {
  const statement = textOf(tree);
  const [ours, theirs] = await Promise.all([left.ask(statement), right.ask(statement)]);
  const fate = fateOf(theirs);
  found[fate]++;
  if (
    ours.status === 200 &&
    fate === 'answered' &&
    ours.ms > slowMs &&
    ours.ms > slowFactor * theirs.ms
  )
    await judgeTime(statement);
  const difference = differenceOf(ours, theirs, order, isEstimated(statement));
  if (difference === undefined) {
    found[agreements[fate]]++;
    return;
  }
  if (difference.kind === 'internal error') found.internal++;
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
  const reason = reasonOf(smallestDifference, text);
  if (reason !== undefined) found.explained++;
  note(
    reason === undefined ? classOf(smallestDifference, text) : `KNOWN ${reason}`,
    text,
    smallestDifference,
    statement,
    reason,
  );
}

// What became of a statement there: answered, refused by a rule, or failed while it ran.
function fateOf({ status }) {
  if (status === 200) return 'answered';
  return status >= 500 && status !== 501 ? 'failed' : 'refused';
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
  found.slow++;
  note('slow', statement, { kind: 'slow', detail: '' }, statement);
}

// Refusals are counted by what is refused, values by the shape of the statement.
function classOf(difference, statement) {
  const said = outline(difference);
  return `${difference.kind}: ${said === difference.kind ? shapeOf(statement) : said}`;
}

function reasonOf({ kind, detail }, statement) {
  return known.find(
    (one) =>
      one.kinds.includes(kind) &&
      (one.statement ?? []).every((words) => statement.includes(words)) &&
      (one.detail ?? []).every((words) => detail.includes(words)),
  )?.reason;
}

function note(name, statement, difference, original, reason) {
  const one = classes.get(name) ?? { count: 0, statement, detail: difference.detail };
  one.count++;
  if (statement.length < one.statement.length)
    Object.assign(one, { statement, detail: difference.detail });
  classes.set(name, one);
  if (options.failures && reason === undefined)
    appendFileSync(
      options.failures,
      `${JSON.stringify({ class: name, statement, ...difference, original })}\n`,
    );
}

function report() {
  for (const [name, { count, statement, detail }] of [...classes].sort(
    ([, a], [, b]) => a.count - b.count,
  )) {
    console.log(`${count} × ${name}\n    ${statement}\n    ${detail}`);
  }
  const share = (part, whole) =>
    `${part} of ${whole} (${((100 * part) / Math.max(1, whole)).toFixed(2)} %)`;
  console.log(
    `answered there: ${share(found.valuesAgree, found.answered)} agree; refused there: ${share(found.refusalsAgree, found.refused)} agree; failed there: ${share(found.failuresAgree, found.failed)} agree`,
  );
  const agreed = found.valuesAgree + found.refusalsAgree + found.failuresAgree;
  const unexplained = found.asked - agreed - found.explained;
  console.log(
    `internal errors: ${found.internal}; slow: ${found.slow}; explained: ${found.explained}`,
  );
  console.log(
    `fuzz:sql seed ${options.seed}: ${found.asked} statements, ${unexplained} unexplained differences`,
  );
  process.exitCode = unexplained + found.internal + found.slow > 0 ? 1 : 0;
}
