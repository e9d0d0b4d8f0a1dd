// Memory limits of the service.
import { totalmem } from 'node:os';

/**
 * The minimum of `svcctl serve --memory`, in bytes: it is enough for every kind of task and query,
 * with a million rows.
 */
export const leastMemoryBytes = 500_000_000;

/** The memory of the service in bytes: the given value, or half of the machine's. */
export const memoryOrHalf = (givenBytes: number | undefined): number =>
  givenBytes ?? Math.max(leastMemoryBytes, Math.floor(totalmem() / 2));

/**
 * The maximum number of large request bodies in progress: a JSON text of 16 MB can become some 400
 * MB of values.
 */
export const largeBodiesFor = (memoryBytes: number): number =>
  Math.max(1, Math.floor(memoryBytes / (512 * 1024 ** 2)));

/**
 * The maximum number of engine threads for this memory and number of processors: each thread has
 * its own read and write buffers.
 */
export const threadsFor = (memoryBytes: number, processors: number): number =>
  Math.max(1, Math.min(processors, Math.floor(memoryBytes / bytesPerThread)));

// A thread reads a file in pieces of up to 32 MiB, two at a time.
const bytesPerThread = 64 * 1024 ** 2;
