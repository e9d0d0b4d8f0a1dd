// Addresses of objects, endpoints and globs, as values.
import { expect, test } from 'vitest';
import { linearRegex } from '../../src/model/linear-regex.ts';
import { globPattern } from '../../src/server/ingestion/glob.ts';
import { addressOf, endpointAt, isBelowPlace, placeIn, uriOf } from '../../src/server/s3/place.ts';

test.each<[string, boolean, string]>([
  ['**.json', true, 'a/b.json'],
  ['*.json', false, 'a/b.json'],
  ['*.json', true, 'b.json'],
  ['a/?.json', true, 'a/b.json'],
  ['a?b', false, 'a/b'],
  ['**/{a,b*}.{json,gz}', true, 'x/bc.gz'],
  ['**/{a,b*}.{json,gz}', false, 'x/c.gz'],
  ['[!a-c].x', true, 'd.x'],
  ['[!a-c].x', false, '/.x'],
  ['[+-9]x', true, '0x'],
  ['[+-9]x', false, '/x'],
  ['a\\*b.$(1)', true, 'a*b.$(1)'],
  ['a\\*b.$(1)', false, 'axb.$(1)'],
  ['a,b', true, 'a,b'],
  ['**', true, 'line\nbreak'],
  ['ü*', true, 'über'],
])('the glob %s matches, %s, %s', (glob, expected, key) => {
  expect(linearRegex(globPattern(glob)).matchesAll(key)).toBe(expected);
});

test.each([
  ['{a,{b}}', 'a { within another one'],
  ['{a', 'a { without a }'],
  ['[a', 'a [ without a ]'],
  ['[]', 'the set [] is empty'],
  ['[z-a]', 'the range [z-a] is in descending order'],
  ['a\\', 'ends with a \\'],
])('the glob %s is refused', (glob, said) => {
  expect(() => globPattern(glob)).toThrow(said);
});

test('a key is written in an address with what it needs, and read again', () => {
  const place = { bucket: 'logs', key: 'a b/ü?#%+(1).json' };
  expect(uriOf(place)).toBe('s3://logs/a%20b/%C3%BC%3F%23%25%2B%281%29.json');
  expect(placeIn(uriOf(place))).toEqual(place);
});

test.each([
  ['http://logs/a', 'Invalid URI scheme [http] must be [s3]'],
  ['logs/a', 'it is not an address like s3://bucket/key'],
  ['s3://logs/a?b', 'it is not an address like s3://bucket/key'],
  ['s3://logs/a%zz', 'it has a %'],
  ['s3://logs/a/../b', 'its key has a part [.] or [..]'],
  ['s3://logs/a/%2e%2e/b', 'its key has a part [.] or [..]'],
  ['s3://a..b/x', 'is not a valid name of a bucket'],
  ['s3://user@logs/x', 'is not a valid name of a bucket'],
  ['s3://logs:80/x', 'is not a valid name of a bucket'],
  [`s3://logs/${'x'.repeat(1025)}`, 'is longer than [1024] bytes'],
])('the address %s is refused', (uri, said) => {
  expect(() => placeIn(uri)).toThrow(said);
});

test.each<[string | undefined, string | undefined, boolean, string]>([
  [undefined, undefined, false, 'https://logs.s3.amazonaws.com/k us-east-1'],
  [undefined, 'eu-west-1', false, 'https://logs.s3.eu-west-1.amazonaws.com/k eu-west-1'],
  [undefined, 'cn-north-1', false, 'https://logs.s3.cn-north-1.amazonaws.com.cn/k cn-north-1'],
  [
    's3.eu-west-2.amazonaws.com',
    undefined,
    true,
    'https://s3.eu-west-2.amazonaws.com/logs/k eu-west-2',
  ],
  ['http://minio:9000', undefined, false, 'http://logs.minio:9000/k us-east-1'],
  ['http://127.0.0.1:9000/', 'x', false, 'http://127.0.0.1:9000/logs/k x'],
  ['http://[::1]:9000', 'x', false, 'http://[::1]:9000/logs/k x'],
])(
  'at endpoint %s in region %s an object is at its address',
  (address, region, pathStyle, expected) => {
    const endpoint = endpointAt(address, { region, protocol: 'https', pathStyle });
    expect(
      endpoint && `${addressOf(endpoint, { bucket: 'logs', key: 'k' })} ${endpoint.region}`,
    ).toBe(expected);
  },
);

test.each(['http://a/path', 'http://user@a/', 'ftp://a', 'http://', 'http://a?b'])(
  '%s is not an endpoint',
  (address) => {
    expect(
      endpointAt(address, { region: undefined, protocol: 'https', pathStyle: false }),
    ).toBeUndefined();
  },
);

test.each<[string, string, boolean]>([
  ['s3://logs/out/a', 's3://logs/out', true],
  ['s3://logs/out', 's3://logs/out/', true],
  ['s3://logs/outer', 's3://logs/out', false],
  ['s3://logs/anything', 's3://logs', true],
  ['s3://other/out', 's3://logs/out', false],
])('%s lies below %s: %s', (place, above, expected) => {
  expect(isBelowPlace(placeIn(place), placeIn(above))).toBe(expected);
});
