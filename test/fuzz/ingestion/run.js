// Asks the samplers of two services to read the same random lines with the same random
// specifications and tells where they differ. Usage: npm run fuzz:ingestion -- --left URL --right
// URL --seed N [--count N] [--failures FILE] [--width N] [--quick] The left one is ours; the right
// one is a real Druid. Known differences are in known-differences.json.
import { compareServices, outline } from '../comparison.js';
import { sampleDifferenceOf } from './compare.js';
import { SampleGenerator } from './generator.js';
import { minimizedSample, shapeOfSample } from './minimize.js';

await compareServices({
  title: 'fuzz:ingestion',
  known: new URL('known-differences.json', import.meta.url),
  generator: (random) => new SampleGenerator(random),
  ask: (service, specification) => service.sample(specification),
  differenceOf: sampleDifferenceOf,
  minimized: minimizedSample,
  classOf: (difference, question) =>
    `${difference.kind}: ${outline(difference)} ${shapeOfSample(question)}`,
});
