// Free task slots of workers, and the disabled workers.
import type { Finding } from '../../../cli/command/findings.ts';
import type { Worker } from '../../../contract/workers.ts';
import { commandLine } from '../../../model/shell-text.ts';

/** Slots of the enabled workers, and the names of the others. */
export function slotsOf(listed: readonly Worker[]) {
  const disabled = listed.filter(isDisabled);
  const blacklisted = listed.filter((one) => !isDisabled(one) && isBlacklisted(one));
  const taking = listed.filter((one) => !isDisabled(one) && !isBlacklisted(one));
  const frees = taking.map(({ worker, currCapacityUsed }) =>
    Math.max(0, worker.capacity - currCapacityUsed),
  );
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

/** Findings about disabled workers; their severity depends on the command. */
export function offFindings(
  { disabled, blacklisted }: Pick<ReturnType<typeof slotsOf>, 'disabled' | 'blacklisted'>,
  states: { readonly disabled: Finding['state']; readonly blacklisted: Finding['state'] },
): readonly Finding[] {
  return [
    ...disabled.map(
      ({ worker }): Finding => ({
        check: 'workers',
        state: states.disabled,
        says: `Worker [${worker.host}] is disabled and takes no tasks`,
        remedy: commandLine`svcctl workers enable ${worker.host}`,
      }),
    ),
    ...blacklisted.map(
      ({ worker, blacklistedUntil }): Finding => ({
        check: 'workers',
        state: states.blacklisted,
        says: `Worker [${worker.host}] has failed too often and receives no tasks until ${blacklistedUntil}`,
        remedy: 'svcctl tasks list --state complete --where "status = FAILED"',
      }),
    ),
  ];
}

// Older services mark disabled workers by leaving out the version.
export const isDisabled = ({ worker: { disabled, version } }: Worker): boolean =>
  disabled ?? version === '';

const isBlacklisted = ({ blacklistedUntil }: Worker) =>
  Boolean(blacklistedUntil) && Date.parse(String(blacklistedUntil)) > Date.now();
