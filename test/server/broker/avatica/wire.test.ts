// The wire format of Protocol Buffers, by its own examples and by what is written and read again.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  BadMessage,
  decode,
  encode,
  type MessageType,
} from '../../../../src/server/broker/avatica/wire.ts';

const inner: MessageType = {
  kind: 'message',
  fields: () => ({ text: { number: 1, type: 'string' }, again: { number: 2, type: inner } }),
};
const type: MessageType = {
  kind: 'message',
  fields: () => ({
    a: { number: 1, type: 'uint32' },
    b: { number: 2, type: 'string' },
    c: { number: 3, type: inner },
    d: { number: 4, type: 'sint64' },
    e: { number: 5, type: 'double' },
    f: { number: 6, type: inner, list: true },
    g: { number: 7, type: 'int64' },
    h: { number: 8, type: 'bytes' },
    i: { number: 300, type: 'bool' },
  }),
};
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('the examples of its documentation', () => {
  expect(hex(encode(type, { a: 150 }))).toBe('089601');
  expect(hex(encode(type, { b: 'testing' }))).toBe('120774657374696e67');
  expect(hex(encode(type, { a: -1 }))).toBe('08ffffffff0f'); // as Java writes -1 as uint32
  expect(hex(encode(type, { g: -2 }))).toBe('38feffffffffffffffff01');
  expect(hex(encode(type, { a: 0, b: '', d: 0, f: [], i: false }))).toBe('');
});

test('half a pair of UTF-16 is written as the replacement character, since a driver refuses bytes that are not UTF-8', () => {
  for (const before of ['', 'x'.repeat(50)])
    expect(decode(type, encode(type, { b: `${before}\ud800` })).b).toBe(`${before}\ufffd`);
});

test('what is written is read again', () => {
  const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const exact = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
  fc.assert(
    fc.property(
      fc.record({
        a: fc.integer({ min: 1, max: 2 ** 32 - 1 }),
        b: fc.string({ minLength: 1, unit: 'binary' }),
        c: fc.record({
          text: fc.string({ minLength: 1 }),
          again: fc.record({ text: fc.string({ minLength: 1, maxLength: 5000 }) }),
        }),
        d: long.filter((value) => value !== 0n).map(exact),
        e: fc.double({ noDefaultInfinity: true, noNaN: true }).filter((value) => value !== 0),
        f: fc.array(fc.record({ text: fc.string({ minLength: 1 }) })),
        g: long.filter((value) => value !== 0n).map(exact),
        i: fc.constant(true),
      }),
      (message) => {
        expect(decode(type, encode(type, message))).toEqual(message);
      },
    ),
  );
});

test('any bytes are a message, or are refused as none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      try {
        decode(type, bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(BadMessage);
      }
    }),
  );
});

test('messages in each other have an end', () => {
  let bytes = Buffer.alloc(0);
  for (let depth = 0; depth < 40; depth++)
    bytes = Buffer.concat([
      Buffer.from(encode(inner, {})),
      Buffer.from([0x12, bytes.length]),
      bytes,
    ]);
  expect(() => decode(inner, bytes)).toThrow('Messages are nested more than');
});

test('a message of too many fields is refused before the rest of it is read', () => {
  const counted = (count: number) =>
    decode(type, encode(type, { f: Array.from({ length: count }, () => ({ text: 'a' })) })).f;
  expect(counted(30_000)).toHaveLength(30_000);
  expect(() => counted(30_001)).toThrow('It has more than [60000] fields');
});
