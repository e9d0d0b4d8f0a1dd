// Texts of replies as bytes, compared with what JSON.stringify and Node's encoder make.
import { expect, test } from 'vitest';
import { Utf8Text } from '../../../src/server/statements/utf8-text.ts';

const written = (write: (text: Utf8Text) => void) => {
  const text = new Utf8Text();
  write(text);
  return text.take().toString();
};

const texts = [
  '',
  'plain',
  'Zoë',
  '東京 — Ελλάδα',
  'a "quoted" \\ text',
  'line\nbreak\u0000\u001f\u007f',
  '\u2028',
  '\u07ff\u0800\ud7ff\ue000\uffff',
  'x'.repeat(40_000),
  '€'.repeat(40_000),
];

test.each(texts.map((text) => [text.slice(0, 20), text]))('the text %j', (_, text) => {
  expect(written((bytes) => bytes.add(text))).toBe(text);
  expect(written((bytes) => bytes.addJson(text))).toBe(JSON.stringify(text));
});

test('texts that come as bytes are the same JSON strings, and null is null', () => {
  const all = [...texts, 'a😀b'];
  const bytes = Buffer.from(all.join(''));
  const ends = all.map((_, index) => Buffer.byteLength(all.slice(0, index + 1).join('')));
  const encoded = {
    bytes,
    starts: Int32Array.of(0, ...ends.slice(0, -1), -1),
    ends: Int32Array.of(...ends, 0),
  };
  for (const [row, text] of all.entries())
    expect(written((to) => to.addJsonOf(encoded, row))).toBe(written((to) => to.addJson(text)));
  expect(written((to) => to.addJsonOf(encoded, all.length))).toBe('null');
});

test('characters beyond the basic plane are escapes in JSON, and halves of one, too', () => {
  expect(written((bytes) => bytes.addJson('a😀b'))).toBe('"a\\uD83D\\uDE00b"');
  expect(written((bytes) => bytes.addJson('half \ud83d'))).toBe('"half \\ud83d"');
  expect(written((bytes) => bytes.add('a😀b'))).toBe('a😀b');
});

test.each([
  0,
  7,
  10,
  99,
  100,
  123_456_789,
  999_999_999,
  1e9,
  -1,
  -0,
  1.5,
  Number.MAX_SAFE_INTEGER,
  1e21,
])('the number %d', (value) => {
  expect(written((bytes) => bytes.addNumber(value))).toBe(String(value));
});

test('pieces follow each other, and a text that was taken begins anew', () => {
  const text = new Utf8Text();
  text.addEncoded(Buffer.from('{"é":'));
  text.addNumber(12);
  text.add('}');
  expect(text.length).toBe(9);
  const first = text.take();
  text.addJson('next');
  expect(first.toString()).toBe('{"é":12}');
  expect(text.take().toString()).toBe('"next"');
});
