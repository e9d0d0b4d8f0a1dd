// Filters of every type, as dashboards nest them.

import { conditionOf, expressionOf } from './expressions.js';
import { extractionOf } from './extraction.js';
import { columnOf, valueFor, values } from './scopes.js';

const orderings = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'version'];
const patterns = ['%a%', 'a%', '%', '_', '%e', 'A_p%', '#en%', 'x\\%'];
const regexes = ['^a', '[0-9]+', '.', '(?i)ALPHA', 'a|b', '^$', '^#e', 'e$'];

/** A filter, nested at most so deep. */
export function filterOf(dice, scope, depth = 2, column = columnOf(dice, scope)) {
  const { kind, name } = column;
  const value = () => valueFor(dice, scope, kind);
  const number = () => (kind === 'text' ? value() : Number(value()));
  const matched = {
    text: { matchValueType: 'STRING', of: value },
    long: { matchValueType: 'LONG', of: number },
    double: { matchValueType: 'DOUBLE', of: number },
  }[kind];
  const extracted = () => dice.maybe(0.12, () => ({ extractionFn: extractionOf(dice) }));
  const leaf = [
    [6, () => ({ type: 'selector', dimension: name, value: valueOrNull(value), ...extracted() })],
    [
      4,
      () => ({
        type: 'in',
        dimension: name,
        values: dice.some(1, 4, () => valueOrNull(value)),
        ...extracted(),
      }),
    ],
    [
      4,
      () => ({
        type: 'bound',
        dimension: name,
        ...dice.among([
          () => ({ lower: value() }),
          () => ({ upper: value() }),
          () => ({ lower: value(), upper: value() }),
        ])(),
        ...dice.maybe(0.3, () => ({ lowerStrict: dice.chance(0.5) })),
        ...dice.maybe(0.3, () => ({ upperStrict: dice.chance(0.5) })),
        ...dice.maybe(0.8, () => ({
          ordering: kind === 'text' ? dice.among(orderings) : dice.among(['numeric', ...orderings]),
        })),
        ...extracted(),
      }),
    ],
    [
      2,
      () => ({
        type: 'like',
        dimension: name,
        pattern: dice.among(patterns),
        ...dice.maybe(0.2, () => ({ escape: '\\' })),
        ...extracted(),
      }),
    ],
    [2, () => ({ type: 'regex', dimension: name, pattern: dice.among(regexes), ...extracted() })],
    [
      2,
      () => ({
        type: 'search',
        dimension: name,
        query: searchOf(dice, value),
        ...extracted(),
      }),
    ],
    [
      2,
      () => ({
        type: 'interval',
        dimension: dice.chance(0.8) ? '__time' : name,
        intervals: [
          dice.among([
            '2015-09-12T03:00/2015-09-12T09:00',
            '2015-09-12/P1D',
            '2015/2016',
            '1960/1990',
            'PT1H/2015-09-12T01:00',
          ]),
        ],
        ...dice.maybe(0.05, () => ({ extractionFn: extractionOf(dice) })),
      }),
    ],
    [1, () => ({ type: 'columnComparison', dimensions: [name, columnOf(dice, scope).name] })],
    [2, () => ({ type: 'expression', expression: conditionOf(dice, scope) })],
    [2, () => ({ type: 'null', column: name })],
    [
      3,
      () => ({
        type: 'equals',
        column: name,
        matchValueType: matched.matchValueType,
        matchValue: matched.of(),
      }),
    ],
    [
      2,
      () => ({
        type: 'range',
        column: name,
        matchValueType: matched.matchValueType,
        ...dice.among([
          () => ({ lower: matched.of() }),
          () => ({ upper: matched.of() }),
          () => ({ lower: matched.of(), upper: matched.of() }),
        ])(),
        ...dice.maybe(0.3, () => ({ lowerOpen: dice.chance(0.5) })),
        ...dice.maybe(0.3, () => ({ upperOpen: dice.chance(0.5) })),
      }),
    ],
    [0.5, () => ({ type: dice.among(['true', 'false']) })],
    [
      0.5,
      () => ({
        type: 'inType',
        column: name,
        matchValueType: matched.matchValueType,
        sortedValues: sorted(new Set(dice.some(1, 3, matched.of))),
      }),
    ],
    ...(scope.arrays.includes('words') ? [[1, () => arrayFilterOf(dice)]] : []),
  ];
  if (depth <= 0 || dice.chance(0.55)) return dice.made(leaf);
  const inner = () => filterOf(dice, scope, depth - 1);
  const ofColumn = () => filterOf(dice, scope, 0, column);
  return dice.made([
    [1, () => ({ type: 'and', fields: [ofColumn(), ofColumn()] })],
    [1, () => ({ type: 'and', fields: [ofColumn(), { type: 'not', field: ofColumn() }] })],
    [3, () => ({ type: 'and', fields: dice.some(1, 3, inner) })],
    [2, () => ({ type: 'or', fields: dice.some(1, 3, inner) })],
    [2, () => ({ type: 'not', field: inner() })],
  ]);

  function valueOrNull(make) {
    return dice.chance(0.08) ? null : make();
  }
}

