// Aggregators, post-aggregators and HAVING.

import { expressionOf } from './expressions.js';
import { dimensionOf, extractionOf, nameOf } from './extraction.js';
import { filterOf } from './filters.js';
import { values } from './scopes.js';

const numeric = ['Sum', 'Sum', 'Sum', 'Min', 'Max', 'First', 'Last', 'Any'];

/**
 * An aggregator with what it gives: a `number`, a `text`, or a sketch by its name.
 * @returns {{ gives: string, aggregator: object }}
 */
export function aggregatorOf(dice, scope, name, depth = 1) {
  const number = () => dice.among([...scope.long, ...scope.long, ...scope.double]);
  const text = () => dice.among(scope.text);
  // A sketch of the query below, or any column.
  const sketched = (kind) => {
    const known = (scope.sketches ?? []).filter(({ gives }) => gives === kind);
    return known.length > 0 ? dice.among(known).name : undefined;
  };
  const anyColumn = () => dice.among([...scope.text, ...scope.long, ...scope.double]);
  const as = (gives, aggregator) => ({ gives, aggregator: { ...aggregator, name } });
  return dice.made([
    [5, () => as('number', { type: 'count' })],
    [
      8,
      () => {
        const kind = dice.among(['long', 'long', 'double', 'double', 'float']);
        const what = dice.among(numeric);
        const isComputed = ['Sum', 'Min', 'Max'].includes(what) && dice.chance(0.15);
        return as('number', {
          type: `${kind}${what}`,
          ...(isComputed
            ? { expression: expressionOf(dice, scope, kind === 'long' ? 'long' : 'double') }
            : { fieldName: dice.chance(0.95) ? number() : anyColumn() }),
          ...(/First|Last/.test(what) && dice.maybe(0.15, () => ({ timeColumn: '__time' }))),
        });
      },
    ],
    [
      2,
      () =>
        as('text', {
          type: dice.among(['stringFirst', 'stringLast', 'stringAny']),
          fieldName: dice.chance(0.9) ? text() : anyColumn(),
          ...dice.maybe(0.4, () => ({ maxStringBytes: dice.among([4, 128, 1024]) })),
        }),
    ],
    [
      2,
      () =>
        as('cardinality', {
          type: 'cardinality',
          fields: dice.some(1, 2, (at) =>
            dice.chance(0.7) ? text() : dimensionOf(dice, scope, at),
          ),
          ...dice.maybe(0.4, () => ({ byRow: dice.chance(0.6) })),
          ...dice.maybe(0.4, () => ({ round: true })),
        }),
    ],
    [0.5, () => as('mean', { type: 'doubleMean', fieldName: number() })],
    [0.05, () => as('cardinality', { type: 'hyperUnique', fieldName: text() })],
    [
      1,
      () =>
        as('number', {
          type: 'expression',
          fields: [dice.among(scope.long.length > 0 ? scope.long : scope.text)],
          ...dice.among([
            (field) => ({
              initialValue: '0',
              fold: `__acc + ${field}`,
              combine: `__acc + ${name}`,
            }),
            (field) => ({
              initialValue: '0',
              fold: `max(__acc, nvl(${field}, 0))`,
              combine: `max(__acc, ${name})`,
            }),
            () => ({
              initialValue: '0',
              fold: '__acc + 1',
              combine: `__acc + ${name}`,
              finalize: 'o * 2',
            }),
            (field) => ({
              initialValue: 'ARRAY<LONG>[]',
              fold: `array_set_add(__acc, ${field})`,
              combine: `array_set_add_all(__acc, ${name})`,
              finalize: 'array_length(o)',
            }),
          ])(scope.long[0] ?? scope.text[0]),
        }),
    ],
    [
      2,
      () =>
        as('theta', {
          type: 'thetaSketch',
          fieldName: sketched('theta') ?? anyColumn(),
          ...dice.maybe(0.3, () => ({ size: dice.among([1024, 16384]) })),
          ...dice.maybe(0.15, () => ({ shouldFinalize: false })),
        }),
    ],
    [
      2,
      () =>
        as('hll', {
          type: sketched('hll') ? 'HLLSketchMerge' : 'HLLSketchBuild',
          fieldName: sketched('hll') ?? anyColumn(),
          ...dice.maybe(0.3, () => ({ lgK: dice.among([4, 12, 14]) })),
          ...dice.maybe(0.3, () => ({ tgtHllType: dice.among(['HLL_4', 'HLL_6', 'HLL_8']) })),
          ...dice.maybe(0.4, () => ({ round: true })),
        }),
    ],
    [
      1.5,
      () =>
        as('quantiles', {
          type: 'quantilesDoublesSketch',
          fieldName: sketched('quantiles') ?? number(),
          ...dice.maybe(0.3, () => ({ k: dice.among([64, 256]) })),
        }),
    ],
    ...(depth > 0
      ? [
          [
            4,
            () => {
              const inner = aggregatorOf(dice, scope, name, depth - 1);
              const named = dice.chance(0.3) ? { name } : {};
              return {
                gives: inner.gives,
                aggregator: {
                  type: 'filtered',
                  ...named,
                  filter: filterOf(dice, scope, 1),
                  aggregator: inner.aggregator,
                },
              };
            },
          ],
        ]
      : []),
  ]);
}

