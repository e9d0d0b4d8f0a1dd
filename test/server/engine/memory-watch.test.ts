// The limit of memory that all processes of a service have together.
import { expect, onTestFinished, test, vi } from 'vitest';
import { MemoryWatch, type WatchedProcess } from '../../../src/server/engine/memory-watch.ts';

const megabyte = 1024 ** 2;

function processOf(startBytes: number) {
  const process = { memoryBytes: startBytes, kill: vi.fn<WatchedProcess['kill']>() };
  return process satisfies WatchedProcess;
}

test('programs without data do not count, but only those of the service and one process', async () => {
  // The test's own memory may grow meanwhile.
  const watch = new MemoryWatch(1000 * megabyte);
  const [child, further] = [processOf(100 * megabyte), processOf(100 * megabyte)];
  onTestFinished(() => {
    watch.forget(child);
    watch.forget(further);
  });
  watch.watch(child, true);
  child.memoryBytes = 900 * megabyte;
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(child.kill).not.toHaveBeenCalled();
  watch.watch(further, true);
  further.memoryBytes = 300 * megabyte;
  await vi.waitFor(() => expect(child.kill).toHaveBeenCalled());
  expect(further.kill).not.toHaveBeenCalled();
});
