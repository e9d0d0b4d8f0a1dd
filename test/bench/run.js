// All benchmarks, or those named: npm run bench [-- start rows ingest batch kafka statements
// serve-start queries task-list segments] [--quick] [--check] --quick only shows that they run;
// --check makes a missed target an error.
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { batch } from './batch.js';
import { ingest } from './ingest.js';
import { kafka } from './kafka.js';
import { queries } from './queries.js';
import { rows } from './rows.js';
import { segments } from './segments.js';
import { serveStart } from './serve-start.js';
import { start } from './start.js';
import { statements } from './statements.js';
import { taskList } from './task-list.js';

const benchmarks = {
  start,
  'serve-start': serveStart,
  ingest,
  batch,
  kafka,
  rows,
  statements,
  queries,
  'task-list': taskList,
  segments,
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, check: { type: 'boolean' } },
});
const unknown = positionals.filter((name) => !(name in benchmarks));
if (unknown.length)
  throw new Error(
    `There is no benchmark [${unknown.join(', ')}]; there are ${Object.keys(benchmarks).join(', ')}`,
  );

const [before = 0] = loadavg();
let ran = 0;
let failed = 0;
let missed = 0;
for (const [name, benchmark] of Object.entries(benchmarks)) {
  if (positionals.length && !positionals.includes(name)) continue;
  try {
    const results = await benchmark({ quick: options.quick === true });
    ran += 1;
    console.log(`\n${name}`);
    for (const { what, value, unit, ...target } of results) {
      // Small sizes say nothing about large ones
      const { atMost, atLeast } = options.quick ? {} : target;
      const isMet = value <= (atMost ?? Number.POSITIVE_INFINITY) && value >= (atLeast ?? 0);
      const aim =
        atMost === undefined ? (atLeast === undefined ? '' : `>= ${atLeast}`) : `<= ${atMost}`;
      if (!isMet) missed += 1;
      const shown = value >= 100 ? value.toFixed(0) : value.toFixed(2);
      console.log(
        `  ${what.padEnd(58)} ${`${shown} ${unit}`.padEnd(20)} ${aim.padEnd(12)} ${aim && (isMet ? 'met' : 'MISSED')}`,
      );
    }
  } catch (error) {
    failed += 1;
    console.error(`\n${name} did not run: ${error.stack}`);
  }
}
// Wall times say little where others work at the same time.
console.log(
  `\nload of the machine before and after: ${before.toFixed(1)} and ${loadavg()[0]?.toFixed(1)}, of ${availableParallelism()} processors`,
);
console.log(`\nbenchmarks: ${ran} passed, ${failed} failed; targets missed: ${missed}`);
process.exitCode = failed || (options.check && missed) ? 1 : 0;
