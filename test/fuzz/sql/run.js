// Asks two services the same random statements and tells where they differ. Usage: npm run
// fuzz:sql -- --left URL --right URL --seed N [--count N] [--workload] [--failures FILE] [--width
// N] [--quick] With --workload the statements are those of every day's work, with --dashboards
// only those of dashboards and pipelines; without both, whatever the types allow. The left one is
// ours; the right one is a real Druid. What differs for a known reason stands in
// known-differences.json.
import { compareServices, outline } from '../comparison.js';
import { differenceOf } from './compare.js';
import { Generator } from './generator.js';
import { minimized, shapeOf } from './minimize.js';
import { textOf } from './tree.js';
import { Workload } from './workload.js';

const slowMs = 300; // below, times say nothing
const slowFactor = 10;
// Distinct values are estimated there.
const isEstimated = (statement) => /COUNT\(DISTINCT|APPROX_COUNT_DISTINCT/.test(statement);
const isSlow = (ours, theirs) => ours.ms > slowMs && ours.ms > slowFactor * theirs.ms;
const statementOf = ({ tree }) => textOf(tree);

await compareServices({
  title: 'fuzz:sql',
  known: new URL('known-differences.json', import.meta.url),
  flags: {
    count: { type: 'string', default: '1000' },
    workload: { type: 'boolean' },
    dashboards: { type: 'boolean' },
  },
  generator: (random, { workload, dashboards }) =>
    workload || dashboards ? new Workload(random, dashboards) : new Generator(random),
  ask: (service, question) => service.ask(statementOf(question)),
  differenceOf: (left, right, question) =>
    differenceOf(left, right, question.order, isEstimated(statementOf(question))),
  // Statements of every day's work are small, and stay as they are.
  minimized: ({ tree }, shows, { workload, dashboards }) =>
    workload || dashboards || minimized(tree, (candidate) => shows({ tree: candidate })),
  textOf: statementOf,
  // Refusals are counted by what is refused, values by the shape of the statement.
  classOf: (difference, question) =>
    `${difference.kind}: ${outline(difference) || shapeOf(statementOf(question))}`,
  judgeTime,
});

// What is slow once may have waited for others: it counts when it is slow alone, twice.
async function judgeTime(question, { ours, theirs, left, right, tally }) {
  if (ours.status !== 200 || !isSlow(ours, theirs)) return;
  const statement = statementOf(question);
  for (let round = 0; round < 2; round++)
    if (!isSlow(await left.ask(statement), await right.ask(statement))) return;
  tally.slow++;
  tally.note('slow', statement, { kind: 'slow', detail: '' }, statement);
}
