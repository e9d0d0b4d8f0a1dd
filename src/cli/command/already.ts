// A change that the service refuses because things are so already is done: what was wanted is
// there.
import { ServiceError } from '../../client/errors.ts';

/** Whether a change was made; false when things were so already. Throws every other refusal. */
export async function isMade(change: Promise<unknown>): Promise<boolean> {
  try {
    await change;
    return true;
  } catch (error) {
    if (
      error instanceof ServiceError &&
      error.status === 400 &&
      /\] (is already (suspended|running)|already has role \[)/.test(error.message)
    )
      return false;
    throw error;
  }
}
