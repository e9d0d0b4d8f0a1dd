// Gives two services the same specifications of tasks and compactions, each with one odd value, and
// tells which are refused by one service only. Usage: npm run fuzz:specifications -- --left URL
// --right URL --seed N [--count N] [--failures FILE] [--width N] The left one is ours; the right
// one is a real Druid. Known differences are in known-differences.json.
import { compareServices } from '../comparison.js';
import { SpecificationGenerator } from './generator.js';

await compareServices({
  title: 'fuzz:specifications',
  known: new URL('known-differences.json', import.meta.url),
  generator: (random) => new SpecificationGenerator(random),
  ask: (service, { path, body }) => service.submit(path, body),
  differenceOf,
  minimized: async () => {}, // one value is odd
  textOf: ({ body, odd }) => `${body.type ?? 'compaction config'} ${odd}`,
  classOf: ({ kind }, { odd }) => `${kind}: ${odd.split(':', 1)[0]}`,
});

function differenceOf(ours, theirs) {
  if (ours.status === 500) return { kind: 'internal error', detail: ours.text.slice(0, 400) };
  if (ours.status === 0) return { kind: 'no reply', detail: ours.text };
  if (theirs.status === 0 || (ours.status === 200) === (theirs.status === 200)) return undefined;
  return ours.status === 200
    ? { kind: 'refused there', detail: theirs.text.slice(0, 400) }
    : { kind: 'refused here', detail: ours.text.slice(0, 400) };
}