const sorted = (values) => [...values].sort((one, other) => (one < other ? -1 : 1));

const arrayFilterOf = (dice) =>
  dice.among([
    () => ({
      type: 'arrayContainsElement',
      column: 'words',
      elementMatchValueType: 'STRING',
      elementMatchValue: dice.among(values.text.fuzz_types),
    }),
    () => ({
      type: 'arrayContainsElement',
      column: 'nums',
      elementMatchValueType: 'LONG',
      elementMatchValue: 7,
    }),
    () => ({
      type: 'equals',
      column: 'words',
      matchValueType: 'ARRAY<STRING>',
      matchValue: dice.among([['a', 'b'], ['a', null], []]),
    }),
    () => ({ type: 'null', column: dice.among(['words', 'nums', 'reals']) }),
  ])();

/** What `search` looks for, in a filter or in a query. */
export const searchOf = (dice, value) =>
  dice.among([
    () => ({ type: 'insensitive_contains', value: dice.among(['a', 'En', 'tru', value()]) }),
    () => ({
      type: 'contains',
      value: dice.among(['a', 'en', value()]),
      caseSensitive: dice.chance(0.5),
    }),
    () => ({
      type: 'fragment',
      values: ['a', dice.among(['e', 'i', 'x'])],
      ...dice.maybe(0.5, () => ({ caseSensitive: true })),
    }),
    () => ({ type: 'regex', pattern: dice.among(regexes) }),
  ])();

/** A computed column: its declaration, its name and its kind. */
export function virtualColumnOf(dice, scope, at) {
  const name = `v${at}`;
  if (scope.several.length > 0 && dice.chance(0.25)) {
    const declared = dice.among([
      { type: 'mv-filtered', delegate: 'mv', values: ['a', '42'], isAllowList: dice.chance(0.7) },
      { type: 'nested-field', columnName: 'j', path: '$.x', outputName: name },
      {
        type: 'nested-field',
        columnName: 'j',
        path: '$.o.k',
        expectedType: 'STRING',
        outputName: name,
      },
    ]);
    return {
      kind: 'text',
      name,
      column: declared.type === 'nested-field' ? declared : { ...declared, name },
    };
  }
  const kind = dice.among([
    'text',
    'text',
    'long',
    'long',
    'double',
    ...(scope.arrays.length > 0 ? ['arrays'] : []),
  ]);
  const outputType = { text: 'STRING', long: 'LONG', double: 'DOUBLE', arrays: 'ARRAY<STRING>' }[
    kind
  ];
  return {
    kind,
    name,
    column: {
      type: 'expression',
      name,
      expression: expressionOf(dice, scope, kind),
      ...dice.maybe(0.8, () => ({ outputType })),
    },
  };
}
