// Kinds of errors.
import { BadSettings, Interrupted, ServiceError, Unreachable } from '../../client/errors.ts';
import { CommandError } from './errors.ts';
import type { Outcome } from './exit-codes.ts';

/** The outcome of an error, which decides the exit code. */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof CommandError) return error.outcome;
  if (error instanceof BadSettings) return 'usage';
  if (error instanceof Interrupted) return 'interrupted';
  if (error instanceof Unreachable) return 'unreachable';
  if (error instanceof ServiceError && error.isLacking) return 'failed';
  if (isUnknownName(error) || isNotHeld(error)) return 'notFound';
  if (error instanceof ServiceError) return outcomeOfStatus[error.status] ?? 'failed';
  return 'failed';
}

/**
 * Whether the service reports an unknown name: basic security with 400, workers with 500, the real
 * engine of a worker without brackets.
 */
export const isUnknownName = (error: unknown) =>
  error instanceof ServiceError &&
  error.status !== 404 &&
  (/^[A-Z][\w ]* \[[^\]]*\] does not exist\.?$/.test(error.message) ||
    /^Worker on host \S+ does not exists?\.?$/.test(error.message));

// The user lacks the role or permission to remove; basic security reports it with 400.
const isNotHeld = (error: unknown) =>
  error instanceof ServiceError &&
  /^(?:User|Group mapping) \[[^\]]*\] does not have role \[[^\]]*\]/.test(error.message);

/**
 * Whether a statement is refused because of a missing table. A table is one of many parts of a
 * statement, so the exit code is that of a refusal.
 */
export const isUnknownTable = (error: unknown) =>
  error instanceof ServiceError && /^Object '.*' not found/.test(error.message);

/** Whether a text begins with a word that cannot begin a statement: `SELCT 1`. */
export const isNoStatement = (error: unknown) =>
  error instanceof ServiceError &&
  error.message.startsWith('Non-query expression encountered in illegal context');

const outcomeOfStatus: Record<number, Outcome> = {
  401: 'denied',
  403: 'denied',
  404: 'notFound',
  408: 'unreachable',
  409: 'conflict',
  412: 'conflict',
  502: 'unreachable',
  504: 'unreachable',
};
