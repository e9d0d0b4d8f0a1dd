import { ServiceError } from '../../client/errors.ts';

/**
 * What stands for the answer before anything was ever set, which the service does not find; throws
 * every other error.
 */
export function noneYet(error: unknown): Record<string, never> {
  if (error instanceof ServiceError && error.status === 404 && !error.isLacking) return {};
  throw error;
}
