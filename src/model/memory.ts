// Memory limits of the engine.

/** The least memory of `svcctl serve --memory`, in bytes: with it, every kind of task and query runs, a million rows included. */
export const leastMemoryBytes = 500_000_000;

/** How many threads the engine may have in so many bytes, of as many processors: each reads and writes with buffers of its own. */
export const threadsFor = (memoryBytes: number, processors: number): number =>
  Math.max(1, Math.min(processors, Math.floor(memoryBytes / bytesPerThread)));

// A file is read in pieces of up to 32 MiB, two at a time.
const bytesPerThread = 64 * 1024 ** 2;