const field = (fieldName, type = 'fieldAccess') => ({ type, fieldName });

/** A post-aggregator over aggregators. @param {readonly { gives: string, name: string }[]} given */
export function postAggregatorOf(dice, given, name, depth = 1) {
  const of = (gives) => given.filter((one) => one.gives === gives).map((one) => one.name);
  const numbers = [
    ...of('number'),
    ...of('number'),
    ...of('cardinality').filter(() => dice.chance(0.3)),
  ];
  const thetas = of('theta');
  const hlls = of('hll');
  const quantiles = of('quantiles');
  const cardinalities = of('cardinality');
  const operand = () =>
    dice.made([
      [4, () => (numbers.length > 0 ? field(dice.among(numbers)) : { type: 'constant', value: 2 })],
      [1, () => ({ type: 'constant', name: 'two', value: dice.among([2, 0, 0.5, 100]) })],
      [
        1,
        () =>
          given.length > 0
            ? field(dice.among(given).name, 'finalizingFieldAccess')
            : { type: 'constant', value: 1 },
      ],
      [depth > 0 ? 2 : 0, () => postAggregatorOf(dice, given, `${name}i`, depth - 1)],
    ]);
  const theta = () => field(dice.among(thetas));
  const thetaSet = () => ({
    type: 'thetaSketchSetOp',
    name: `${name}s`,
    func: dice.among(['UNION', 'INTERSECT', 'NOT']),
    fields: [theta(), theta()],
  });
  return dice.made([
    [
      6,
      () => ({
        type: 'arithmetic',
        name,
        fn: dice.among(['+', '-', '*', '/', '/', 'quotient', 'pow']),
        fields: dice.some(2, 3, operand),
        ...dice.maybe(0.1, () => ({ ordering: 'numericFirst' })),
      }),
    ],
    [
      3,
      () => ({
        type: 'expression',
        name,
        expression: dice
          .among([
            'A + B',
            'A / B',
            'A * 1.0 / B',
            'A - 1',
            'if(A > B, A, B)',
            'nvl(A, 0)',
            "concat(A, '')",
            'round(A / 3.0, 1)',
          ])
          .replaceAll('A', numbers.length > 0 ? dice.among(numbers) : '1')
          .replaceAll('B', numbers.length > 0 ? dice.among(numbers) : '2'),
        ...dice.maybe(0.1, () => ({ ordering: 'numericFirst' })),
      }),
    ],
    [
      1,
      () => ({
        type: dice.among(['longGreatest', 'longLeast', 'doubleGreatest', 'doubleLeast']),
        name,
        fields: dice.some(1, 3, operand),
      }),
    ],
    [1, () => ({ type: 'constant', name, value: dice.among([1, 2.5, -3]) })],
    [
      given.length > 0 ? 2 : 0,
      () => ({
        ...field(dice.among(given).name, dice.among(['fieldAccess', 'finalizingFieldAccess'])),
        name,
      }),
    ],
    [
      cardinalities.length > 0 ? 3 : 0,
      () => ({ ...field(dice.among(cardinalities), 'hyperUniqueCardinality'), name }),
    ],
    [
      thetas.length > 0 ? 6 : 0,
      () =>
        dice.among([
          () => ({
            type: 'thetaSketchEstimate',
            name,
            field: dice.among([theta, thetaSet])(),
            ...dice.maybe(0.2, () => ({ errorBoundsStdDev: 2 })),
          }),
          () => ({ ...thetaSet(), name }),
          () => ({ type: 'thetaSketchToString', name, field: theta() }),
        ])(),
    ],
    [
      hlls.length > 0 ? 6 : 0,
      () => {
        const sketch = field(dice.among(hlls));
        return dice.among([
          { type: 'HLLSketchEstimate', name, field: sketch, round: dice.chance(0.5) },
          { type: 'HLLSketchEstimateWithBounds', name, field: sketch },
          { type: 'HLLSketchUnion', name, fields: [sketch, field(dice.among(hlls))] },
          { type: 'HLLSketchToString', name, field: sketch },
        ]);
      },
    ],
    [
      quantiles.length > 0 ? 6 : 0,
      () => {
        const sketch = field(dice.among(quantiles));
        return dice.among([
          {
            type: 'quantilesDoublesSketchToQuantile',
            name,
            field: sketch,
            fraction: dice.among([0, 0.5, 0.95, 1]),
          },
          {
            type: 'quantilesDoublesSketchToQuantiles',
            name,
            field: sketch,
            fractions: [0.25, 0.5, 0.75],
          },
          {
            type: 'quantilesDoublesSketchToHistogram',
            name,
            field: sketch,
            splitPoints: [0, 10, 100],
          },
          { type: 'quantilesDoublesSketchToHistogram', name, field: sketch, numBins: 4 },
          { type: 'quantilesDoublesSketchToRank', name, field: sketch, value: 10 },
          { type: 'quantilesDoublesSketchToCDF', name, field: sketch, splitPoints: [0, 10] },
        ]);
      },
    ],
  ]);
}

