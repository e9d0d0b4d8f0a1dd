import { ServiceError } from '../../client/errors.ts';

/** The empty answer for a 404 before the first lookup was set; throws every other error. */
export function noneYet(error: unknown): Record<string, never> {
  if (error instanceof ServiceError && error.status === 404 && !error.isLacking) return {};
  throw error;
}
