import { ServiceError } from '../../client/errors.ts';

/**
 * The answer, or undefined when the service refuses: the caller then shows the rest. Refusals come
 * from missing permissions and from older services.
 */
export const ifKnown = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ServiceError) return undefined;
    throw error;
  });
