import { ServiceError } from '../../client/errors.ts';

/**
 * The answer, or nothing: one who may not see everything sees the rest, and so does one whose
 * service is older.
 */
export const ifKnown = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
