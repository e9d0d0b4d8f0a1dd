import { expect, test } from 'vitest';
import { resolveFilter } from '../../../src/sql/native/filter.ts';
import { SqlError } from '../../../src/sql/sql-error.ts';
import { scope, valuesOf } from './rows.ts';

const matches: readonly [object, unknown[]][] = [
  [{ type: 'selector', dimension: 's', value: 'abc' }, [true, false, null]],
  [{ type: 'selector', dimension: 's', value: null }, [false, false, true]],
  [{ type: 'selector', dimension: 'l', value: '-7' }, [false, true, null]],
  [{ type: 'like', dimension: 's', pattern: 7 }, [false, false, null]],
  [{ type: 'selector', dimension: 'mv', value: 'x' }, [true, false, null]],
  [{ type: 'selector', dimension: '__time', value: '1704067200000' }, [true, false, false]],
  [{ type: 'not', field: { type: 'selector', dimension: 's', value: 'abc' } }, [false, true, null]],
  [{ type: 'equals', column: 'd', matchValueType: 'DOUBLE', matchValue: 2.5 }, [false, true, null]],
  [{ type: 'null', column: 'l' }, [false, false, true]],
  [{ type: 'in', dimension: 's', values: ['abc', null] }, [true, false, true]],
  [{ type: 'in', dimension: 's', values: [] }, [false, false, false]],
  [{ type: 'inType', column: 'l', matchValueType: 'LONG', values: [1, 2] }, [true, false, null]],
  [{ type: 'bound', dimension: 's', lower: 'a' }, [true, false, false]],
  [
    { type: 'bound', dimension: 's', lower: 'abc', lowerStrict: true, upper: 'b' },
    [false, false, false],
  ],
  [{ type: 'bound', dimension: 'l', upper: '0', ordering: 'numeric' }, [false, true, null]],
  [
    { type: 'bound', dimension: 'l', lower: '0', ordering: { type: 'numeric' } },
    [true, false, null],
  ],
  [{ type: 'bound', dimension: 'l', lower: 'x', ordering: 'numeric' }, [true, true, null]],
  [{ type: 'bound', dimension: 'l', upper: 'x', ordering: 'numeric' }, [false, false, null]],
  [
    { type: 'bound', dimension: 's', lower: 'zed', upper: 'zed', ordering: 'alphanumeric' },
    [false, true, false],
  ],
  [
    { type: 'bound', dimension: 's', lower: 'xx', upper: 'xyz', ordering: 'strlen' },
    [true, true, false],
  ],
  [
    { type: 'range', column: 'l', matchValueType: 'LONG', lower: -7, lowerOpen: true },
    [true, false, null],
  ],
  [
    {
      type: 'range',
      column: 'd',
      matchValueType: 'DOUBLE',
      lower: 0.5,
      upper: 2.5,
      upperOpen: true,
    },
    [true, false, null],
  ],
  // numbers as texts, texts as numbers, and limits as values of the type
  [
    { type: 'range', column: 'l', matchValueType: 'STRING', lower: '-8', upper: '9' },
    [true, false, null],
  ],
  [{ type: 'range', column: 's', matchValueType: 'LONG', upper: '7' }, [true, true, null]],
  [{ type: 'range', column: 's', matchValueType: 'DOUBLE', lower: '-7' }, [false, false, null]],
  [{ type: 'range', column: 'd', matchValueType: 'LONG', upper: '2.9' }, [true, false, null]],
  [{ type: 'range', column: 'l', matchValueType: 'DOUBLE', upper: '-6.5' }, [false, true, null]],
  [
    { type: 'bound', dimension: 's', upper: 'xx', upperStrict: true, ordering: 'strlen' },
    [false, false, true],
  ],
  [
    { type: 'bound', dimension: 'l', lower: '0', upper: '50', ordering: 'alphanumeric' },
    [true, false, null],
  ],
  [
    { type: 'selector', dimension: 's', value: 'ABC', extractionFn: { type: 'upper' } },
    [true, false, null],
  ],
  [
    {
      type: 'selector',
      dimension: 's',
      value: 'b',
      extractionFn: { type: 'substring', index: 1, length: 1 },
    },
    [true, false, null],
  ],
  [
    {
      type: 'selector',
      dimension: 's',
      value: 'a',
      extractionFn: { type: 'substring', length: 1 },
    },
    [true, false, null],
  ],
  [
    {
      type: 'selector',
      dimension: 'mv',
      value: 'x',
      extractionFn: {
        type: 'lookup',
        lookup: { type: 'map', map: { x: 'X' } },
        retainMissingValue: true,
      },
    },
    [false, false, null],
  ],
  [
    { type: 'in', dimension: 's', values: ['3'], extractionFn: { type: 'strlen' } },
    [true, true, null],
  ],
  [{ type: 'like', dimension: 's', pattern: '_bc' }, [true, false, null]],
  [{ type: 'like', dimension: 'l', pattern: '-%' }, [false, true, null]],
  [{ type: 'regex', dimension: 's', pattern: '^[A-Z]' }, [false, true, null]],
  [
    { type: 'search', dimension: 's', query: { type: 'insensitive_contains', value: 'BC' } },
    [true, false, null],
  ],
  [
    {
      type: 'search',
      dimension: 's',
      query: { type: 'fragment', values: ['a', 'c'], caseSensitive: true },
    },
    [true, false, null],
  ],
  [
    {
      type: 'interval',
      dimension: '__time',
      intervals: ['2024-01-02/P1D', '2024-02-01/2024-03-01'],
    },
    [false, true, true],
  ],
  [{ type: 'columnComparison', dimensions: ['s', 's'] }, [true, true, true]],
  [{ type: 'columnComparison', dimensions: ['l', 'd'] }, [false, false, true]],
  [{ type: 'expression', expression: "l > 0 || s == 'Zed'" }, [true, true, null]],
  [{ type: 'expression', expression: 'l' }, [true, false, null]],
  [
    { type: 'and', fields: [{ type: 'true' }, { type: 'bound', dimension: 's', lower: 'a' }] },
    [true, false, false],
  ],
  [{ type: 'or', fields: [null, { type: 'false' }] }, [false, false, false]],
  [
    {
      type: 'or',
      fields: [
        { type: 'selector', dimension: 's', value: 'Zed' },
        { type: 'bound', dimension: 'mv', upper: 'x' },
      ],
    },
    [true, true, true],
  ],
  [{ type: 'and', fields: [{ type: 'true' }, null] }, [true, true, true]],
  [
    { type: 'istrue', field: { type: 'selector', dimension: 's', value: 'abc' } },
    [true, false, false],
  ],
];

