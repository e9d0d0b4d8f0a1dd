// Asks two services the same random native queries and tells where they differ. Usage: npm run
// fuzz:native -- --left URL --right URL --seed N [--count N] [--failures FILE] [--width N]
// [--quick] The left one is ours; the right one is a real Druid. Known differences are in
// known-differences.json.
import { compareServices, outline } from '../comparison.js';
import { nativeDifferenceOf } from './compare.js';
import { NativeGenerator } from './generator.js';
import { minimizedQuery, shapeOfQuery } from './minimize.js';

await compareServices({
  title: 'fuzz:native',
  known: new URL('known-differences.json', import.meta.url),
  generator: (random) => new NativeGenerator(random),
  ask: (service, query) => service.askNative(query),
  differenceOf: nativeDifferenceOf,
  minimized: minimizedQuery,
  classOf: (difference, question) =>
    `${difference.kind}: ${outline(difference)} ${shapeOfQuery(question)}`,
});
