import { expect, test } from 'vitest';
import { leastMemoryBytes, threadsFor } from '../../src/model/memory.ts';

test('threads are as many as processors, unless the memory has no room for their buffers', () => {
  expect(threadsFor(16 * 1024 ** 3, 8)).toBe(8);
  expect(threadsFor(leastMemoryBytes, 64)).toBe(7);
  expect(threadsFor(1, 64)).toBe(1);
});
