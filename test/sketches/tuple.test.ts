// Tuple sketches against those that Druid 33.0.0 returned for the same keys and numbers, in the
// same order.
import { expect, test } from 'vitest';
import { InvalidSketch } from '../../src/sketches/sketch-error.ts';
import { thetaHashOf } from '../../src/sketches/theta.ts';
import {
  differenceOfTuples,
  intersectionOfTuples,
  TupleSketch,
  unionOfTuples,
} from '../../src/sketches/tuple.ts';
import { hashText, valueHash } from '../../src/sketches/value-hash.ts';

// Of 60 keys, each of 100 rows with its number and half of it, in a sketch of 16: theta was cut
// twice.
const printed =
  'AQEJAwgCzJMnCIAqJsiwJRMAAAAAAAAAYaaBTegA/iPzGHQiPZ5CDeP5lSZ4dq8lRONk96euZyVl7GQ6emDnHkQAzdS1Q1QSCkfcRY0jkAKLMgcANjZbFXWxO6eT6zgKLs32v5A3MwbQ6Gssjs0AHrOnCdJtBowZNbOvJa3+5gh3khuVPWhLIb1phE/7s0cZeYy4wowGKRAaxI1YgULhEJ02SukaGwoTPyv8BsJ82QoAAAAAAIBKQAAAAAAAgDpAAAAAAAAATUAAAAAAAAA9QAAAAAAAgEdAAAAAAACAN0AAAAAAAEBgQAAAAAAAQFBAAAAAAACAXUAAAAAAAIBNQAAAAAAAAExAAAAAAAAAPEAAAAAAAIBGQAAAAAAAgDZAAAAAAAAAUkAAAAAAAABCQAAAAAAAAFpAAAAAAAAASkAAAAAAAABIQAAAAAAAADhAAAAAAAAAS0AAAAAAAAA7QAAAAAAAwGBAAAAAAADAUEAAAAAAAIBSQAAAAAAAgEJAAAAAAACAYEAAAAAAAIBQQAAAAAAAAEVAAAAAAAAANUAAAAAAAIBeQAAAAAAAgE5AAAAAAAAASUAAAAAAAAA5QAAAAAAAgElAAAAAAACAOUAAAAAAAABOQAAAAAAAAD5A';

function hashOf(key: string): bigint {
  hashText(key, 'utf8');
  return thetaHashOf(valueHash);
}

function sketchOf(size: number, from = 0, to = 100, keys = 60): TupleSketch {
  const sketch = new TupleSketch(size, 2);
  for (let at = from; at < to; at++) sketch.add(hashOf(`value ${at % keys}`), [at, at / 2]);
  return sketch;
}

const base64 = (sketch: TupleSketch) => Buffer.from(sketch.toBytes()).toString('base64');
const read = (text: string) => TupleSketch.fromBytes(Buffer.from(text, 'base64'));
const keysOf = (sketch: TupleSketch) => Array.from(sketch.entries(), ([key]) => key).sort();

test('a sketch is the one of the engine, byte for byte, also where it has given up keys', () => {
  expect(base64(sketchOf(16))).toBe(printed);
  expect(base64(new TupleSketch(16, 1))).toBe('AQEJAwQBzJP/////////fw==');
  const again = read(printed);
  expect([again.count, again.estimate]).toEqual([19, 19 / (Number(again.theta) / 2 ** 63)]);
  expect(again.sums[0]).toBe(2 * (again.sums[1] ?? 0));
});

test('below its nominal size a sketch knows all keys, and the sums of their numbers', () => {
  const sketch = sketchOf(64);
  expect(sketch.estimate).toBe(60);
  expect(sketch.sums).toEqual([4950, 2475]);
  expect([...(sketch.numbersOf(hashOf('value 7')) ?? [])]).toEqual([7 + 67, 37]);
  expect(read(base64(sketch)).sums).toEqual([4950, 2475]);
});

test('memory is bounded by twice the nominal size, whatever the number of keys', () => {
  const sketch = sketchOf(64, 0, 20_000, 20_000);
  expect(sketch.count).toBeLessThanOrEqual(120);
  expect(Math.abs(sketch.estimate / 20_000 - 1)).toBeLessThan(0.3);
});

test('a union adds numbers up and keeps no more than its nominal size; the other operations keep keys', () => {
  const [left, right] = [sketchOf(64, 0, 30), sketchOf(64, 20, 50)];
  const union = unionOfTuples([left, right], 64);
  expect([union.estimate, union.sums[0]]).toEqual([50, 435 + 1035]);
  expect(unionOfTuples([left, right], 16).count).toBe(16);
  const both = intersectionOfTuples([left, right]);
  expect([both.estimate, both.sums[0]]).toEqual([10, 2 * 245]);
  const rest = differenceOfTuples([left, right]);
  expect([rest.estimate, rest.sums[0]]).toEqual([20, 190]);
  expect(keysOf(rest)).toEqual(keysOf(sketchOf(64, 0, 20)));
  expect(differenceOfTuples([left, left]).isEmpty).toBe(true);
  expect(() => unionOfTuples([left, new TupleSketch(64, 1)], 64)).toThrow('do not fit together');
});

test.each([
  ['AQID', 'at least [16] bytes'],
  ['AgMIGoAAAAABAAAAAAAAAAAAAAAAAABA', 'no compact tuple sketch'],
  [printed.slice(0, 160), 'has no [19] keys'],
  [`${printed.slice(0, 9)}A${printed.slice(10)}`, 'seed hash'],
])('what is not a sketch is refused: %s', (text, words) => {
  expect(() => read(text)).toThrow(InvalidSketch);
  expect(() => read(text)).toThrow(words);
});