/** HAVING over the keys and numbers of a groupBy. */
export function havingOf(dice, scope, dimensions, numbers, depth = 1) {
  const value = () => Number(dice.among(values.long.slice(0, 5)));
  const compared = numbers.length > 0 ? dice.among(numbers) : 'a0';
  return dice.made([
    [
      6,
      () => ({
        type: dice.among(['greaterThan', 'lessThan', 'equalTo']),
        aggregation: compared,
        value: value(),
      }),
    ],
    [
      dimensions.length > 0 ? 2 : 0,
      () => ({
        type: 'dimSelector',
        dimension: nameOf(dice.among(dimensions)),
        value: dice.among(values.text[scope.name] ?? values.text.fuzz_edits),
        ...dice.maybe(0.1, () => ({ extractionFn: extractionOf(dice) })),
      }),
    ],
    [
      2,
      () => ({
        type: 'filter',
        filter: dice.among([
          { type: 'bound', dimension: compared, lower: '2', ordering: 'numeric' },
          { type: 'range', column: compared, matchValueType: 'LONG', lower: value() },
          { type: 'selector', dimension: compared, value: '1' },
          { type: 'expression', expression: `${compared} > 1` },
        ]),
      }),
    ],
    [0.3, () => ({ type: 'always' })],
    [
      depth > 0 ? 1 : 0,
      () => ({ type: 'not', havingSpec: havingOf(dice, scope, dimensions, numbers, 0) }),
    ],
    [
      depth > 0 ? 2 : 0,
      () => ({
        type: dice.among(['and', 'or']),
        havingSpecs: dice.some(1, 2, () => havingOf(dice, scope, dimensions, numbers, 0)),
      }),
    ],
  ]);
}
