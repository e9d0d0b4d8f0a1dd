// How many tasks workers could still take.
import type { Worker } from '../../contract/workers.ts';

/** Slots of those that take tasks; the others by name. */
export function slotsOf(listed: readonly Worker[]) {
  const disabled = listed.filter(isDisabled);
  const blacklisted = listed.filter((one) => !isDisabled(one) && isBlacklisted(one));
  const taking = listed.filter((one) => !isDisabled(one) && !isBlacklisted(one));
  const frees = taking.map(({ worker, currCapacityUsed }) => Math.max(0, worker.capacity - currCapacityUsed));
  return {
    taking,
    disabled,
    blacklisted,
    all: taking.reduce((sum, { worker }) => sum + worker.capacity, 0),
    used: taking.reduce((sum, { currCapacityUsed }) => sum + currCapacityUsed, 0),
    free: frees.reduce((sum, free) => sum + free, 0),
    largestFree: Math.max(0, ...frees),
  };
}

// Older services say it by leaving out the version.
export const isDisabled = ({ worker: { disabled, version } }: Worker): boolean => disabled ?? version === '';

const isBlacklisted = ({ blacklistedUntil }: Worker) => Boolean(blacklistedUntil) && Date.parse(String(blacklistedUntil)) > Date.now();
