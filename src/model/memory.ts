// Memory limits of the service.
import { totalmem } from 'node:os';

/**
 * The least memory of `svcctl serve --memory`, in bytes: with it, every kind of task and query
 * runs, a million rows included.
 */
export const leastMemoryBytes = 500_000_000;

/** The memory of the service in bytes: what is given, or half of the machine's. */
export const memoryOrHalf = (givenBytes: number | undefined): number =>
  givenBytes ?? Math.max(leastMemoryBytes, Math.floor(totalmem() / 2));

/**
 * How many large request bodies the service may have in hand at once: a JSON text of 16 MB can
 * become some 400 MB of values.
 */
export const largeBodiesFor = (memoryBytes: number): number =>
  Math.max(1, Math.floor(memoryBytes / (512 * 1024 ** 2)));

/**
 * How many threads the engine may have in so many bytes, of as many processors: each reads and
 * writes with buffers of its own.
 */
export const threadsFor = (memoryBytes: number, processors: number): number =>
  Math.max(1, Math.min(processors, Math.floor(memoryBytes / bytesPerThread)));

// A file is read in pieces of up to 32 MiB, two at a time.
const bytesPerThread = 64 * 1024 ** 2;
