// The limit of memory that all processes of a service have together.
import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryWatch, type WatchedProcess } from '../../../src/server/engine/memory-watch.ts';

const megabyte = 1024 ** 2;

function processOf(startBytes: number) {
  const process = { memoryBytes: startBytes, kill: vi.fn<WatchedProcess['kill']>() };
  return process satisfies WatchedProcess;
}

test('what a process needs before its first work does not count', async () => {
  // The test's own memory may grow meanwhile.
  const watch = new MemoryWatch(1000 * megabyte);
  const [child, large] = [processOf(60 * megabyte), processOf(500 * megabyte)];
  onTestFinished(() => {
    watch.forget(child);
    watch.forget(large);
  });
  watch.watch(child, true);
  child.memoryBytes = 700 * megabyte;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(child.kill).not.toHaveBeenCalled();
  // A process that is large from the start counts except for 64 MB.
  watch.watch(large, true);
  await vi.waitFor(() => expect(child.kill).toHaveBeenCalled());
  expect(large.kill).not.toHaveBeenCalled();
});
