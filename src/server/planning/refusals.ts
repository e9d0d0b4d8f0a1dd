// Refusals of statements that need too much planning.
import { resourceLimitExceeded } from '../engine/refusals.ts';

export const planTooLarge = (heapBytes: number) =>
  resourceLimitExceeded(
    `Planning the statement needs more than [${Math.ceil(heapBytes / 1024 ** 2)}] MiB of memory. Make it shorter, or read long lists from a table.`,
  );
