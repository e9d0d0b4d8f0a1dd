import { expect, test } from 'vitest';
import { JsonPieces } from '../../../src/server/handlers/json-pieces.ts';

const same = (text: string) => text;

test('lists and objects in each other are one JSON text', () => {
  const inner = (count: number) =>
    JsonPieces.list(
      Array.from({ length: count }, (_, at) => String(at)),
      same,
    );
  const nested = JsonPieces.object([0, 1, 3], (count) => [`"${count}"`, inner(count)]);
  const all = JsonPieces.list(
    [
      nested,
      JsonPieces.object([], same as never),
      JsonPieces.extend({ name: 'wiki' }, 'segments', inner(2)),
    ],
    (one) => one,
  );
  expect(JSON.parse([...all.text()].join(''))).toEqual([
    { '"0"': [], '"1"': [0], '"3"': [0, 1, 2] },
    {},
    { name: 'wiki', segments: [0, 1] },
  ]);
});

test('what stands deep inside is made while the text is taken', () => {
  let made = 0;
  const long = JsonPieces.list(Array.from({ length: 1000 }), () => {
    made += 1;
    return JSON.stringify('x'.repeat(1000));
  });
  const pieces = JsonPieces.extend({}, 'items', long).text();
  pieces.next();
  expect(made).toBeLessThan(100);
  for (const piece of pieces) expect(piece.length).toBeLessThan(70_000);
  expect(made).toBe(1000);
});
