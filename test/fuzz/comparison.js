// Asks two services the same random questions and tells where they differ: the loop that
// statements, native queries and samples share.
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
 * @param {object} [how.flags] further options of the command line
 * @param {(random: () => number, options: object) => { next(): Question }} how.generator
 * @param {(service: object, question: Question) => Promise<object>} how.ask
 * @param {Function} how.differenceOf two replies and the question: its kind and a sentence, if any
 * @param {Function} how.minimized the question, and whether a smaller one still shows it
 * @param {(question: Question) => string} [how.textOf] by default its JSON
 * @param {(difference: object, question: Question) => string} how.classOf
 * @param {Function} [how.judgeTime] the question, both replies, both services and the tally
 */
export async function compareServices({
  title,
  known,
  flags = {},
  generator: makeGenerator,
  ask,
  differenceOf,
  minimized,
  textOf = JSON.stringify,
  classOf,
  judgeTime,
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
      ...flags,
    },
  });
  if (!options.left || !options.right) {
    console.error('error: say --left URL (serve --service druid) and --right URL (a real Druid)');
    process.exit(2);
  }
  const [left, right] = [serviceAt(options.left), serviceAt(options.right)];
  await Promise.all([left.load(), right.load()]);
  const generator = makeGenerator(randomNumbers(Number(options.seed)), options);
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
    const { ours, theirs, difference } = await compared(question);
    const fate = tally.fateOf(theirs);
    tally[fate]++;
    if (fate === 'answered') await judgeTime?.(question, { ours, theirs, left, right, tally });
    if (difference === undefined) {
      tally.agrees(fate);
      return;
    }
    if (difference.kind === 'internal error') tally.internal++;
    let smallest = { question, difference };
    if (!options.quick) {
      await minimized(
        question,
        async (candidate) => {
          const { difference: still } = await compared(candidate);
          if (still?.kind !== difference.kind || outline(still) !== outline(difference))
            return false;
          smallest = { question: candidate, difference: still };
          return true;
        },
        options,
      );
    }
    tally.differs(
      classOf(smallest.difference, smallest.question),
      textOf(smallest.question),
      smallest.difference,
      textOf(question),
    );
  }

  async function compared(question) {
    const [ours, theirs] = await Promise.all([ask(left, question), ask(right, question)]);
    return { ours, theirs, difference: differenceOf(ours, theirs, question) };
  }
}

/** What stays the same while a question shrinks: the words of an error, but no values. */
export const outline = ({ kind, detail }) =>
  errors.has(kind) ? detail.replace(/\[[^\]]*\]|'[^']*'|"[^"]*"|\d+/g, '').slice(0, 60) : '';

const errors = new Set([
  'another refusal',
  'failed there',
  'internal error',
  'no reply',
  'refused here',
  'refused there',
]);
