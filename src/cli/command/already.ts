// Changes that the service refuses because the desired state already exists. They count as done.
import { ServiceError } from '../../client/errors.ts';

/**
 * True when the change was made, false when the state existed already. Throws every other refusal.
 */
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
