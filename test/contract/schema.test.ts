import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import type { Input, Request, Result } from '../../src/contract/endpoint.ts';
import type { metadata } from '../../src/contract/metadata.ts';
import {
  anyObject,
  check,
  checkTexts,
  convert,
  either,
  fits,
  flag,
  int32,
  integer,
  listOf,
  long,
  Mismatch,
  mapOf,
  number,
  object,
  oneOf,
  optional,
  required,
  sometimes,
  text,
  textsIn,
  truth,
} from '../../src/contract/schema.ts';
import type { sql } from '../../src/contract/sql.ts';
import type { supervisors } from '../../src/contract/supervisors.ts';
import type { workers } from '../../src/contract/workers.ts';

const fields = {
  full: optional(flag, 'By being there'),
  force: required(truth, 'Spelled out'),
  count: optional(integer, 'A number'),
  state: optional(oneOf('running', 'complete'), 'A choice'),
  name: optional(text, 'Anything'),
  names: optional(listOf(text), 'Several'),
};

const read = (search: string) => {
  const params = new URLSearchParams(search);
  return checkTexts(fields, (name) => params.getAll(name));
};

test.each([
  ['full&force=false', { full: true, force: false }],
  ['full=false&force=true', { full: true, force: true }], // the name counts, not the value
  ['force=TRUE', { force: true }],
  ['force=', { force: false }],
  ['force=1&count=', { force: false }], // no number is none
  ['force=true&count=7', { force: true, count: 7 }],
  ['force=true&state=RUNNING', { force: true, state: 'running' }],
  ['force=true&name=', { force: true, name: '' }],
  ['force=true&names=a&names=b', { force: true, names: ['a', 'b'] }],
  ['force=true&unheard=of', { force: true }],
])('?%s is understood', (search, expected) => {
  expect(read(search)).toEqual(expected);
});

test.each([
  ['full', 'force'],
  ['force=true&count=few', 'count'],
  ['force=true&count=1.5', 'count'],
  ['force=true&count=1e3', 'count'],
  ['force=true&state=done', 'state'],
])('?%s is refused for its %s', (search, field) => {
  expect(() => read(search)).toThrow(`field [${field}]`);
});

test('what is written into a query string is read from it', () => {
  const values = fc.record(
    {
      full: fc.constant(true),
      force: fc.boolean(),
      count: fc.integer(),
      state: fc.constantFrom('running', 'complete'),
      name: fc.string({ unit: 'grapheme' }),
      names: fc.array(fc.string(), { minLength: 1 }),
    },
    { requiredKeys: ['force'] },
  );
  fc.assert(
    fc.property(values, (given) => {
      expect(read(new URLSearchParams(textsIn(fields, given)).toString())).toEqual(given);
    }),
  );
});

test.each([
  [object({ name: text }), []],
  [mapOf(integer), [1]],
])('a list is not an object', (schema, value) => {
  expect(() => check(schema, value)).toThrow('expected Object, received Array');
});

test('the contract gives types to what is asked and answered', () => {
  type SqlInput = Input<typeof sql.query>;
  expectTypeOf<SqlInput['body']['query']>().toEqualTypeOf<string>();
  expectTypeOf<Result<typeof sql.query, 'stream'>>().toEqualTypeOf<'stream'>();
  expectTypeOf<undefined>().toExtend<Result<typeof workers.getConfig, never>>();
  expectTypeOf<Request<typeof supervisors.resetOffsets>['params']>().toEqualTypeOf<{
    readonly supervisorId: string;
  }>();
  // Null is allowed, so it may be left out
  expectTypeOf<Input<typeof supervisors.resetOffsets>>().toExtend<{ body?: unknown }>();
  expectTypeOf<{ params: { supervisorId: string } }>().toExtend<
    Input<typeof supervisors.resetOffsets>
  >();
  expectTypeOf<
    NonNullable<Input<typeof metadata.segments>['query']>['datasources']
  >().toEqualTypeOf<string[] | undefined>();
  expectTypeOf<Result<typeof supervisors.terminate, never>['id']>().toEqualTypeOf<string>();
});

