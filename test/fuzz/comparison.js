// Asks two services the same random questions and tells where they differ: the loop that native
// queries and samples share.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { randomNumbers } from './sql/random.js';
import { serviceAt } from './sql/service.js';
import { Tally } from './tally.js';

/**
 * Reads the options of the command line, asks, and reports. A reply is a status and a text.
 * @template Question
 * @param {object} how
 * @param {string} how.title of the run
 * @param {URL} how.known the file of differences with their reasons
 * @param {(random: () => number) => { next(): Question }} how.generator
 * @param {(service: object, question: Question) => Promise<object>} how.ask
 * @param {Function} how.differenceOf two replies and the question: its kind and a sentence, if any
 * @param {Function} how.minimized the question, and whether a smaller one still shows it
 * @param {(question: Question) => string} how.shapeOf
 */
export async function compareServices({
  title,
  known,
  generator: makeGenerator,
  ask,
  differenceOf,
  minimized,
  shapeOf,
}) {
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
  const [left, right] = [serviceAt(options.left), serviceAt(options.right)];
  await Promise.all([left.load(), right.load()]);
  const generator = makeGenerator(randomNumbers(Number(options.seed)));
  const tally = new Tally(JSON.parse(readFileSync(known, 'utf8')), options.failures);
  const report = () => tally.report(`${title} seed ${options.seed}`);
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

  async function judge(question) {
    const { theirs, difference } = await compared(question);
    const fate = tally.fateOf(theirs);
    tally[fate]++;
    if (difference === undefined) {
      tally.agrees(fate);
      return;
    }
    if (difference.kind === 'internal error') tally.internal++;
    let smallest = { question, difference };
    if (!options.quick) {
      await minimized(question, async (candidate) => {
        const { difference: still } = await compared(candidate);
        if (still?.kind !== difference.kind || outline(still) !== outline(difference)) return false;
        smallest = { question: candidate, difference: still };
        return true;
      });
    }
    const name = `${difference.kind}: ${outline(smallest.difference)} ${shapeOf(smallest.question)}`;
    tally.differs(name, JSON.stringify(smallest.question), smallest.difference, question);
  }

  async function compared(question) {
    const [ours, theirs] = await Promise.all([ask(left, question), ask(right, question)]);
    return { theirs, difference: differenceOf(ours, theirs, question) };
  }
}

// Refusals stay the same refusal while a question shrinks; values may become others.
function outline({ kind, detail }) {
  if (!['refused here', 'refused there', 'failed there', 'another refusal'].includes(kind))
    return '';
  return detail.replace(/\[[^\]]*\]|'[^']*'|"[^"]*"|\d+/g, '').slice(0, 60);
}
