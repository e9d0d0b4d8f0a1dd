// Proves that nested data is read, merged and walked as the engine does it.
import { expect, test } from 'vitest';
import {
  jsonPaths,
  mergeJson,
  normalizeJson,
  strictJson,
} from '../../../src/sql/runtime/json-values.ts';

test.each([
  ['{"a":1,"b":2,"a":{"c":3}}', '{"a":{"c":3},"b":2}'],
  ['{"2":1,"1":2}', '{"2":1,"1":2}'],
  ['{"a":1}x', '{"a":1}'],
  ['[1]]', '[1]'],
  ['"a"x', '"a"'],
  ['true x', 'true'],
  ['true,2', 'true'],
  ['1 x', '1'],
  [' {"a" : 1.50 , "b":[ 1,2 ]} ', '{"a":1.5,"b":[1,2]}'],
  ['{"a":1e400,"b":-1e400}', '{"a":"Infinity","b":"-Infinity"}'],
  ['[-0,-0.0,1e5,1E-400]', '[0,-0.0,100000.0,0.0]'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
  [String.raw`"\/\b\u001f\u00e9\\\""`, String.raw`"/\b\u001F${'é'}\\\""`],
  ['{"":1}', '{"":1}'],
])('%s is read as %s', (text, expected) => {
  expect(normalizeJson(text)).toBe(expected);
});

test.each([
  '1x',
  'truex',
  '1,2',
  '-',
  '01',
  '1.',
  '.5',
  '+1',
  'NaN',
  'tru',
  '',
  ' ',
  '{"a":1',
  '[1x]',
  '{"a":1 "b":2}',
  '{1:2}',
  '[1 2]',
  '[,1]',
  '{"a":[1],}',
  '"\\x"',
  '"\\u12"',
  '/* c */ 1',
])('%s is not JSON', (text) => {
  expect(normalizeJson(text)).toBeNull();
  expect(() => strictJson(text)).toThrow(`Function[parse_json] bad string input [${text}]`);
});

test('null is no value, whatever follows it', () => {
  expect(strictJson('null')).toBeNull();
  expect(strictJson('null x')).toBeNull();
});

test.each([
  [['[1]', '[2]'], '[1,2]'],
  [['{"a":1}', 'null'], '{"a":1}'],
  [['{"b":1,"1":2}', '{"a":1,"0":{"x":1}}'], '{"b":1,"1":2,"a":1,"0":{"x":1}}'],
  [['{"b":{"x":1}}', '{"b":{"y":1}}'], '{"b":{"x":1,"y":1}}'],
  [['{"b":1.0}', '{"c":1e3}', '{"b":null}'], '{"b":null,"c":1000.0}'],
  [['{"a":1}', '{"a":2}x'], '{"a":2}'],
  [['"x"', '"y"'], '"y"'],
])('%j is merged into %s', (texts, expected) => {
  expect(mergeJson(texts, false)).toBe(expected);
});

test.each([
  [['{"a":1}', '[2]'], '[2]'],
  [['{"a":1}', '5'], '5'],
  [['5', '{"a":1}'], '{"a":1}'],
  [['[1]', '{"a":1}'], '{"a":1}'],
  [['{"a":1', '{"a":2}'], '{"a":1'],
])('%j is not merged', (texts, refused) => {
  expect(() => mergeJson(texts, false)).toThrow(
    `Function[json_merge] bad string input [${refused}]`,
  );
});

test('paths come in the order of a hash table of Java', () => {
  expect(
    jsonPaths(
      '{"x":[1,{"y":2}],"z":null,"w":{"a":1,"b":[[1]],"c":{}},"long name":1,"a.b":2,"é":3}',
    ),
  ).toEqual(['$.w.b[0]', "$['a.b']", '$.long name', '$.é', '$.z', '$.x[0]', '$.w.a', '$.x[1].y']);
  expect(
    jsonPaths(
      '{"name":"a","city":"b","id":1,"tags":["x"],"address":{"street":"s","zip":1,"geo":{"lat":1.5,"lng":2.5}},"items":[{"sku":"a","qty":1},{"sku":"b","qty":2}],"active":true,"created":"x","updated":"y","q1":1,"q2":2,"q3":3}',
    ).join(' '),
  ).toBe(
    '$.q3 $.tags $.address.street $.city $.created $.active $.items[0].qty $.address.zip $.address.geo.lat $.address.geo.lng $.items[1].qty $.id $.name $.q1 $.items[0].sku $.updated $.q2 $.items[1].sku',
  );
});
