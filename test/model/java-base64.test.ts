import { expect, test } from 'vitest';
import { decodeJavaBase64 } from '../../src/model/java-base64.ts';

test('base64 is read with and without its padding', () => {
  expect(decodeJavaBase64('aGVsbG8=').toString()).toBe('hello');
  expect(decodeJavaBase64('aGVsbG8').toString()).toBe('hello');
  expect([...decodeJavaBase64('AB')]).toEqual([0]);
  expect([...decodeJavaBase64('')]).toEqual([]);
});

// Each as a cluster of 33.0.0 says it.
test.each([
  ['=', 'Input byte[] should at least have 2 bytes for base64 bytes'],
  ['a=b', 'Last unit does not have enough valid bits'],
  ['ABCDE', 'Last unit does not have enough valid bits'],
  ['aGVs=', 'Input byte array has wrong 4-byte ending unit'],
  ['AB=C', 'Input byte array has wrong 4-byte ending unit'],
  ['aGVsbG8===', 'Input byte array has incorrect ending byte at 8'],
  ['a b', 'Illegal base64 character 20'],
  ['/-_+', 'Illegal base64 character 2d'],
  ['$.x', 'Illegal base64 character 24'],
])('[%s] is refused', (text, words) => {
  expect(() => decodeJavaBase64(text)).toThrow(new SyntaxError(words));
});