test('a filter holds for rows, does not, or is unknown', async () => {
  const values = await valuesOf(matches.map(([filter]) => resolveFilter(filter, scope).sql));
  expect(matches.map(([filter], index) => [filter, values[index]])).toEqual(matches);
});

test.each<[unknown, string]>([
  [{ type: 'spatial', dimension: 's' }, '[bound] of [spatial] must not be null'],
  [
    { type: 'spatial', dimension: 's', bound: { type: 'circle' } },
    'known type ids = [polygon, radius, rectangular]',
  ],
  [
    {
      type: 'spatial',
      dimension: 's',
      bound: { type: 'rectangular', minCoords: [1], maxCoords: [1, 2] },
    },
    'must have the same length',
  ],
  [
    {
      type: 'spatial',
      dimension: 's',
      bound: { type: 'rectangular', minCoords: ['a'], maxCoords: [1] },
    },
    '[minCoords] of [rectangular] must be a number',
  ],
  [
    {
      type: 'spatial',
      dimension: 's',
      bound: { type: 'polygon', abscissa: [0, 0], ordinate: [0, 4] },
    },
    'A polygon has at least 3 corners, not [2]',
  ],
  [
    {
      type: 'spatial',
      dimension: 's',
      bound: { type: 'radius', coords: [1, 2], radius: 1, radiusUnit: 'parsec' },
    },
    'one of [euclidean, meters, kilometers, miles]',
  ],
  [
    {
      type: 'spatial',
      dimension: 's',
      bound: { type: 'polygon', abscissa: Array(10_001).fill(1), ordinate: Array(10_001).fill(1) },
    },
    'Limit [polygonCorners] exceeded',
  ],
  [{}, "missing type id property 'type'"],
  [7, 'A filter must be an object with a [type], not [7]'],
  [
    Array.from({ length: 10_000 }).reduce((field) => ({ type: 'not', field }), { type: 'true' }),
    'Limit [filterNesting] exceeded',
  ],
  [{ type: 'and', fields: {} }, 'Property [fields] of a [and] filter must be a list'],
  [
    { type: 'equals', column: 'd', matchValueType: 'DOUBLE', matchValue: 'a' },
    'matchValue [a] is not a [DOUBLE]',
  ],
  [
    { type: 'selector', dimension: ['s'] },
    'Property [dimension] of a [selector] filter must be a text',
  ],
  [
    { type: 'selector', dimension: 's', value: 'a', extractionFn: { type: 'louder' } },
    "Could not resolve type id 'louder' as a subtype of [ExtractionFn]",
  ],
  [
    { type: 'javascript', dimension: 's', function: 'function(x) { return true }' },
    'JavaScript is disabled',
  ],
  [
    { type: 'bound', dimension: 's', lower: 'a', ordering: 'sideways' },
    'Unknown ordering [sideways]',
  ],
  [
    { type: 'bound', dimension: 's', lower: '1', alphaNumeric: true, ordering: 'numeric' },
    'mismatch between alphanumeric and ordering property',
  ],
  [
    { type: 'range', column: 'l', matchValueType: 'LONG', lower: 'a' },
    'Invalid range filter on column [l], lower and upper cannot be null at the same time',
  ],
  [
    { type: 'range', column: 'l', matchValueType: 'LONG', lower: 'a', upper: 7 },
    'Invalid range filter on column [l], lower bound [a] cannot be parsed as specified match value type [LONG]',
  ],
  [{ type: 'bound', dimension: 's' }, 'lower and upper can not be null at the same time'],
  [
    { type: 'interval', dimension: '__time', intervals: ['soon'] },
    "Format requires a '/' separator: soon",
  ],
])('a filter is refused: %#', (filter, reason) => {
  expect(() => resolveFilter(filter, scope)).toThrow(SqlError);
  expect(() => resolveFilter(filter, scope)).toThrow(reason);
});
