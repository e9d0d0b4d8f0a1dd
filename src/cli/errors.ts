// What the frame and the commands say no with. The outcome decides the exit code.
import type { Outcome } from './exit-codes.ts';

export class CommandError extends Error {
  readonly outcome: Outcome;
  readonly hint: string | undefined;

  constructor(outcome: Outcome, message: string, hint?: string) {
    super(message);
    this.outcome = outcome;
    this.hint = hint;
  }
}

// The user asked for something that cannot be; nothing was sent.
export class UsageError extends CommandError {
  constructor(message: string, hint?: string) {
    super('usage', message, hint);
  }
}

/** Ends a dry run where a reply would be needed that nobody gave. */
export class DryRunEnds extends Error {}
