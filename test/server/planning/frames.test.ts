// Messages between the service and its planning processes, in whatever pieces they arrive.
import { expect, test } from 'vitest';
import { FrameReader, frameOf } from '../../../src/server/planning/frames.ts';

test.each([1, 2, 3, 5, 7, 64, 10_000])('messages arrive whole in pieces of %i bytes', (size) => {
  const messages = [
    { name: 'a'.repeat(100) },
    [1n, undefined, null],
    ['x'],
    { deep: { list: [new Map([[1, 2]])] } },
  ];
  const bytes = Buffer.concat(messages.flatMap(frameOf));
  const received: unknown[] = [];
  const reader = new FrameReader((message) => received.push(message));
  for (let at = 0; at < bytes.length; at += size) reader.read(bytes.subarray(at, at + size));
  expect(received).toEqual(messages);
});

test('a message that cannot be copied is named, with what is in its way', () => {
  expect(() => frameOf({ kind: 'planned', plan: { rows: Promise.resolve() } })).toThrow(
    'A planning message cannot be copied: member [plan]: #<Promise> could not be cloned.',
  );
});
