// Extraction functions and dimension specs.
import { lookup } from '../sql/data.js';

/** An extraction function, in a cascade at most once. */
export const extractionOf = (dice, isInner = false) =>
  dice.made([
    [
      2,
      () => ({
        type: 'regex',
        expr: dice.among(['^(.)', '(\\w+)', '#(..)\\.', '([0-9]+)']),
        ...dice.maybe(0.4, () => ({ index: dice.among([0, 1]) })),
        ...dice.maybe(0.3, () => ({
          replaceMissingValue: true,
          ...dice.maybe(0.7, () => ({ replaceMissingValueWith: 'none' })),
        })),
      }),
    ],
    [1, () => ({ type: 'partial', expr: dice.among(['^[a-m#]', '[0-9]']) })],
    [1, () => ({ type: 'searchQuery', query: { type: 'insensitive_contains', value: 'a' } })],
    [
      2,
      () => ({
        type: 'substring',
        index: dice.among([0, 1, 3]),
        ...dice.maybe(0.6, () => ({ length: dice.among([1, 2, 5]) })),
      }),
    ],
    [1, () => ({ type: 'strlen' })],
    [2, () => timeFormatOf(dice)],
    [
      1,
      () => ({
        type: 'time',
        timeFormat: 'yyyy-MM-dd',
        resultFormat: 'yyyy',
        ...dice.maybe(0.5, () => ({ joda: true })),
      }),
    ],
    [
      2,
      () => ({
        type: 'lookup',
        lookup: { type: 'map', map: lookup.map, ...dice.maybe(0.3, () => ({ isOneToOne: true })) },
        ...missingOf(dice),
      }),
    ],
    [2, () => ({ type: 'registeredLookup', lookup: lookup.name, ...missingOf(dice) })],
    [1, () => ({ type: 'upper' })],
    [1, () => ({ type: 'lower' })],
    [
      1,
      () => ({
        type: 'stringFormat',
        format: '[%s]',
        ...dice.maybe(0.3, () => ({
          nullHandling: dice.among(['nullString', 'emptyString', 'returnNull']),
        })),
      }),
    ],
    [1, () => ({ type: 'bucket', size: dice.among([1, 5, 10]), offset: dice.among([0, 2]) })],
    ...(isInner
      ? []
      : [
          [
            1,
            () => ({
              type: 'cascade',
              extractionFns: dice.some(1, 3, () => extractionOf(dice, true)),
            }),
          ],
        ]),
  ]);

const missingOf = (dice) =>
  dice.maybe(0.6, () =>
    dice.among([{ retainMissingValue: true }, { replaceMissingValueWith: 'other' }]),
  );

const timeFormatOf = (dice) => ({
  type: 'timeFormat',
  ...dice.maybe(0.8, () => ({
    format: dice.among(['yyyy-MM-dd', 'EEEE', 'HH', "yyyy-MM-dd'T'HH:mm", 'MMM']),
  })),
  ...dice.maybe(0.3, () => ({
    timeZone: dice.among(['America/New_York', 'Asia/Kolkata', '+02:00']),
  })),
  ...dice.maybe(0.2, () => ({ locale: dice.among(['en', 'fr', 'de']) })),
  ...dice.maybe(0.2, () => ({ granularity: 'hour' })),
});

/** A dimension spec over a column of few values. */
export function dimensionOf(dice, scope, at) {
  const outputName = `k${at}`;
  if (scope.hasTime && dice.chance(0.06)) {
    return dice.among([
      () => ({
        type: 'extraction',
        dimension: '__time',
        outputName,
        extractionFn: timeFormatOf(dice),
      }),
      () => ({ type: 'default', dimension: '__time', outputName, outputType: 'LONG' }),
    ])();
  }
  const dimension = dice.among(scope.keys);
  const outputType = scope.long.includes(dimension)
    ? dice.among(['LONG', 'LONG', 'STRING', 'DOUBLE'])
    : scope.double.includes(dimension)
      ? dice.among(['DOUBLE', 'FLOAT', 'STRING', 'LONG'])
      : dice.among(['STRING', 'STRING', 'STRING', 'LONG']);
  const several = scope.several.length > 0 ? dice.among([dimension, 'mv']) : dimension;
  const plain = (name) => dice.among([name, { type: 'default', dimension: name, outputName }]);
  return dice.made([
    [5, () => dimension],
    [
      4,
      () => ({
        type: 'default',
        dimension,
        outputName,
        ...dice.maybe(0.4, () => ({ outputType })),
      }),
    ],
    [2, () => ({ type: 'extraction', dimension, outputName, extractionFn: extractionOf(dice) })],
    [
      0.6,
      () => ({
        type: 'listFiltered',
        delegate: plain(several),
        values: ['a', 'b', '42', 'true', '7'],
        ...dice.maybe(0.4, () => ({ isWhitelist: dice.chance(0.5) })),
      }),
    ],
    [
      0.6,
      () => ({
        type: 'regexFiltered',
        delegate: plain(several),
        pattern: dice.among(['^a', '.', '[0-9]']),
      }),
    ],
    [
      0.6,
      () => ({
        type: 'prefixFiltered',
        delegate: plain(several),
        prefix: dice.among(['a', '#', '4']),
      }),
    ],
    [1, () => ({ type: 'lookup', dimension, outputName, name: lookup.name, ...missingOf(dice) })],
    [
      0.4,
      () => ({
        type: 'lookup',
        dimension,
        outputName,
        lookup: { type: 'map', map: lookup.map },
        ...missingOf(dice),
      }),
    ],
  ]);
}

/** The name under which a dimension spec gives its values. */
export function nameOf(dimension) {
  if (typeof dimension === 'string') return dimension;
  return dimension.delegate === undefined ? dimension.outputName : nameOf(dimension.delegate);
}
