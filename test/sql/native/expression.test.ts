import { expect, test } from 'vitest';
import { resolveNativeExpression } from '../../../src/sql/native/resolve.ts';
import { SqlError } from '../../../src/sql/sql-error.ts';
import { scope, valuesOf } from './rows.ts';

const meanings: readonly [string, unknown[]][] = [
  ['l + 2 * 3', [7, -1, null]],
  ['(l + 2) * 3', [9, -15, null]],
  ['l / 2', [0, -3, null]],
  ['-l ^ 2', [1, 49, null]],
  ['2 ^ 3 ^ 2', [512, 512, 512]],
  ['l % 4', [1, -3, null]],
  ['sqrt(-1)', [NaN, NaN, NaN]],
  ['log(0) + d', [-Infinity, -Infinity, null]],
  ["cast(log(0), 'STRING')", Array(3).fill('-Infinity')],
  ['if(sqrt(-d), 1, 2)', [2, 2, 2]], // NaN is not true
  ['if(exp(1000), 1, 2)', [1, 1, 1]],
  ['d * 2', [1, 5, null]],
  ['signum(l)', [1, -1, null]],
  ['max(l, 0)', [1, 0, null]],
  ['min(l, d)', [0.5, -7, null]],
  ['remainder(5, 3) + remainder(l, 4)', [0, 0, null]],
  ['rint(d)', [0, 2, null]],
  ['rint(-2.5) + rint(3.5)', [2, 2, 2]],
  ['hypot(3, l + 3)', [5, 5, null]],
  ['copysign(d, l)', [0.5, -2.5, null]],
  ['scalb(d, 2)', [2, 10, null]],
  ['getExponent(d)', [-1, 1, null]],
  ['log1p(expm1(d))', [0.5, 2.5, null]],
  ['nextUp(1) - 1 == ulp(1)', [1, 1, 1]],
  ['nextafter(1, 0) < 1', [1, 1, 1]],
  ['cosh(d) * cosh(d) - sinh(d) * sinh(d) > 0.999', [1, 1, null]],
  ['tanh(0)', [0, 0, 0]],
  ['l > 0', [1, 0, null]],
  ["l > 0 && s == 'abc'", [1, 0, null]],
  ['!(l > 0)', [0, 1, null]],
  ["s + '-' + l", [null, null, null]], // only texts are joined; beside a number a text is one
  ["s + '-' + s", ['abc-abc', 'Zed-Zed', null]],
  ['"s"', ['abc', 'Zed', null]],
  ["'it\\'s \\u0041\\n'", ["it's A\n", "it's A\n", "it's A\n"]],
  ["if(l > 0, 'plus', 'minus')", ['plus', 'minus', 'minus']],
  ["if(l, 'some', 'none')", ['some', 'none', 'none']],
  ["case_searched(l == 1, 'one', s == 'Zed', 'zed', 'other')", ['one', 'zed', 'other']],
  ["case_simple(l, 1, 'one', -7, 'less')", ['one', 'less', null]],
  ["nvl(s, 'none')", ['abc', 'Zed', 'none']],
  ['isnull(s)', [0, 0, 1]],
  ["cast(l, 'STRING')", ['1', '-7', null]],
  ["like(s, 'a%')", [1, 0, null]],
  ['substring(s, 1, 1)', ['b', 'e', null]],
  ['substring(s, 1, -1)', ['bc', 'ed', null]],
  ["strpos(s, 'c')", [2, -1, null]],
  ['strlen(s)', [3, 3, null]],
  ['max(l, d)', [1, 2.5, null]],
  ["timestamp_floor(__time, 'P1M')", [1704067200000, 1704067200000, 1706745600000]],
  [
    "timestamp_floor(1442018818771, 'P10D', '2000-01', 'Asia/Kolkata')",
    Array(3).fill(1441737000000),
  ],
  [
    "timestamp_floor(1442018818771, 'P10D', '2000-01-01T00:30:00+05:30', 'Asia/Kolkata')",
    Array(3).fill(1441738800000),
  ],
  ["timestamp_format(__time, 'yyyy-MM')", ['2024-01', '2024-01', '2024-02']],
  ["timestamp_extract(__time, 'DAY')", [1, 2, 1]],
  ["timestamp_parse('2024-01-01')", [1704067200000, 1704067200000, 1704067200000]],
  ["array_to_string(['a', 'b'], '|')", ['a|b', 'a|b', 'a|b']],
  ['array_length(ARRAY<LONG>[1, 2, 3])', [3, 3, 3]],
  ['array_length(<LONG>[])', [0, 0, 0]],
  ['cbrt(l + 7)', [2, 0, null]],
  ['isdistinctfrom(l, 1)', [0, 1, 1]],
  ['notdistinctfrom(l, null)', [0, 0, 1]],
  ['upper(mv)', [['X', 'Y'], ['Y'], [null]]],
];

test('native expressions mean what the documentation says', async () => {
  const values = await valuesOf(meanings.map(([text]) => resolveNativeExpression(text, scope).sql));
  expect(meanings.map(([text], index) => [text, values[index]])).toEqual(meanings);
});

test.each([
  ['l +', '(line [1], column [3]): expected a value, but found the end'],
  ['l 2', '(line [1], column [3]): expected the end, an operator or [,], but found [2]'],
  ['abs(l', '(line [1], column [5]): expected [)], but found [the end]'],
  ["'open", "(line [1], column [1]): ['open] is not a valid token"],
  ['frobnicate(l)', "(line [1], column [1]): function 'frobnicate' is not defined."],
  ['if(l, 1)', 'Function[if] requires [3] arguments, but has [2]'],
  [
    'map((x, y) -> x + y, mv)',
    'Function[map] lambda expression has [2] parameters, but gets [1] values',
  ],
  ["cast(l, 'NUMBER')", '[NUMBER] is not a type'],
  ["timestamp_ceil(__time, 'PT1H', '', 'UTC')", 'Invalid format: ""'],
  [
    "timestamp_floor(__time, 'PT1H', '2000-01-01 00:00:00')",
    'Invalid format: "2000-01-01 00:00:00"',
  ],
  [`${'('.repeat(10_000)}1`, 'it is nested too deeply'],
  [`${'-'.repeat(10_000)}1`, 'it is nested too deeply'],
])('%s is refused', (text, reason) => {
  expect(() => resolveNativeExpression(text, scope)).toThrow(SqlError);
  expect(() => resolveNativeExpression(text, scope)).toThrow(reason);
});

test('a lookup of several values stands beside the values themselves', async () => {
  const keys = "(SELECT 'x' AS k, 'X' AS v)";
  const withLookup = { ...scope, environment: { ...scope.environment, lookup: () => keys } };
  const texts = [
    "nvl(lookup(mv, 'l'), mv)",
    "concat(lookup(mv, 'l'), mv, s)",
    "if(mv == 'x', lookup(upper(lower(mv)), 'l'), mv)",
  ];
  expect(
    await valuesOf(texts.map((text) => resolveNativeExpression(text, withLookup).sql)),
  ).toEqual([
    [['X', 'y'], ['y'], [null]],
    [['Xxabc', null], [null], [null]],
    [[null, 'y'], ['y'], [null]],
  ]);
});