test('what fits is what check accepts, and it is not copied', () => {
  const schema = listOf(
    object({
      id: text,
      size: long,
      state: sometimes(oneOf('on', 'off')),
      counts: sometimes(mapOf(integer)),
      spec: sometimes(anyObject),
      names: sometimes(listOf(either(text, integer))),
    }),
  );
  const good = {
    id: 'a',
    size: 9007199254740993n,
    state: null,
    counts: { x: 1 },
    spec: { any: [] },
    names: ['x', 1],
    unknown: true,
  };
  const bad = [
    { id: 1, size: 1 },
    { size: 1 },
    { id: 'a', size: 1.5 },
    { id: 'a', size: '1' },
    { id: 'a', size: 1, state: 'neither' },
    { id: 'a', size: 1, counts: [1] },
    { id: 'a', size: 1, counts: { x: '1' } },
    { id: 'a', size: 1, spec: [] },
    { id: 'a', size: 1, names: [true] },
    [],
    null,
  ];
  expect(fits(schema, [good, { id: 'b', size: 1 }])).toBe(true);
  expect(() => check(schema, [good, { id: 'b', size: 1 }])).not.toThrow();
  for (const item of bad) {
    expect(fits(schema, [good, item]), JSON.stringify(item)).toBe(false);
    expect(() => check(schema, [item])).toThrow(Mismatch);
  }
  expect(fits(schema, {})).toBe(false);
});

test('names that belong to every object of JavaScript are names like others', () => {
  const odd = JSON.parse('{"__proto__": {"a": 1}, "prototype": {}, "constructor": {}}');
  const text = JSON.stringify(odd);
  expect(JSON.stringify(check(mapOf(mapOf(integer)), odd))).toBe(text);
  expect(JSON.stringify(check(anyObject, odd))).toBe(text);
  expect(Object.getPrototypeOf(check(anyObject, odd))).toBe(Object.prototype);
  for (const name of Object.keys(odd)) {
    const wrong = JSON.parse(`{"${name}": {"a": "x"}}`);
    expect(fits(mapOf(mapOf(integer)), wrong)).toBe(false);
    expect(() => check(mapOf(mapOf(integer)), wrong)).toThrow(
      `Invalid value for field [${name}.a]: expected number, received "x"`,
    );
  }
});

const everything = object({
  name: text,
  count: optional(integer, 'A number of items'),
  size: sometimes(long),
  copies: sometimes(int32),
  ratio: sometimes(number),
  on: sometimes(truth),
  names: sometimes(listOf(text)),
  named: sometimes(mapOf(integer)),
  either: sometimes(either(listOf(text), integer)),
  source: sometimes(either(text, anyObject)),
});

test.each([
  [{ name: 5 }, { name: '5' }],
  [{ name: true }, { name: 'true' }],
  [{ count: '5' }, { count: 5 }],
  [{ count: 5.9 }, { count: 5 }],
  [{ count: '5.9' }, { count: '5.9' }],
  [{ count: '0x5' }, { count: '0x5' }],
  [{ count: true }, { count: true }],
  [{ size: '5' }, { size: 5 }],
  [{ ratio: '0.5' }, { ratio: 0.5 }],
  [{ ratio: '1e2' }, { ratio: 100 }],
  [{ ratio: 'half' }, { ratio: 'half' }],
  [{ on: 'True' }, { on: true }],
  [{ on: 0 }, { on: false }],
  [{ on: 'yes' }, { on: 'yes' }],
  [{ on: null }, { on: null }],
  [{ on: '' }, { on: null }],
  [{ ratio: ' ' }, { ratio: null }],
  [{ size: '' }, { size: null }],
  [{ copies: '' }, { copies: null }],
  [{ name: '' }, { name: '' }],
  [{ source: '' }, { source: '' }],
  [{ names: '' }, { names: '' }],
  [{ names: [1, true, 'a', null] }, { names: ['1', 'true', 'a', null] }],
  [{ named: { a: '1', __proto__: 2 } }, { named: { a: 1 } }],
  [{ either: [1] }, { either: ['1'] }],
  [{ either: '7' }, { either: 7 }],
  [{ either: { a: 1 } }, { either: { a: 1 } }],
  [{ source: 5 }, { source: 5 }],
  [{ other: 5 }, { other: 5 }],
  ['text', 'text'],
  [[{ name: 5 }], [{ name: 5 }]],
])('scalars are converted as by the real parser: %j is read as %j', (given, read) => {
  expect(convert(everything, given, true)).toEqual(read);
});

test('a fraction is cut only on request', () => {
  expect(convert(everything, { count: 5.9 }, false)).toEqual({ count: 5.9 });
});

test('a number beyond a double stays as it is', () => {
  const size = 9007199254740993n;
  expect(convert(everything, { size }, true)).toEqual({ size });
});

test('a converted object keeps names that could change a prototype', () => {
  const given = JSON.parse('{"__proto__": "1", "constructor": 2}');
  const read = convert(mapOf(text), given, true);
  expect(JSON.stringify(read)).toBe('{"__proto__":"1","constructor":"2"}');
});

test.each([
  [2_147_483_647, true],
  [-2_147_483_648, true],
  [2_147_483_648, false],
  [1.5, false],
  ['1', false],
])('of an integer of 32 bits, %j fits: %s', (value, isFitting) => {
  expect(fits(listOf(int32), [value])).toBe(isFitting);
});
